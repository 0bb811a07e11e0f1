/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"

/*
 * The fast lane by the rest, and the guard, through the public order mode.
 * Times were worked out by hand for a6000 and steps of 2,048 tokens: a prompt
 * of 12,345 tokens is 1,948,753,924 ns of work.
 */

#define LONG_LEN 12345u
#define LONG_WORK INT64_C(1948753924)
/* Its due time with a guard of 500 when it is looked at at time 0. */
#define LONG_DUE (LONG_WORK + LONG_WORK / 2)
/* The last moment at which it can still be done by then. */
#define LAST_GOOD (LONG_DUE - LONG_WORK)

static struct fw_order *order;
static struct fw_request reqs[4];

static void open_order(enum fw_fast fast, uint32_t guard)
{
	const struct fw_order_config config = {
		.size = sizeof(config),
		.fast = fast,
		.guard = guard,
	};

	memset(reqs, 0, sizeof(reqs));
	ck_assert_int_eq(fw_order_open(&order, &config), 0);
}

static void add(int i, int64_t arrival, uint32_t len, uint32_t hit)
{
	reqs[i].id = (uint64_t)i;
	reqs[i].arrival = arrival;
	reqs[i].len = len;
	reqs[i].hit = hit;
	ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
}

static int next(void)
{
	const struct fw_request *req = fw_pass_peek(order);

	return req ? (int)req->id : -1;
}

/* Who would be first in a pass at @now? Nothing is admitted. */
static int first_at(int64_t now)
{
	int first;

	ck_assert_int_eq(fw_pass_begin(order, now, 2048), 0);
	first = next();
	ck_assert_int_eq(fw_pass_end(order), 0);
	return first;
}

static uint64_t late_passes(void)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats.late;
}

/* 300 tokens after 6,000 take 46 ms, 200 at the start of a prompt 24. */
START_TEST(test_the_shortest_rest_goes_first)
{
	open_order(FW_FAST_REST, 0);
	add(0, 0, 6000, 0);
	add(1, 1, 6300, 6000);
	add(2, 2, 200, 0);
	ck_assert_int_eq(fw_pass_begin(order, 10, 2048), 0);
	ck_assert_int_eq(next(), 2);
	ck_assert_int_eq(fw_pass_admit(order, 200), 0);
	ck_assert_int_eq(next(), 1);
	ck_assert_int_eq(fw_pass_admit(order, 300), 0);
	ck_assert_int_eq(next(), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	fw_order_close(order);
}
END_TEST

START_TEST(test_by_score_reuse_goes_first)
{
	open_order(FW_FAST_SCORE, 0);
	add(1, 1, 6300, 6000);
	add(2, 2, 200, 0);
	ck_assert_int_eq(first_at(10), 1);
	fw_order_close(order);
}
END_TEST

/* Cheap ones overtake the long one until it would end after it is due. */
/* 500 is the default, so that it is safe to say nothing. */
START_TEST(test_a_pass_is_late_to_the_nanosecond)
{
	open_order(FW_FAST_REST, _i ? 500 : 0);
	add(0, 0, LONG_LEN, 0);
	ck_assert_int_eq(first_at(0), 0);
	add(1, LAST_GOOD, 100, 0);
	ck_assert_int_eq(first_at(LAST_GOOD), 1);
	ck_assert_uint_eq(late_passes(), 0);
	ck_assert_int_eq(first_at(LAST_GOOD + 1), 0);
	ck_assert_uint_eq(late_passes(), 1);
	fw_order_close(order);
}
END_TEST

START_TEST(test_nobody_is_guarded_who_does_not_want_it)
{
	open_order(FW_FAST_REST, FW_GUARD_OFF);
	add(0, 0, LONG_LEN, 0);
	ck_assert_int_eq(first_at(0), 0);
	add(1, LAST_GOOD, 100, 0);
	ck_assert_int_eq(first_at(INT64_C(3600000000000)), 1);
	ck_assert_uint_eq(late_passes(), 0);
	fw_order_close(order);
}
END_TEST

/* 32 tokens after 2,048 are 4,328,352 ns of work. */
START_TEST(test_work_outside_counts_for_one_pass)
{
	const int64_t outside = 4328352;

	open_order(FW_FAST_REST, 500);
	add(0, 0, LONG_LEN, 0);
	ck_assert_int_eq(first_at(0), 0);
	add(1, 1, 100, 0);
	fw_order_outside(order, 2048, 32);
	ck_assert_int_eq(first_at(LAST_GOOD - outside), 1);
	fw_order_outside(order, 2048, 32);
	ck_assert_int_eq(first_at(LAST_GOOD - outside + 1), 0);
	ck_assert_int_eq(first_at(LAST_GOOD - outside + 1), 1);
	ck_assert_uint_eq(late_passes(), 1);
	fw_order_close(order);
}
END_TEST

/*
 * An engine that pauses: the long one computed a chunk and is put back. Its
 * rest is shorter now, and it is due when it always was.
 */
START_TEST(test_a_due_time_is_kept_when_a_request_is_put_back)
{
	const int64_t rest_work = LONG_WORK - INT64_C(265299968);
	int64_t last = LONG_DUE - rest_work;

	open_order(FW_FAST_REST, 500);
	add(0, 0, LONG_LEN, 0);
	ck_assert_int_eq(fw_pass_begin(order, 0, 2048), 0);
	ck_assert_int_eq(next(), 0);
	ck_assert_int_eq(fw_pass_admit(order, 2048), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	add(0, 0, LONG_LEN, 2048);
	add(1, 1, 100, 0);
	/* Two roundings to whole nanoseconds lie between the two sums. */
	ck_assert_int_eq(first_at(last - 2), 1);
	ck_assert_int_eq(first_at(last + 2), 0);
	fw_order_close(order);
}
END_TEST

START_TEST(test_settings_out_of_range_are_refused)
{
	struct fw_order_config config = {.size = sizeof(config)};
	struct fw_order *none = NULL;

	config.fast = (enum fw_fast)2;
	ck_assert_int_eq(fw_order_open(&none, &config), -EINVAL);
	config.fast = FW_FAST_REST;
	config.guard = 1000001;
	ck_assert_int_eq(fw_order_open(&none, &config), -EINVAL);
	ck_assert_ptr_null(none);
}
END_TEST

static Suite *guard_suite(void)
{
	Suite *suite = suite_create("order_guard");
	TCase *tcase = tcase_create("order_guard");

	tcase_add_test(tcase, test_the_shortest_rest_goes_first);
	tcase_add_test(tcase, test_by_score_reuse_goes_first);
	tcase_add_loop_test(tcase, test_a_pass_is_late_to_the_nanosecond, 0, 2);
	tcase_add_test(tcase, test_nobody_is_guarded_who_does_not_want_it);
	tcase_add_test(tcase, test_work_outside_counts_for_one_pass);
	tcase_add_test(tcase,
		       test_a_due_time_is_kept_when_a_request_is_put_back);
	tcase_add_test(tcase, test_settings_out_of_range_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(guard_suite());
}
