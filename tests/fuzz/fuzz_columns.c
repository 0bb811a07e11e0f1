/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/trace/reader.h"
#include "fuzz.h"

/* Large blocks: lengths of 16 million tokens ask for few ids. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {""};
	struct lines_buffer from;
	struct lines lines;
	struct trace_input in = {
		.path = "fuzz",
		.lines = &lines,
		.block_size = 4096,
	};
	struct trace trace;
	int ret;

	if (open_bytes(&lines, &from, data, size))
		return 0;
	ret = reader_azure.read(&trace, &in, &diag);
	check_result(ret, &trace, &diag);
	lines_close(&lines);
	return 0;
}
