/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "tests/support/run.h"
#include "by_hand.h"

/* Who is cancelled, and who waits longer than it may. */

START_TEST(test_a_cancelled_waiting_request_never_runs)
{
	struct fw_config config = defaults(1);

	config.max_running = 1;
	open_with(&config, 100);
	submit_many(3);
	settle();
	/* One is queued, one is still on its way. */
	ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
	ck_assert_int_eq(fw_cancel(fw, handles[1]), -EALREADY);
	submit(3);
	ck_assert_int_eq(fw_cancel(fw, handles[3]), 0);
	ck_assert_uint_eq(num_ends, 0);
	settle();
	expect(1, FW_CANCELLED, FW_REASON_CANCEL);
	expect(3, FW_CANCELLED, FW_REASON_CANCEL);
	while (hand.num) {
		ck_assert(!hand_computes(&hand, 1));
		ck_assert(!hand_computes(&hand, 3));
		end_plan(0);
	}
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(2, FW_DONE, FW_REASON_NONE);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(fw_cancel(fw, handles[i]), -ENOENT);
	ck_assert_int_eq(fw_cancel(fw, 0), -ENOENT);
	ck_assert_int_eq(fw_cancel(fw, UINT64_MAX), -ENOENT);
	close_all();
}
END_TEST

START_TEST(test_a_cancelled_running_request_ends_after_its_chunk)
{
	open_depth(1, 200);
	submit(0);
	settle();
	ck_assert_int_eq(fw_cancel(fw, handles[0]), 0);
	settle();
	ck_assert_uint_eq(num_ends, 0);
	end_plan(0);
	expect(0, FW_CANCELLED, FW_REASON_CANCEL);
	ck_assert_uint_eq(ends[0].result.computed, BUDGET);
	ck_assert_uint_eq(hand.submitted, 1);
	close_all();
}
END_TEST

/* A cancel that was promised holds, whatever came at the same time. */
START_TEST(test_a_promised_cancel_wins_over_the_last_chunk)
{
	open_depth(1, 20);
	submit(0);
	settle();
	ck_assert_int_eq(fw_cancel(fw, handles[0]), 0);
	end_plan(0);
	expect(0, FW_CANCELLED, FW_REASON_CANCEL);
	close_all();
}
END_TEST

static void on_done_late(void *ctx, struct fw_request *req,
			 const struct fw_result *result)
{
	(void)ctx;
	ends[req->id].times++;
	ends[req->id].result = *result;
}

/* In virtual time, where a wait is as long as the test wants it. */
START_TEST(test_requests_expire_in_the_queue_alone)
{
	const struct fw_model_config model = {.size = sizeof(model)};
	struct fw_config config = defaults(1);

	ck_assert_int_eq(fw_executor_model(&executor, &model), 0);
	config.done = on_done_late;
	config.max_running = 1;
	config.flags = FW_OWN_ARRIVAL;
	open_with(&config, 300);
	/* A step takes 25 ms at least, 300 tokens five of them. */
	reqs[0].max_wait = 1000000;
	reqs[1].max_wait = 30000000;
	reqs[2].max_wait = 300000000;
	reqs[3].max_wait = 140000000;
	submit_many(4);
	while (ends[3].times + ends[2].times < 2)
		ck_assert_int_eq(fw_step(fw), 1);
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_EXPIRED, FW_REASON_MAX_WAIT);
	expect(2, FW_DONE, FW_REASON_NONE);
	expect(3, FW_EXPIRED, FW_REASON_MAX_WAIT);
	ck_assert_int_le(30000000, ends[1].result.ended);
	ck_assert_int_le(ends[1].result.ended, 60000000);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

START_TEST(test_a_wait_ends_with_the_next_deadline)
{
	struct fw_config config = defaults(1);

	config.max_running = 1;
	open_with(&config, 20);
	reqs[1].max_wait = 20000000;
	submit_many(2);
	settle();
	ck_assert_int_eq(fw_wait(fw, 0), 0);
	ck_assert_int_eq(fw_wait(fw, 10000000000), 1);
	settle();
	expect(1, FW_EXPIRED, FW_REASON_MAX_WAIT);
	ck_assert_int_eq(fw_wait(fw, 1000000), 0);
	finish();
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_cancel");
	TCase *tcase = tcase_create("runtime_cancel");

	tcase_add_test(tcase, test_a_cancelled_waiting_request_never_runs);
	tcase_add_test(tcase,
		       test_a_cancelled_running_request_ends_after_its_chunk);
	tcase_add_test(tcase, test_a_promised_cancel_wins_over_the_last_chunk);
	tcase_add_test(tcase, test_requests_expire_in_the_queue_alone);
	tcase_add_test(tcase, test_a_wait_ends_with_the_next_deadline);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
