/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/run.h"
#include "golden.h"
#include "naive_sim.h"

static struct golden golden;

static void check_run(const struct golden_row *rows, size_t num)
{
	const struct golden_trace *trace = golden_find(&golden, rows);
	struct naive_config config = {
		.device = GOLDEN_DEVICE,
		.block_size = GOLDEN_BLOCK,
		.budget = GOLDEN_BUDGET,
		.max_running = GOLDEN_RUNNING,
	};
	struct naive_result result;

	ck_assert_ptr_nonnull(trace);
	ck_assert_uint_eq(trace->num, num);
	config.pool_blocks = trace->pool_blocks;
	ck_assert_int_eq(naive_run(trace->reqs, trace->num, &config,
				   rows->policy, &result),
			 0);
	for (size_t i = 0; i < num; i++) {
		const struct naive_outcome *got = &result.reqs[rows[i].id];

		ck_assert_uint_eq(rows[i].len, trace->reqs[rows[i].id].len);
		ck_assert_msg(golden_matches(&rows[i], got->ttft, got->cached),
			      "%s %s id %u: TTFT %.9f, cached %u; expected "
			      "%.9f, %u",
			      rows->trace, rows->policy, rows[i].id, got->ttft,
			      got->cached, rows[i].ttft, rows[i].cached);
	}
	ck_assert_uint_eq(result.bound_broken, 0);
	naive_result_destroy(&result);
}

/* The oracle is only worth comparing with if it is right itself. */
START_TEST(test_oracle_gives_the_known_times)
{
	const char *name = golden.traces[_i].name;
	size_t runs = 0;

	for (size_t i = 0; i < golden.num_rows;) {
		size_t num = golden_run_rows(&golden, &golden.rows[i]);

		if (golden_find(&golden, &golden.rows[i])->name == name) {
			check_run(&golden.rows[i], num);
			runs++;
		}
		i += num;
	}
	ck_assert_uint_gt(runs, 0);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("naive_golden");
	TCase *tcase = tcase_create("golden");

	tcase_add_loop_test(tcase, test_oracle_gives_the_known_times, 0,
			    GOLDEN_TRACES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
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
	status = run_suite(make_suite());
	golden_destroy(&golden);
	return status;
}
