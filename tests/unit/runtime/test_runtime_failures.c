/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <time.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "by_hand.h"

/* What fails with a plan, and what does not. */

static int64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

START_TEST(test_a_failed_plan_fails_its_requests)
{
	open_depth(1, 60);
	submit_many(2);
	settle();
	/* 60 tokens of the first, 4 of the second. */
	end_plan(-EIO);
	expect(0, FW_FAILED, FW_REASON_PLAN);
	expect(1, FW_FAILED, FW_REASON_PLAN);
	ck_assert_int_eq(ends[0].result.status, -EIO);
	ck_assert_uint_eq(stats().plans_failed, 1);
	/* Nothing that it was to compute is hit by anybody. */
	reqs[2].keys = keys[0];
	submit(2);
	finish();
	expect(2, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(ends[2].result.cached, 0);
	close_all();
}
END_TEST

START_TEST(test_a_refused_plan_fails_like_any_other)
{
	open_depth(2, 60);
	hand.refuse = -EIO;
	submit(0);
	finish();
	expect(0, FW_FAILED, FW_REASON_PLAN);
	submit(1);
	finish();
	expect(1, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_failed_requests_go_back_with_their_arrival)
{
	struct fw_config config = defaults(1);
	int64_t arrival;

	config.max_retries = 2;
	config.max_running = 1;
	open_with(&config, 40);
	submit_many(2);
	arrival = reqs[0].arrival;
	settle();
	ck_assert(hand_computes(&hand, 0));
	end_plan(-EIO);
	ck_assert_uint_eq(num_ends, 0);
	/* Its old arrival, so it is ahead of the other one again. */
	ck_assert(hand_computes(&hand, 0));
	ck_assert_int_eq(reqs[0].arrival, arrival);
	end_plan(-EIO);
	ck_assert(hand_computes(&hand, 0));
	ck_assert_uint_eq(stats().retried, 2);
	end_plan(-EIO);
	expect(0, FW_FAILED, FW_REASON_PLAN);
	ck_assert_uint_eq(ends[0].result.retries, 2);
	finish();
	expect(1, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

/* The second hits what the first one's plan, still in flight, computes. */
START_TEST(test_who_builds_on_a_failed_plan_falls_with_it)
{
	open_depth(2, 48);
	reqs[1].keys = reqs[2].keys = keys[0];
	reqs[1].len = reqs[2].len = 60;
	submit(0);
	fw_step(fw);
	submit(1);
	fw_step(fw);
	ck_assert_uint_eq(hand.num, 2);
	ck_assert_uint_eq(hand.plans[1]->entries[0].first, 48);
	end_plan(-EIO);
	expect(0, FW_FAILED, FW_REASON_PLAN);
	/* Its own plan may still write to its blocks. */
	ck_assert_uint_eq(ends[1].times, 0);
	end_plan(0);
	expect(1, FW_FAILED, FW_REASON_PLAN);
	submit(2);
	finish();
	ck_assert_uint_eq(ends[2].result.cached, 0);
	expect(2, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_plans_that_end_out_of_order_are_taken_in_order)
{
	open_depth(3, BUDGET);
	submit_many(3);
	settle();
	ck_assert_uint_eq(hand.num, 3);
	hand_end(&hand, 2, 0);
	hand_end(&hand, 1, 0);
	settle();
	ck_assert_uint_eq(num_ends, 0);
	end_plan(0);
	ck_assert_uint_eq(num_ends, 3);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(order_of_ends[i], i);
	close_all();
}
END_TEST

START_TEST(test_a_lost_device_fails_all)
{
	open_depth(2, BUDGET);
	submit_many(4);
	settle();
	submit(4);
	end_plan(-ENODEV);
	expect(0, FW_FAILED, FW_REASON_DEVICE);
	expect(2, FW_FAILED, FW_REASON_DEVICE);
	expect(4, FW_FAILED, FW_REASON_DEVICE);
	ck_assert_int_eq(fw_submit(fw, &reqs[5], NULL), -ESHUTDOWN);
	ck_assert_uint_eq(ends[1].times, 0);
	end_plan(-ENODEV);
	expect(1, FW_FAILED, FW_REASON_DEVICE);
	ck_assert_int_eq(fw_run(fw), -ENODEV);
	ck_assert_uint_eq(stats().failed, 5);
	close_all();
}
END_TEST

START_TEST(test_a_plan_reported_twice_ends_once)
{
	struct fw_flight *flight;

	open_depth(1, 40);
	submit_many(2);
	settle();
	flight = hand.flights[0];
	hand_end(&hand, 0, 0);
	/* Before the scheduler heard of the first report, and after. */
	fw_plan_done(flight, -EIO);
	while (fw_step(fw) > 0 && !hand.num)
		;
	finish();
	fw_plan_done(flight, -EIO);
	settle();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(stats().reports_ignored, 2);
	close_all();
}
END_TEST

/* An executor that reports a plan and refuses it all the same. */
static int report_and_refuse(void *ctx, const struct fw_plan *plan,
			     struct fw_flight *flight)
{
	(void)ctx;
	(void)plan;
	fw_plan_done(flight, 0);
	return -EIO;
}

START_TEST(test_a_plan_reported_and_refused_ends_once)
{
	struct fw_config config = defaults(1);
	struct fw_executor_ops ops = *executor.ops;

	ops.submit = report_and_refuse;
	executor.ops = &ops;
	open_with(&config, 40);
	submit_many(2);
	settle();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(stats().plans, stats().reports_ignored);
	close_all();
}
END_TEST

/* max_wait limits the wait in the queue; why it failed is not forgotten. */
START_TEST(test_a_retry_is_not_limited_by_max_wait)
{
	struct fw_config config = defaults(1);

	config.max_retries = 1;
	open_with(&config, 40);
	reqs[0].max_wait = 1;
	for (;;) {
		/* Long enough to be admitted, short enough to be over soon. */
		reqs[0].max_wait *= 10;
		submit(0);
		settle();
		if (hand.num)
			break;
		expect(0, FW_EXPIRED, FW_REASON_MAX_WAIT);
		ends[0].times = 0;
	}
	while (!nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL) &&
	       now() - reqs[0].arrival <= reqs[0].max_wait)
		;
	end_plan(-EIO);
	ck_assert_uint_eq(ends[0].times, 0);
	ck_assert(hand_computes(&hand, 0));
	end_plan(-EIO);
	expect(0, FW_FAILED, FW_REASON_PLAN);
	ck_assert_int_eq(ends[0].result.status, -EIO);
	ck_assert_uint_eq(ends[0].result.retries, 1);
	close_all();
}
END_TEST

/* Each allocation of a step fails once; no request is lost by it. */
START_TEST(test_steps_survive_any_failed_allocation)
{
	for (size_t num = 0; num < 12; num++) {
		struct fw_order_config own = order;
		struct fw_config config = defaults(2);
		struct fail_alloc memory;

		fail_alloc_init(&memory);
		own.allocator = &memory.allocator;
		config.order = &own;
		config.max_retries = 1;
		open_with(&config, 100);
		fail_alloc_after(&memory, num);
		submit_many(10);
		for (int i = 0; num_ends < 10 && i < 1000; i++) {
			fw_step(fw);
			if (hand.num)
				hand_end(&hand, 0, i == 2 ? -EIO : 0);
		}
		ck_assert_uint_eq(num_ends, 10);
		for (uint32_t i = 0; i < 10; i++)
			ck_assert(ends[i].result.outcome == FW_DONE ||
				  ends[i].result.reason == FW_REASON_MEMORY);
		fail_alloc_disarm(&memory);
		close_all();
		ck_assert(fail_alloc_clean(&memory));
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_failures");
	TCase *tcase = tcase_create("runtime_failures");

	tcase_add_test(tcase, test_a_failed_plan_fails_its_requests);
	tcase_add_test(tcase, test_a_refused_plan_fails_like_any_other);
	tcase_add_test(tcase, test_failed_requests_go_back_with_their_arrival);
	tcase_add_test(tcase, test_who_builds_on_a_failed_plan_falls_with_it);
	tcase_add_test(tcase,
		       test_plans_that_end_out_of_order_are_taken_in_order);
	tcase_add_test(tcase, test_a_lost_device_fails_all);
	tcase_add_test(tcase, test_a_plan_reported_twice_ends_once);
	tcase_add_test(tcase, test_a_plan_reported_and_refused_ends_once);
	tcase_add_test(tcase, test_a_retry_is_not_limited_by_max_wait);
	tcase_add_test(tcase, test_steps_survive_any_failed_allocation);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
