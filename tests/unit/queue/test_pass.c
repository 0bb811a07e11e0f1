/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include <fairway/order.h>
#include <fairway/runtime.h>

#include "tests/support/run.h"
#include "passes.h"

/*
 * What an engine may do between fw_pass_begin() and fw_pass_end(), and what
 * it then finds.
 */

START_TEST(test_a_peek_stands_whatever_changes)
{
	uint32_t hit = 0, cost = 0;

	queue_miss_and_hits(3);
	begin(10, PLENTY);
	expect(&reqs[1]);
	add(&reqs[4], 6300, 6299, -5);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[2], 6299), 0);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[1], 0), 0);
	add(&reqs[3], 6300, 6299, 3);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_order_remove(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_remove(order, &reqs[2]), 0);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, 6000);
	ck_assert_uint_eq(cost, 300);
	admit(&reqs[1]);
	end();
}
END_TEST

START_TEST(test_changes_count_from_the_end_of_the_pass)
{
	uint32_t hit = 0, cost = 0;

	queue_miss_and_hits(3);
	begin(10, PLENTY);
	add(&reqs[4], 6300, 6299, 5);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[3], 6290), 0);
	reqs[2].hit = 0;
	add(&reqs[2], 100, 0, 2);
	admit(&reqs[1]);
	expect(&reqs[2]);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, 6000);
	ck_assert_uint_eq(cost, 300);
	end();
	begin(10, PLENTY);
	admit(&reqs[4]);
	expect(&reqs[3]);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, 6290);
	ck_assert_uint_eq(cost, 10);
	admit(&reqs[3]);
	expect(&reqs[2]);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, 0);
	ck_assert_uint_eq(cost, 100);
	end();
}
END_TEST

/* The head's decision. */
static struct fw_decision explain(const struct fw_request *req)
{
	struct fw_decision why = {0};

	expect(req);
	ck_assert_int_eq(fw_pass_explain(order, &why), 0);
	ck_assert_ptr_eq(why.request, req);
	ck_assert_uint_eq(why.cached, why.hit);
	return why;
}

START_TEST(test_a_decision_says_why_a_request_is_next)
{
	struct fw_decision why = {.position = 77};

	reopen((struct fw_order_config){.wait_constant = 2.0,
					.by_tenant = (uint32_t)_i});
	ck_assert_int_eq(fw_pass_explain(order, &why), -ENOENT);
	ck_assert_uint_eq(why.position, 77);
	queue_miss_and_hits(6);
	begin(10, PLENTY);
	end();
	begin(10, PLENTY);
	for (uint32_t i = 1; i <= 5; i++) {
		why = explain(&reqs[i]);
		ck_assert_int_eq(why.lane, FW_LANE_NAME_FAST);
		ck_assert_uint_eq(why.hit, 6000);
		ck_assert_uint_eq(why.cost, 300);
		ck_assert_uint_eq(why.position, i - 1);
		ck_assert_uint_eq(why.waiting, 7 - i);
		ck_assert_uint_eq(why.step, 2);
		ck_assert_double_eq_tol(why.wait, 10.0 - i, 1e-9);
		ck_assert_double_eq_tol(why.score, 20 + why.wait / 2, 1e-9);
		admit(&reqs[i]);
	}
	why = explain(&reqs[0]);
	ck_assert_int_eq(why.lane, FW_LANE_NAME_FAIR);
	ck_assert_uint_eq(why.cost, 6000);
	ck_assert_double_eq_tol(why.score, 10.0 / 2, 1e-9);
	admit(&reqs[0]);
	/* Taken back: the next one has its place. */
	ck_assert_int_eq(fw_pass_skip(order), 0);
	ck_assert_uint_eq(explain(&reqs[6]).position, 5);
	/* Passed over: nobody was admitted. */
	ck_assert_int_eq(fw_pass_skip(order), 0);
	ck_assert_int_eq(fw_pass_explain(order, &why), -ENOENT);
	end();
	begin(-5, PLENTY);
	ck_assert_double_eq(explain(fw_pass_peek(order)).wait, 0.0);
	ck_assert_uint_eq(explain(fw_pass_peek(order)).position, 0);
	end();
}
END_TEST

START_TEST(test_the_last_of_several_changes_counts)
{
	uint32_t hit = 0;

	queue_miss_and_hits(1);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[1], 5000), 0);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[1], 16), 0);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[1], 6100), 0);
	begin(10, PLENTY);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_pass_hit(order, &hit, NULL), 0);
	ck_assert_uint_eq(hit, 6100);
	end();
}
END_TEST

START_TEST(test_a_full_hit_leaves_one_token)
{
	uint32_t hit = 0, cost = 0;

	add(&reqs[0], 100, UINT32_MAX, 0);
	begin(1, PLENTY);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, 99);
	ck_assert_uint_eq(cost, 1);
	end();
}
END_TEST

START_TEST(test_a_skipped_request_waits_for_the_next_pass)
{
	queue_miss_and_hits(2);
	for (int after = 0; after < 2; after++) {
		begin(10, PLENTY);
		expect(&reqs[1]);
		if (after)
			admit(&reqs[1]);
		ck_assert_int_eq(fw_pass_skip(order), 0);
		ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
		expect(&reqs[2]);
		ck_assert_int_eq(fw_pass_skip(order), 0);
		expect(&reqs[0]);
		ck_assert_int_eq(fw_pass_skip(order), 0);
		expect(NULL);
		ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
		end();
		ck_assert_uint_eq(stats().waiting, 3);
	}
	begin(10, PLENTY);
	admit(&reqs[1]);
	admit(&reqs[2]);
	admit(&reqs[0]);
	end();
	ck_assert_uint_eq(stats().skipped, 6);
}
END_TEST

START_TEST(test_a_skip_gives_budget_and_counts_back)
{
	struct fw_order_stats before, now;

	queue_miss_and_hits(3);
	begin(10, 600);
	admit(&reqs[1]);
	before = stats();
	admit(&reqs[2]);
	ck_assert_int_eq(fw_pass_skip(order), 0);
	before.skipped++;
	now = stats();
	ck_assert_mem_eq(&now, &before, sizeof(now));
	admit(&reqs[3]);
	expect(NULL);
	end();
}
END_TEST

START_TEST(test_an_admission_stands_until_another_is_peeked)
{
	queue_miss_and_hits(2);
	for (int spent = 0; spent < 2; spent++) {
		begin(10, spent ? 6600 : PLENTY);
		admit(&reqs[1]);
		admit(&reqs[2]);
		admit(&reqs[0]);
		expect(NULL);
		ck_assert_int_eq(fw_pass_skip(order), 0);
		ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
		end();
		ck_assert_uint_eq(stats().waiting, 1);
		add(&reqs[1], 6300, 6000, 1);
		add(&reqs[2], 6300, 6000, 2);
	}
	begin(10, PLENTY);
	admit(&reqs[1]);
	expect(&reqs[2]);
	ck_assert_int_eq(fw_pass_skip(order), 0);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	end();
	ck_assert_uint_eq(stats().waiting, 2);
}
END_TEST

START_TEST(test_a_request_may_leave_between_peek_and_admit)
{
	queue_miss_and_hits(2);
	begin(10, PLENTY);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_order_remove(order, &reqs[1]), 0);
	ck_assert_int_eq(fw_pass_admit(order, 300), -ENOENT);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	ck_assert_int_eq(fw_order_remove(order, &reqs[1]), -ENOENT);
	ck_assert_int_eq(fw_order_set_hit(order, &reqs[1], 0), -ENOENT);
	admit(&reqs[2]);
	admit(&reqs[0]);
	expect(NULL);
	end();
	ck_assert_uint_eq(stats().admitted_fast, 2);
	ck_assert_uint_eq(stats().admitted_fair, 0);
}
END_TEST

START_TEST(test_removing_takes_effect_at_once_wherever_it_waits)
{
	queue_miss_and_hits(2);
	begin(10, PLENTY);
	add(&reqs[3], 100, 0, 3);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_pass_skip(order), 0);
	for (int i = 0; i <= 3; i++) {
		ck_assert_int_eq(fw_order_remove(order, &reqs[i]), 0);
		ck_assert_uint_eq(stats().waiting, 3 - i);
		ck_assert_int_eq(fw_order_remove(order, &reqs[i]), -ENOENT);
	}
	expect(NULL);
	end();
	begin(10, PLENTY);
	expect(NULL);
	end();
}
END_TEST

START_TEST(test_removed_and_added_again_waits_for_the_next_pass)
{
	queue_miss_and_hits(1);
	begin(10, PLENTY);
	expect(&reqs[1]);
	ck_assert_int_eq(fw_order_remove(order, &reqs[1]), 0);
	add(&reqs[1], 6300, 6000, 1);
	admit(&reqs[0]);
	expect(NULL);
	end();
	begin(10, PLENTY);
	admit(&reqs[1]);
	end();
}
END_TEST

START_TEST(test_nothing_decided_needs_a_peek)
{
	queue_miss_and_hits(1);
	begin(10, PLENTY);
	ck_assert_int_eq(fw_pass_admit(order, 1), -ENOENT);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	end();
	ck_assert_uint_eq(stats().waiting, 2);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pass");
	TCase *tcase = tcase_create("pass");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_a_peek_stands_whatever_changes);
	tcase_add_test(tcase, test_changes_count_from_the_end_of_the_pass);
	tcase_add_loop_test(tcase, test_a_decision_says_why_a_request_is_next,
			    0, 2);
	tcase_add_test(tcase, test_the_last_of_several_changes_counts);
	tcase_add_test(tcase, test_a_full_hit_leaves_one_token);
	tcase_add_test(tcase, test_a_skipped_request_waits_for_the_next_pass);
	tcase_add_test(tcase, test_a_skip_gives_budget_and_counts_back);
	tcase_add_test(tcase, test_an_admission_stands_until_another_is_peeked);
	tcase_add_test(tcase, test_a_request_may_leave_between_peek_and_admit);
	tcase_add_test(tcase,
		       test_removing_takes_effect_at_once_wherever_it_waits);
	tcase_add_test(tcase,
		       test_removed_and_added_again_waits_for_the_next_pass);
	tcase_add_test(tcase, test_nothing_decided_needs_a_peek);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
