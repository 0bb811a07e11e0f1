/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/run.h"
#include "by_hand.h"

/* How a runtime ends: quiesce, close, stop, and a child of fork(). */

START_TEST(test_after_quiesce_all_ends_as_ever)
{
	open_depth(1, BUDGET);
	submit_many(2);
	ck_assert_int_eq(fw_quiesce(fw), 0);
	ck_assert_int_eq(fw_submit(fw, &reqs[2], NULL), -ESHUTDOWN);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_DONE, FW_REASON_NONE);
	ck_assert_int_eq(fw_run(fw), 0);
	ck_assert_int_eq(fw_step(fw), -ESHUTDOWN);
	close_all();
}
END_TEST

/* Once close began, nobody may read figures: they are about to be freed. */
static void refuses_to_tell(void)
{
	struct fw_stats s = {.size = sizeof(s)};
	struct fw_distribution dist = {.size = sizeof(dist)};

	ck_assert_int_eq(fw_read_stats(fw, &s), -ESHUTDOWN);
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRIC_STEP, &dist),
			 -ESHUTDOWN);
	ck_assert_int_eq(fw_stats_text(fw, NULL, 0, NULL, 0), -ESHUTDOWN);
}

START_TEST(test_close_ends_each_request_once)
{
	open_depth(2, BUDGET);
	submit_many(4);
	settle();
	submit(5);
	ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
	ck_assert_int_eq(fw_close(fw, 0), -EBUSY);
	/* Still valid: what waited has ended, the rest ends with its plan. */
	expect(2, FW_CANCELLED, FW_REASON_CLOSE);
	expect(3, FW_CANCELLED, FW_REASON_CLOSE);
	expect(5, FW_CANCELLED, FW_REASON_CLOSE);
	ck_assert_uint_eq(num_ends, 3);
	ck_assert_int_eq(fw_submit(fw, &reqs[6], NULL), -ESHUTDOWN);
	refuses_to_tell();
	end_plan(0);
	expect(0, FW_CANCELLED, FW_REASON_CLOSE);
	ck_assert_int_eq(fw_close(fw, 1000000), -EBUSY);
	ck_assert_uint_eq(hand.destroyed, 0);
	hand_end(&hand, 0, 0);
	close_all();
	ck_assert_uint_eq(ends[1].times, 1);
	ck_assert_uint_eq(num_ends, 5);
	ck_assert_int_eq(fw_close(NULL, 0), 0);
}
END_TEST

START_TEST(test_stop_ends_one_run)
{
	open_depth(1, 20);
	ck_assert_int_eq(fw_stop(fw), 0);
	ck_assert_int_eq(fw_run(fw), -EINTR);
	ck_assert_int_eq(fw_stop(fw), 0);
	ck_assert_int_eq(fw_wait(fw, -1), 1);
	ck_assert_int_eq(fw_wait(fw, 1000000), 0);
	close_all();
}
END_TEST

static int in_child(void)
{
	struct fw_config config = defaults(1);
	struct fw *other;
	struct fw_stats s = {.size = sizeof(s)};
	struct fw_order *own;

	if (fw_submit(fw, &reqs[5], NULL) != -ECHILD ||
	    fw_cancel(fw, handles[0]) != -ECHILD || fw_step(fw) != -ECHILD ||
	    fw_wait(fw, 0) != -ECHILD || fw_run(fw) != -ECHILD ||
	    fw_quiesce(fw) != -ECHILD || fw_stop(fw) != -ECHILD ||
	    fw_read_stats(fw, &s) != -ECHILD ||
	    fw_stats_text(fw, NULL, 0, NULL, 0) != -ECHILD ||
	    fw_close(fw, 0) != -ECHILD || fw_open(&other, &config) != -ECHILD)
		return 1;
	/* Order mode has no part in this. */
	if (fw_order_open(&own, NULL) || fw_order_add(own, &reqs[5]))
		return 2;
	fw_order_close(own);
	return 0;
}

START_TEST(test_a_child_of_fork_is_refused_and_harmless)
{
	int status = -1;
	pid_t pid;

	open_depth(1, 100);
	submit_many(2);
	settle();
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(in_child());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_close");
	TCase *tcase = tcase_create("runtime_close");

	tcase_add_test(tcase, test_after_quiesce_all_ends_as_ever);
	tcase_add_test(tcase, test_close_ends_each_request_once);
	tcase_add_test(tcase, test_stop_ends_one_run);
	tcase_add_test(tcase, test_a_child_of_fork_is_refused_and_harmless);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
