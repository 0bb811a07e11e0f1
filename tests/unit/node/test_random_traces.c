/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "random_case.h"

/*
 * The simulator against the naive one on random traces. FAIRWAY_SEED repeats a
 * run, FAIRWAY_RANDOM says how many cases, FAIRWAY_CASE runs one of them.
 */

#define DEFAULT_CASES 3000
#define POLICIES_A_CASE 3

static uint64_t seed;
static uint64_t num_cases = DEFAULT_CASES;
static uint64_t first_case;

static void print_request(const struct trace *trace, size_t index)
{
	const struct trace_req *req = &trace->reqs[index];

	printf("# {\"timestamp\": %.17g, \"input_length\": %u, "
	       "\"output_length\": 1, \"tenant\": %" PRIu64 ", \"hash_ids\": [",
	       req->arrival_ms, req->len, req->tenant);
	for (uint32_t i = 0; i < req->num_ids; i++)
		printf("%s%" PRIu64, i ? ", " : "", nth_id(trace, req, i));
	putchar(']');
	if (index == 0)
		printf(", \"block_size\": %u", trace->block_size);
	printf("}\n");
}

static void print_case(const struct random_case *test, uint64_t number,
		       const struct diag *why)
{
	printf("# FAIRWAY_SEED=%" PRIu64 " FAIRWAY_CASE=%" PRIu64
	       " differs: %s\n",
	       seed, number, why->text);
	printf("# --policy %s --device %s --budget %u --max-running %u "
	       "--kv-blocks %u --block-size %u --time-scale %.17g\n",
	       test->policy, test->config.device, test->config.budget,
	       test->config.max_running, test->config.kv_blocks,
	       test->trace.block_size, test->config.time_scale);
	for (size_t i = 0; i < test->trace.num_reqs; i++)
		print_request(&test->trace, i);
	fflush(stdout);
}

static void run_case(uint64_t number)
{
	struct random_case test;
	struct diag why = {0};

	make_case(&test, seed, number);
	for (int i = 0; i < POLICIES_A_CASE; i++) {
		draw_policy(&test);
		if (oracle_agrees(&test.trace, &test.config, test.policy, &why))
			continue;
		print_case(&test, number, &why);
		ck_abort_msg("case %" PRIu64 " under %s: %s", number,
			     test.policy, why.text);
	}
	trace_destroy(&test.trace);
}

START_TEST(test_simulator_equals_the_oracle)
{
	for (uint64_t i = 0; i < num_cases; i++)
		run_case(first_case + i);
	print_policies_drawn();
}
END_TEST

/* @first blocks shared with others from @shared on, then own ones. */
static void write_ids(uint64_t *ids, uint32_t num, uint64_t shared,
		      uint32_t first, uint64_t own)
{
	for (uint32_t i = 0; i < num; i++)
		ids[i] = i < first ? shared + i : own + i;
}

/*
 * With carry the oldest request's own charge may have started the ledgers in
 * a pass in which it did not fit; what overtakes it in the next pass was once
 * measured against the first one released, and counted as a breach.
 */
START_TEST(test_carried_bound_counts_from_where_the_ledgers_began)
{
	uint64_t ids[4][MAX_IDS];
	struct naive_request reqs[] = {
		{1.716142857142857, 716, 23, ids[0], 0},
		{2.902571428571428, 1314, 43, ids[1], 0},
		{2.902571428571428, 34, 1, ids[2], 0},
		{2.979571428571428, 120, 4, ids[3], 0},
	};
	struct sim_config config = {
		.device = "h200",
		.budget = 206,
		.max_running = 256,
		.kv_blocks = 44,
		.time_scale = 0.5,
	};
	struct diag why = {0};
	struct trace trace;

	write_ids(ids[0], 23, 0, 3, 100);
	write_ids(ids[1], 43, 0, 3, 200);
	write_ids(ids[2], 1, 0, 0, 300);
	write_ids(ids[3], 4, 0, 1, 400);
	oracle_trace(&trace, reqs, 4, 30);
	ck_assert_msg(oracle_agrees(&trace, &config,
				    "fairway:weight=0.854:multiplier=8.86"
				    ":carry:protect",
				    &why),
		      "%s", why.text);
	trace_destroy(&trace);
}
END_TEST

static void read_number(const char *name, uint64_t *number)
{
	const char *text = getenv(name);

	if (text && *text)
		*number = strtoull(text, NULL, 0);
}

static void read_environment(void)
{
	seed = (uint64_t)time(NULL);
	read_number("FAIRWAY_SEED", &seed);
	read_number("FAIRWAY_RANDOM", &num_cases);
	if (getenv("FAIRWAY_CASE")) {
		read_number("FAIRWAY_CASE", &first_case);
		num_cases = 1;
	}
	printf("# FAIRWAY_SEED=%" PRIu64 ", %" PRIu64 " cases\n", seed,
	       num_cases);
	fflush(stdout);
}

int main(void)
{
	Suite *suite = suite_create("random_traces");
	TCase *tcase = tcase_create("random");

	read_environment();
	tcase_add_test(tcase,
		       test_carried_bound_counts_from_where_the_ledgers_began);
	tcase_add_test(tcase, test_simulator_equals_the_oracle);
	tcase_set_timeout(tcase, 0);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
