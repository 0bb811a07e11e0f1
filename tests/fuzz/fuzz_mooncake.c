/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/trace/reader.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = {""};
	struct lines_buffer from;
	struct lines lines;
	struct trace_input in = {.path = "fuzz", .lines = &lines};
	struct trace trace;
	int ret;

	if (open_bytes(&lines, &from, data, size))
		return 0;
	in.opt.block_size = size % 3 ? 0 : 16;
	in.opt.rate.rate = size % 5 ? 0.0 : 2.0;
	ret = trace_read_lines(&trace,
			       size % 2 ? &reader_mooncake : &reader_bailian,
			       &in, &diag);
	check_result(ret, &trace, &diag);
	lines_close(&lines);
	return 0;
}
