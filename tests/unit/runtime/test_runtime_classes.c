/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

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

START_TEST(test_opening_with_bounds_survives_any_failed_allocation)
{
	struct fw_order_config own = order;
	struct fw_config config = bounded();
	struct fail_alloc memory;
	size_t num = 0;
	int ret;

	config.order = &own;
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
	tcase_add_test(tcase,
		       test_opening_with_bounds_survives_any_failed_allocation);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
