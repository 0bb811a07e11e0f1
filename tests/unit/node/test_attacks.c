/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/node/sim.h"
#include "tools/workload/workload.h"

/*
 * Two attacks on the paper's ledgers, which forget at every step. A step that
 * is over before the fast lane has used up what the oldest request grants it
 * never comes to the fair lane. The guard bounds what such a request waits.
 */

/* A step of an a6000 that is full, with what it attends to. */
#define STEP_S 0.3

/**
 * struct attack - one of them
 * @workload: the requests
 * @max_running: sequences of the node at once
 */
static const struct attack {
	const char *workload;
	uint32_t max_running;
} attacks[] = {
	/* The budget is spent on 128 hits of 16 tokens: 8,192 of 9,000. */
	{"attack:seconds=60", 256},
	/* Sequences run out after 16 hits of a token: 64 of 4,090. */
	{"attack:seconds=60:long=4090:tokens=1:rate=620:first=500", 16},
};

static struct trace trace;
static struct sim_config config;

static void open_attack(const struct attack *attack)
{
	struct diag diag = {0};

	ck_assert_int_eq(workload_generate(&trace, attack->workload, 1, &diag),
			 0);
	config = (struct sim_config){
		.device = "a6000",
		.budget = 2048,
		.max_running = attack->max_running,
		.kv_blocks = trace.kv_blocks,
		.time_scale = 1.0,
	};
}

/* The worst time to first token of a phase. */
static double worst(const char *policy, const char *phase)
{
	struct policy_list list = {0};
	struct sim_result result;
	struct diag diag = {0};
	double most = 0.0;

	ck_assert_int_eq(policy_parse(&list, policy, &diag), 0);
	ck_assert_int_eq(sim_run(&trace, &config, &list.specs[0], NULL, &result,
				 &diag),
			 0);
	for (size_t i = 0; i < trace.num_reqs; i++)
		if (!strcmp(trace.phases[trace.reqs[i].phase], phase))
			most = fmax(most, result.reqs[i].ttft_s);
	sim_result_destroy(&result);
	policy_list_destroy(&list);
	return most;
}

static const char *const phases[] = {"long", "others"};

/* Else there is nothing to guard against. */
START_TEST(test_without_a_guard_the_fair_lane_is_switched_off)
{
	open_attack(&attacks[_i]);
	ck_assert_double_gt(worst("fairway", "long"),
			    10.0 * worst("fcfs", "long"));
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_the_guard_bounds_what_the_attacked_wait)
{
	static const char *const policies[] = {
		"fairway:guard=0.5",
		"fairway:guard=0.5:pause",
		"srpf",
		"srpf:protect",
	};

	open_attack(&attacks[_i]);
	for (size_t i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		double bound = 1.5 * worst("fcfs", phases[i]) + 2.0 * STEP_S;

		for (size_t j = 0; j < sizeof(policies) / sizeof(policies[0]);
		     j++)
			ck_assert_double_le(worst(policies[j], phases[i]),
					    bound);
	}
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("attacks");
	TCase *tcase = tcase_create("attacks");

	tcase_add_loop_test(tcase,
			    test_without_a_guard_the_fair_lane_is_switched_off,
			    0, 2);
	tcase_add_loop_test(tcase, test_the_guard_bounds_what_the_attacked_wait,
			    0, 2);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
