/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include <fairway/order.h>

#include "lib/queue/tenants.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/* What an order that is fair between tenants promises, by hand. */

#define NUM_REQS 4096u
#define BUDGET 2048u
#define LEN 512u

static struct fail_alloc memory;
static struct fw_order *order;
static struct fw_request reqs[NUM_REQS];
static int64_t now;

static void open_order(const struct fw_tenant_weight *weights, size_t num)
{
	const struct fw_order_config config = {
		.size = sizeof(config),
		.allocator = &memory.allocator,
		.by_tenant = 1,
		.tenant_weights = weights,
		.num_tenant_weights = num,
	};

	memset(reqs, 0, sizeof(reqs));
	now = 0;
	ck_assert_int_eq(fw_order_open(&order, &config), 0);
}

static void setup(void)
{
	fail_alloc_init(&memory);
	open_order(NULL, 0);
}

static void teardown(void)
{
	fw_order_close(order);
	ck_assert(fail_alloc_clean(&memory));
}

static void reopen(const struct fw_tenant_weight *weights, size_t num)
{
	fw_order_close(order);
	open_order(weights, num);
}

static void add(struct fw_request *req, uint64_t tenant)
{
	req->tenant = tenant;
	req->len = LEN;
	req->arrival = now;
	ck_assert_int_eq(fw_order_add(order, req), 0);
}

/* One step, every request of which is computed whole. Return: how many. */
static uint32_t step(uint64_t *served, uint64_t num_tenants)
{
	uint32_t budget = BUDGET, num = 0;
	struct fw_request *req;

	now += 1000000;
	ck_assert_int_eq(fw_pass_begin(order, now, budget), 0);
	while ((req = fw_pass_peek(order))) {
		if (served && req->tenant < num_tenants)
			served[req->tenant]++;
		ck_assert_int_eq(fw_pass_admit(order, req->len), 0);
		num++;
	}
	ck_assert_int_eq(fw_pass_end(order), 0);
	return num;
}

START_TEST(test_shares_follow_the_weights)
{
	const struct fw_tenant_weight weights[] = {
		{.tenant = 2, .weight = 4000},
		{.tenant = 0, .weight = 2000},
	};
	uint64_t served[3] = {0};

	reopen(weights, 2);
	for (uint32_t i = 0; i < 3 * 500; i++)
		add(&reqs[i], i % 3);
	for (int i = 0; i < 175; i++)
		step(served, 3);
	/* 700 of equal work: two, one and four parts of seven. */
	ck_assert_uint_eq(served[0], 200);
	ck_assert_uint_eq(served[1], 100);
	ck_assert_uint_eq(served[2], 400);
}
END_TEST

START_TEST(test_a_flood_costs_the_others_their_share_and_no_more)
{
	uint64_t served[2] = {0};

	for (uint32_t i = 0; i < 3000; i++)
		add(&reqs[i], 1);
	for (int i = 0; i < 20; i++)
		step(NULL, 0);
	/* 80 of the flood are through: they are no debt of the quiet one. */
	for (uint32_t i = 3000; i < 3040; i++)
		add(&reqs[i], 0);
	for (int i = 0; i < 20; i++)
		step(served, 2);
	ck_assert_uint_eq(served[0], 40);
	ck_assert_uint_eq(served[1], 40);
}
END_TEST

START_TEST(test_who_was_idle_has_saved_up_nothing)
{
	uint64_t served[2] = {0};

	add(&reqs[0], 0);
	step(NULL, 0);
	for (uint32_t i = 1; i < 1000; i++)
		add(&reqs[i], 1);
	for (int i = 0; i < 100; i++)
		step(NULL, 0);
	for (uint32_t i = 1000; i < 1400; i++)
		add(&reqs[i], 0);
	for (int i = 0; i < 10; i++)
		step(served, 2);
	/* It starts where the other one stood at its last turn: one ahead. */
	ck_assert_uint_eq(served[0], 21);
	ck_assert_uint_eq(served[1], 19);
}
END_TEST

/* Leaving and coming back at once does not shake a debt off. */
START_TEST(test_an_idle_tenant_keeps_its_debt_until_the_clock_is_there)
{
	/* Alone, it is served eight; the clock stands at its last begin. */
	for (uint32_t i = 0; i < 8; i++)
		add(&reqs[i], 7);
	step(NULL, 0);
	step(NULL, 0);
	/* Both ask again: the clock lies one request below it. */
	for (uint32_t i = 8; i < 16; i++)
		add(&reqs[i], i % 2 ? 7 : 1);
	now++;
	ck_assert_int_eq(fw_pass_begin(order, now, BUDGET), 0);
	ck_assert_uint_eq(fw_pass_peek(order)->tenant, 1);
	ck_assert_int_eq(fw_pass_admit(order, LEN), 0);
	/* Equal now, and the smaller number is first. */
	ck_assert_uint_eq(fw_pass_peek(order)->tenant, 1);
	ck_assert_int_eq(fw_pass_admit(order, LEN), 0);
	ck_assert_uint_eq(fw_pass_peek(order)->tenant, 7);
	ck_assert_int_eq(fw_pass_end(order), 0);
}
END_TEST

START_TEST(test_tenants_that_left_cost_no_memory)
{
	size_t before, live = 0;

	for (uint32_t i = 0; i < 2000; i++)
		add(&reqs[i], 0);
	before = memory.live;
	for (uint32_t i = 0; i < 400; i++) {
		/* Beside a backlog the clock goes on: they are forgotten. */
		add(&reqs[3000], 1000 + i);
		ck_assert_uint_eq(step(NULL, 0), 4);
		live = memory.live > live ? memory.live : live;
	}
	/* Of one tenant and its lanes, and the map and the heaps once. */
	ck_assert_uint_lt(live, before + 20);
}
END_TEST

START_TEST(test_only_adding_allocates)
{
	size_t calls;

	for (uint32_t i = 0; i < 1000; i++)
		add(&reqs[i], i % 97);
	calls = memory.calls;
	for (int i = 0; i < 30; i++)
		step(NULL, 0);
	for (uint32_t i = 0; i < 1000; i++)
		fw_order_set_hit(order, &reqs[i], 16);
	for (uint32_t i = 0; i < 1000; i += 2)
		fw_order_remove(order, &reqs[i]);
	for (int i = 0; i < 300; i++)
		step(NULL, 0);
	ck_assert_uint_eq(memory.calls, calls);
}
END_TEST

/*
 * New numbers that ask once never move the clock: each starts at it and leaves
 * above. What is kept of them is bounded.
 */
START_TEST(test_a_stream_of_new_tenants_is_bounded)
{
	struct fw_cost cost;
	struct fw_tenant_weights none = {.num = 0};
	struct fw_tenants_config config = {
		.lanes = {.weight = 4000, .budget = BUDGET, .fair_lane = true},
		.weights = &none,
		.max_idle = 10,
	};
	struct fw_tenants tenants;

	ck_assert(!fw_cost_init(&cost, "a6000", NULL, 0, &memory.allocator));
	fw_remaining_init(&config.lanes.work, &cost, BUDGET);
	fw_tenants_init(&tenants, &config, &memory.allocator);
	for (uint32_t i = 0; i < 500; i++) {
		reqs[0].tenant = i;
		reqs[0].len = 16 + i;
		ck_assert(!fw_tenants_add(&tenants, &reqs[0], i, 1.0, 0));
		fw_tenants_begin(&tenants, i, BUDGET);
		ck_assert_ptr_eq(fw_tenants_peek(&tenants), &reqs[0]);
		ck_assert(!fw_tenants_admit(&tenants, reqs[0].len));
		fw_tenants_end(&tenants);
		ck_assert(fw_tenants_valid(&tenants));
		ck_assert_uint_le(tenants.map.num, 10);
		memset(&reqs[0], 0, sizeof(reqs[0]));
	}
	ck_assert_int_eq(tenants.clock, 0);
	fw_tenants_destroy(&tenants);
	fw_cost_destroy(&cost);
}
END_TEST

/* A prompt in twenty chunks pays as much as one that is computed at once. */
START_TEST(test_what_comes_back_pays_for_what_it_was_given)
{
	uint64_t served[2] = {0};
	uint32_t done = 0;

	reqs[0].tenant = 1;
	reqs[0].len = 20 * BUDGET;
	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	for (uint32_t i = 1; i < 4000; i++)
		add(&reqs[i], 0);
	for (int i = 0; i < 200; i++) {
		struct fw_request *req;
		uint32_t budget = BUDGET;

		now += 1000000;
		ck_assert_int_eq(fw_pass_begin(order, now, budget), 0);
		while ((req = fw_pass_peek(order))) {
			uint32_t left = req->len - req->hit;
			uint32_t tokens = left < budget ? left : budget;

			served[req->tenant] += tokens;
			budget -= tokens;
			ck_assert_int_eq(fw_pass_admit(order, tokens), 0);
			if (req == &reqs[0])
				done += tokens;
		}
		ck_assert_int_eq(fw_pass_end(order), 0);
		if (done < reqs[0].len && !fw_order_set_hit(order, reqs, done))
			continue;
		reqs[0].hit = done;
		if (done < reqs[0].len)
			ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
		else
			break;
	}
	/* Attention makes late chunks dearer, so it is less than half. */
	ck_assert_uint_eq(done, 20 * BUDGET);
	ck_assert_uint_gt(served[0], served[1]);
	ck_assert_uint_lt(served[0], 2 * served[1]);
}
END_TEST

/* Late passes so far, behind one that looks at @first and admits nobody. */
static uint64_t late_behind(const struct fw_request *first)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_pass_begin(order, ++now, BUDGET), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), first);
	ck_assert_int_eq(fw_pass_end(order), 0);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats.late;
}

START_TEST(test_work_outside_delays_its_own_tenant_for_one_pass)
{
	const uint32_t much = 100 * LEN;

	add(&reqs[0], 7);
	add(&reqs[1], 8);
	ck_assert_uint_eq(late_behind(&reqs[0]), 0);
	fw_order_outside(order, 0, much);
	fw_order_outside_of(order, 8, 0, much);
	ck_assert_uint_eq(late_behind(&reqs[0]), 0);
	fw_order_outside_of(order, 7, 0, much);
	ck_assert_uint_eq(late_behind(&reqs[0]), 1);
	ck_assert_uint_eq(late_behind(&reqs[0]), 1);
}
END_TEST

START_TEST(test_weights_out_of_form_are_refused)
{
	static const struct fw_tenant_weight bad[][2] = {
		{{.tenant = 1, .weight = 9}, {.tenant = 2, .weight = 10}},
		{{.tenant = 1, .weight = 10}, {.tenant = 2, .weight = 1000001}},
		{{.tenant = 2, .weight = 10}, {.tenant = 2, .weight = 20}},
		{{.tenant = 1, .weight = 10, .reserved = 1},
		 {.tenant = 2, .weight = 10}},
	};
	struct fw_order_config config = {
		.size = sizeof(config),
		.tenant_weights = bad[_i],
		.num_tenant_weights = 2,
		.by_tenant = 1,
		.allocator = &memory.allocator,
	};
	struct fw_order *none = NULL;

	ck_assert_int_eq(fw_order_open(&none, &config), -EINVAL);
	config.num_tenant_weights = 0;
	config.by_tenant = 2;
	ck_assert_int_eq(fw_order_open(&none, &config), -EINVAL);
	ck_assert_ptr_null(none);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("tenants");
	TCase *tcase = tcase_create("tenants");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_shares_follow_the_weights);
	tcase_add_test(tcase,
		       test_a_flood_costs_the_others_their_share_and_no_more);
	tcase_add_test(tcase, test_who_was_idle_has_saved_up_nothing);
	tcase_add_test(
		tcase,
		test_an_idle_tenant_keeps_its_debt_until_the_clock_is_there);
	tcase_add_test(tcase, test_tenants_that_left_cost_no_memory);
	tcase_add_test(tcase, test_only_adding_allocates);
	tcase_add_test(tcase, test_a_stream_of_new_tenants_is_bounded);
	tcase_add_test(tcase, test_what_comes_back_pays_for_what_it_was_given);
	tcase_add_test(tcase,
		       test_work_outside_delays_its_own_tenant_for_one_pass);
	tcase_add_loop_test(tcase, test_weights_out_of_form_are_refused, 0, 4);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
