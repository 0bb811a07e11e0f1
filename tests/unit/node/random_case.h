/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_NODE_RANDOM_CASE_H
#define TESTS_UNIT_NODE_RANDOM_CASE_H

#include "tests/support/draw.h"
#include "tools/node/sim.h"

/*
 * Small traces, made to be nasty: shared prefixes, caches that hold hardly one
 * prompt, ties, full hits, single tokens.
 */

#define MAX_IDS 48

/**
 * struct random_case - one case
 * @draw: its chances
 * @trace: its requests
 * @config: its node
 * @num_tenants: of the trace
 * @next_id: smallest block id that no request has had
 * @policy: the policy of the run at hand
 */
struct random_case {
	struct draw draw;
	struct trace trace;
	struct sim_config config;
	uint32_t num_tenants;
	uint64_t next_id;
	char policy[128];
};

/**
 * make_case() - draw a trace and a node
 * @test: trace_destroy() its trace
 * @seed: of the run
 * @number: of the case; each has chances of its own
 */
void make_case(struct random_case *test, uint64_t seed, uint64_t number);

/* Draw a policy with flags for @test, and count it. */
void draw_policy(struct random_case *test);

/* How often each policy was drawn, as lines of TAP comments. */
void print_policies_drawn(void);

/* In [low, high]. */
static inline uint32_t draw_range(struct draw *draw, uint32_t low,
				  uint32_t high)
{
	return low + draw_below(draw, high - low + 1);
}

#endif
