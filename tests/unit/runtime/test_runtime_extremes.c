/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/run.h"

/*
 * Times that no embedder means and some will send: the ends of int64, limits
 * without end, steps of centuries. Every request still ends once, and no
 * figure overflows; the sanitizers watch what cannot be asserted.
 */

#define WAKE_NS 1000000

static const int64_t arrivals[] = {
	INT64_MIN, INT64_MIN + 1, INT64_MIN / 2, -1,	    0,
	1,	   INT64_MAX / 2, INT64_MAX - 1, INT64_MAX,
};
static const int64_t limits[] = {0, 1, 1000000000, INT64_MAX - 1, INT64_MAX};
static const uint32_t lens[] = {1, 16, 4000, INT32_MAX};

#define NUM_ARRIVALS (sizeof(arrivals) / sizeof(arrivals[0]))
#define NUM_LIMITS (sizeof(limits) / sizeof(limits[0]))
#define NUM_LENS (sizeof(lens) / sizeof(lens[0]))
#define REQS (NUM_ARRIVALS * NUM_LIMITS * NUM_LENS)

static struct fw_request reqs[REQS];
static uint32_t times[REQS];
static uint32_t num_ends;
static uint32_t outcomes[5];

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	(void)ctx;
	times[req->id]++;
	outcomes[result->outcome]++;
	num_ends++;
	/* Nothing ends before it came. */
	ck_assert_int_ge(result->ended, req->arrival);
}

static void on_decided(void *ctx, const struct fw_decision *decision)
{
	(void)ctx;
	ck_assert(isfinite(decision->wait) && decision->wait >= 0.0);
	ck_assert(isfinite(decision->score));
}

static void reset(void)
{
	memset(reqs, 0, sizeof(reqs));
	memset(times, 0, sizeof(times));
	memset(outcomes, 0, sizeof(outcomes));
	num_ends = 0;
}

static struct fw *open_model(const double *step, uint32_t wall_clock,
			     uint32_t flags)
{
	const struct fw_model_config model = {
		.size = sizeof(model),
		.step = step,
		.wall_clock = wall_clock,
	};
	struct fw_executor executor;
	const struct fw_config config = {
		.size = sizeof(config),
		.executor = &executor,
		.done = on_done,
		.decided = on_decided,
		.num_blocks = 1024,
		.flags = flags,
	};
	struct fw *fw;

	ck_assert_int_eq(fw_executor_model(&executor, &model), 0);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
	return fw;
}

static void submit_all_times(struct fw *fw)
{
	for (size_t i = 0; i < REQS; i++) {
		reqs[i].id = i;
		reqs[i].arrival = arrivals[i % NUM_ARRIVALS];
		reqs[i].max_wait = limits[i / NUM_ARRIVALS % NUM_LIMITS];
		reqs[i].len = lens[i / NUM_ARRIVALS / NUM_LIMITS];
		ck_assert_int_eq(fw_submit(fw, &reqs[i], NULL), 0);
	}
}

/* _i: virtual time, then real time. */
START_TEST(test_arrivals_at_the_ends_of_time_end_once)
{
	static const double step[4] = {1e-4, 0.0, 0.0, 0.0};
	struct fw *fw;

	reset();
	fw = open_model(step, (uint32_t)_i, FW_OWN_ARRIVAL);
	submit_all_times(fw);
	while (num_ends < REQS) {
		int ret = fw_step(fw);

		ck_assert_int_ge(ret, 0);
		if (!ret)
			fw_wait(fw, WAKE_NS);
	}
	ck_assert_int_eq(fw_close(fw, -1), 0);
	for (size_t i = 0; i < REQS; i++)
		ck_assert_uint_eq(times[i], 1);
	ck_assert_uint_eq(outcomes[FW_REJECTED], REQS / NUM_LENS);
	ck_assert_uint_gt(outcomes[FW_DONE], 0);
	ck_assert_uint_gt(outcomes[FW_EXPIRED], 0);
}
END_TEST

START_TEST(test_steps_without_end_leave_the_clock_a_number)
{
	static const double step[4] = {1e308, 1e308, 1e308, 1e308};
	struct fw *fw;

	reset();
	fw = open_model(step, 0, 0);
	for (size_t i = 0; i < 64; i++) {
		reqs[i].id = i;
		reqs[i].len = 2048;
		ck_assert_int_eq(fw_submit(fw, &reqs[i], NULL), 0);
	}
	while (fw_step(fw) > 0)
		;
	ck_assert_uint_eq(outcomes[FW_DONE], 64);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_extremes");
	TCase *tcase = tcase_create("runtime_extremes");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_arrivals_at_the_ends_of_time_end_once,
			    0, 2);
	tcase_add_test(tcase, test_steps_without_end_leave_the_clock_a_number);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
