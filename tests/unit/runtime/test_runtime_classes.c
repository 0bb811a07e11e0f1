/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <time.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "by_hand.h"

/* Classes share one queue and one device; none may keep out the others. */

#define NUM_CLASSES 3u
#define PLACES 8u

/* Classes 0 and 1 may hold some of the places, class 2 all of them. */
static const uint32_t bounds[NUM_CLASSES] = {4, 3, 0};

static struct fw_config bounded(void)
{
	struct fw_config config = defaults(1);

	config.num_classes = NUM_CLASSES;
	config.max_waiting = PLACES;
	config.max_running = 1;
	config.class_max_waiting = bounds;
	return config;
}

static int submit_class(uint32_t i, uint32_t priority)
{
	reqs[i].priority = priority;
	return fw_submit(fw, &reqs[i], &handles[i]);
}

/* Submit requests of a class until it is full. Return: how many fitted. */
static uint32_t flood(uint32_t first, uint32_t priority)
{
	uint32_t num = 0;

	while (!submit_class(first + num, priority))
		num++;
	ck_assert_int_eq(submit_class(first + num, priority), -EAGAIN);
	return num;
}

START_TEST(test_a_class_that_floods_leaves_room_for_the_others)
{
	struct fw_config config = bounded();

	open_with(&config, 40);
	ck_assert_uint_eq(flood(0, 0), 4);
	ck_assert_uint_eq(flood(10, 1), 3);
	ck_assert_uint_eq(flood(20, 2), 1);
	/* Each flood was refused twice: by its bound, and the last by all. */
	ck_assert_uint_eq(stats().refused, 6);
	ck_assert_uint_eq(stats().queued, PLACES);
	/* Whoever was admitted has left its place, of its class and of all. */
	settle();
	ck_assert(hand_computes(&hand, 20));
	ck_assert_int_eq(submit_class(30, 0), -EAGAIN);
	ck_assert_int_eq(submit_class(30, 1), -EAGAIN);
	ck_assert_int_eq(submit_class(30, 2), 0);
	/* So has one that was cancelled. */
	ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
	settle();
	ck_assert_int_eq(submit_class(31, 0), 0);
	finish();
	ck_assert_uint_eq(stats().done, 9);
	ck_assert_uint_eq(stats().queued, 0);
	ck_assert_uint_eq(flood(0, 1), 3);
	close_all();
}
END_TEST

START_TEST(test_without_bounds_a_class_may_hold_all_places)
{
	struct fw_config config = bounded();

	config.class_max_waiting = NULL;
	open_with(&config, 40);
	ck_assert_uint_eq(flood(0, 0), PLACES);
	ck_assert_int_eq(submit_class(20, 2), -EAGAIN);
	finish();
	close_all();
}
END_TEST

#define AGE_NS INT64_C(1000000000000)

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

/* One that has waited for @ages times AGE_NS already. */
static void submit_old(uint32_t i, uint32_t priority, double ages)
{
	reqs[i].arrival = now() - (int64_t)(ages * (double)AGE_NS);
	ck_assert_int_eq(submit_class(i, priority), 0);
}

static void open_aging(int64_t class_max_wait)
{
	struct fw_config config = bounded();

	config.class_max_waiting = NULL;
	config.class_max_wait = class_max_wait;
	config.flags = FW_OWN_ARRIVAL;
	/* Each step admits one. */
	order.budget = 40;
	open_with(&config, 40);
	order.budget = BUDGET;
}

/* _i: without aging, and with it. */
START_TEST(test_a_low_class_is_served_in_the_end)
{
	open_aging(_i ? AGE_NS : 0);
	submit_old(0, 0, 0.5);
	submit_old(1, 0, 1.5);
	submit_old(2, 0, 2.5);
	submit_old(3, 1, 0.0);
	submit_old(4, 2, 0.0);
	submit_old(5, 1, 1.5);
	finish();
	if (!_i) {
		static const uint32_t by_class[] = {4, 5, 3, 2, 1, 0};

		ck_assert_mem_eq(order_of_ends, by_class, sizeof(by_class));
	} else {
		/* Class 2: 2, 5 and 4. Class 1: 1 and 3. Class 0: 0. */
		static const uint32_t by_age[] = {2, 5, 4, 1, 3, 0};

		ck_assert_mem_eq(order_of_ends, by_age, sizeof(by_age));
	}
	ck_assert_uint_eq(stats().aged, _i ? 4 : 0);
	ck_assert_uint_eq(stats().done, 6);
	close_all();
}
END_TEST

/* Begun is not done: it must not pause for as long as a higher class floods. */
START_TEST(test_a_request_that_pauses_still_rises)
{
	static const uint32_t by_age[] = {0, 1, 2, 3};
	const struct timespec pause = {.tv_nsec = 60000000};
	struct fw_config config = bounded();

	config.class_max_waiting = NULL;
	config.class_max_wait = AGE_NS;
	config.flags = FW_OWN_ARRIVAL;
	config.max_running = 4;
	config.pausing = 1;
	order.budget = 40;
	open_with(&config, 40);
	order.budget = BUDGET;
	/* Two chunks; it is 50 ms short of rising. */
	reqs[0].len = 80;
	submit_old(0, 0, 0.99995);
	settle();
	for (uint32_t i = 1; i < 4; i++)
		submit_old(i, 1, 0.0);
	nanosleep(&pause, NULL);
	finish();
	ck_assert_mem_eq(order_of_ends, by_age, sizeof(by_age));
	ck_assert_uint_eq(stats().aged, 1);
	ck_assert_uint_eq(stats().done, 4);
	close_all();
}
END_TEST

/* One that has risen leaves like any other. */
START_TEST(test_a_request_that_rose_can_be_cancelled)
{
	open_aging(AGE_NS);
	submit_old(0, 2, 0.0);
	submit_old(1, 0, 1.5);
	submit_old(2, 0, 2.5);
	submit_old(3, 0, 0.5);
	settle();
	ck_assert(hand_computes(&hand, 2));
	ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
	settle();
	expect(1, FW_CANCELLED, FW_REASON_CANCEL);
	ck_assert_uint_eq(stats().aged, 3);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(2, FW_DONE, FW_REASON_NONE);
	expect(3, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(order_of_ends[3], 3);
	close_all();
}
END_TEST

START_TEST(test_opening_with_bounds_survives_any_failed_allocation)
{
	struct fw_order_config own = order;
	struct fw_config config = bounded();
	struct fail_alloc memory;
	size_t num = 0;
	int ret;

	config.order = &own;
	config.class_max_wait = AGE_NS;
	do {
		fail_alloc_init(&memory);
		own.allocator = &memory.allocator;
		fail_alloc_after(&memory, num++);
		ret = fw_open(&fw, &config);
		fail_alloc_disarm(&memory);
		if (!ret)
			close_all();
		ck_assert(!ret || ret == -ENOMEM);
		ck_assert(fail_alloc_clean(&memory));
	} while (ret);
	ck_assert_uint_gt(num, 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_classes");
	TCase *tcase = tcase_create("runtime_classes");

	tcase_add_test(tcase,
		       test_a_class_that_floods_leaves_room_for_the_others);
	tcase_add_test(tcase, test_without_bounds_a_class_may_hold_all_places);
	tcase_add_loop_test(tcase, test_a_low_class_is_served_in_the_end, 0, 2);
	tcase_add_test(tcase, test_a_request_that_pauses_still_rises);
	tcase_add_test(tcase, test_a_request_that_rose_can_be_cancelled);
	tcase_add_test(tcase,
		       test_opening_with_bounds_survives_any_failed_allocation);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
