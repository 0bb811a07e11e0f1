/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fairway/order.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "lib/cost/score.h"
#include "tests/support/run.h"

static const struct fw_cost_point rows[] = {
	{100, 0.5},
	{200, 0.7},
	{200000, 0.7},
	{400000, 4.7},
};

static struct fw_cost cost;

static void use_device(const char *name)
{
	ck_assert_int_eq(fw_cost_init(&cost, name, NULL, 0,
				      &fw_allocator_default),
			 0);
}

static void use_table(const struct fw_cost_point *points, size_t num)
{
	ck_assert_int_eq(fw_cost_init(&cost, "no such device", points, num,
				      &fw_allocator_default),
			 0);
}

static void teardown(void)
{
	if (cost.allocator)
		fw_cost_destroy(&cost);
}

START_TEST(test_an_a6000_takes_the_published_times)
{
	static const struct {
		uint32_t len;
		int digits;
		const char *seconds;
	} want[] = {
		{300, 3, "0.044"},
		{2048, 3, "0.265"},
		{6000, 3, "0.843"},
		{16000, 2, "2.69"},
	};
	char text[32];

	use_device("a6000");
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		snprintf(text, sizeof(text), "%.*f", want[i].digits,
			 fw_cost_prefill(&cost, want[i].len));
		ck_assert_str_eq(text, want[i].seconds);
	}
}
END_TEST

START_TEST(test_a_prompt_takes_the_sum_of_its_chunks)
{
	/* By the formula of the model, in milliseconds, in two steps. */
	double first = 8 + 0.120 * 2048 + 5.5e-6 * 2048 * (2049 / 2.0);
	double second = 25 + 5.5e-6 * 100 * (2048 + 101 / 2.0);

	use_device("a6000");
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 2148),
				(first + second) / 1000, 1e-12);
	ck_assert_double_eq(fw_cost_prefill(&cost, 0), 0.0);
}
END_TEST

/* Each of all chunks added up, in this order: what golden rows were made of. */
static double added_up(const struct fw_device *device, uint32_t len,
		       long double *exact)
{
	double sum = 0.0;

	*exact = 0.0L;
	for (uint32_t first = 0; first < len;) {
		uint32_t n = len - first < 2048 ? len - first : 2048;
		double t = fw_device_step(device, n, fw_device_pairs(first, n));

		sum += t;
		*exact += t;
		first += n;
	}
	return sum;
}

START_TEST(test_long_prompts_take_the_sum_too)
{
	static const uint32_t lens[] = {
		1,	  2048,	     2049,	     131072,	     1048575,
		1048576,  1048577,   1048576 + 2048, 1048576 + 2049, 3000000,
		1u << 24, 100000001, 1u << 31,	     UINT32_MAX};

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		const char *name = fw_device_name(i % 4);
		const struct fw_device *device = fw_device_find(name);
		long double exact;
		double want = added_up(device, lens[i], &exact), got;

		use_device(name);
		got = fw_cost_prefill(&cost, lens[i]);
		if (lens[i] <= 1048576)
			ck_assert_double_eq(got, want);
		ck_assert_double_eq_tol((double)(got / exact), 1.0, 1e-12);
	}
}
END_TEST

/* Were all chunks added up, this would take more than its time limit. */
START_TEST(test_the_longest_prompt_costs_no_time)
{
	use_device("a6000");
	for (uint32_t i = 0; i < 20000; i++)
		ck_assert_double_gt(fw_cost_prefill(&cost, UINT32_MAX - i),
				    1e9);
}
END_TEST

START_TEST(test_the_floor_binds_up_to_known_lengths)
{
	static const struct {
		const char *device;
		uint32_t len;
	} last[] = {
		{"a6000", 2501},
		{"a100", 4492},
		{"h100", 11080},
		{"h200", 11306},
	};
	size_t num = sizeof(last) / sizeof(last[0]);

	for (size_t i = 0; i < num; i++) {
		double t;

		use_device(last[i].device);
		t = fw_cost_prefill(&cost, last[i].len);
		ck_assert_double_eq(fw_slo(t, 3.0, 1.0), 1.0);
		t = fw_cost_prefill(&cost, last[i].len + 1);
		ck_assert_double_gt(fw_slo(t, 3.0, 1.0), 1.0);
		ck_assert_str_eq(fw_device_name(i), last[i].device);
	}
	ck_assert_ptr_null(fw_device_name(num));
}
END_TEST

START_TEST(test_every_token_takes_time)
{
	for (size_t d = 0; fw_device_name(d); d++) {
		double before = 0.0;

		use_device(fw_device_name(d));
		for (uint32_t len = 1; len < 20000; len++) {
			double t = fw_cost_prefill(&cost, len);

			ck_assert_double_gt(t, before);
			before = t;
		}
	}
}
END_TEST

START_TEST(test_a_table_is_read_between_its_rows)
{
	use_table(rows, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_double_eq(fw_cost_prefill(&cost, rows[i].tokens),
				    rows[i].seconds);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 150), 0.6, 1e-12);
	ck_assert_double_eq(fw_cost_prefill(&cost, 10000), 0.7);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 300000), 2.7, 1e-12);
}
END_TEST

START_TEST(test_below_the_first_row_time_falls_to_nothing)
{
	use_table(rows, 4);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 50), 0.25, 1e-12);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 1), 0.005, 1e-12);
	ck_assert_double_eq(fw_cost_prefill(&cost, 0), 0.0);
}
END_TEST

START_TEST(test_above_the_last_row_the_last_segment_goes_on)
{
	use_table(rows, 4);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 600000), 8.7, 1e-12);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, UINT32_MAX),
				4.7 + 2e-5 * (UINT32_MAX - 400000.0), 1e-6);
	teardown();
	use_table(rows, 1);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 1000), 5.0, 1e-12);
}
END_TEST

START_TEST(test_a_table_is_copied)
{
	struct fw_cost_point mine[] = {{100, 1.0}, {200, 2.0}};

	use_table(mine, 2);
	memset(mine, 0, sizeof(mine));
	ck_assert_double_eq(fw_cost_prefill(&cost, 100), 1.0);
	ck_assert_double_eq(fw_cost_prefill(&cost, 200), 2.0);
}
END_TEST

START_TEST(test_tables_out_of_form_are_refused)
{
	static const struct fw_cost_point bad[][2] = {
		{{0, 0.1}, {100, 0.5}},
		{{100, 0.0}, {200, 0.5}},
		{{100, -0.1}, {200, 0.5}},
		{{100, 0.5}, {100, 0.6}},
		{{200, 0.5}, {100, 0.6}},
		{{100, 0.5}, {200, 0.4}},
		{{100, 0.5}, {200, (double)NAN}},
		{{100, (double)NAN}, {200, 0.5}},
		{{100, 0.5}, {200, HUGE_VAL}},
	};
	struct fw_cost_point none = {100, 0.5};
	struct fw_cost before;

	memset(&cost, 0, sizeof(cost));
	memset(&before, 0, sizeof(before));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(fw_cost_init(&cost, "a6000", bad[i], 2,
					      &fw_allocator_default),
				 -EINVAL);
	ck_assert_int_eq(fw_cost_init(&cost, "a6000", &none, 0,
				      &fw_allocator_default),
			 -EINVAL);
	ck_assert_mem_eq(&cost, &before, sizeof(cost));
}
END_TEST

START_TEST(test_unknown_devices_are_refused)
{
	static const char *const bad[] = {"", "a600", "a60000", "A6000"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_int_eq(fw_cost_init(&cost, bad[i], NULL, 0,
					      &fw_allocator_default),
				 -ENODEV);
}
END_TEST

START_TEST(test_a_score_is_what_is_cached_for_what_is_left)
{
	ck_assert_double_eq(fw_score(6000, 300, 0.0, 1.0, 0.0), 20.0);
	ck_assert_double_eq(fw_score(6000, 300, 2.0, 4.0, 5.0), 20.75);
	/* A clock that lags gives no wait, not less than none. */
	ck_assert_double_eq(fw_score(6000, 300, 9.0, 4.0, 5.0), 20.0);
	ck_assert_uint_eq(fw_cost_tokens(100, 0), 100);
	ck_assert_uint_eq(fw_cost_tokens(100, 99), 1);
	ck_assert_uint_eq(fw_cost_tokens(100, 100), 1);
	ck_assert_uint_eq(fw_cost_tokens(100, UINT32_MAX), 1);
}
END_TEST

static Suite *cost_suite(void)
{
	Suite *suite = suite_create("cost");
	TCase *tcase = tcase_create("cost");

	tcase_add_checked_fixture(tcase, NULL, teardown);
	tcase_add_test(tcase, test_an_a6000_takes_the_published_times);
	tcase_add_test(tcase, test_a_prompt_takes_the_sum_of_its_chunks);
	tcase_add_test(tcase, test_long_prompts_take_the_sum_too);
	tcase_add_test(tcase, test_the_longest_prompt_costs_no_time);
	tcase_add_test(tcase, test_the_floor_binds_up_to_known_lengths);
	tcase_add_test(tcase, test_every_token_takes_time);
	tcase_add_test(tcase, test_a_table_is_read_between_its_rows);
	tcase_add_test(tcase, test_below_the_first_row_time_falls_to_nothing);
	tcase_add_test(tcase, test_above_the_last_row_the_last_segment_goes_on);
	tcase_add_test(tcase, test_a_table_is_copied);
	tcase_add_test(tcase, test_tables_out_of_form_are_refused);
	tcase_add_test(tcase, test_unknown_devices_are_refused);
	tcase_add_test(tcase, test_a_score_is_what_is_cached_for_what_is_left);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(cost_suite());
}
