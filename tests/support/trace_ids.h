/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TRACE_IDS_H
#define TESTS_SUPPORT_TRACE_IDS_H

#include <stdlib.h>

#include "tools/trace/trace.h"

/* Block ids one by one, for tests: a trace keeps runs of them. */

static inline int add_ids(struct id_runs *runs, const uint64_t *ids, size_t num)
{
	int ret = 0;

	for (size_t i = 0; i < num && !ret; i++)
		ret = id_runs_add(runs, ids[i], 1);
	return ret;
}

/* trace_add() from an array. */
static inline int trace_add_ids(struct trace *trace,
				const struct trace_req *req,
				const uint64_t *ids)
{
	struct id_runs runs = {0};
	int ret = add_ids(&runs, ids, req->num_ids);

	if (!ret)
		ret = trace_add(trace, req, &runs);
	id_runs_destroy(&runs);
	return ret;
}

/* The @n-th id of a request. */
static inline uint64_t nth_id(const struct trace *trace,
			      const struct trace_req *req, uint32_t n)
{
	const struct id_run *run = &trace->runs[req->first_run];

	while (n >= run->num)
		n -= run++->num;
	return id_run_first(run) + n;
}

static inline size_t count_ids(const struct trace *trace)
{
	size_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		num += trace->reqs[i].num_ids;
	return num;
}

/* Those of all requests in a row; the caller's to free. */
static inline uint64_t *all_ids(const struct trace *trace)
{
	uint64_t *ids = calloc(count_ids(trace) + 1, sizeof(*ids));
	uint64_t *to = ids;

	if (!ids)
		abort();
	for (size_t i = 0; i < trace->num_reqs; i++) {
		trace_ids(trace, &trace->reqs[i], to);
		to += trace->reqs[i].num_ids;
	}
	return ids;
}

static inline uint64_t largest_id(const struct trace *trace)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < trace->num_runs; i++)
		if (id_run_last(&trace->runs[i]) > largest)
			largest = id_run_last(&trace->runs[i]);
	return largest;
}

#endif
