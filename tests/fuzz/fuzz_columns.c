/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/trace/reader.h"
#include "fuzz.h"

/*
 * Every CSV with a line for each request. Large blocks: lengths of millions of
 * tokens ask for few ids.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct trace_reader *const readers[] = {
		&reader_azure,	  &reader_burstgpt, &reader_splitwise,
		&reader_servegen, &reader_columns,
	};
	struct diag diag = {""};
	struct lines_buffer from;
	struct lines lines;
	struct trace_input in = {
		.path = "fuzz",
		.lines = &lines,
		.opt.block_size = 4096,
		.opt.columns = "arrival=t,input=n,session=s",
	};
	struct trace trace;
	int ret;

	if (open_bytes(&lines, &from, data, size))
		return 0;
	in.opt.strict = size % 2;
	ret = trace_read_lines(&trace, readers[size % 5], &in, &diag);
	check_result(ret, &trace, &diag);
	lines_close(&lines);
	return 0;
}
