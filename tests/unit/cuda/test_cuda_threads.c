/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "by_cuda.h"

/*
 * The CUDA executor on the double: what it computes, how it ends, and what it
 * does when callbacks or the device are gone. test_cuda_faults_threads.c fails
 * each of its calls.
 */

#define NUM 30u

static void fine(const struct by_cuda *run)
{
	ck_assert_msg(!run->wrong[0], "depth %u: %s", run->depth, run->wrong);
}

static void all_done(const struct by_cuda *run)
{
	fine(run);
	ck_assert_uint_eq(by_cuda_ended(run, FW_DONE), run->num);
	ck_assert_int_eq(run->ran, 0);
}

/* Blocks of all tables that the device was shown, each once. */
START_TEST(test_plans_are_computed_in_order_and_tables_go_once)
{
	const struct double_faults slow = {.slow_ns = 50000, .seed = 1};

	for (uint32_t depth = 1; depth <= 4; depth++) {
		/* A busy machine is slow, and no callback is lost here. */
		struct by_cuda run = {.depth = depth,
				      .num = NUM,
				      .lost_after = INT64_C(60000000000)};
		uint64_t blocks = 0;

		ck_assert_int_eq(by_cuda_run(&run, &slow), 0);
		all_done(&run);
		for (uint32_t i = 0; i < NUM; i++)
			blocks += (prompts[i].req.len + PROMPT_BLOCK - 1) /
				  PROMPT_BLOCK;
		ck_assert_uint_eq(run.stats.table_entries, blocks);
		ck_assert_uint_ge(run.stats.plans, 50);
		/* The last one may still be in the callback. */
		ck_assert_uint_ge(run.stats.reported + 1, run.stats.plans);
		ck_assert_uint_eq(run.times, run.stats.plans);
		ck_assert_uint_eq(run.stats.errors, 0);
		ck_assert_uint_eq(run.stats.lost, 0);
		ck_assert_int_gt((int64_t)run.stats.device_ns, 0);
	}
}
END_TEST

/* double_steady() forbids the device's; the host's are counted here. */
START_TEST(test_submitting_allocates_nothing)
{
	struct fail_alloc alloc;
	struct by_cuda run = {.depth = 2, .num = NUM};
	size_t calls;

	fail_alloc_init(&alloc);
	run.allocator = &alloc.allocator;
	double_begin();
	by_cuda_prompts(NUM);
	ck_assert_int_eq(by_cuda_open(&run, NULL), 0);
	calls = alloc.calls;
	double_steady(true);
	by_cuda_serve(&run);
	ck_assert_uint_eq(alloc.calls, calls);
	by_cuda_close(&run);
	all_done(&run);
	ck_assert(fail_alloc_clean(&alloc));
}
END_TEST

START_TEST(test_without_memory_nothing_is_opened_and_nothing_left)
{
	struct fail_alloc alloc;
	int ret = -ENOMEM;

	for (size_t i = 0; ret; i++) {
		struct by_cuda run = {.depth = 2, .num = 1};

		fail_alloc_init(&alloc);
		fail_alloc_after(&alloc, i);
		run.allocator = &alloc.allocator;
		ret = by_cuda_run(&run, NULL);
		fine(&run);
		ck_assert(ret == 0 || ret == -ENOMEM);
		ck_assert(fail_alloc_clean(&alloc));
		ck_assert_uint_lt(i, 10);
	}
}
END_TEST

START_TEST(test_close_with_plans_in_flight_is_clean)
{
	const struct double_faults slow = {.slow_ns = 200000, .seed = 2};

	for (uint32_t steps = 1; steps < 40; steps++) {
		struct by_cuda run = {.depth = 1 + steps % 4, .num = NUM};

		double_begin();
		by_cuda_prompts(NUM);
		ck_assert_int_eq(by_cuda_open(&run, &slow), 0);
		for (uint32_t i = 0; i < NUM; i++)
			fw_submit(run.fw, &prompts[i].req, NULL);
		for (uint32_t i = 0; i < steps; i++)
			fw_step(run.fw);
		by_cuda_close(&run);
		fine(&run);
	}
}
END_TEST

START_TEST(test_a_lost_callback_loses_no_plan)
{
	const struct double_faults lose = {.lose_at = 5, .lose_num = 7};

	for (uint32_t depth = 1; depth <= 4; depth++) {
		struct by_cuda run = {.depth = depth, .num = NUM};

		ck_assert_int_eq(by_cuda_run(&run, &lose), 0);
		all_done(&run);
		ck_assert_uint_ge(run.stats.lost, 7);
	}
}
END_TEST

/* Return: was it so late that the watcher ended its plan before? */
static bool late_by(uint32_t depth, int64_t ns)
{
	const struct double_faults late = {.late_at = 5,
					   .late_ns = ns,
					   .slow_ns = 2000000,
					   .seed = 3};
	struct by_cuda run = {.depth = depth,
			      .num = NUM,
			      .lost_after = 1000000};

	ck_assert_int_eq(by_cuda_run(&run, &late), 0);
	all_done(&run);
	return run.stats.lost;
}

/* It comes when its slot has another plan, and must not end that one. */
START_TEST(test_a_late_callback_ends_no_other_plan)
{
	for (uint32_t depth = 1; depth <= 4; depth++) {
		int64_t ns = 40000000;

		/* On a busy machine the watcher is late, too. */
		while (!late_by(depth, ns))
			ns *= 2;
	}
}
END_TEST

START_TEST(test_without_any_callback_the_executor_says_that_it_is_gone)
{
	const struct double_faults lose = {.lose_at = 1, .lose_num = 1000};
	struct by_cuda run = {.depth = 4, .num = PROMPTS, .lost_after = 100000};

	ck_assert_int_eq(by_cuda_run(&run, &lose), 0);
	fine(&run);
	ck_assert_int_eq(run.ran, -ENODEV);
	ck_assert_int_eq(run.stats.status, -ENODEV);
	ck_assert_uint_gt(by_cuda_ended(&run, FW_DONE), 0);
}
END_TEST

START_TEST(test_a_device_that_breaks_fails_all_that_is_left)
{
	for (uint32_t at = 1; at < 60; at += 3) {
		const struct double_faults faults = {.break_at = at};
		struct by_cuda run = {.depth = 1 + at % 4,
				      .num = NUM,
				      .retries = 2};

		ck_assert_int_eq(by_cuda_run(&run, &faults), 0);
		fine(&run);
		ck_assert_int_eq(run.ran, -ENODEV);
		ck_assert_int_eq(run.stats.status, -ENODEV);
		ck_assert_int_eq(run.stats.last_error, cudaErrorLaunchFailure);
		ck_assert_uint_gt(by_cuda_ended(&run, FW_FAILED), 0);
	}
}
END_TEST

/* What a device that hangs may write to stays; here until the double ends. */
static struct {
	_Alignas(64) unsigned char bytes[1 << 16];
	size_t used;
} kept;

static void *keep_alloc(void *ctx, size_t size)
{
	void *ptr = kept.bytes + kept.used;

	(void)ctx;
	kept.used += (size + 63) / 64 * 64;
	return kept.used <= sizeof(kept.bytes) ? ptr : NULL;
}

static void keep_free(void *ctx, void *ptr, size_t size)
{
	(void)ctx;
	(void)ptr;
	(void)size;
}

START_TEST(test_a_device_that_hangs_does_not_hold_up_close)
{
	const struct fw_allocator keep = {keep_alloc, keep_free, NULL};

	for (uint32_t at = 1; at < 60; at += 7) {
		const struct double_faults faults = {.hang_at = at};
		struct by_cuda run = {.depth = 1 + at % 4,
				      .num = NUM,
				      .hang_after = 20000000,
				      .allocator = &keep};

		kept.used = 0;
		double_begin();
		double_forgive();
		by_cuda_prompts(NUM);
		ck_assert_int_eq(by_cuda_open(&run, &faults), 0);
		by_cuda_serve(&run);
		/* The double's memory is freed, not used: the test is done. */
		by_cuda_close(&run);
		ck_assert_int_eq(run.ran, -ENODEV);
		ck_assert_int_eq(run.stats.status, -ENODEV);
		ck_assert_uint_gt(by_cuda_ended(&run, FW_FAILED), 0);
	}
}
END_TEST

START_TEST(test_a_launch_that_fails_fails_its_plan_alone)
{
	for (uint32_t at = 1; at < 40; at += 3) {
		struct by_cuda run = {.depth = 1 + at % 4,
				      .num = NUM,
				      .retries = 1,
				      .launch_fails = at};

		ck_assert_int_eq(by_cuda_run(&run, NULL), 0);
		all_done(&run);
		ck_assert_uint_eq(run.stats.failed, 1);
		ck_assert_uint_eq(run.runtime.plans_failed, 1);
	}
}
END_TEST

START_TEST(test_two_devices_are_independent)
{
	struct by_cuda run[2] = {{.depth = 2, .num = NUM},
				 {.depth = 2, .num = NUM, .device = 1}};
	const struct double_faults faults = {.slow_ns = 20000};
	struct prompt first[NUM];

	double_begin();
	by_cuda_prompts(NUM);
	ck_assert_int_eq(by_cuda_open(&run[0], &faults), 0);
	ck_assert_int_eq(by_cuda_open(&run[1], NULL), 0);
	by_cuda_serve(&run[0]);
	for (uint32_t i = 0; i < NUM; i++)
		first[i] = prompts[i];
	by_cuda_prompts(NUM);
	by_cuda_serve(&run[1]);
	ck_assert_uint_eq(by_cuda_ended(&run[1], FW_DONE), NUM);
	for (uint32_t i = 0; i < NUM; i++)
		ck_assert_int_eq(first[i].end.outcome, FW_DONE);
	ck_assert_int_eq(fw_close(run[0].fw, -1), 0);
	cudaFree(run[0].memory.kv);
	cudaFree(run[0].memory.results);
	by_cuda_close(&run[1]);
	fine(&run[0]);
	fine(&run[1]);
}
END_TEST

START_TEST(test_settings_out_of_range_are_refused)
{
	struct by_cuda run = {.depth = 2};
	struct fw_cuda_config config = by_cuda_config(&run);
	struct {
		struct fw_cuda_config known;
		uint64_t tail;
	} newer = {.known = config, .tail = 1};
	struct fw_executor out = {.depth = 17};

	double_begin();
	config.launch = NULL;
	ck_assert_int_eq(fw_executor_cuda(&out, &config), -EINVAL);
	config = by_cuda_config(&run);
	config.depth = FW_DEPTH_MAX + 1;
	ck_assert_int_eq(fw_executor_cuda(&out, &config), -EINVAL);
	config = by_cuda_config(&run);
	config.device = DOUBLE_DEVICES;
	ck_assert_int_eq(fw_executor_cuda(&out, &config), -ENODEV);
	config.device = -1;
	ck_assert_int_eq(fw_executor_cuda(&out, &config), -EINVAL);
	newer.known.size = sizeof(newer);
	ck_assert_int_eq(fw_executor_cuda(&out, &newer.known), -E2BIG);
	ck_assert_uint_eq(out.depth, 17);
	ck_assert_ptr_null(double_end());
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return tcase;
}

/* CK_RUN_CASE chooses; tests/build/cuda_mutants.sh does. */
static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda");
	TCase *plans = add_case(suite, "plans");
	TCase *close = add_case(suite, "close");
	TCase *callbacks = add_case(suite, "callbacks");
	TCase *device = add_case(suite, "device");
	TCase *open = add_case(suite, "open");

	tcase_add_test(plans,
		       test_plans_are_computed_in_order_and_tables_go_once);
	tcase_add_test(plans, test_submitting_allocates_nothing);
	tcase_add_test(plans, test_a_launch_that_fails_fails_its_plan_alone);
	tcase_add_test(plans, test_two_devices_are_independent);
	tcase_add_test(close, test_close_with_plans_in_flight_is_clean);
	tcase_add_test(callbacks, test_a_lost_callback_loses_no_plan);
	tcase_add_test(callbacks, test_a_late_callback_ends_no_other_plan);
	tcase_add_test(
		callbacks,
		test_without_any_callback_the_executor_says_that_it_is_gone);
	tcase_add_test(device,
		       test_a_device_that_breaks_fails_all_that_is_left);
	tcase_add_test(device, test_a_device_that_hangs_does_not_hold_up_close);
	tcase_add_test(open, test_settings_out_of_range_are_refused);
	tcase_add_test(open,
		       test_without_memory_nothing_is_opened_and_nothing_left);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
