/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RUNTIME_BY_HAND_H
#define TESTS_UNIT_RUNTIME_BY_HAND_H

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/hand.h"

/*
 * One runtime with an executor whose plans end when the test says so, and what
 * it told of each request. A test opens it, submits, ends plans and closes it.
 */

#define REQS 40u
#define BLOCK 16u
#define BUDGET 64u

/* What became of each request. */
struct ended {
	uint32_t times;
	struct fw_result result;
};

extern struct hand hand;
extern struct fw_executor executor;
extern struct fw *fw;
extern struct fw_request reqs[REQS];
extern struct fw_key keys[REQS][REQS];
extern uint64_t handles[REQS];
extern struct ended ends[REQS];
extern struct fw_order_config order;

/* The first REQS ends, and how many there were. */
extern uint32_t order_of_ends[REQS];
extern uint32_t num_ends;

/* What on_admit() answers for each request. */
extern enum fw_admit answers[REQS];

/* What on_decided() was told last. */
extern struct fw_decision decisions[REQS];
extern uint32_t num_decisions;

/* The callbacks: defaults() sets the first, a test may set the others. */
void on_done(void *ctx, struct fw_request *req, const struct fw_result *result);
enum fw_admit on_admit(void *ctx, struct fw_request *req, uint32_t cached);
void on_decided(void *ctx, const struct fw_decision *decision);

/* Settings of a small runtime that keeps @depth plans in flight. */
struct fw_config defaults(uint32_t depth);

/* Open it; each request has @len tokens and blocks of its own. */
void open_with(const struct fw_config *config, uint32_t len);
void open_depth(uint32_t depth, uint32_t len);

/* Submit request @i, or the first @num. */
void submit(uint32_t i);
void submit_many(uint32_t num);

/* Step until there is nothing to do; plans stay in flight. */
void settle(void);

/* End the oldest plan, then settle. */
void end_plan(int status);

/* Settle and end plans until none is in flight. */
void finish(void);

void close_all(void);

/* Request @i has ended once, like this. */
void expect(uint32_t i, enum fw_outcome outcome, enum fw_reason reason);

struct fw_stats stats(void);

#endif
