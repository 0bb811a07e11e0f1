/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/base/unpack.h"
#include "fuzz.h"

/* More lines than these say nothing new, and bombs take long. */
enum {
	MAX_LINES = 10000
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines_buffer from = {
		.data = (const char *)data,
		.size = size,
		.step = size % 5 ? 4096 : 3,
	};
	struct lines_source packed = lines_buffer_source(&from);
	struct lines_source source;
	struct diag diag = {""};
	struct lines lines;
	const char *line;
	int num = 0;
	size_t len;
	int ret;

	if (unpack_source(&source, &packed, 0, 0, NULL))
		return 0;
	if (lines_open_source(&lines, "fuzz", &source, NULL, &diag))
		return 0;
	while ((ret = lines_next(&lines, &line, &len, &diag)) > 0 &&
	       num++ < MAX_LINES)
		promise(len > 0, "no line is blank");
	if (ret < 0)
		check_message(diag.text);
	lines_close(&lines);
	return 0;
}
