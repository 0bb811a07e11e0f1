/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"
#include "passes.h"

/* Who goes before whom in a pass, and what is charged. */

START_TEST(test_a_preempted_request_keeps_its_rank)
{
	for (int i = 0; i < 4; i++)
		add(&reqs[i], 100, 0, 0);
	begin(1, 100);
	admit(&reqs[0]);
	end();
	begin(1, 100);
	admit(&reqs[1]);
	end();
	/* Back with the old arrival, the later one first. */
	add(&reqs[1], 100, 0, 0);
	add(&reqs[0], 100, 0, 0);
	begin(1, PLENTY);
	for (int i = 0; i < 4; i++)
		admit(&reqs[i]);
	end();
}
END_TEST

START_TEST(test_a_new_request_comes_after_equals)
{
	for (int i = 0; i < 3; i++)
		add(&reqs[i], 100, 0, 0);
	ck_assert_int_eq(fw_order_remove(order, &reqs[0]), 0);
	memset(&reqs[0], 0, sizeof(reqs[0]));
	add(&reqs[0], 100, 0, 0);
	begin(1, PLENTY);
	admit(&reqs[1]);
	admit(&reqs[2]);
	admit(&reqs[0]);
	end();
}
END_TEST

START_TEST(test_adding_again_is_an_update)
{
	queue_miss_and_hits(3);
	add(&reqs[1], 6300, 0, 4);
	add(&reqs[3], 6300, 6200, 3);
	ck_assert_uint_eq(stats().waiting, 4);
	begin(10, PLENTY);
	admit(&reqs[3]);
	admit(&reqs[2]);
	admit(&reqs[0]);
	admit(&reqs[1]);
	expect(NULL);
	end();
	ck_assert_uint_eq(stats().waiting, 0);
}
END_TEST

START_TEST(test_an_update_may_change_who_is_oldest)
{
	/* Without hits and within the floor the score is the wait. */
	for (int i = 0; i < 3; i++)
		add(&reqs[i], 100, 0, i);
	begin(10, 100);
	add(&reqs[2], 100, 0, -1);
	add(&reqs[0], 100, 0, 5);
	admit(&reqs[0]);
	end();
	add(&reqs[0], 100, 0, 5);
	begin(10, PLENTY);
	admit(&reqs[2]);
	admit(&reqs[1]);
	admit(&reqs[0]);
	end();
}
END_TEST

START_TEST(test_the_budget_ends_the_pass)
{
	queue_miss_and_hits(3);
	begin(10, 301);
	admit(&reqs[1]);
	expect(&reqs[2]);
	/* A chunk takes no more than what is left. */
	ck_assert_int_eq(fw_pass_admit(order, 300), 0);
	expect(NULL);
	ck_assert_int_eq(fw_pass_admit(order, 1), -ENOENT);
	ck_assert_int_eq(fw_pass_hit(order, NULL, NULL), -ENOENT);
	end();
	ck_assert_uint_eq(stats().waiting, 2);
	begin(10, 0);
	expect(NULL);
	end();
	ck_assert_uint_eq(stats().passes, 2);
}
END_TEST

START_TEST(test_a_wait_below_zero_counts_as_none)
{
	reopen((struct fw_order_config){.no_fair_lane = 1});
	/* By its negative wait the first would come last. */
	add(&reqs[0], 200, 100, 1000);
	add(&reqs[1], 300, 100, 1);
	begin(1, PLENTY);
	admit(&reqs[0]);
	admit(&reqs[1]);
	end();
}
END_TEST

START_TEST(test_far_times_neither_wrap_nor_break)
{
	add(&reqs[0], 100, 0, 0);
	add(&reqs[1], 100, 0, 0);
	reqs[0].arrival = INT64_MAX;
	reqs[1].arrival = INT64_MIN;
	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(order, &reqs[1]), 0);
	ck_assert_int_eq(fw_pass_begin(order, INT64_MAX, PLENTY), 0);
	admit(&reqs[1]);
	admit(&reqs[0]);
	end();
}
END_TEST

START_TEST(test_a_chunk_is_charged_as_a_whole)
{
	/* If chunks of one token were charged, all hits would go first. */
	queue_miss_and_hits(8);
	begin(10, PLENTY);
	for (int i = 1; i <= 5; i++) {
		expect(&reqs[i]);
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	}
	expect(&reqs[0]);
	end();
}
END_TEST

START_TEST(test_an_absolute_wait_counts_seconds)
{
	/* A long prompt's SLO is over 6 s: relative, the short one leads. */
	for (int absolute = 0; absolute < 2; absolute++) {
		reopen((struct fw_order_config){
			.no_fair_lane = 1,
			.wait_constant = absolute ? 1.0 : 0.0,
		});
		add(&reqs[0], 16000, 0, 0);
		add(&reqs[1], 100, 0, 5);
		begin(10, PLENTY);
		admit(&reqs[absolute ? 0 : 1]);
		admit(&reqs[absolute ? 1 : 0]);
		end();
	}
}
END_TEST

START_TEST(test_multiplier_and_floor_set_the_unit_of_wait)
{
	for (int i = 0; i < 2; i++) {
		/* 16,000 tokens: 2.69 s of prefill. */
		reopen((struct fw_order_config){
			.no_fair_lane = 1,
			.slo_multiplier = i ? 0.1 : 10.0,
			.slo_floor = 0.5,
		});
		add(&reqs[0], 16000, 0, 0);
		add(&reqs[1], 100, 0, 5);
		begin(10, PLENTY);
		admit(&reqs[i ? 0 : 1]);
		end();
	}
}
END_TEST

START_TEST(test_the_weight_is_exact_to_the_thousandth)
{
	static const uint32_t weights[] = {4000, 4001};

	/* At 4.000 the fifth hit ties with M and goes first. */
	for (size_t i = 0; i < 2; i++) {
		reopen((struct fw_order_config){.weight = weights[i]});
		queue_miss_and_hits(5);
		begin(10, PLENTY);
		for (int j = 1; j <= 4; j++)
			admit(&reqs[j]);
		admit(i ? &reqs[0] : &reqs[5]);
		end();
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pass_rank");
	TCase *tcase = tcase_create("pass_rank");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_a_preempted_request_keeps_its_rank);
	tcase_add_test(tcase, test_a_new_request_comes_after_equals);
	tcase_add_test(tcase, test_adding_again_is_an_update);
	tcase_add_test(tcase, test_an_update_may_change_who_is_oldest);
	tcase_add_test(tcase, test_the_budget_ends_the_pass);
	tcase_add_test(tcase, test_a_wait_below_zero_counts_as_none);
	tcase_add_test(tcase, test_far_times_neither_wrap_nor_break);
	tcase_add_test(tcase, test_a_chunk_is_charged_as_a_whole);
	tcase_add_test(tcase, test_an_absolute_wait_counts_seconds);
	tcase_add_test(tcase, test_multiplier_and_floor_set_the_unit_of_wait);
	tcase_add_test(tcase, test_the_weight_is_exact_to_the_thousandth);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
