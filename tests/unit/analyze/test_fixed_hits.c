/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>

#include "lib/cost/device.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/analyze/fixed_hits.h"
#include "tools/policy/policy.h"
#include "node.h"

/* The node whose hits are given is the simulated one without its cache. */

static uint64_t seed;

static struct draw draw_of(int number)
{
	return (struct draw){seed + (uint64_t)number * 0x632be59bd9b4e019};
}

START_TEST(test_one_request_alone_takes_its_prefill_time)
{
	static const uint32_t hit = 5000;
	struct policy_list list = {0};
	struct diag diag = {""};
	struct sim_result result;
	struct trace trace;
	double want =
		fw_device_prefill(fw_device_find("a6000"), hit, 12000, 2048);

	trace_init(&trace, 16);
	add_req(&trace, 0.0, 12000);
	ck_assert_int_eq(policy_parse(&list, "fairway", &diag), 0);
	ck_assert_int_eq(fixed_hits_run(&trace, &hit, &node, &list.specs[0],
					NULL, &result, &diag),
			 0);
	ck_assert_double_eq_tol(result.reqs[0].ttft_s, want, 1e-12);
	ck_assert(result.reqs[0].start_s == 0.0);
	ck_assert_uint_eq(result.reqs[0].cached, 5000);
	sim_result_destroy(&result);
	policy_list_destroy(&list);
	trace_destroy(&trace);
}
END_TEST

static void assert_same_runs(const struct sim_result *a,
			     const struct sim_result *b)
{
	ck_assert_uint_eq(a->steps, b->steps);
	ck_assert(a->busy_s == b->busy_s && a->end_s == b->end_s);
	for (size_t i = 0; i < a->num_reqs; i++) {
		ck_assert(a->reqs[i].ttft_s == b->reqs[i].ttft_s);
		ck_assert(a->reqs[i].start_s == b->reqs[i].start_s);
		ck_assert_uint_eq(a->reqs[i].cached, b->reqs[i].cached);
	}
}

/* Orders that predict are told of what has begun, in both nodes. */
static const char policies[] =
	"fcfs,lpm,fairway,fairway:guard=0.5,fairway:guard=0.5:pause,"
	"fairway:key=rest:guard=0.1:pause,fairway:pause,srpf,srpf:nopause,"
	"srpf:guard=off,srpf:guard=0.05:nopause,srpf:weight=0.5:guard=0.1";

/* Nothing shared and memory for all: the pool then decides nothing. */
START_TEST(test_without_hits_it_is_the_simulated_node)
{
	struct draw draw = draw_of(_i);
	struct sim_config config = node;
	static const uint32_t hits[200];
	struct policy_list list = {0};
	struct diag diag = {""};
	struct trace trace;
	double now = 0.0;

	config.max_running = 1 + draw_below(&draw, 8);
	trace_init(&trace, 1u << 15);
	for (int i = 0; i < 200; i++) {
		now += one_in(&draw, 3) ? 0.0 : draw_below(&draw, 1200);
		add_req(&trace, now, 1 + draw_below(&draw, 9000));
	}
	ck_assert_int_eq(policy_parse(&list, policies, &diag), 0);
	for (unsigned int i = 0; i < list.num; i++) {
		struct sim_result own, sim;

		ck_assert_int_eq(fixed_hits_run(&trace, hits, &config,
						&list.specs[i], NULL, &own,
						&diag),
				 0);
		ck_assert_int_eq(sim_run(&trace, &config, &list.specs[i], NULL,
					 &sim, &diag),
				 0);
		assert_same_runs(&own, &sim);
		sim_result_destroy(&own);
		sim_result_destroy(&sim);
	}
	policy_list_destroy(&list);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fixed_hits");
	TCase *tcase = tcase_create("fixed_hits");

	seed = draw_seed();
	tcase_add_test(tcase, test_one_request_alone_takes_its_prefill_time);
	tcase_add_loop_test(tcase, test_without_hits_it_is_the_simulated_node,
			    0, 20);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
