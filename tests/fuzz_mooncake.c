/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../tools/trace.h"
#include "lines_buffer.h"

/*
 * Whatever the bytes, the reader gives either a trace that keeps its promises
 * or one printable line. Built with -DFUZZER it is libFuzzer's target, without
 * it runs the files that it is given.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void promise(int kept, const char *what)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

static void check_trace(const struct trace *trace)
{
	size_t ids = 0;

	promise(trace->num_reqs && trace->num_phases, "a trace is not empty");
	promise(trace->block_size >= 1 && trace->block_size <= 65536,
		"block size in range");
	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		promise(req->first_id == ids, "ids follow each other");
		promise(req->len && req->len <= INT32_MAX, "length in range");
		promise(req->num_ids == req->len / trace->block_size,
			"one id for each full block");
		promise(req->phase < trace->num_phases, "phase is known");
		promise(!i || req->arrival_ms >= req[-1].arrival_ms,
			"arrivals rise");
		ids += req->num_ids;
	}
	promise(ids == trace->num_ids, "no id is left over");
	promise(trace_shared_ids(trace) <= (int64_t)ids, "ids are counted");
}

static void check_message(const char *text)
{
	promise(text[0], "an error says what it is");
	for (; *text; text++)
		promise((unsigned char)*text >= 0x20 && *text != 0x7f,
			"messages hold no control characters");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lines_buffer from = {
		.data = (const char *)data,
		.size = size,
		.step = size % 7 ? 4096 : 13,
	};
	struct lines_source source = lines_buffer_source(&from);
	struct diag diag = {""};
	struct lines lines;
	struct trace trace;

	if (lines_open_source(&lines, "fuzz", &source, NULL, &diag))
		return 0;
	if (trace_parse_mooncake(&trace, &lines, size % 3 ? 0 : 16, &diag)) {
		check_message(diag.text);
	} else {
		check_trace(&trace);
		trace_destroy(&trace);
	}
	lines_close(&lines);
	return 0;
}

#ifndef FUZZER
static int run_file(const char *path)
{
	uint8_t *data = malloc(1 << 20);
	FILE *file = fopen(path, "rb");
	size_t size;

	if (!data || !file) {
		perror(path);
		free(data);
		return 1;
	}
	size = fread(data, 1, 1 << 20, file);
	fclose(file);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	int ret = 0;

	for (int i = 1; i < argc; i++)
		ret |= run_file(argv[i]);
	return ret;
}
#endif
