/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/trace/trace_docs.h"
#include "fuzz.h"

/* A NUL stands between the .docs and the .reqs file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	size_t first = end ? (size_t)(end - data) : size;
	size_t second = end ? size - first - 1 : 0;
	struct lines_buffer docs_from, reqs_from;
	struct diag diag = {""};
	struct lines docs, reqs;
	struct trace_input in = {
		.path = "fuzz",
		.lines = &reqs,
		.opt.block_size = 4096,
		.opt.rate = {.rate = size % 2 ? 2.5 : 0.0, .seed = size},
	};
	struct trace trace;
	int ret;

	if (open_bytes(&docs, &docs_from, data, first))
		return 0;
	if (!open_bytes(&reqs, &reqs_from, data + size - second, second)) {
		ret = trace_parse_docs(&trace, &docs, &reqs, &in, &diag);
		if (!ret)
			ret = input_settle(&in, &trace, &diag);
		arrival_destroy(&in.arrivals);
		check_result(ret, &trace, &diag);
		lines_close(&reqs);
	}
	lines_close(&docs);
	return 0;
}
