/* SPDX-License-Identifier: Apache-2.0 */
#include "api_history.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/runtime.h>

#include "lib/runtime/runtime.h"
#include "fail_alloc.h"
#include "merge_check.h"

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
	bool carries;
	struct merge_check merge;
	bool skipped;
	bool failing;
	bool quiesced;
	bool closing;
	double now;
	uint64_t digest;
	struct api_counts *counts;
};

static void promise(bool kept, const char *what)
{
	if (kept)
		return;
	fprintf(stderr, "broken: %s\n", what);
	abort();
}

/* The next byte; 0 when there are no more. */
static uint32_t take(struct history *h)
{
	if (!h->size)
		return 0;
	h->size--;
	return *h->data++;
}

static void note(struct history *h, uint64_t value)
{
	h->digest = (h->digest ^ value) * 0x9e3779b97f4a7c15;
	h->digest ^= h->digest >> 29;
}

static uint32_t count(const struct history *h, enum model_state state)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < REQS; i++)
		num += h->reqs[i].state == state;
	return num;
}

static uint32_t count_places(const struct history *h)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < REQS; i++)
		num += h->reqs[i].place;
	return num;
}

/*
 * Nobody is told when a request goes back to the queue. It may be offered,
 * admitted or expire again in the same step.
 */
static void maybe_went_back(struct history *h, struct model_req *r)
{
	if (r->state != RUNNING || !r->may_fail || !h->max_retries)
		return;
	h->counts->retried++;
	r->state = WAITING;
	r->may_fail = r->failed = false;
}

/* An end must have a reason that the history gives. */
static void check_end(const struct history *h, const struct model_req *r,
		      const struct fw_result *result)
{
	switch (result->outcome) {
	case FW_DONE:
		promise(r->state == RUNNING && !r->cancelled && !r->failed,
			"what is done was computed");
		promise(r->next == r->req.len, "to its last token");
		promise(result->cached + result->computed == r->req.len,
			"and each token was cached or computed");
		break;
	case FW_CANCELLED:
		promise(r->cancelled || h->closing,
			"who is cancelled was cancelled");
		break;
	case FW_REJECTED:
		promise(r->state == WAITING, "a rejected one never ran");
		promise(h->asks || r->req.len > h->num_blocks * BLOCK,
			"and has a reason");
		break;
	case FW_EXPIRED:
		promise(r->state == WAITING && r->req.max_wait,
			"only who waits expires");
		promise(result->ended - r->req.arrival >= r->req.max_wait - 1,
			"and not too early");
		break;
	case FW_FAILED:
		promise(r->may_fail, "who failed had a plan that failed");
		promise(result->retries == h->max_retries,
			"once more than it may");
		break;
	}
}

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct history *h = ctx;
	struct model_req *r = &h->reqs[req->id];

	promise(r->state != UNUSED, "a request ends once");
	if (result->outcome == FW_EXPIRED || result->outcome == FW_REJECTED)
		maybe_went_back(h, r);
	promise(!r->cancelled || result->outcome == FW_CANCELLED,
		"a cancel that was promised is kept");
	check_end(h, r, result);
	h->counts->ended[result->outcome]++;
	note(h, req->id << 8 | (uint64_t)result->outcome);
	note(h, (uint64_t)result->reason << 32 | result->cached);
	r->state = UNUSED;
	r->place = false;
}

static enum fw_admit on_admit(void *ctx, struct fw_request *req,
			      uint32_t cached)
{
	struct history *h = ctx;
	uint32_t answer = take(h) & 15;

	maybe_went_back(h, &h->reqs[req->id]);
	promise(h->reqs[req->id].state == WAITING, "only who waits is offered");
	promise(cached < req->len, "one token is always left");
	if (answer == 1 || answer == 2) {
		h->skipped = true;
		return FW_ADMIT_SKIP;
	}
	if (answer == 3)
		return FW_ADMIT_FULL;
	return answer == 4 ? FW_ADMIT_NEVER : FW_ADMIT_FITS;
}

/* Nobody else was to go first, by the rules alone. */
static void check_order(struct history *h, const struct fw_decision *decision)
{
	const struct fw_request *waiting[REQS];
	size_t num = 0;

	/* A carried ledger and a skipped request have rules of their own. */
	if (h->carries || h->asks)
		return;
	for (uint32_t i = 0; i < REQS; i++)
		if (fw_entry(&h->reqs[i].req)->lanes)
			waiting[num++] = &h->reqs[i].req;
	promise(num == decision->waiting + 1, "all that wait are counted");
	promise(merge_check(&h->merge, decision, waiting, num, h->now),
		"the merge goes by its rules");
}

static void on_decided(void *ctx, const struct fw_decision *decision)
{
	struct history *h = ctx;
	struct model_req *r = &h->reqs[decision->request->id];

	maybe_went_back(h, r);
	check_order(h, decision);
	promise(r->state == WAITING, "only who waits is admitted");
	promise(!r->cancelled, "a cancelled one never reaches the executor");
	for (uint32_t i = 0; i < REQS && !h->skipped; i++)
		promise(h->reqs[i].state != WAITING ||
				h->reqs[i].req.priority <= r->req.priority,
			"a higher class goes first");
	promise(decision->cached < r->req.len && decision->hit < r->req.len,
		"one token is always left");
	r->state = RUNNING;
	r->may_fail = r->failed = false;
	r->place = false;
	r->next = decision->cached;
}

/* A plan goes on where each request stands. */
static void check_plan(struct history *h, const struct fw_plan *plan)
{
	uint32_t tokens = 0;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *e = &plan->entries[i];
		struct model_req *r = &h->reqs[e->request];

		promise(r->state == RUNNING, "what is planned was admitted");
		promise(e->first == r->next && e->count, "no token twice");
		r->next += e->count;
		r->may_fail |= h->failing;
		promise(!(e->flags & FW_PLAN_LAST) == (r->next < r->req.len),
			"the last chunk says so");
		tokens += e->count;
		note(h, e->request << 32 | e->first);
		note(h, e->count);
	}
	promise(tokens == plan->num_tokens && tokens <= h->budget,
		"a plan keeps to its budget");
}

static int submit_plan(void *ctx, const struct fw_plan *plan,
		       struct fw_flight *flight)
{
	struct history *h = ctx;

	check_plan(h, plan);
	h->counts->plans++;
	h->plans[h->num_flights] = plan;
	h->flights[h->num_flights++] = flight;
	return 0;
}

static void destroy(void *ctx)
{
	promise(!((struct history *)ctx)->num_flights,
		"nothing is in flight when the executor goes");
}

static double now(void *ctx)
{
	return ((const struct history *)ctx)->now;
}

/* Plans end when the bytes say so, not when the scheduler is idle. */
static void idle(void *ctx)
{
	(void)ctx;
}

static const struct fw_executor_ops ops = {
	.size = sizeof(ops),
	.submit = submit_plan,
	.destroy = destroy,
	.now = now,
	.idle = idle,
};

static void open_runtime(struct history *h)
{
	struct fw_order_config order = {
		.size = sizeof(order),
		.budget = h->budget = 1 + take(h) % 40,
		.carry = (enum fw_carry)(take(h) % 3),
		.allocator = &h->memory.allocator,
	};
	const struct fw_executor executor = {
		.ops = &ops,
		.ctx = h,
		.depth = 1 + take(h) % 4,
	};
	struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.decided = on_decided,
		.ctx = h,
		.block_tokens = BLOCK,
		.max_running = 1 + take(h) % 6,
		.max_waiting = h->max_waiting = 1 + take(h) % 20,
		.max_events = 8,
		.max_cached = 24,
		.num_classes = h->num_classes = 1 + take(h) % 3,
		.max_retries = h->max_retries = take(h) % 3,
		.shards = 1,
		.flags = FW_OWN_ARRIVAL,
	};
	uint32_t kind = take(h);

	if (kind & 1)
		config.num_blocks = h->num_blocks = 4 + kind / 8;
	config.protect = kind & 1 ? kind >> 1 & 1 : 0;
	h->asks = !(kind & 1) || kind & 4;
	if (h->asks)
		config.admit = on_admit;
	h->carries = order.carry != FW_CARRY_OFF;
	promise(!fw_open(&h->fw, &config), "such a runtime opens");
}

static void fill(struct history *h, struct model_req *r, uint32_t id)
{
	uint32_t shape = take(h), path = take(h), num = shape % KEYS;

	r->req = (struct fw_request){
		.id = id,
		.keys = r->keys,
		.num_keys = num,
		.len = num * BLOCK + 1 + shape / 64,
		.priority = path % h->num_classes,
		.arrival = (int64_t)(h->now * 1e9),
	};
	if (path > 240)
		r->req.max_wait = 1 + (path - 240) * MAX_TICK / 4;
	for (uint32_t k = 0; k < num; k++)
		r->keys[k] = fw_key_widen((path & 7) << (k > path % 5 ? 8 : 0) |
					  k << 4);
}

static void submit(struct history *h)
{
	uint32_t id = take(h) % REQS, waiting = count_places(h);
	struct model_req *r = &h->reqs[id];
	int ret;

	if (r->state != UNUSED)
		return;
	fill(h, r, id);
	ret = fw_submit(h->fw, &r->req, &r->handle);
	if (h->quiesced) {
		promise(ret == -ESHUTDOWN, "nothing is taken after quiesce");
		return;
	}
	if (ret) {
		promise(ret == -EAGAIN, "a sound request has one way to fail");
		promise(waiting >= h->max_waiting || h->max_retries,
			"which is that the queue is full");
		h->counts->refused++;
		return;
	}
	promise(waiting < h->max_waiting, "the queue has its bound");
	r->state = WAITING;
	r->cancelled = r->may_fail = r->failed = false;
	r->place = true;
	r->uses++;
}

static void cancel(struct history *h)
{
	struct model_req *r = &h->reqs[take(h) % REQS];
	int ret, expected = 0;

	if (!r->uses)
		return;
	ret = fw_cancel(h->fw, r->handle);
	if (r->state == UNUSED)
		expected = -ENOENT;
	else if (r->cancelled)
		expected = -EALREADY;
	promise(ret == expected, "cancel says what became of the request");
	r->cancelled |= !ret;
}

/* Whoever runs may have built on it, also in a plan that ended before it. */
static void fail_plan(struct history *h, const struct fw_plan *plan)
{
	for (uint32_t i = 0; i < REQS; i++)
		h->reqs[i].may_fail |= h->reqs[i].state == RUNNING;
	for (uint32_t i = 0; i < plan->num_entries; i++)
		h->reqs[plan->entries[i].request].failed = true;
}

static void end_plan(struct history *h)
{
	uint32_t which = take(h), i;
	struct fw_flight *flight;

	if (!h->num_flights)
		return;
	i = which % h->num_flights;
	flight = h->flights[i];
	if (which > 224)
		fail_plan(h, h->plans[i]);
	/* It is taken after those before it; until then others build on it. */
	h->failing |= which > 224 && i;
	h->num_flights--;
	for (uint32_t j = i; j < h->num_flights; j++) {
		h->flights[j] = h->flights[j + 1];
		h->plans[j] = h->plans[j + 1];
	}
	fw_plan_done(flight, which > 224 ? -EIO : 0);
}

static void report_event(struct history *h)
{
	uint32_t what = take(h);
	struct fw_key key = fw_key_widen(what & 0x7f);
	struct fw_key parent = fw_key_widen((what & 0x7f) - 16);
	int ret;

	if (what > 250)
		ret = fw_block_cleared(h->fw);
	else if (what & 0x80)
		ret = fw_block_removed(h->fw, &key);
	else if (take(h) & 1)
		ret = fw_block_stored(h->fw, &key, FW_PARENT_UNKNOWN);
	else
		ret = fw_block_stored(h->fw, &key, what < 16 ? NULL : &parent);
	if (h->num_blocks)
		promise(ret == -EINVAL, "own blocks take no events");
	else
		promise(!ret || ret == -EAGAIN,
			"an event enters or is refused");
}

/* What callbacks did not tell, the slots do; then both count the same. */
static void compare(struct history *h)
{
	uint32_t waiting = 0, running = 0;

	for (uint32_t i = 0; i < REQS; i++) {
		struct model_req *r = &h->reqs[i];
		uint32_t slot = fw_entry(&r->req)->ticket;

		if (r->state == RUNNING &&
		    fw_slot_state(&h->fw->slots, slot) == FW_SLOT_WAITING)
			maybe_went_back(h, r);
		waiting += r->state == WAITING;
		running += r->state == RUNNING;
	}
	promise(running == h->fw->planner.num_running, "the model runs along");
	promise(waiting == h->fw->queue->source.waiting(h->fw->queue_ctx),
		"and waits along");
}

static void step(struct history *h)
{
	int ret;

	h->skipped = false;
	h->failing &= h->num_flights > 0;
	ret = fw_step(h->fw);
	promise(ret == 0 || ret == 1 || (h->quiesced && ret == -ESHUTDOWN),
		"a step plans or does not");
	compare(h);
	promise(fw_planner_valid(&h->fw->planner), "the planner is sound");
	promise(fw_index_valid(h->fw->index), "the index is sound");
	promise(!h->num_blocks || fw_kv_pool_valid(&h->fw->pool),
		"the pool is sound");
}

static void act(struct history *h)
{
	uint32_t op = take(h);

	h->now += (op >> 4) * 1e-3;
	switch (op & 15) {
	case 0:
	case 1:
	case 2:
	case 3:
		submit(h);
		break;
	case 4:
		cancel(h);
		break;
	case 5:
	case 6:
	case 7:
		end_plan(h);
		break;
	case 8:
	case 9:
		report_event(h);
		break;
	case 10:
		promise(fw_wait(h->fw, 0) >= 0, "a wait without time ends");
		break;
	case 11:
		if (op >> 4 == 15) {
			h->quiesced = true;
			fw_quiesce(h->fw);
		}
		break;
	default:
		step(h);
		break;
	}
}

static void close_runtime(struct history *h)
{
	int ret;

	h->closing = true;
	ret = fw_close(h->fw, 0);
	promise(ret == -EBUSY || (!ret && !h->num_flights),
		"close waits for what is in flight");
	promise(!count(h, WAITING), "what waits ends at once");
	if (!ret)
		return;
	while (h->num_flights)
		end_plan(h);
	promise(!fw_close(h->fw, -1), "and close ends");
}

uint64_t api_history_run(const uint8_t *data, size_t size,
			 struct api_counts *counts)
{
	struct history *h = calloc(1, sizeof(*h));
	uint64_t digest;

	promise(h != NULL, "memory");
	h->data = data;
	h->size = size;
	h->counts = counts;
	fail_alloc_init(&h->memory);
	open_runtime(h);
	while (h->size)
		act(h);
	close_runtime(h);
	for (uint32_t i = 0; i < REQS; i++)
		promise(h->reqs[i].state == UNUSED, "each request ends");
	promise(fail_alloc_clean(&h->memory), "all memory is given back");
	digest = h->digest;
	free(h);
	return digest;
}
