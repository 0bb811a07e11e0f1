/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"

/*
 * What an engine may do between fw_pass_begin() and fw_pass_end(), and what
 * it then finds.
 */

#define NS_PER_S 1000000000
#define PLENTY 1000000u
#define MAX_REQS 16

static struct fw_order *order;
static struct fw_request reqs[MAX_REQS];

static void open_order(const struct fw_order_config *config)
{
	memset(reqs, 0, sizeof(reqs));
	ck_assert_int_eq(fw_order_open(&order, config), 0);
}

static void setup(void)
{
	open_order(NULL);
}

static void teardown(void)
{
	fw_order_close(order);
}

static void reopen(struct fw_order_config config)
{
	teardown();
	config.size = sizeof(config);
	open_order(&config);
}

static void add(struct fw_request *req, uint32_t len, uint32_t hit, int arrival)
{
	req->len = len;
	req->hit = hit;
	req->arrival = (int64_t)arrival * NS_PER_S;
	ck_assert_int_eq(fw_order_add(order, req), 0);
}

static void begin(int now, uint32_t budget)
{
	ck_assert_int_eq(fw_pass_begin(order, (int64_t)now * NS_PER_S, budget),
			 0);
}

static void end(void)
{
	ck_assert_int_eq(fw_pass_end(order), 0);
}

static void expect(const struct fw_request *req)
{
	ck_assert_ptr_eq(fw_pass_peek(order), req);
	ck_assert_ptr_eq(fw_pass_peek(order), req);
}

static void admit(const struct fw_request *req)
{
	expect(req);
	ck_assert_int_eq(fw_pass_admit(order, req->len - req->hit), 0);
}

static struct fw_order_stats stats(void)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats;
}

/* A miss of 6,000, then hits that leave 300. */
static void queue_miss_and_hits(int num_hits)
{
	add(&reqs[0], 6000, 0, 0);
	for (int i = 1; i <= num_hits; i++)
		add(&reqs[i], 6300, 6000, i);
}

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

static Suite *pass_suite(void)
{
	Suite *suite = suite_create("pass");
	TCase *tcase = tcase_create("pass");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_a_peek_stands_whatever_changes);
	tcase_add_test(tcase, test_changes_count_from_the_end_of_the_pass);
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
	return suite;
}

int main(void)
{
	return run_suite(pass_suite());
}
