/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdbool.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"

/*
 * A miss is the oldest and hits keep coming. How much may overtake it, by the
 * sum of what the test itself admitted?
 */

#define MAX_REQS 2048
#define HITS_A_PASS 8
#define HIT_COST 300u
#define NS_PER_MS 1000000

static struct fw_order *order;
static struct fw_request reqs[MAX_REQS];
static size_t num_reqs;

static void setup(void)
{
	memset(reqs, 0, sizeof(reqs));
	num_reqs = 0;
}

static void teardown(void)
{
	fw_order_close(order);
	order = NULL;
}

static void open_order(enum fw_carry carry, uint32_t weight)
{
	const struct fw_order_config config = {
		.size = sizeof(config),
		.carry = carry,
		.weight = weight,
		.guard = FW_GUARD_OFF,
	};

	ck_assert_int_eq(fw_order_open(&order, &config), 0);
}

static struct fw_request *add(uint32_t hit, uint32_t cost, int64_t ms)
{
	struct fw_request *req = &reqs[num_reqs++];

	ck_assert_uint_le(num_reqs, MAX_REQS);
	req->len = hit + cost;
	req->hit = hit;
	req->arrival = ms * NS_PER_MS;
	ck_assert_int_eq(fw_order_add(order, req), 0);
	return req;
}

/**
 * struct flood - what a flood did
 * @passes: begun until the miss was admitted, or all of them
 * @ahead: cost admitted ahead of the miss
 * @most: the same in the pass where it was largest
 */
struct flood {
	int passes;
	uint64_t ahead;
	uint64_t most;
};

/* Cost of the hits that one pass admits; @started: and then the miss? */
static uint64_t pass(const struct fw_request *miss, int64_t ms, uint32_t budget,
		     bool *started)
{
	struct fw_request *req;
	uint64_t ahead = 0;

	ck_assert_int_eq(fw_pass_begin(order, ms * NS_PER_MS, budget), 0);
	while (!*started && (req = fw_pass_peek(order))) {
		uint32_t cost = req->len - req->hit;

		ck_assert_int_eq(fw_pass_admit(order, cost), 0);
		*started = req == miss;
		ahead += req == miss ? 0 : cost;
	}
	ck_assert_int_eq(fw_pass_end(order), 0);
	return ahead;
}

/* 100 steps of 300 ms: too short for the wait of the miss to lift it. */
static struct flood flood(uint32_t miss_cost, uint32_t budget)
{
	struct fw_request *miss = add(0, miss_cost, 0);
	struct flood flood = {0};
	bool started = false;

	while (!started && flood.passes < 100) {
		int64_t ms = 300 * flood.passes++;
		uint64_t ahead;

		for (int i = 0; i < HITS_A_PASS; i++)
			add(6000, HIT_COST, ms + 1 + i);
		ahead = pass(miss, ms + 100, budget, &started);
		flood.ahead += ahead;
		if (ahead > flood.most)
			flood.most = ahead;
	}
	return flood;
}

static uint64_t bound_broken(void)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats.bound_broken;
}

START_TEST(test_without_carry_the_bound_holds_inside_each_pass)
{
	struct flood got;

	open_order(FW_CARRY_OFF, 4000);
	got = flood(12000, 2048);
	ck_assert_int_eq(got.passes, 100);
	ck_assert_uint_gt(got.ahead, 10 * 12000 / 4);
	ck_assert_uint_le(got.most, 12000 / 4);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

START_TEST(test_with_carry_the_bound_holds_over_all_passes)
{
	static const enum fw_carry carries[] = {FW_CARRY_ON, FW_CARRY_LONG};
	struct flood got;

	for (size_t i = 0; i < 2; i++) {
		setup();
		open_order(carries[i], 4000);
		got = flood(12000, 2048);
		ck_assert_int_eq(got.passes, 2);
		ck_assert_uint_eq(got.ahead, 12000 / 4);
		ck_assert_uint_eq(bound_broken(), 0);
		teardown();
	}
}
END_TEST

START_TEST(test_long_carries_for_what_one_step_may_not_reach)
{
	/* 8,192 tokens are the weight times the budget: not over it. */
	static const struct {
		enum fw_carry carry;
		uint32_t cost;
		bool bounded;
	} cases[] = {
		{FW_CARRY_ON, 8192, true},
		{FW_CARRY_LONG, 8192, false},
		{FW_CARRY_LONG, 8193, true},
		{FW_CARRY_OFF, 8193, false},
	};
	struct flood got;

	for (size_t i = 0; i < 4; i++) {
		setup();
		open_order(cases[i].carry, 4000);
		/* Running requests leave 600 tokens of each step. */
		got = flood(cases[i].cost, 600);
		ck_assert_int_eq(got.passes < 100, cases[i].bounded);
		if (cases[i].bounded)
			ck_assert_uint_le(got.ahead, cases[i].cost / 4);
		ck_assert_uint_eq(bound_broken(), 0);
		teardown();
	}
}
END_TEST

/* Cost of the hits that go ahead of @miss in passes of these budgets. */
static void check_ahead(struct fw_request *miss, int64_t ms, uint32_t budget,
			uint64_t want, bool served)
{
	bool started = false;

	ck_assert_uint_eq(pass(miss, ms, budget, &started), want);
	ck_assert_int_eq(started, served);
}

/*
 * With a budget of 2,048 and weight 4 the ledgers are carried for a c over
 * 8,192. The oldest has 8,000, two hits go, and its hit is evicted: c is
 * 12,000. Ten hits of 300 go ahead of that when the ledgers start anew; by
 * those of the pass before it would be four. From there on they are carried.
 */
START_TEST(test_long_starts_anew_when_the_oldest_becomes_long)
{
	struct fw_request *miss;

	open_order(FW_CARRY_LONG, 4000);
	miss = add(4000, 8000, 0);
	for (int i = 0; i < 40; i++)
		add(6000, HIT_COST, 1 + i);
	check_ahead(miss, 100, 2 * HIT_COST, 2 * HIT_COST, false);
	ck_assert_int_eq(fw_order_set_hit(order, miss, 0), 0);
	check_ahead(miss, 200, 4 * HIT_COST, 4 * HIT_COST, false);
	check_ahead(miss, 300, UINT32_MAX, 6 * HIT_COST, true);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

/* Or: six for a c of 8,000. Carried ledgers would let eight. */
START_TEST(test_long_starts_anew_when_the_oldest_is_long_no_more)
{
	struct fw_request *miss;

	open_order(FW_CARRY_LONG, 4000);
	miss = add(0, 12000, 0);
	for (int i = 0; i < 40; i++)
		add(6000, HIT_COST, 1 + i);
	check_ahead(miss, 100, 2 * HIT_COST, 2 * HIT_COST, false);
	ck_assert_int_eq(fw_order_set_hit(order, miss, 4000), 0);
	check_ahead(miss, 200, UINT32_MAX, 6 * HIT_COST, true);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

START_TEST(test_ledgers_start_anew_for_the_next_oldest)
{
	struct fw_request *first, *second;
	bool started = false;

	open_order(FW_CARRY_ON, 4000);
	first = add(0, 12000, 0);
	second = add(0, 12000, 1);
	for (int i = 0; i < 30; i++)
		add(6000, HIT_COST, 2 + i);
	ck_assert_uint_eq(pass(first, 100, 1200, &started), 1200);
	ck_assert_int_eq(fw_order_remove(order, first), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_uint_eq(pass(second, 101, 900, &started), 900);
	ck_assert_uint_eq(pass(second, 102, 900, &started), 300);
	ck_assert(started);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

START_TEST(test_a_put_back_oldest_starts_anew)
{
	struct fw_request *miss;
	bool started = false;

	open_order(FW_CARRY_ON, 4000);
	miss = add(0, 12000, 0);
	for (int i = 0; i < 30; i++)
		add(6000, HIT_COST, 2 + i);
	ck_assert_uint_eq(pass(miss, 100, 1200, &started), 1200);
	ck_assert_int_eq(fw_order_remove(order, miss), 0);
	ck_assert_int_eq(fw_order_add(order, miss), 0);
	ck_assert_uint_eq(pass(miss, 101, 6000, &started), 3000);
	ck_assert(started);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

/*
 * The ledgers started with one head of the fast lane, and a dearer one leaves
 * first: this looked like a broken bound, though F never passed R.
 */
START_TEST(test_a_dearer_first_release_does_not_break_the_bound)
{
	struct fw_request *miss, *head;
	bool started = false;
	uint64_t ahead = 0;

	open_order(FW_CARRY_ON, 890);
	miss = add(0, 10000, 0);
	head = add(1000, 100, 1);
	ck_assert_int_eq(fw_pass_begin(order, 2 * NS_PER_MS, 2048), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), head);
	ck_assert_int_eq(fw_pass_end(order), 0);
	for (int i = 0; i < 20; i++)
		add(40000, 1000, 3 + i);
	while (!started)
		ahead += pass(miss, 100, 2048, &started);
	/* 10,000 / 0.89 + 1,000 - 100, and no other whole request fits. */
	ck_assert_uint_eq(ahead, 12000);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

START_TEST(test_a_removed_head_does_not_break_the_bound)
{
	struct fw_request *miss, *head, *req;
	uint64_t ahead = 0;

	open_order(FW_CARRY_OFF, 890);
	miss = add(0, 10000, 0);
	head = add(100000, 100, 1);
	for (int i = 0; i < 20; i++)
		add(40000, 1000, 3 + i);
	ck_assert_int_eq(fw_pass_begin(order, 100 * NS_PER_MS, 1000000), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), head);
	ck_assert_int_eq(fw_order_remove(order, head), 0);
	while ((req = fw_pass_peek(order)) != miss) {
		ck_assert_int_eq(fw_pass_admit(order, 1000), 0);
		ahead += 1000;
	}
	ck_assert_int_eq(fw_pass_end(order), 0);
	ck_assert_uint_eq(ahead, 12000);
	ck_assert_uint_eq(bound_broken(), 0);
}
END_TEST

static Suite *carry_suite(void)
{
	Suite *suite = suite_create("carry");
	TCase *tcase = tcase_create("carry");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase,
		       test_without_carry_the_bound_holds_inside_each_pass);
	tcase_add_test(tcase, test_with_carry_the_bound_holds_over_all_passes);
	tcase_add_test(tcase,
		       test_long_carries_for_what_one_step_may_not_reach);
	tcase_add_test(tcase,
		       test_long_starts_anew_when_the_oldest_becomes_long);
	tcase_add_test(tcase,
		       test_long_starts_anew_when_the_oldest_is_long_no_more);
	tcase_add_test(tcase, test_ledgers_start_anew_for_the_next_oldest);
	tcase_add_test(tcase, test_a_put_back_oldest_starts_anew);
	tcase_add_test(tcase,
		       test_a_dearer_first_release_does_not_break_the_bound);
	tcase_add_test(tcase, test_a_removed_head_does_not_break_the_bound);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(carry_suite());
}
