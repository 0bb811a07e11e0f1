/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/queue/lanes.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "tools/policy/score_sort.h"

/*
 * Every allocation of the lanes fails once, the first one, then the second,
 * and so on: the caller is told, nothing changed, nothing is lost, and the
 * same call works once there is memory.
 */

#define NUM_REQS 300

static struct fail_alloc fail;
static struct fw_lanes lanes;
static struct fw_request reqs[NUM_REQS];
static size_t refused;

static struct score_sort sort;

/* The fast lane in one of its forms: 0 is the heap, 1 the sort. */
static void open_lanes(int form)
{
	const struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 2048,
		.fair_lane = true,
		.score = form ? &score_sort_ops : NULL,
		.score_ctx = &sort,
	};

	fail_alloc_init(&fail);
	score_sort_init(&sort, 0.0, &fail.allocator);
	memset(reqs, 0, sizeof(reqs));
	fw_lanes_init(&lanes, &config, &fail.allocator);
	refused = 0;
}

static void close_lanes(void)
{
	fw_lanes_destroy(&lanes);
	score_sort_destroy(&sort);
}

static int add(int i)
{
	return fw_lanes_add(&lanes, &reqs[i], i, 1.0 + i % 5,
			    (uint32_t)i * 7 % 900);
}

/* Add; and where that is refused, look around and add again. */
static void add_somehow(int i)
{
	size_t waiting = lanes.waiting;
	int ret = add(i);

	if (!ret)
		return;
	refused++;
	ck_assert_int_eq(ret, -ENOMEM);
	ck_assert_uint_eq(lanes.waiting, waiting);
	ck_assert(!fw_lanes_holds(&lanes, &reqs[i]));
	ck_assert(fw_lanes_valid(&lanes));
	ck_assert_int_eq(add(i), 0);
	ck_assert(fw_lanes_valid(&lanes));
}

/* One in three leaves, the others stay: the lanes grow. */
static void pass(int now)
{
	struct fw_request *req;

	fw_lanes_begin(&lanes, now, 1000000);
	req = fw_lanes_peek(&lanes);
	ck_assert_ptr_nonnull(req);
	ck_assert_int_eq(fw_lanes_admit(&lanes, 1), 0);
	fw_lanes_end(&lanes);
}

static void history(void)
{
	for (int i = 0; i < NUM_REQS; i++) {
		reqs[i].len = 1000;
		add_somehow(i);
		if (i % 3 == 2)
			pass(i);
	}
	ck_assert_uint_eq(lanes.waiting, NUM_REQS - NUM_REQS / 3);
	ck_assert(fw_lanes_valid(&lanes));
}

START_TEST(test_each_allocation_may_fail)
{
	size_t calls;

	open_lanes(_i);
	history();
	calls = fail.calls;
	/* Both lanes grow several times. */
	ck_assert_uint_gt(calls, 8);
	close_lanes();
	ck_assert(fail_alloc_clean(&fail));
	for (size_t nth = 0; nth < calls; nth++) {
		open_lanes(_i);
		fail_alloc_after(&fail, nth);
		history();
		ck_assert_uint_eq(fail.failed, 1);
		ck_assert_uint_eq(refused, 1);
		close_lanes();
		ck_assert(fail_alloc_clean(&fail));
	}
}
END_TEST

/* A pass in which memory is short goes on, and so does the one after it. */
START_TEST(test_a_pass_needs_no_memory)
{
	open_lanes(_i);
	history();
	fail_alloc_after(&fail, 0);
	for (int i = 0; i < 50; i++)
		pass(NUM_REQS + i);
	for (int i = 0; i < NUM_REQS; i++) {
		if (!fw_lanes_holds(&lanes, &reqs[i]))
			continue;
		if (i % 2)
			fw_lanes_remove(&lanes, &reqs[i]);
		else
			fw_lanes_update(&lanes, &reqs[i], -i, 2.0);
	}
	pass(2 * NUM_REQS);
	ck_assert(fw_lanes_valid(&lanes));
	ck_assert_uint_eq(fail.failed, 0);
	close_lanes();
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

/* More than slots can number, asked for directly. */
START_TEST(test_too_many_is_no_memory)
{
	open_lanes(_i);
	ck_assert_int_eq(fw_score_order_reserve(&lanes.score, SIZE_MAX / 8),
			 -ENOMEM);
	ck_assert_int_eq(fw_arrivals_reserve(&lanes.arrival, UINT32_MAX),
			 -ENOMEM);
	history();
	close_lanes();
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

static Suite *lanes_memory_suite(void)
{
	Suite *suite = suite_create("lanes_memory");
	TCase *tcase = tcase_create("lanes_memory");

	/* With the kinetic heap and with the sort. */
	tcase_add_loop_test(tcase, test_each_allocation_may_fail, 0, 2);
	tcase_add_loop_test(tcase, test_a_pass_needs_no_memory, 0, 2);
	tcase_add_loop_test(tcase, test_too_many_is_no_memory, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(lanes_memory_suite());
}
