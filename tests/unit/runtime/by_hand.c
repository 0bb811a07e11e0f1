/* SPDX-License-Identifier: Apache-2.0 */
#include "by_hand.h"

#include <check.h>
#include <string.h>

struct hand hand;
struct fw_executor executor;
struct fw *fw;
struct fw_request reqs[REQS];
struct fw_key keys[REQS][REQS];
uint64_t handles[REQS];
struct ended ends[REQS];
struct fw_order_config order = {.size = sizeof(order), .budget = BUDGET};
uint32_t order_of_ends[REQS];
uint32_t num_ends;
enum fw_admit answers[REQS];
struct fw_decision decisions[REQS];
uint32_t num_decisions;

void on_done(void *ctx, struct fw_request *req, const struct fw_result *result)
{
	ck_assert_ptr_eq(ctx, &hand);
	ends[req->id].times++;
	ends[req->id].result = *result;
	if (num_ends < REQS)
		order_of_ends[num_ends] = (uint32_t)req->id;
	num_ends++;
}

enum fw_admit on_admit(void *ctx, struct fw_request *req, uint32_t cached)
{
	ck_assert_ptr_eq(ctx, &hand);
	ck_assert_uint_lt(cached, req->len);
	return answers[req->id];
}

void on_decided(void *ctx, const struct fw_decision *decision)
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

struct fw_config defaults(uint32_t depth)
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

void open_with(const struct fw_config *config, uint32_t len)
{
	make_requests(len);
	ck_assert_int_eq(fw_open(&fw, config), 0);
}

void open_depth(uint32_t depth, uint32_t len)
{
	const struct fw_config config = defaults(depth);

	open_with(&config, len);
}

void submit(uint32_t i)
{
	ck_assert_int_eq(fw_submit(fw, &reqs[i], &handles[i]), 0);
	ck_assert_uint_ne(handles[i], 0);
}

void submit_many(uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		submit(i);
}

void settle(void)
{
	while (fw_step(fw) > 0)
		;
}

void end_plan(int status)
{
	hand_end(&hand, 0, status);
	settle();
}

void finish(void)
{
	settle();
	while (hand.num)
		end_plan(0);
}

void close_all(void)
{
	ck_assert_int_eq(fw_close(fw, -1), 0);
	ck_assert_uint_eq(hand.destroyed, 1);
}

void expect(uint32_t i, enum fw_outcome outcome, enum fw_reason reason)
{
	ck_assert_uint_eq(ends[i].times, 1);
	ck_assert_int_eq(ends[i].result.outcome, outcome);
	ck_assert_int_eq(ends[i].result.reason, reason);
}

struct fw_stats stats(void)
{
	struct fw_stats s = {.size = sizeof(s)};

	ck_assert_int_eq(fw_read_stats(fw, &s), 0);
	return s;
}
