/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/naive/golden.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"

static struct golden golden;

static void make_config(struct sim_config *config,
			const struct golden_trace *trace)
{
	*config = (struct sim_config){
		.device = GOLDEN_DEVICE,
		.budget = GOLDEN_BUDGET,
		.max_running = GOLDEN_RUNNING,
		.kv_blocks = trace->pool_blocks,
		.time_scale = 1,
	};
}

static void check_rows(const struct golden_row *rows, size_t num,
		       const struct sim_result *result)
{
	for (size_t i = 0; i < num; i++) {
		const struct sim_request *got = &result->reqs[rows[i].id];

		ck_assert_msg(
			golden_matches(&rows[i], got->ttft_s, got->cached),
			"%s %s id %u: TTFT %.9f, cached %u; expected %.9f, %u",
			rows->trace, rows->policy, rows[i].id, got->ttft_s,
			got->cached, rows[i].ttft, rows[i].cached);
		ck_assert_int_eq(got->outcome,
				 rows[i].ttft < 0 ? SIM_REJECTED : SIM_DONE);
	}
	ck_assert_uint_eq(result->bound_broken, 0);
}

static void check_run(const struct golden_row *rows, size_t num)
{
	const struct golden_trace *plain = golden_find(&golden, rows);
	struct sim_config config;
	struct sim_result result;
	struct trace trace;
	struct diag why = {0};
	int err;

	ck_assert_uint_eq(plain->num, num);
	make_config(&config, plain);
	oracle_trace(&trace, plain->reqs, plain->num, GOLDEN_BLOCK);
	err = oracle_run(&trace, &config, rows->policy, &result, &why);
	ck_assert_msg(err == 0, "%s: %s", rows->policy, why.text);
	check_rows(rows, num, &result);
	sim_result_destroy(&result);
	trace_destroy(&trace);
}

static size_t each_run(const char *name,
		       void (*check)(const struct golden_row *rows, size_t num))
{
	size_t runs = 0;

	for (size_t i = 0; i < golden.num_rows;) {
		const struct golden_row *row = &golden.rows[i];
		size_t num = golden_run_rows(&golden, row);

		ck_assert_ptr_nonnull(golden_find(&golden, row));
		if (strcmp(row->trace, name) == 0) {
			check(row, num);
			runs++;
		}
		i += num;
	}
	return runs;
}

START_TEST(test_known_times_come_out)
{
	ck_assert_uint_gt(each_run(golden.traces[_i].name, check_run), 0);
}
END_TEST

static void check_protected(const struct golden_row *rows, size_t num)
{
	const struct golden_trace *plain = golden_find(&golden, rows);
	char policy[sizeof(rows->policy) + sizeof(":protect")];
	struct sim_config config;
	struct trace trace;
	struct diag why = {0};

	(void)num;
	if (strstr(rows->policy, ":protect"))
		return;
	snprintf(policy, sizeof(policy), "%s:protect", rows->policy);
	make_config(&config, plain);
	oracle_trace(&trace, plain->reqs, plain->num, GOLDEN_BLOCK);
	ck_assert_msg(oracle_agrees(&trace, &config, policy, &why), "%s %s: %s",
		      rows->trace, policy, why.text);
	trace_destroy(&trace);
}

START_TEST(test_protection_goes_with_every_policy)
{
	ck_assert_uint_gt(each_run(golden.traces[_i].name, check_protected), 0);
}
END_TEST

int main(void)
{
	Suite *suite;
	TCase *tcase;
	int status;

	status = golden_load(&golden);
	if (status == -ENOENT) {
		printf("1..0 # SKIP no golden traces in $FAIRWAY_SHARED\n");
		return 0;
	}
	if (status) {
		printf("Bail out! golden traces: %s\n", strerror(-status));
		return 1;
	}
	suite = suite_create("golden");
	tcase = tcase_create("golden");
	tcase_add_loop_test(tcase, test_known_times_come_out, 0, GOLDEN_TRACES);
	tcase_add_loop_test(tcase, test_protection_goes_with_every_policy, 0,
			    GOLDEN_TRACES);
	suite_add_tcase(suite, tcase);
	status = run_suite(suite);
	golden_destroy(&golden);
	return status;
}
