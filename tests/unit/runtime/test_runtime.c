/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/hand.h"
#include "tests/support/run.h"

/*
 * What the runtime promises about the end of a request, one promise a case,
 * with an executor whose plans end when the test says so.
 */

#define REQS 40u
#define BLOCK 16u
#define BUDGET 64u

/* What became of each request. */
struct ended {
	uint32_t times;
	struct fw_result result;
};

static struct hand hand;
static struct fw_executor executor;
static struct fw *fw;
static struct fw_request reqs[REQS];
static struct fw_key keys[REQS][REQS];
static uint64_t handles[REQS];
static struct ended ends[REQS];
static uint32_t order_of_ends[REQS];
static uint32_t num_ends;
static enum fw_admit answers[REQS];
static struct fw_decision decisions[REQS];
static uint32_t num_decisions;

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	ck_assert_ptr_eq(ctx, &hand);
	ends[req->id].times++;
	ends[req->id].result = *result;
	if (num_ends < REQS)
		order_of_ends[num_ends] = (uint32_t)req->id;
	num_ends++;
}

static enum fw_admit on_admit(void *ctx, struct fw_request *req,
			      uint32_t cached)
{
	ck_assert_ptr_eq(ctx, &hand);
	ck_assert_uint_lt(cached, req->len);
	return answers[req->id];
}

static void on_decided(void *ctx, const struct fw_decision *decision)
{
	ck_assert_ptr_eq(ctx, &hand);
	decisions[num_decisions++ % REQS] = *decision;
}

/* Requests of one size, each with blocks of its own. */
static void make_requests(uint32_t len)
{
	memset(reqs, 0, sizeof(reqs));
	memset(ends, 0, sizeof(ends));
	memset(answers, 0, sizeof(answers));
	num_ends = num_decisions = 0;
	for (uint32_t i = 0; i < REQS; i++) {
		for (uint32_t k = 0; k < REQS; k++)
			keys[i][k] = fw_key_widen(i * REQS + k);
		reqs[i].id = i;
		reqs[i].len = len;
		reqs[i].keys = keys[i];
		reqs[i].num_keys = len / BLOCK;
	}
}

static struct fw_order_config order = {.size = sizeof(order), .budget = BUDGET};

static struct fw_config defaults(uint32_t depth)
{
	executor = hand_executor(&hand, depth);
	return (struct fw_config){
		.size = sizeof(struct fw_config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.ctx = &hand,
		.num_blocks = 64,
		.block_tokens = BLOCK,
		.max_waiting = REQS,
		.shards = 1,
	};
}

static void open_with(const struct fw_config *config, uint32_t len)
{
	make_requests(len);
	ck_assert_int_eq(fw_open(&fw, config), 0);
}

static void open_depth(uint32_t depth, uint32_t len)
{
	const struct fw_config config = defaults(depth);

	open_with(&config, len);
}

static void submit(uint32_t i)
{
	ck_assert_int_eq(fw_submit(fw, &reqs[i], &handles[i]), 0);
	ck_assert_uint_ne(handles[i], 0);
}

static void submit_many(uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		submit(i);
}

/* Step until there is nothing to do; plans stay in flight. */
static void settle(void)
{
	while (fw_step(fw) > 0)
		;
}

static void end_plan(int status)
{
	hand_end(&hand, 0, status);
	settle();
}

static void finish(void)
{
	settle();
	while (hand.num)
		end_plan(0);
}

static void close_all(void)
{
	ck_assert_int_eq(fw_close(fw, -1), 0);
	ck_assert_uint_eq(hand.destroyed, 1);
}

static void expect(uint32_t i, enum fw_outcome outcome, enum fw_reason reason)
{
	ck_assert_uint_eq(ends[i].times, 1);
	ck_assert_int_eq(ends[i].result.outcome, outcome);
	ck_assert_int_eq(ends[i].result.reason, reason);
}

static struct fw_stats stats(void)
{
	struct fw_stats s = {.size = sizeof(s)};

	ck_assert_int_eq(fw_read_stats(fw, &s), 0);
	return s;
}

START_TEST(test_a_request_is_computed_and_given_back)
{
	const struct fw_result *result = &ends[0].result;

	open_depth(1, 100);
	submit(0);
	ck_assert_int_eq(fw_step(fw), 1);
	ck_assert_uint_eq(hand.num, 1);
	ck_assert_uint_eq(hand.plans[0]->num_tokens, BUDGET);
	end_plan(0);
	ck_assert_uint_eq(num_ends, 0);
	ck_assert_uint_eq(hand.plans[0]->entries[0].flags, FW_PLAN_LAST);
	end_plan(0);
	expect(0, FW_DONE, FW_REASON_NONE);
	ck_assert_uint_eq(result->cached, 0);
	ck_assert_uint_eq(result->computed, 100);
	ck_assert_int_eq(result->status, 0);
	ck_assert_int_le(reqs[0].arrival, result->admitted);
	ck_assert_int_le(result->admitted, result->ended);
	/* The same prompt again: all but its last token may be hit. */
	memset(reqs[0].priv, 0, sizeof(reqs[0].priv));
	submit(0);
	finish();
	ck_assert_uint_eq(ends[0].times, 2);
	ck_assert_uint_eq(result->cached, 96);
	ck_assert_uint_eq(result->computed, 4);
	close_all();
}
END_TEST

START_TEST(test_a_full_queue_refuses_at_once)
{
	struct fw_config config = defaults(1);
	struct fw_request before;

	config.max_waiting = 3;
	config.max_running = 1;
	open_with(&config, 100);
	submit_many(3);
	before = reqs[3];
	ck_assert_int_eq(fw_submit(fw, &reqs[3], NULL), -EAGAIN);
	ck_assert_mem_eq(&before, &reqs[3], sizeof(before));
	ck_assert_uint_eq(stats().refused, 1);
	/* One was admitted: its place is free, though it still runs. */
	settle();
	submit(3);
	ck_assert_int_eq(fw_submit(fw, &reqs[4], NULL), -EAGAIN);
	finish();
	for (uint32_t i = 0; i < 4; i++)
		expect(i, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_bytes_bound_the_queue_too)
{
	struct fw_config config = defaults(1);

	/* Each takes 256 bytes and 16 for each of 6 keys. */
	config.max_bytes = 2 * 352 + 351;
	open_with(&config, 100);
	submit_many(2);
	ck_assert_int_eq(fw_submit(fw, &reqs[2], NULL), -EAGAIN);
	ck_assert_uint_eq(stats().queued_bytes, 704);
	reqs[3].num_keys = 5;
	submit(3);
	finish();
	ck_assert_uint_eq(stats().queued_bytes, 0);
	ck_assert_uint_eq(stats().done, 3);
	close_all();
}
END_TEST

START_TEST(test_requests_out_of_form_are_refused_untouched)
{
	struct fw_request before;

	open_depth(1, 100);
	reqs[0].len = 0;
	reqs[1].flags = 1;
	reqs[2].reserved[7] = 1;
	reqs[3].reserved32 = 1;
	reqs[4].priority = 1;
	reqs[5].max_wait = -1;
	reqs[6].num_keys = 7;
	reqs[7].keys = NULL;
	reqs[8].len = (uint32_t)INT32_MAX + 1;
	for (uint32_t i = 0; i < 9; i++) {
		before = reqs[i];
		handles[i] = 77;
		ck_assert_int_eq(fw_submit(fw, &reqs[i], &handles[i]), -EINVAL);
		ck_assert_mem_eq(&before, &reqs[i], sizeof(before));
		ck_assert_uint_eq(handles[i], 77);
	}
	ck_assert_uint_eq(stats().queued, 0);
	close_all();
}
END_TEST

START_TEST(test_what_never_fits_is_rejected)
{
	open_depth(1, 100);
	reqs[0].len = 64 * BLOCK;
	reqs[1].len = 64 * BLOCK + 1;
	submit_many(2);
	settle();
	expect(1, FW_REJECTED, FW_REASON_TOO_LONG);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

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

START_TEST(test_a_higher_class_goes_first)
{
	const uint32_t expected[] = {5, 3, 4, 1, 0, 2};
	struct fw_config config = defaults(1);

	config.num_classes = 4;
	config.max_running = 1;
	open_with(&config, BUDGET);
	reqs[1].priority = 1;
	reqs[3].priority = reqs[4].priority = 2;
	reqs[5].priority = 3;
	submit_many(6);
	finish();
	ck_assert_uint_eq(num_ends, 6);
	ck_assert_mem_eq(order_of_ends, expected, sizeof(expected));
	close_all();
}
END_TEST

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
	ck_assert_uint_eq(stats().running, 2);
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

static struct fw_request *reborn;

/* All that a callback may do, and what it may not. */
static void on_done_busy(void *ctx, struct fw_request *req,
			 const struct fw_result *result)
{
	on_done(ctx, req, result);
	ck_assert_int_eq(fw_step(fw), -EDEADLK);
	ck_assert_int_eq(fw_wait(fw, 0), -EDEADLK);
	ck_assert_int_eq(fw_run(fw), -EDEADLK);
	ck_assert_int_eq(fw_close(fw, -1), -EDEADLK);
	if (req == reborn) {
		free(req);
		return;
	}
	if (req->id == 0) {
		reborn = malloc(sizeof(*reborn));
		*reborn = reqs[10];
		ck_assert_int_eq(fw_submit(fw, reborn, NULL), 0);
		ck_assert_int_eq(fw_cancel(fw, handles[1]), 0);
		memset(req, 0xee, sizeof(*req));
	}
}

START_TEST(test_callbacks_may_submit_cancel_and_free)
{
	struct fw_config config = defaults(1);

	config.done = on_done_busy;
	config.max_running = 1;
	open_with(&config, 40);
	submit_many(3);
	finish();
	expect(0, FW_DONE, FW_REASON_NONE);
	expect(1, FW_CANCELLED, FW_REASON_CANCEL);
	expect(2, FW_DONE, FW_REASON_NONE);
	expect(10, FW_DONE, FW_REASON_NONE);
	close_all();
}
END_TEST

START_TEST(test_the_embedder_has_a_say_in_admission)
{
	struct fw_config config = defaults(1);

	config.admit = on_admit;
	open_with(&config, 20);
	answers[0] = FW_ADMIT_SKIP;
	answers[1] = FW_ADMIT_NEVER;
	answers[3] = FW_ADMIT_FULL;
	submit_many(5);
	settle();
	expect(1, FW_REJECTED, FW_REASON_REFUSED);
	ck_assert_uint_eq(hand.plans[0]->num_entries, 1);
	ck_assert(hand_computes(&hand, 2));
	ck_assert_uint_eq(stats().step_ends[FW_STEP_MEMORY], 1);
	end_plan(0);
	ck_assert_uint_eq(hand.num, 0);
	answers[0] = answers[3] = FW_ADMIT_FITS;
	ck_assert_int_eq(fw_poke(fw), 0);
	ck_assert_int_eq(fw_wait(fw, -1), 1);
	finish();
	ck_assert_uint_eq(stats().done, 4);
	ck_assert_uint_ge(stats().skipped, 1);
	close_all();
}
END_TEST

START_TEST(test_each_admission_is_explained)
{
	struct fw_config config = defaults(1);

	config.decided = on_decided;
	open_with(&config, 32);
	submit_many(3);
	finish();
	ck_assert_uint_eq(num_decisions, 3);
	for (uint32_t i = 0; i < 3; i++) {
		const struct fw_decision *d = &decisions[i];

		ck_assert_ptr_eq(d->request, &reqs[i]);
		ck_assert_uint_eq(d->cost, 32);
		ck_assert_uint_eq(d->hit + d->cached, 0);
		ck_assert(d->wait >= 0.0 && d->score >= 0.0);
	}
	ck_assert_uint_eq(decisions[0].position, 0);
	ck_assert_uint_eq(decisions[1].position, 1);
	ck_assert_uint_eq(decisions[2].position, 0);
	ck_assert_uint_eq(decisions[0].step, decisions[1].step);
	ck_assert_uint_eq(decisions[0].waiting, 2);
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

static int open_fails(struct fw_config config)
{
	struct fw *none = NULL;
	int ret = fw_open(&none, &config);

	ck_assert_ptr_null(none);
	ck_assert_uint_eq(hand.destroyed, 0);
	return ret;
}

#define REFUSED(field, value, err)                    \
	do {                                          \
		struct fw_config c = defaults(1);     \
		c.field = value;                      \
		ck_assert_int_eq(open_fails(c), err); \
	} while (0)

START_TEST(test_settings_out_of_range_are_refused)
{
	struct {
		struct fw_config config;
		uint64_t tail;
	} newer = {defaults(1), 0};
	struct fw_order_config bad = {.size = sizeof(bad), .slo_floor = -1.0};

	REFUSED(size, 8, -EINVAL);
	REFUSED(done, NULL, -EINVAL);
	REFUSED(num_blocks, 0, -EINVAL);
	REFUSED(executor, NULL, -EINVAL);
	REFUSED(protect, 2, -EINVAL);
	REFUSED(num_classes, 65, -EINVAL);
	REFUSED(max_waiting, 1u << 24, -EINVAL);
	REFUSED(flags, 4, -EINVAL);
	REFUSED(order, &bad, -EINVAL);
	newer.config.size = sizeof(newer);
	newer.tail = 1;
	ck_assert_int_eq(fw_open(&fw, &newer.config), -E2BIG);
	newer.tail = 0;
	open_with(&newer.config, 20);
	close_all();
}
END_TEST

static int compute_nothing(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

START_TEST(test_executors_out_of_range_are_refused)
{
	static const struct fw_allocator none = {NULL, NULL, NULL};
	struct fw_model_config model = {.size = sizeof(model)};
	struct fw_host_config host = {.size = sizeof(host)};
	struct fw_executor out;

	ck_assert_int_eq(fw_executor_host(&out, NULL), -EINVAL);
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	host.compute = compute_nothing;
	host.depth = FW_DEPTH_MAX + 1;
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	host.depth = FW_DEPTH_MAX;
	host.allocator = &none;
	ck_assert_int_eq(fw_executor_host(&out, &host), -EINVAL);
	model.allocator = &none;
	ck_assert_int_eq(fw_executor_model(&out, &model), -EINVAL);
	model.allocator = NULL;
	model.device = "";
	ck_assert_int_eq(fw_executor_model(&out, &model), -ENODEV);
	model.speed = -1.0;
	ck_assert_int_eq(fw_executor_model(&out, &model), -EINVAL);
}
END_TEST

START_TEST(test_open_survives_any_failed_allocation)
{
	struct fw_order_config own = order;
	struct fail_alloc memory;
	struct fw *opened = NULL;
	size_t num = 0;
	int ret;

	fail_alloc_init(&memory);
	own.allocator = &memory.allocator;
	do {
		struct fw_config config = defaults(2);

		config.order = &own;
		fail_alloc_after(&memory, num++);
		ret = fw_open(&opened, &config);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert_ptr_null(opened);
		}
	} while (ret);
	ck_assert_uint_gt(num, 10);
	fail_alloc_disarm(&memory);
	ck_assert_int_eq(fw_close(opened, -1), 0);
	ck_assert(fail_alloc_clean(&memory));
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

static int in_child(void)
{
	struct fw_config config = defaults(1);
	struct fw *other;
	struct fw_order *own;

	if (fw_submit(fw, &reqs[5], NULL) != -ECHILD ||
	    fw_cancel(fw, handles[0]) != -ECHILD || fw_step(fw) != -ECHILD ||
	    fw_wait(fw, 0) != -ECHILD || fw_run(fw) != -ECHILD ||
	    fw_quiesce(fw) != -ECHILD || fw_stop(fw) != -ECHILD ||
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

START_TEST(test_figures_say_what_happened)
{
	struct fw_distribution batch = {.size = sizeof(batch)};
	struct fw_stats s;

	open_depth(1, 100);
	submit_many(3);
	settle();
	s = stats();
	ck_assert_uint_eq(s.submitted, 3);
	ck_assert_uint_eq(s.waiting, 2);
	ck_assert_uint_eq(s.queued, 2);
	ck_assert_uint_eq(s.running, 1);
	ck_assert_uint_eq(s.uncached_waiting, 200);
	ck_assert_uint_eq(s.blocks, 64);
	ck_assert_uint_eq(s.blocks_free, 57);
	finish();
	s = stats();
	ck_assert_uint_eq(s.done, 3);
	ck_assert_uint_eq(s.plan_tokens, 300);
	ck_assert_uint_eq(s.prompt_tokens, 300);
	ck_assert_uint_eq(s.released_fast + s.released_fair, 3);
	ck_assert_uint_eq(s.plans, 5);
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRIC_BATCH, &batch), 0);
	ck_assert_uint_eq(batch.count, 5);
	ck_assert_uint_eq(batch.sum, 300);
	ck_assert_uint_eq(batch.max, BUDGET);
	ck_assert_int_eq(fw_read_distribution(fw, FW_METRICS, &batch), -EINVAL);
	s.size = 0;
	ck_assert_int_eq(fw_read_stats(fw, &s), -EINVAL);
	close_all();
}
END_TEST

START_TEST(test_the_text_form_is_cut_as_snprintf_does)
{
	const struct fw_label label = {"engine", "a \"b\"\n"};
	const struct fw_label bad = {"0engine", "x"};
	static char text[65536], part[100];
	int64_t len;

	open_depth(1, 100);
	submit_many(1);
	finish();
	len = fw_stats_text(fw, &label, 1, text, sizeof(text));
	ck_assert_int_gt(len, 1000);
	ck_assert_uint_eq(strlen(text), (size_t)len);
	ck_assert_ptr_nonnull(
		strstr(text, "\nfairway_ended_total{engine=\"a \\\"b\\\"\\n\","
			     "outcome=\"done\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(text, "# TYPE fairway_ttft_seconds "));
	ck_assert_int_ge(fw_stats_text(fw, &label, 1, part, sizeof(part)),
			 len - 100);
	ck_assert_uint_eq(strlen(part), sizeof(part) - 1);
	ck_assert_int_gt(fw_stats_text(fw, NULL, 0, NULL, 0), 1000);
	ck_assert_int_eq(fw_stats_text(fw, &bad, 1, text, sizeof(text)),
			 -EINVAL);
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime");
	TCase *tcase = tcase_create("runtime");

	tcase_add_test(tcase, test_a_request_is_computed_and_given_back);
	tcase_add_test(tcase, test_a_full_queue_refuses_at_once);
	tcase_add_test(tcase, test_bytes_bound_the_queue_too);
	tcase_add_test(tcase, test_requests_out_of_form_are_refused_untouched);
	tcase_add_test(tcase, test_what_never_fits_is_rejected);
	tcase_add_test(tcase, test_a_cancelled_waiting_request_never_runs);
	tcase_add_test(tcase,
		       test_a_cancelled_running_request_ends_after_its_chunk);
	tcase_add_test(tcase, test_a_promised_cancel_wins_over_the_last_chunk);
	tcase_add_test(tcase, test_a_higher_class_goes_first);
	tcase_add_test(tcase, test_a_failed_plan_fails_its_requests);
	tcase_add_test(tcase, test_a_refused_plan_fails_like_any_other);
	tcase_add_test(tcase, test_failed_requests_go_back_with_their_arrival);
	tcase_add_test(tcase, test_who_builds_on_a_failed_plan_falls_with_it);
	tcase_add_test(tcase,
		       test_plans_that_end_out_of_order_are_taken_in_order);
	tcase_add_test(tcase, test_a_lost_device_fails_all);
	tcase_add_test(tcase, test_after_quiesce_all_ends_as_ever);
	tcase_add_test(tcase, test_close_ends_each_request_once);
	tcase_add_test(tcase, test_callbacks_may_submit_cancel_and_free);
	tcase_add_test(tcase, test_the_embedder_has_a_say_in_admission);
	tcase_add_test(tcase, test_each_admission_is_explained);
	tcase_add_test(tcase, test_requests_expire_in_the_queue_alone);
	tcase_add_test(tcase, test_a_wait_ends_with_the_next_deadline);
	tcase_add_test(tcase, test_stop_ends_one_run);
	tcase_add_test(tcase, test_settings_out_of_range_are_refused);
	tcase_add_test(tcase, test_executors_out_of_range_are_refused);
	tcase_add_test(tcase, test_open_survives_any_failed_allocation);
	tcase_add_test(tcase, test_steps_survive_any_failed_allocation);
	tcase_add_test(tcase, test_a_child_of_fork_is_refused_and_harmless);
	tcase_add_test(tcase, test_figures_say_what_happened);
	tcase_add_test(tcase, test_the_text_form_is_cut_as_snprintf_does);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
