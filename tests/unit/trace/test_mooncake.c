/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>

#include "tests/support/read_text.h"
#include "tests/naive/golden.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"

/*
 * The published conversation trace under load, with a cache of 0.3 of the
 * blocks that can be hit at all.
 */

#define BLOCK 512
#define LOADED_SCALE 3.2
#define PREFIX 600

static struct trace trace;

static const char *const policies[] = {
	"fcfs",		 "lpm",
	"fairway",	 "fairway:protect",
	"fairway:carry", "fairway:carry=long",
};

#define NUM_POLICIES ((int)(sizeof(policies) / sizeof(policies[0])))

static struct sim_config make_config(const struct trace *reqs, double scale)
{
	int64_t shared = trace_shared_ids(reqs);
	uint32_t least = 4 * trace_longest(reqs);
	struct sim_config config = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.time_scale = scale,
	};

	ck_assert_int_ge(shared, 0);
	config.kv_blocks = (uint32_t)(0.3 * (double)shared);
	if (config.kv_blocks < least)
		config.kv_blocks = least;
	return config;
}

static void run(const struct trace *reqs, const struct sim_config *config,
		const char *policy, struct sim_result *result)
{
	struct diag why = {0};
	int err = oracle_run(reqs, config, policy, result, &why);

	ck_assert_msg(err == 0, "%s: %s", policy, why.text);
}

/* No TTFT is shorter than the step that the last token needs. */
static void check_served(const struct sim_request *req, double least, size_t id)
{
	ck_assert_msg(req->outcome == SIM_DONE && req->ttft_s >= least,
		      "request %zu: outcome %d, TTFT %.9f", id, req->outcome,
		      req->ttft_s);
	ck_assert_uint_lt(req->cached, trace.reqs[id].len);
	ck_assert_uint_eq(req->cached % BLOCK, 0);
}

START_TEST(test_everyone_is_served_within_the_bound)
{
	struct sim_config config = make_config(&trace, LOADED_SCALE);
	struct sim_result result;

	run(&trace, &config, policies[_i], &result);
	ck_assert_uint_eq(result.num_reqs, trace.num_reqs);
	for (size_t i = 0; i < result.num_reqs; i++)
		check_served(&result.reqs[i], 0.025, i);
	ck_assert_msg(result.bound_broken == 0, "%s broke the bound %llu times",
		      policies[_i], (unsigned long long)result.bound_broken);
	sim_result_destroy(&result);
}
END_TEST

START_TEST(test_two_runs_are_the_same_to_the_bit)
{
	struct sim_config config = make_config(&trace, LOADED_SCALE);
	struct sim_result first;
	struct sim_result second;

	run(&trace, &config, policies[_i], &first);
	run(&trace, &config, policies[_i], &second);
	ck_assert_uint_eq(first.num_reqs, second.num_reqs);
	for (size_t i = 0; i < first.num_reqs; i++) {
		const struct sim_request *a = &first.reqs[i];
		const struct sim_request *b = &second.reqs[i];

		ck_assert_mem_eq(&a->ttft_s, &b->ttft_s, sizeof(a->ttft_s));
		ck_assert_uint_eq(a->cached, b->cached);
		ck_assert_int_eq(a->outcome, b->outcome);
	}
	ck_assert_uint_eq(first.steps, second.steps);
	ck_assert_mem_eq(&first.busy_s, &second.busy_s, sizeof(first.busy_s));
	sim_result_destroy(&first);
	sim_result_destroy(&second);
}
END_TEST

START_TEST(test_first_requests_are_as_the_oracle_has_them)
{
	struct trace head;
	struct sim_config config;
	struct diag why = {0};

	trace_init(&head, BLOCK);
	ck_assert_int_eq(trace_phase(&head, "all"), 0);
	for (size_t i = 0; i < PREFIX && i < trace.num_reqs; i++) {
		const struct trace_req *req = &trace.reqs[i];
		uint64_t *ids = calloc(req->num_ids + 1, sizeof(*ids));

		ck_assert_ptr_nonnull(ids);
		trace_ids(&trace, req, ids);
		ck_assert_int_eq(trace_add_ids(&head, req, ids), 0);
		free(ids);
	}
	config = make_config(&head, 1);
	ck_assert_msg(oracle_agrees(&head, &config, policies[_i], &why),
		      "%s: %s", policies[_i], why.text);
	trace_destroy(&head);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("mooncake");
	TCase *tcase = tcase_create("conversation");

	tcase_set_timeout(tcase, 0);
	tcase_add_loop_test(tcase, test_everyone_is_served_within_the_bound, 0,
			    NUM_POLICIES);
	tcase_add_loop_test(tcase, test_two_runs_are_the_same_to_the_bit, 0,
			    NUM_POLICIES);
	tcase_add_loop_test(tcase,
			    test_first_requests_are_as_the_oracle_has_them, 0,
			    NUM_POLICIES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *path = shared_path("traces/mooncake_conversation.jsonl");
	struct diag why = {0};
	int status;

	if (!path) {
		printf("1..0 # SKIP no Mooncake trace in $FAIRWAY_SHARED\n");
		return 0;
	}
	if (read_mooncake_file(&trace, path, BLOCK, NULL, &why) < 0) {
		printf("1..1\nnot ok 1 - %s\n", why.text);
		return 1;
	}
	status = run_suite(make_suite());
	trace_destroy(&trace);
	return status;
}
