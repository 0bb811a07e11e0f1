/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/api_history.h"
#include "fuzz_main.h"

/* Whatever a caller calls in whatever order, the promises hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct api_counts counts = {{0}, 0, 0, 0};

	api_history_run(data, size, &counts);
	return 0;
}
