/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/lines_buffer.h"
#include "tools/trace/trace.h"
#include "fuzz_main.h"

/*
 * Whatever the bytes, a reader gives either what keeps its promises or one
 * printable line.
 */

/* Ids of a request's runs, none of which is empty or passes the largest id. */
static inline size_t count_runs(const struct trace *trace,
				const struct trace_req *req)
{
	size_t ids = 0;

	for (uint32_t i = 0; i < req->num_runs; i++) {
		const struct id_run *run = &trace->runs[req->first_run + i];

		promise(run->num, "a run has ids");
		promise(id_run_last(run) >= id_run_first(run), "ids rise");
		ids += run->num;
	}
	return ids;
}

static inline void check_trace(const struct trace *trace)
{
	size_t ids = 0;
	size_t runs = 0;

	promise(trace->num_reqs && trace->num_phases, "a trace is not empty");
	promise(trace->block_size >= 1 && trace->block_size <= 65536,
		"block size in range");
	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		promise(req->first_run == runs, "runs follow each other");
		promise(count_runs(trace, req) == req->num_ids,
			"runs are what they count");
		promise(req->len && req->len <= INT32_MAX, "length in range");
		promise(req->num_ids == req->len / trace->block_size,
			"one id for each full block");
		promise(req->phase < trace->num_phases, "phase is known");
		promise(!i || req->arrival_ms >= req[-1].arrival_ms,
			"arrivals rise");
		ids += req->num_ids;
		runs += req->num_runs;
	}
	promise(runs == trace->num_runs, "no run is left over");
	promise(trace_shared_ids(trace) <= (int64_t)ids, "ids are counted");
}

static inline void check_message(const char *text)
{
	promise(text[0], "an error says what it is");
	for (; *text; text++)
		promise((unsigned char)*text >= 0x20 && *text != 0x7f,
			"messages hold no control characters");
}

/* Either of the two, and nothing is left behind. */
static inline void check_result(int ret, struct trace *trace,
				const struct diag *diag)
{
	if (ret) {
		check_message(diag->text);
		return;
	}
	check_trace(trace);
	trace_destroy(trace);
}

/* Bytes as a file, in pieces that cut lines anywhere. */
static inline int open_bytes(struct lines *lines, struct lines_buffer *from,
			     const uint8_t *data, size_t size)
{
	struct lines_source source;
	struct diag diag = {""};

	*from = (struct lines_buffer){
		.data = (const char *)data,
		.size = size,
		.step = size % 7 ? 4096 : 13,
	};
	source = lines_buffer_source(from);
	return lines_open_source(lines, "fuzz", &source, NULL, &diag);
}

#endif
