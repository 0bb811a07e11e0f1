/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>

#include <fairway/order.h>

#include "lib/base/alloc.h"
#include "lib/cost/remaining.h"
#include "tests/support/run.h"

/* Figures that were worked out by hand, for a6000 and steps of 2,048 tokens. */

static struct fw_cost cost;
static struct fw_remaining work;

static void open_device(const char *device)
{
	ck_assert_int_eq(fw_cost_init(&cost, device, NULL, 0,
				      &fw_allocator_default),
			 0);
	fw_remaining_init(&work, &cost, 2048);
}

START_TEST(test_work_has_its_share_of_a_full_step)
{
	open_device("a6000");
	/* (120 us + 8 ms / 2048) a token, 5.5 ns a pair */
	ck_assert_int_eq(fw_remaining_work(&work, 0, 2080), 269628320);
	ck_assert_int_eq(fw_remaining_work(&work, 2048, 32), 4328352);
	ck_assert_int_eq(fw_remaining_work(&work, 0, 12345), 1948753924);
	fw_cost_destroy(&cost);
}
END_TEST

START_TEST(test_rest_has_none)
{
	open_device("a6000");
	/* 120 us + 5.5 ns * 1, half a nanosecond goes up */
	ck_assert_int_eq(fw_remaining_rest(&work, 0, 1), 120006);
	/* 300 tokens after 6,000: 36 ms + 5.5 ns * 300 * 6150.5 */
	ck_assert_int_eq(fw_remaining_rest(&work, 6000, 300), 46148325);
	fw_cost_destroy(&cost);
}
END_TEST

START_TEST(test_a_table_takes_the_place_of_both)
{
	static const struct fw_cost_point points[] = {{1000, 0.1},
						      {2000, 0.3},
						      {4000, 0.3}};

	ck_assert_int_eq(fw_cost_init(&cost, NULL, points, 3,
				      &fw_allocator_default),
			 0);
	fw_remaining_init(&work, &cost, 2048);
	ck_assert_int_eq(fw_remaining_rest(&work, 0, 500), 50000000);
	ck_assert_int_eq(fw_remaining_work(&work, 0, 500), 50000000);
	ck_assert_int_eq(fw_remaining_work(&work, 500, 1000), 150000000);
	ck_assert_int_eq(fw_remaining_work(&work, 1000, UINT32_MAX),
			 fw_remaining_work(&work, 1000, UINT32_MAX - 1000));
	/* no time at all still counts as some */
	ck_assert_int_eq(fw_remaining_rest(&work, 2000, 2000), 1);
	fw_cost_destroy(&cost);
}
END_TEST

START_TEST(test_what_does_not_fit_is_the_largest)
{
	open_device("a6000");
	ck_assert_int_eq(fw_remaining_work(&work, 0, UINT32_MAX), INT64_MAX);
	ck_assert_int_gt(fw_remaining_work(&work, 0, 1u << 31),
			 1000000000000000000);
	fw_cost_destroy(&cost);
}
END_TEST

static Suite *work_suite(void)
{
	Suite *suite = suite_create("work");
	TCase *tcase = tcase_create("work");

	tcase_add_test(tcase, test_work_has_its_share_of_a_full_step);
	tcase_add_test(tcase, test_rest_has_none);
	tcase_add_test(tcase, test_a_table_takes_the_place_of_both);
	tcase_add_test(tcase, test_what_does_not_fit_is_the_largest);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(work_suite());
}
