/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/run.h"

/* An executor that brings a clock: the runtime knows no other time. */

#define REQS 4u
#define STEP_S 0.25
#define STEP_NS INT64_C(250000000)
#define SKIP_NS INT64_C(5000000000)
#define MS INT64_C(1000000)

static struct fw *fw;
static struct fw_executor executor;
static struct fw_request reqs[REQS];
static struct fw_result ends[REQS];
static uint32_t num_ends;

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	(void)ctx;
	ends[req->id] = *result;
	num_ends++;
}

/* Each plan takes STEP_S and has room for one request. */
static void open_model(uint32_t flags)
{
	static const double step[4] = {STEP_S, 0.0, 0.0, 0.0};
	const struct fw_model_config model = {
		.size = sizeof(model),
		.step = step,
		.depth = 1,
	};
	const struct fw_order_config order = {
		.size = sizeof(order),
		.budget = 64,
	};
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.num_blocks = 64,
		.flags = flags,
	};

	ck_assert_int_eq(fw_executor_model(&executor, &model), 0);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
	num_ends = 0;
	for (uint32_t i = 0; i < REQS; i++)
		reqs[i] = (struct fw_request){.id = i, .len = 64};
}

static void submit(uint32_t i)
{
	ck_assert_int_eq(fw_submit(fw, &reqs[i], NULL), 0);
}

static void finish(void)
{
	while (fw_step(fw) > 0)
		;
}

START_TEST(test_arrivals_are_of_the_executors_clock)
{
	struct fw_distribution ttft = {.size = sizeof(ttft)};

	open_model(0);
	submit(0);
	submit(1);
	finish();
	ck_assert_uint_eq(num_ends, 2);
	ck_assert_int_eq(reqs[0].arrival, 0);
	ck_assert_int_eq(ends[0].ended, STEP_NS);
	ck_assert_int_eq(ends[1].admitted, STEP_NS);
	ck_assert_int_eq(ends[1].ended, 2 * STEP_NS);
	/* Both were waited for: their times are not nothing. */
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRIC_TTFT, &ttft), 0);
	ck_assert_uint_eq(ttft.sum, 3 * STEP_NS);
	/* An idle device's time passes, and who comes then has come then. */
	ck_assert_int_eq(fw_model_skip(&executor, SKIP_NS), 0);
	submit(2);
	finish();
	ck_assert_int_eq(reqs[2].arrival, SKIP_NS);
	ck_assert_int_eq(ends[2].ended, SKIP_NS + STEP_NS);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

START_TEST(test_limits_are_of_the_executors_clock)
{
	open_model(0);
	submit(0);
	reqs[1].max_wait = MS;
	reqs[2].max_wait = 2 * STEP_NS;
	submit(1);
	submit(2);
	finish();
	ck_assert_uint_eq(num_ends, 3);
	ck_assert_int_eq(ends[1].outcome, FW_EXPIRED);
	ck_assert_int_eq(ends[1].ended, STEP_NS);
	ck_assert_int_eq(ends[2].outcome, FW_DONE);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

/* Arrivals that the requests bring stay what they are. */
START_TEST(test_own_arrivals_are_not_stamped)
{
	open_model(FW_OWN_ARRIVAL);
	reqs[0].arrival = -MS;
	submit(0);
	finish();
	ck_assert_int_eq(reqs[0].arrival, -MS);
	ck_assert_int_eq(ends[0].ended, STEP_NS);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_clock");
	TCase *tcase = tcase_create("runtime_clock");

	tcase_add_test(tcase, test_arrivals_are_of_the_executors_clock);
	tcase_add_test(tcase, test_limits_are_of_the_executors_clock);
	tcase_add_test(tcase, test_own_arrivals_are_not_stamped);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
