/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/fairway.h>

#include "lib/runtime/runtime.h"
#include "tests/support/run.h"
#include "tests/support/stop_thread.h"
#include "tests/support/torture.h"

/*
 * fw_submit() and fw_cancel() of a thread that stops at each of their
 * instructions: others submit and cancel, the scheduler ends what they
 * submitted, and close returns by its time-out.
 */

#define OTHERS 3
#define WAIT_NS 1000000
#define CLOSE_NS 2000000

/* Far longer than ending some requests takes. */
#define TOO_LONG_NS INT64_C(20000000000)

/* Close is tried at one place in so many: opening again takes its time. */
#define CLOSE_EVERY 16u

#ifdef TORTURE_SLOW
#define STRIDE 17u
#else
#define STRIDE 1u
#endif

/* A request, and how often it ended. */
struct item {
	struct fw_request req;
	uint32_t ended;
	enum fw_outcome outcome;
};

static struct fw *fw;
static struct item victims;
static struct item others[OTHERS];
static uint64_t handle;
static int returned;

static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	struct item *item = (struct item *)(void *)req;

	(void)ctx;
	item->ended++;
	item->outcome = result->outcome;
}

static int compute(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

static void open_runtime(void)
{
	struct fw_host_config host = {.size = sizeof(host), .compute = compute};
	struct fw_executor executor;
	struct fw_config config = {
		.size = sizeof(config),
		.executor = &executor,
		.done = done,
		.num_blocks = 64,
		.max_running = 8,
		.max_waiting = 16,
		.shards = 1,
		.flags = FW_MATCH_AT_SUBMIT,
	};

	ck_assert_int_eq(fw_executor_host(&executor, &host), 0);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
}

static void fill_in(struct item *item)
{
	static const struct fw_key keys[] = {{1, 1}, {1, 2}};

	memset(item, 0, sizeof(*item));
	item->req.len = 40;
	item->req.keys = keys;
	item->req.num_keys = 2;
}

static bool all_ended(const struct item *items, size_t num)
{
	for (size_t i = 0; i < num; i++)
		if (!items[i].ended)
			return false;
	return true;
}

/* This thread schedules until they have ended. */
static void end_items(const struct item *items, size_t num)
{
	int64_t begin = torture_now();

	while (!all_ended(items, num)) {
		ck_assert_int_ge(fw_step(fw), 0);
		ck_assert_int_ge(fw_wait(fw, WAIT_NS), 0);
		ck_assert_int_le(torture_now() - begin, TOO_LONG_NS);
	}
}

/* Submit and cancel beside the victim, and see all of it end, once. */
static void go_round(void)
{
	uint64_t own;

	for (size_t i = 0; i < OTHERS; i++) {
		fill_in(&others[i]);
		ck_assert_int_eq(fw_submit(fw, &others[i].req, &own), 0);
	}
	ck_assert_int_eq(fw_cancel(fw, own), 0);
	end_items(others, OTHERS);
	for (size_t i = 0; i < OTHERS; i++)
		ck_assert_uint_eq(others[i].ended, 1);
	ck_assert_int_eq(others[OTHERS - 1].outcome, FW_CANCELLED);
	ck_assert_int_eq(others[0].outcome, FW_DONE);
}

/* Does the victim stand where close must wait for it? */
static bool inside(void)
{
	uint64_t num = 0;

	for (uint32_t i = 0; i < fw->calls.num; i++)
		num += atomic_load(&fw->calls.shards[i].inside) +
		       atomic_load(&fw->submits.shards[i].inside);
	return num > 0;
}

/*
 * With the victim inside, close ends what it has and says so by its time-out;
 * once the victim is through it closes.
 */
static void close_beside(struct stopper *stopper)
{
	int64_t begin = torture_now();

	ck_assert_int_eq(fw_close(fw, CLOSE_NS), -EBUSY);
	ck_assert_int_le(torture_now() - begin, TOO_LONG_NS);
	stopper_release(stopper);
	ck_assert_int_eq(fw_close(fw, TOO_LONG_NS), 0);
	open_runtime();
}

static void say(const char *what, uint32_t places, uint32_t busy)
{
	printf("# %s: stopped at %u places, close was busy at %u\n", what,
	       places / STRIDE, busy);
	fflush(stdout);
	ck_assert_uint_gt(places / STRIDE, 10);
	ck_assert_uint_gt(busy, 0);
}

static void submit(void *arg)
{
	(void)arg;
	returned = fw_submit(fw, &victims.req, &handle);
}

START_TEST(test_submit_stopped_anywhere_stops_nobody)
{
	struct stopper stopper;
	uint32_t busy = 0;
	uint32_t step;

	open_runtime();
	ck_assert_int_eq(stopper_init(&stopper, submit, NULL), 0);
	for (step = 0;; step += STRIDE) {
		fill_in(&victims);
		if (!stopper_stop_at(&stopper, step))
			break;
		go_round();
		if (step / STRIDE % CLOSE_EVERY == 0 && inside()) {
			close_beside(&stopper);
			ck_assert(!returned || returned == -ESHUTDOWN);
			ck_assert_uint_eq(victims.ended, !returned);
			busy++;
			continue;
		}
		stopper_release(&stopper);
		ck_assert_int_eq(returned, 0);
		end_items(&victims, 1);
		ck_assert_uint_eq(victims.ended, 1);
	}
	end_items(&victims, 1);
	stopper_destroy(&stopper);
	ck_assert_int_eq(fw_close(fw, TOO_LONG_NS), 0);
	say("fw_submit", step, busy);
}
END_TEST

static void cancel(void *arg)
{
	(void)arg;
	returned = fw_cancel(fw, handle);
}

START_TEST(test_cancel_stopped_anywhere_stops_nobody)
{
	struct stopper stopper;
	uint32_t busy = 0;
	uint32_t step;

	open_runtime();
	ck_assert_int_eq(stopper_init(&stopper, cancel, NULL), 0);
	for (step = 0;; step += STRIDE) {
		fill_in(&victims);
		ck_assert_int_eq(fw_submit(fw, &victims.req, &handle), 0);
		if (!stopper_stop_at(&stopper, step))
			break;
		go_round();
		if (step / STRIDE % CLOSE_EVERY == 0 && inside()) {
			close_beside(&stopper);
			ck_assert_uint_eq(victims.ended, 1);
			busy++;
			continue;
		}
		stopper_release(&stopper);
		end_items(&victims, 1);
		ck_assert_uint_eq(victims.ended, 1);
		ck_assert_int_eq(returned == 0,
				 victims.outcome == FW_CANCELLED);
	}
	end_items(&victims, 1);
	stopper_destroy(&stopper);
	ck_assert_int_eq(fw_close(fw, TOO_LONG_NS), 0);
	say("fw_cancel", step, busy);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stop_runtime");
	TCase *tc = tcase_create("runtime");

	if (!stopper_possible())
		return 77;
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, test_submit_stopped_anywhere_stops_nobody);
	tcase_add_test(tc, test_cancel_stopped_anywhere_stops_nobody);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
