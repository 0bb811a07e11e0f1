/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_API_MODEL_H
#define TESTS_SUPPORT_API_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <fairway/runtime.h>

#include "api_history.h"
#include "fail_alloc.h"
#include "merge_check.h"

/*
 * What a history of calls must lead to. api_history.c makes the calls; the
 * model follows what callbacks and plans tell, and aborts when that breaks a
 * promise.
 */

#define REQS 48u
#define KEYS 12u
#define BLOCK 4u
#define MAX_TICK 50000000

enum model_state {
	UNUSED,
	WAITING,
	RUNNING,
};

/**
 * struct model_req - a request and what the model knows of it
 * @req: the request
 * @keys: its keys
 * @handle: what its last submission gave
 * @state: what it does, as far as callbacks have told
 * @cancelled: a cancel of it was promised
 * @may_fail: a plan failed that it was in, or may have built on
 * @failed: a plan failed that it was in
 * @place: it holds one of max_waiting
 * @next: token that is planned next
 * @uses: times that it was submitted
 */
struct model_req {
	struct fw_request req;
	struct fw_key keys[KEYS];
	uint64_t handle;
	enum model_state state;
	bool cancelled;
	bool may_fail;
	bool failed;
	bool place;
	uint32_t next;
	uint32_t uses;
};

struct history {
	const uint8_t *data;
	size_t size;
	struct fw *fw;
	struct fail_alloc memory;
	struct model_req reqs[REQS];
	struct fw_flight *flights[FW_DEPTH_MAX];
	const struct fw_plan *plans[FW_DEPTH_MAX];
	uint32_t num_flights;
	uint32_t budget;
	uint32_t max_waiting;
	uint32_t max_retries;
	uint32_t num_blocks;
	uint32_t num_classes;
	bool asks;
	bool plain;
	struct merge_check merge;
	bool skipped;
	bool failing;
	bool quiesced;
	bool closing;
	double now;
	uint64_t digest;
	struct api_counts *counts;
};

/* Abort with a line that names the promise. */
static inline void promise(bool kept, const char *what)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* The next byte; 0 when there are no more. */
static inline uint32_t take(struct history *h)
{
	if (!h->size)
		return 0;
	h->size--;
	return *h->data++;
}

/* Into the digest. */
static inline void note(struct history *h, uint64_t value)
{
	h->digest = (h->digest ^ value) * 0x9e3779b97f4a7c15;
	h->digest ^= h->digest >> 29;
}

/* Requests in that state. */
uint32_t api_model_count(const struct history *h, enum model_state state);

/* Requests that hold one of max_waiting. */
uint32_t api_model_places(const struct history *h);

/*
 * Nobody is told when a request goes back to the queue. It may be offered,
 * admitted or expire again in the same step.
 */
void api_model_went_back(struct history *h, struct model_req *r);

/* A plan goes on where each request stands. */
void api_model_plan(struct history *h, const struct fw_plan *plan);

/* Callbacks of the runtime; @ctx is the history. */
void api_model_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result);
enum fw_admit api_model_admit(void *ctx, struct fw_request *req,
			      uint32_t cached);
void api_model_decided(void *ctx, const struct fw_decision *decision);

#endif
