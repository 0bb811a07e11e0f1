/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/base/doubles.h"
#include "tools/node/percentiles.h"
#include "tools/node/summary.h"

#define MOST 300u

static uint64_t seed;

/*
 * The least value that so many of all do not exceed. Shares are compared as
 * whole numbers of 1/100000, by counting and without a rank.
 */
static double counted(const double *values, uint64_t num, uint32_t at)
{
	double best = __builtin_inf();

	for (uint64_t i = 0; i < num; i++) {
		uint64_t within = 0;

		for (uint64_t k = 0; k < num; k++)
			within += values[k] <= values[i];
		if (within * 100000 >= num * at && values[i] < best)
			best = values[i];
	}
	return best;
}

START_TEST(test_any_percentile_is_the_counted_one)
{
	struct draw draw = {seed + (uint64_t)_i};
	uint32_t num = 1 + draw_below(&draw, MOST);
	uint32_t at = 1 + draw_below(&draw, 100000);
	double values[MOST];

	/* Few different ones, so that there are ties. */
	for (uint32_t i = 0; i < num; i++)
		values[i] = draw_below(&draw, 1 + num / 2);
	doubles_sort(values, num);
	ck_assert_double_eq(percentile_of(values, num, at),
			    counted(values, num, at));
}
END_TEST

static const struct {
	const char *name;
	uint32_t at;
	const char *back;
} names[] = {
	{"p50", 50000, "p50"},	      {"p99.9", 99900, "p99.9"},
	{"p100", 100000, "p100"},     {"p0.001", 1, "p0.001"},
	{"p99.990", 99990, "p99.99"}, {"p10", 10000, "p10"},
};

START_TEST(test_a_name_and_back)
{
	uint32_t at = 0;
	char name[16];

	ck_assert_int_eq(percentile_read(names[_i].name, &at), 0);
	ck_assert_uint_eq(at, names[_i].at);
	percentile_name(name, sizeof(name), at);
	ck_assert_str_eq(name, names[_i].back);
}
END_TEST

static const char *const bad[] = {"p0",	  "p100.001", "p1.0001", "p",
				  "50",	  "p-1",      "pp5",	 "p5x",
				  "p1e1", "median",   ""};

START_TEST(test_other_names_are_refused)
{
	uint32_t at = 7;

	ck_assert_int_eq(percentile_read(bad[_i], &at), -EINVAL);
	ck_assert_uint_eq(at, 7);
}
END_TEST

START_TEST(test_a_list_keeps_its_order_and_no_double)
{
	struct percentiles list = {.num = 0};
	struct diag diag = {""};

	ck_assert_int_eq(percentiles_parse(&list, "p95,99.9,p95", &diag), 0);
	percentiles_need(&list, 99900);
	percentiles_need(&list, 75000);
	ck_assert_uint_eq(list.num, 3);
	ck_assert_uint_eq(list.shown, 2);
	ck_assert_uint_eq(list.at[0], 95000);
	ck_assert_uint_eq(list.at[1], 99900);
	ck_assert_uint_eq(list.at[2], 75000);
}
END_TEST

START_TEST(test_too_many_are_refused)
{
	struct percentiles list = {.num = 0};
	struct diag diag = {""};

	ck_assert_int_eq(percentiles_parse(&list, "1,2,3,4,5,6,7", &diag),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "at most 6"));
}
END_TEST

START_TEST(test_a_figure_that_nobody_asked_for_is_none)
{
	double values[] = {3.0, 1.0, 2.0};
	struct quantiles q;

	quantiles_init(&q, values, 3);
	ck_assert_double_nan(quantiles_at(&q, 50000));
	ck_assert_double_eq(q.p50, 2.0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("percentiles");
	TCase *tcase = tcase_create("percentiles");

	seed = draw_seed();
	tcase_add_loop_test(tcase, test_any_percentile_is_the_counted_one, 0,
			    200);
	tcase_add_loop_test(tcase, test_a_name_and_back, 0,
			    sizeof(names) / sizeof(names[0]));
	tcase_add_loop_test(tcase, test_other_names_are_refused, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tcase, test_a_list_keeps_its_order_and_no_double);
	tcase_add_test(tcase, test_too_many_are_refused);
	tcase_add_test(tcase, test_a_figure_that_nobody_asked_for_is_none);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
