/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "tests/support/run.h"
#include "tests/support/torture.h"
#include "by_cuda.h"

/*
 * Each call of CUDA that a run of some 50 plans makes fails, once or for good:
 * all requests end once, what is done is right, the rest says why, and all is
 * given back. With a sanitizer only some of the calls are tried.
 */

#define NUM 26u

/* What a call may return that has no effect on the next. */
static const cudaError_t passing[] = {cudaErrorInvalidValue,
				      cudaErrorMemoryAllocation,
				      cudaErrorNotPermitted};
/* What the device does not get over. */
static const cudaError_t lasting[] = {cudaErrorLaunchFailure,
				      cudaErrorContextIsDestroyed,
				      cudaErrorECCUncorrectable,
				      cudaErrorUnknown};

static uint32_t stride = 1;

static void check_open(const struct by_cuda *run, int ret,
		       const struct double_faults *faults)
{
	const cudaError_t err = faults->fail_with;

	if (err == cudaErrorMemoryAllocation)
		ck_assert_int_eq(ret, -ENOMEM);
	else
		ck_assert_int_eq(ret, faults->sticky ? -ENODEV : -EIO);
	ck_assert_uint_eq(run->launches, 0);
}

/* Why is a request not done? */
static void check_reasons(const struct by_cuda *run, bool sticky)
{
	uint32_t failed = by_cuda_ended(run, FW_FAILED);

	ck_assert_uint_eq(by_cuda_ended(run, FW_DONE) + failed, run->num);
	if (!sticky) {
		ck_assert_uint_eq(failed, 0);
		ck_assert_int_eq(run->ran, 0);
		return;
	}
	if (!failed)
		return;
	ck_assert_int_eq(run->ran, -ENODEV);
	ck_assert_int_eq(run->stats.status, -ENODEV);
	ck_assert_uint_gt(run->stats.errors, 0);
	ck_assert_int_ne(run->stats.last_error, 0);
}

/* Return: false when the run makes fewer calls than that. */
static bool fail_call(uint32_t depth, const struct double_faults *faults)
{
	struct by_cuda run = {.depth = depth, .num = NUM, .retries = 3};
	int ret = by_cuda_run(&run, faults);

	ck_assert_msg(!run.wrong[0], "depth %u, call %u, %s, %s: %s", depth,
		      (unsigned int)faults->fail_at, double_failed_call(),
		      faults->sticky ? "for good" : "once", run.wrong);
	if (ret)
		check_open(&run, ret, faults);
	else
		check_reasons(&run, faults->sticky);
	return run.faulty_calls >= faults->fail_at;
}

static void fail_each(uint32_t depth, bool sticky)
{
	uint32_t at;
	struct double_faults faults = {.sticky = sticky};

	for (at = 1;; at += stride) {
		faults.fail_at = at;
		faults.fail_with = sticky ? lasting[at / stride % 4]
					  : passing[at / stride % 3];
		if (!fail_call(depth, &faults))
			break;
	}
	printf("# depth %u, %s: the first %u calls\n", depth,
	       sticky ? "for good" : "once", at);
	ck_assert_uint_gt(at, 500);
}

START_TEST(test_a_call_that_fails_once_fails_no_request)
{
	fail_each((uint32_t)_i, false);
}
END_TEST

START_TEST(test_a_call_that_fails_for_good_ends_all_with_a_reason)
{
	fail_each((uint32_t)_i, true);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda_faults");
	TCase *tcase = tcase_create("calls");

	tcase_set_timeout(tcase, 100);
	tcase_add_loop_test(tcase, test_a_call_that_fails_once_fails_no_request,
			    1, 5);
	tcase_add_loop_test(
		tcase, test_a_call_that_fails_for_good_ends_all_with_a_reason,
		1, 5);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
#ifdef TORTURE_SLOW
	stride = 5;
#endif
	return run_suite(make_suite());
}
