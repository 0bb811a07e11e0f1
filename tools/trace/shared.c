/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "trace.h"

/*
 * Which ids occur in two requests or more: their runs are laid side by side on
 * the line of all ids, and what two of them cover is shared. So it costs what
 * the runs do, not what the ids do.
 */

/* Ids of one request, both ends included: there is no id past the largest. */
struct span_of_ids {
	uint64_t first;
	uint64_t last;
};

static int compare(const void *left, const void *right)
{
	const struct span_of_ids *a = left;
	const struct span_of_ids *b = right;

	return (a->first > b->first) - (a->first < b->first);
}

/* Each id once: a request that names one twice does not share it. */
static size_t merge_sorted(struct span_of_ids *spans, size_t num)
{
	size_t to = 0;

	for (size_t i = 1; i < num; i++) {
		if (spans[i].first > spans[to].last)
			spans[++to] = spans[i];
		else if (spans[i].last > spans[to].last)
			spans[to].last = spans[i].last;
	}
	return num ? to + 1 : 0;
}

/* Return: Spans of the request, rising and apart. */
static size_t spans_of(const struct trace *trace, const struct trace_req *req,
		       struct span_of_ids *spans)
{
	const struct id_run *runs = &trace->runs[req->first_run];
	bool rising = true;

	for (uint32_t i = 0; i < req->num_runs; i++) {
		spans[i].first = id_run_first(&runs[i]);
		spans[i].last = id_run_last(&runs[i]);
		rising = rising && (!i || spans[i].first > spans[i - 1].last);
	}
	if (rising)
		return req->num_runs;
	qsort(spans, req->num_runs, sizeof(*spans), compare);
	return merge_sorted(spans, req->num_runs);
}

/* By rising begin: what reaches back before the furthest end is covered. */
static int64_t covered_twice(const struct span_of_ids *spans, size_t num)
{
	uint64_t once = spans[0].last; /* end of what is covered */
	uint64_t from = spans[0].first; /* begin of what is not counted yet */
	uint64_t twice = 0;

	for (size_t i = 1; i < num; i++) {
		uint64_t last = spans[i].last < once ? spans[i].last : once;

		if (spans[i].first > from)
			from = spans[i].first;
		if (from <= last) {
			twice += last - from + 1;
			from = last + 1;
			/* Behind the largest id there is nothing to count. */
			if (!from)
				break;
		}
		if (spans[i].last > once)
			once = spans[i].last;
	}
	return (int64_t)twice;
}

int64_t trace_shared_ids(const struct trace *trace)
{
	struct span_of_ids *spans;
	int64_t shared = 0;
	size_t num = 0;

	spans = malloc((trace->num_runs + 1) * sizeof(*spans));
	if (!spans)
		return -ENOMEM;
	for (size_t i = 0; i < trace->num_reqs; i++)
		num += spans_of(trace, &trace->reqs[i], spans + num);
	qsort(spans, num, sizeof(*spans), compare);
	if (num)
		shared = covered_twice(spans, num);
	free(spans);
	return shared;
}

int trace_pool(const struct trace *trace, double share, uint32_t *blocks)
{
	uint64_t least = 4 * (uint64_t)trace_longest(trace);
	int64_t shared = trace_shared_ids(trace);
	double num;

	if (shared < 0)
		return (int)shared;
	num = floor(share * (double)shared);
	if (num < (double)least)
		num = (double)least;
	*blocks = num < (double)INT32_MAX ? (uint32_t)num : INT32_MAX;
	return 0;
}
