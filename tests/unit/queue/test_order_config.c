/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"
#include "orders.h"

/* What an order may be opened with, and what it is without being told. */

/* Refused with @err, and the caller's pointer is as it was. */
static void refuse(const struct fw_order_config *config, int err)
{
	struct fw_order *const mark = (struct fw_order *)(void *)reqs;
	struct fw_order *order = mark;

	ck_assert_int_eq(fw_order_open(&order, config), err);
	ck_assert_ptr_eq(order, mark);
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

static void *never_alloc(void *ctx, size_t size)
{
	ck_abort_msg("%zu bytes for %p", size, ctx);
	return NULL;
}

static void never_free(void *ctx, void *ptr, size_t size)
{
	ck_abort_msg("%zu bytes at %p from %p", size, ptr, ctx);
}

START_TEST(test_without_a_config_the_defaults_hold)
{
	struct fw_order_config config = sized();
	const struct fw_order_config *const given[] = {NULL, &config};

	for (int i = 0; i < 2; i++) {
		struct fw_order *order;

		make_requests();
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

		make_requests();
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
	static const struct fw_allocator no_free = {.alloc = never_alloc};
	static const struct fw_allocator no_alloc = {.free = never_free};
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

		make_requests();
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

int main(void)
{
	Suite *suite = suite_create("order_config");
	TCase *tcase = tcase_create("order_config");

	tcase_add_checked_fixture(tcase, make_requests, NULL);
	tcase_add_test(tcase, test_without_a_config_the_defaults_hold);
	tcase_add_test(tcase, test_default_slo_is_three_prefills_on_an_a6000);
	tcase_add_test(tcase, test_values_out_of_range_are_refused);
	tcase_add_test(tcase, test_reals_are_finite_and_not_below_zero);
	tcase_add_test(tcase, test_values_at_the_ends_are_taken);
	tcase_add_test(tcase, test_devices_and_tables_are_checked);
	tcase_add_test(tcase, test_a_unit_of_wait_is_a_nanosecond_at_least);
	tcase_add_test(tcase, test_an_unknown_tail_must_be_zero);
	tcase_add_test(tcase, test_a_shorter_config_leaves_defaults);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
