/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"

/* Opening, refusing, and running out of memory: the edges of an order. */

#define NS_PER_S 1000000000
#define PLENTY 1000000u
#define MAX_REQS 40

/**
 * struct heap_count - an allocator that fails when told
 * @left: allocations until one fails; less than 0 for never
 * @calls: allocations so far
 * @live: blocks that were not given back
 * @bytes: their size, as the caller says it
 */
struct heap_count {
	int left;
	int calls;
	int live;
	size_t bytes;
};

static struct heap_count counts;

static void *counting_alloc(void *ctx, size_t size)
{
	struct heap_count *c = ctx;
	void *ptr;

	c->calls++;
	if (!c->left)
		return NULL;
	c->left--;
	ptr = malloc(size);
	ck_assert_ptr_nonnull(ptr);
	/* Nothing may count on zeroed memory. */
	memset(ptr, 0xa5, size);
	c->live++;
	c->bytes += size;
	return ptr;
}

static void counting_free(void *ctx, void *ptr, size_t size)
{
	struct heap_count *c = ctx;

	ck_assert_ptr_nonnull(ptr);
	c->live--;
	c->bytes -= size;
	free(ptr);
}

static const struct fw_allocator counting = {
	.alloc = counting_alloc,
	.free = counting_free,
	.ctx = &counts,
};

static struct fw_request reqs[MAX_REQS];

static void setup(void)
{
	memset(reqs, 0, sizeof(reqs));
	for (int i = 0; i < MAX_REQS; i++) {
		reqs[i].len = 1000;
		reqs[i].arrival = i;
	}
	counts = (struct heap_count){.left = -1};
}

static struct fw_order_config sized(void)
{
	return (struct fw_order_config){
		.size = sizeof(struct fw_order_config),
	};
}

static struct fw_order *open_order(const struct fw_order_config *config)
{
	struct fw_order *order = NULL;

	ck_assert_int_eq(fw_order_open(&order, config), 0);
	ck_assert_ptr_nonnull(order);
	return order;
}

/* Refused with @err, and the caller's pointer is as it was. */
static void refuse(const struct fw_order_config *config, int err)
{
	struct fw_order *const mark = (struct fw_order *)(void *)reqs;
	struct fw_order *order = mark;

	ck_assert_int_eq(fw_order_open(&order, config), err);
	ck_assert_ptr_eq(order, mark);
}

/* The next in a pass of its own. */
static struct fw_request *take(struct fw_order *order)
{
	struct fw_request *req;

	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
	req = fw_pass_peek(order);
	if (req)
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	return req;
}

static struct fw_order_stats stats_of(const struct fw_order *order)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats;
}

/* How many hits that leave 300 overtake a miss of @miss tokens. */
static unsigned int overtakers(struct fw_order *order, uint32_t miss)
{
	unsigned int num = 0;

	for (int i = 0; i < MAX_REQS; i++) {
		reqs[i].len = i ? 6300 : miss;
		reqs[i].hit = i ? 6000 : 0;
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	}
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
	while (fw_pass_peek(order) != &reqs[0]) {
		ck_assert_int_eq(fw_pass_admit(order, 300), 0);
		num++;
	}
	ck_assert_int_eq(fw_pass_end(order), 0);
	return num;
}

START_TEST(test_without_a_config_the_defaults_hold)
{
	struct fw_order_config config = sized();
	const struct fw_order_config *const given[] = {NULL, &config};

	for (int i = 0; i < 2; i++) {
		struct fw_order *order;

		setup();
		order = open_order(given[i]);
		/* F 1200, 2400, ... 6000 against R 6000: weight 4. */
		ck_assert_uint_eq(overtakers(order, 6000), 5);
		fw_order_close(order);
	}
	fw_order_close(NULL);
}
END_TEST

/* The SLO of 16,000 tokens by default: 3 times 2.69 s on an a6000. */
START_TEST(test_default_slo_is_three_prefills_on_an_a6000)
{
	struct fw_order_config config = sized();

	config.no_fair_lane = 1;
	for (int i = 0; i < 2; i++) {
		struct fw_order *order = open_order(&config);

		setup();
		reqs[0].len = 16000;
		reqs[1].len = 100;
		/* 8.08 s of wait are worth the short one's 1 s, not 8.06. */
		reqs[0].arrival = i ? -7080000000 : -7060000000;
		reqs[1].arrival = 0;
		ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
		ck_assert_int_eq(fw_order_add(order, &reqs[1]), 0);
		ck_assert_ptr_eq(take(order), &reqs[i ? 0 : 1]);
		fw_order_close(order);
	}
}
END_TEST

START_TEST(test_values_out_of_range_are_refused)
{
	static const struct fw_allocator no_free = {.alloc = counting_alloc};
	static const struct fw_allocator no_alloc = {.free = counting_free};
	static const struct fw_order_config bad[] = {
		{.size = 0},
		{.size = sizeof(bad[0]), .weight = 1000001},
		{.size = sizeof(bad[0]), .weight = UINT32_MAX},
		{.size = sizeof(bad[0]), .carry = (enum fw_carry)3},
		{.size = sizeof(bad[0]), .carry = (enum fw_carry) - 1},
		{.size = sizeof(bad[0]), .no_fair_lane = 2},
		{.size = sizeof(bad[0]), .allocator = &no_free},
		{.size = sizeof(bad[0]), .allocator = &no_alloc},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse(&bad[i], -EINVAL);
}
END_TEST

START_TEST(test_reals_are_finite_and_not_below_zero)
{
	static const double bad[] = {-1.0, -1e-300, (double)NAN, HUGE_VAL,
				     -HUGE_VAL};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fw_order_config wait = sized(), slo = sized();
		struct fw_order_config floor = sized();

		wait.wait_constant = bad[i];
		slo.slo_multiplier = bad[i];
		floor.slo_floor = bad[i];
		refuse(&wait, -EINVAL);
		refuse(&slo, -EINVAL);
		refuse(&floor, -EINVAL);
	}
}
END_TEST

START_TEST(test_values_at_the_ends_are_taken)
{
	static const struct fw_order_config good[] = {
		{.size = sizeof(good[0]), .weight = 1, .budget = 1},
		{.size = sizeof(good[0]), .weight = 1000000},
		{.size = sizeof(good[0]), .budget = UINT32_MAX},
		{.size = sizeof(good[0]), .carry = FW_CARRY_LONG},
		{.size = sizeof(good[0]), .slo_floor = 1e-9},
		{.size = sizeof(good[0]), .wait_constant = 1e-9},
		{.size = sizeof(good[0]), .slo_multiplier = 1e-300},
		{.size = sizeof(good[0]), .open = INT64_MIN},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct fw_order *order = open_order(&good[i]);

		setup();
		for (int j = 0; j < 3; j++)
			ck_assert_int_eq(fw_order_add(order, &reqs[j]), 0);
		for (int j = 0; j < 3; j++)
			ck_assert_ptr_nonnull(take(order));
		ck_assert_ptr_null(take(order));
		fw_order_close(order);
	}
}
END_TEST

START_TEST(test_devices_and_tables_are_checked)
{
	static const struct fw_cost_point falls[] = {{200, 1.0}, {100, 2.0}};
	static const struct fw_cost_point rises[] = {{100, 1.0}, {200, 2.0}};
	struct fw_order_config c = sized();

	for (size_t i = 0; fw_device_name(i); i++) {
		c.device = fw_device_name(i);
		fw_order_close(open_order(&c));
	}
	c.device = "a7000";
	refuse(&c, -ENODEV);
	c.table = falls;
	c.num_points = 2;
	refuse(&c, -EINVAL);
	c.table = rises;
	fw_order_close(open_order(&c));
	c.num_points = 0;
	refuse(&c, -EINVAL);
}
END_TEST

/* Of units without a finite inverse no order could be kept. */
START_TEST(test_a_unit_of_wait_is_a_nanosecond_at_least)
{
	static const double bad[] = {0x1p-1074, 1e-300, 0.9e-9};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct fw_order_config wait = sized(), floor = sized();

		wait.wait_constant = bad[i];
		floor.slo_floor = bad[i];
		refuse(&wait, -EINVAL);
		refuse(&floor, -EINVAL);
	}
}
END_TEST

/* It is not the first order's any more, to be put back into its heaps. */
START_TEST(test_an_admission_that_waits_elsewhere_is_not_taken_back)
{
	struct fw_order *order = open_order(NULL), *other = open_order(NULL);

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_order_add(other, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	ck_assert_int_eq(fw_pass_end(order), 0);
	ck_assert_uint_eq(stats_of(order).waiting, 0);
	ck_assert_uint_eq(stats_of(other).waiting, 1);
	fw_order_close(order);
	ck_assert_ptr_eq(take(other), &reqs[0]);
	fw_order_close(other);
}
END_TEST

/* As a caller of a later version has it. */
struct longer_config {
	struct fw_order_config known;
	unsigned char tail[24];
};

START_TEST(test_an_unknown_tail_must_be_zero)
{
	struct longer_config config = {.known = sized()};

	config.known.size = sizeof(config);
	fw_order_close(open_order(&config.known));
	for (size_t i = 0; i < sizeof(config.tail); i++) {
		config.tail[i] = 1;
		refuse(&config.known, -E2BIG);
		config.tail[i] = 0;
	}
}
END_TEST

/* As a caller of an earlier version has it: what lies behind is not read. */
START_TEST(test_a_shorter_config_leaves_defaults)
{
	struct fw_order_config config;
	struct fw_order *order;

	memset(&config, 0xff, sizeof(config));
	config.size = offsetof(struct fw_order_config, budget);
	config.carry = FW_CARRY_OFF;
	config.weight = 8000;
	order = open_order(&config);
	/* F 2400, 4800 against R 6000. */
	ck_assert_uint_eq(overtakers(order, 6000), 2);
	fw_order_close(order);
	config.size = offsetof(struct fw_order_config, weight);
	fw_order_close(open_order(&config));
	config.size--;
	refuse(&config, -EINVAL);
}
END_TEST

START_TEST(test_requests_out_of_form_change_nothing)
{
	struct fw_order *order = open_order(NULL);
	struct fw_request before;

	reqs[0].len = 0;
	reqs[1].flags = 1;
	for (int i = 0; i < 8; i++)
		reqs[2 + i].reserved[i] = (uint64_t)1 << (i * 7);
	reqs[10].reserved32 = 1;
	reqs[11].priority = 1;
	reqs[12].max_wait = -1;
	for (int i = 0; i < 13; i++) {
		before = reqs[i];
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), -EINVAL);
		ck_assert_mem_eq(&before, &reqs[i], sizeof(before));
	}
	ck_assert_uint_eq(stats_of(order).waiting, 0);
	/* An update that is refused leaves the request waiting as it was. */
	ck_assert_int_eq(fw_order_add(order, &reqs[13]), 0);
	reqs[13].flags = 4;
	ck_assert_int_eq(fw_order_add(order, &reqs[13]), -EINVAL);
	ck_assert_uint_eq(stats_of(order).waiting, 1);
	ck_assert_ptr_eq(take(order), &reqs[13]);
	fw_order_close(order);
}
END_TEST

START_TEST(test_calls_without_a_pass_say_so)
{
	struct fw_order *order = open_order(NULL);
	uint32_t hit = 7, cost = 7;

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_ptr_null(fw_pass_peek(order));
		ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), -ENOENT);
		ck_assert_uint_eq(hit, 7);
		ck_assert_uint_eq(cost, 7);
		ck_assert_int_eq(fw_pass_admit(order, 1), -ENOENT);
		ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
		ck_assert_int_eq(fw_pass_end(order), -ENOENT);
		/* Nor is a decision left over from a pass that ended. */
		ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), 0);
		ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
		ck_assert_int_eq(fw_pass_end(order), 0);
	}
	ck_assert_ptr_eq(take(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	fw_order_close(order);
}
END_TEST

START_TEST(test_one_pass_at_a_time)
{
	struct fw_order *order = open_order(NULL);

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_begin(order, 0, 100), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), -EBUSY);
	ck_assert_uint_eq(stats_of(order).passes, 1);
	ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	fw_order_close(order);
}
END_TEST

START_TEST(test_orders_keep_out_of_each_other)
{
	struct fw_order *a = open_order(NULL), *b = open_order(NULL);

	ck_assert_int_eq(fw_order_add(a, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[1]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[0]), -EBUSY);
	ck_assert_int_eq(fw_order_set_hit(b, &reqs[0], 1), -ENOENT);
	ck_assert_int_eq(fw_order_remove(b, &reqs[0]), -ENOENT);
	ck_assert_int_eq(fw_pass_begin(a, 0, PLENTY), 0);
	ck_assert_ptr_null(fw_pass_peek(b));
	ck_assert_int_eq(fw_pass_begin(b, 0, PLENTY), 0);
	ck_assert_ptr_eq(fw_pass_peek(a), &reqs[0]);
	ck_assert_ptr_eq(fw_pass_peek(b), &reqs[1]);
	ck_assert_int_eq(fw_pass_end(a), 0);
	ck_assert_int_eq(fw_pass_end(b), 0);
	ck_assert_int_eq(fw_order_remove(a, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[0]), 0);
	ck_assert_uint_eq(stats_of(a).waiting, 0);
	ck_assert_uint_eq(stats_of(b).waiting, 2);
	fw_order_close(a);
	fw_order_close(b);
}
END_TEST

START_TEST(test_requests_survive_the_order_they_wait_in)
{
	struct fw_order *order = open_order(NULL);

	for (int i = 0; i < MAX_REQS; i++) {
		reqs[i].id = (uint64_t)i;
		reqs[i].user = &reqs[i];
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
		if (i == MAX_REQS / 2)
			ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), 0);
	}
	ck_assert_ptr_nonnull(fw_pass_peek(order));
	fw_order_close(order);
	order = open_order(NULL);
	for (int i = MAX_REQS; i-- > 0;) {
		ck_assert_uint_eq(reqs[i].id, (uint64_t)i);
		ck_assert_ptr_eq(reqs[i].user, &reqs[i]);
		ck_assert_int_eq(fw_order_remove(order, &reqs[i]), -ENOENT);
		memset(reqs[i].priv, 0, sizeof(reqs[i].priv));
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	}
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_ptr_eq(take(order), &reqs[i]);
	ck_assert_ptr_null(take(order));
	fw_order_close(order);
}
END_TEST

START_TEST(test_counters_fill_what_the_caller_has)
{
	struct fw_order *order = open_order(NULL);
	struct fw_order_stats stats = {.size = 0, .waiting = 7, .passes = 7};

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), -EINVAL);
	ck_assert_uint_eq(stats.waiting, 7);
	stats.size = offsetof(struct fw_order_stats, passes);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	ck_assert_uint_eq(stats.waiting, 1);
	ck_assert_uint_eq(stats.passes, 7);
	ck_assert_uint_eq(stats.size, offsetof(struct fw_order_stats, passes));
	fw_order_close(order);
}
END_TEST

/* Queue all and take all; every call that fails is made again. */
static int use_order(struct fw_order *order)
{
	int failed = 0, ret;

	for (int i = 0; i < MAX_REQS; i++) {
		ret = fw_order_add(order, &reqs[i]);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert_uint_eq(stats_of(order).waiting, i);
			ck_assert_int_eq(fw_order_remove(order, &reqs[i]),
					 -ENOENT);
			failed++;
			counts.left = -1;
			ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
		}
		if (i % 8 == 7) {
			ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, 1), 0);
			ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
			ck_assert_int_eq(fw_pass_end(order), 0);
		}
	}
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_ptr_eq(take(order), &reqs[i]);
	ck_assert_ptr_null(take(order));
	return failed;
}

static int open_counted(struct fw_order **order)
{
	static const struct fw_cost_point table[] = {{100, 1.0}, {200, 2.0}};
	struct fw_order_config config = sized();
	struct fw_allocator allocator = counting;
	int ret;

	config.table = table;
	config.num_points = 2;
	config.allocator = &allocator;
	ret = fw_order_open(order, &config);
	/* The order keeps a copy. */
	memset(&allocator, 0, sizeof(allocator));
	return ret;
}

START_TEST(test_no_memory_at_any_call_is_survived)
{
	int most, failed = 0;

	for (most = 0;; most++) {
		struct fw_order *order = NULL;
		int ret;

		setup();
		counts.left = most;
		ret = open_counted(&order);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert_ptr_null(order);
			ck_assert_int_eq(counts.live, 0);
			counts.left = -1;
			ck_assert_int_eq(open_counted(&order), 0);
			failed++;
		}
		ret = use_order(order);
		failed += ret;
		fw_order_close(order);
		ck_assert_int_eq(counts.live, 0);
		ck_assert_uint_eq(counts.bytes, 0);
		if (counts.calls <= most)
			break;
	}
	/* Each allocation had its turn: order, table, and the lanes' arrays. */
	ck_assert_int_eq(failed, most);
	ck_assert_int_ge(most, 4);
}
END_TEST

START_TEST(test_only_adding_allocates)
{
	struct fw_order *order = NULL;
	int calls;

	ck_assert_int_eq(open_counted(&order), 0);
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	calls = counts.calls;
	counts.left = 0;
	for (int round = 0; round < 20; round++) {
		struct fw_request *req;

		ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
		ck_assert_int_eq(fw_order_set_hit(order, &reqs[round], 9), 0);
		reqs[round].len++;
		ck_assert_int_eq(fw_order_add(order, &reqs[round]), 0);
		req = fw_pass_peek(order);
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
		ck_assert_int_eq(fw_order_add(order, req), 0);
		ck_assert_ptr_nonnull(fw_pass_peek(order));
		ck_assert_int_eq(fw_pass_skip(order), 0);
		ck_assert_int_eq(fw_pass_end(order), 0);
	}
	ck_assert_int_eq(counts.calls, calls);
	ck_assert_uint_eq(stats_of(order).waiting, MAX_REQS);
	fw_order_close(order);
	ck_assert_int_eq(counts.live, 0);
}
END_TEST

static Suite *order_suite(void)
{
	Suite *suite = suite_create("order");
	TCase *tcase = tcase_create("order");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(tcase, test_without_a_config_the_defaults_hold);
	tcase_add_test(tcase, test_default_slo_is_three_prefills_on_an_a6000);
	tcase_add_test(tcase, test_values_out_of_range_are_refused);
	tcase_add_test(tcase, test_reals_are_finite_and_not_below_zero);
	tcase_add_test(tcase, test_a_unit_of_wait_is_a_nanosecond_at_least);
	tcase_add_test(
		tcase,
		test_an_admission_that_waits_elsewhere_is_not_taken_back);
	tcase_add_test(tcase, test_values_at_the_ends_are_taken);
	tcase_add_test(tcase, test_devices_and_tables_are_checked);
	tcase_add_test(tcase, test_an_unknown_tail_must_be_zero);
	tcase_add_test(tcase, test_a_shorter_config_leaves_defaults);
	tcase_add_test(tcase, test_requests_out_of_form_change_nothing);
	tcase_add_test(tcase, test_calls_without_a_pass_say_so);
	tcase_add_test(tcase, test_one_pass_at_a_time);
	tcase_add_test(tcase, test_orders_keep_out_of_each_other);
	tcase_add_test(tcase, test_requests_survive_the_order_they_wait_in);
	tcase_add_test(tcase, test_counters_fill_what_the_caller_has);
	tcase_add_test(tcase, test_no_memory_at_any_call_is_survived);
	tcase_add_test(tcase, test_only_adding_allocates);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(order_suite());
}
