/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TRACE_REQUESTS_H
#define TESTS_UNIT_TRACE_REQUESTS_H

#include <check.h>

#include "tests/support/trace_ids.h"

/* A request of @len tokens; @ids holds one id for each of its full blocks. */
static inline void add_request(struct trace *trace, double ms, uint32_t len,
			       uint32_t phase, const uint64_t *ids)
{
	struct trace_req req = {
		.arrival_ms = ms,
		.len = len,
		.num_ids = len / trace->block_size,
		.output_len = len % 100,
		.phase = phase,
		.tenant = phase ? (uint64_t)-len : 0,
	};

	ck_assert_int_eq(trace_add_ids(trace, &req, ids), 0);
}

#endif
