/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ANALYZE_NODE_H
#define TESTS_UNIT_ANALYZE_NODE_H

#include <check.h>

#include "tools/node/sim.h"

/* The node of these tests, and requests that share nothing. */

static const struct sim_config node = {
	.device = "a6000",
	.budget = 2048,
	.max_running = 256,
	.kv_blocks = 1 << 20,
	.time_scale = 1.0,
};

static inline void add_req(struct trace *trace, double arrival_ms, uint32_t len)
{
	const struct trace_req req = {.arrival_ms = arrival_ms, .len = len};

	ck_assert_int_eq(trace_add(trace, &req, NULL), 0);
}

#endif
