/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WORKLOAD_SHAPE_H
#define TESTS_UNIT_WORKLOAD_SHAPE_H

#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/support/trace_ids.h"
#include "tools/workload/workload.h"

/* What is measured of a workload that was generated. */

static inline struct trace make(const char *spec, uint64_t seed)
{
	struct diag diag = {0};
	struct trace trace;
	int err = workload_generate(&trace, spec, seed, &diag);

	ck_assert_msg(!err, "%s: %s", spec, diag.text);
	return trace;
}

static inline int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* All lengths, sorted; the caller's to free. */
static inline uint32_t *sorted_lens(const struct trace *trace)
{
	uint32_t *lens = malloc(trace->num_reqs * sizeof(*lens));

	ck_assert_ptr_nonnull(lens);
	for (size_t i = 0; i < trace->num_reqs; i++)
		lens[i] = trace->reqs[i].len;
	qsort(lens, trace->num_reqs, sizeof(*lens), compare);
	return lens;
}

static inline double mean_len(const struct trace *trace)
{
	double sum = 0.0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		sum += trace->reqs[i].len;
	return sum / (double)trace->num_reqs;
}

static inline uint64_t first_id(const struct trace *trace, size_t i)
{
	return nth_id(trace, &trace->reqs[i], 0);
}

/* Requests whose first block is that one. */
static inline size_t count_first(const struct trace *trace, uint64_t id)
{
	size_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		num += trace->reqs[i].num_ids && first_id(trace, i) == id;
	return num;
}

/* Share of the full blocks that an earlier request had too. */
static inline double reuse(const struct trace *trace)
{
	bool *met = calloc(largest_id(trace) + 1, sizeof(*met));
	uint64_t *ids = all_ids(trace);
	size_t num = count_ids(trace);
	size_t again = 0;

	ck_assert_ptr_nonnull(met);
	for (size_t i = 0; i < num; i++) {
		again += met[ids[i]];
		met[ids[i]] = true;
	}
	free(ids);
	free(met);
	return (double)again / (double)num;
}

static inline void check_near(const char *what, double got, double want,
			      double off)
{
	ck_assert_msg(fabs(got - want) <= off, "%s: %.6g, expected %.6g +- %g",
		      what, got, want, off);
}

#endif
