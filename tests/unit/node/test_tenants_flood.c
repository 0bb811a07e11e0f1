/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/node/sim.h"
#include "tools/workload/workload.h"

/*
 * A tenant that asks calmly beside others that flood: what it waits has a bound
 * that neither the flood's length nor its rate moves. Simulated, so each figure
 * is the same everywhere.
 */

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Nearest rank, over the requests of the phase "quiet". */
static double p99_of(const struct trace *trace, const struct sim_result *result)
{
	double *ttfts = calloc(trace->num_reqs, sizeof(*ttfts)), p99;
	size_t num = 0;

	ck_assert_ptr_nonnull(ttfts);
	for (size_t i = 0; i < trace->num_reqs; i++)
		if (!strcmp(trace->phases[trace->reqs[i].phase], "quiet"))
			ttfts[num++] = result->reqs[i].ttft_s;
	ck_assert_uint_gt(num, 100);
	qsort(ttfts, num, sizeof(*ttfts), by_size);
	p99 = ttfts[(num * 99 + 99) / 100 - 1];
	free(ttfts);
	return p99;
}

static double quiet_p99(const char *spec, const char *policy)
{
	struct policy_list list = {0};
	struct sim_result result;
	struct diag diag = {""};
	struct trace trace;
	struct sim_config config = {
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.time_scale = 1.0,
	};
	double p99;

	ck_assert_msg(!workload_generate(&trace, spec, 1, &diag), "%s",
		      diag.text);
	config.kv_blocks = trace.kv_blocks;
	ck_assert_int_eq(policy_parse(&list, policy, &diag), 0);
	ck_assert_int_eq(sim_run(&trace, &config, &list.specs[0], NULL, &result,
				 &diag),
			 0);
	p99 = p99_of(&trace, &result);
	printf("# %s, %s: p99 %.3f s\n", spec, policy, p99);
	policy_list_destroy(&list);
	sim_result_destroy(&result);
	trace_destroy(&trace);
	return p99;
}

static const char *const fair[] = {
	"fairway:tenants",
	"fairway:tenants:guard=0.5",
	"fairway:tenants:key=rest:guard=0.5",
};

START_TEST(test_a_longer_flood_costs_the_quiet_one_no_more)
{
	const char *policy = fair[_i];
	double alone, first = 0.0, last = 0.0;
	char spec[128];

	alone = quiet_p99("tenants:tenants=1:seconds=600", "fcfs");
	for (int seconds = 150; seconds <= 600; seconds *= 2) {
		snprintf(spec, sizeof(spec),
			 "tenants:hits=10:misses=0.5:seconds=%d", seconds);
		last = quiet_p99(spec, policy);
		first = seconds == 150 ? last : first;
		/* Twice its own, for half of the device, and a 2.7 s miss. */
		ck_assert_double_le(last, 2.0 * alone + 2.7);
	}
	ck_assert_double_le(last, 1.2 * first);
	/* The same one queue for all. */
	ck_assert_double_ge(quiet_p99(spec, "fcfs"), 100.0 * alone);
}
END_TEST

START_TEST(test_more_that_flood_cost_the_quiet_one_their_number_at_most)
{
	const char *policy = fair[_i];
	double each = 0.0, p99;
	char spec[128];

	for (int num = 2; num <= 9; num = 2 * num - 1) {
		snprintf(spec, sizeof(spec),
			 "tenants:rate=0.1:seconds=2000:hits=0:misses=0.5:"
			 "documents=2:tenants=%d",
			 num);
		p99 = quiet_p99(spec, policy);
		if (num == 2)
			each = p99 / num;
		ck_assert_double_le(p99, 1.25 * each * num);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tenants_flood");
	TCase *tcase = tcase_create("flood");

	tcase_add_loop_test(tcase,
			    test_a_longer_flood_costs_the_quiet_one_no_more, 0,
			    3);
	tcase_add_loop_test(
		tcase,
		test_more_that_flood_cost_the_quiet_one_their_number_at_most, 0,
		3);
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
