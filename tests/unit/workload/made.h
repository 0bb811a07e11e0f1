/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_WORKLOAD_MADE_H
#define TESTS_WORKLOAD_MADE_H

#include <check.h>
#include <stdint.h>

#include "tests/support/trace_ids.h"
#include "tools/workload/workload.h"

/* Traces made by name, and a hash that tells two of them apart. */

static inline int num_workloads(void)
{
	int num = 0;

	while (workload_names[num])
		num++;
	return num;
}

static inline struct trace make(const char *spec, uint64_t seed)
{
	struct diag diag = {0};
	struct trace trace;
	int err = workload_generate(&trace, spec, seed, &diag);

	ck_assert_msg(!err, "%s: %s", spec, diag.text);
	return trace;
}

static inline void hash(uint64_t *sum, uint64_t value)
{
	for (int i = 0; i < 64; i += 8)
		*sum = (*sum ^ (value >> i & 0xff)) * 0x100000001b3u;
}

/* FNV-1a over all that a trace says. */
static inline uint64_t trace_hash(const struct trace *trace)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		hash(&sum, (uint64_t)req->arrival_ms);
		hash(&sum, req->len);
		hash(&sum, req->phase);
		if (req->tenant)
			hash(&sum, req->tenant);
		for (uint32_t j = 0; j < req->num_ids; j++)
			hash(&sum, nth_id(trace, req, j));
	}
	for (uint32_t i = 0; i < trace->num_phases; i++)
		for (const char *c = trace->phases[i]; *c; c++)
			hash(&sum, (unsigned char)*c);
	return sum;
}

static inline uint64_t spec_hash(const char *spec, uint64_t seed)
{
	struct trace trace = make(spec, seed);
	uint64_t sum = trace_hash(&trace);

	trace_destroy(&trace);
	return sum;
}

#endif
