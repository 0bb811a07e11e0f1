/* SPDX-License-Identifier: Apache-2.0 */
#include "api_history.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/runtime/runtime.h"
#include "api_model.h"

static int submit_plan(void *ctx, const struct fw_plan *plan,
		       struct fw_flight *flight)
{
	struct history *h = ctx;

	api_model_plan(h, plan);
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
		.done = api_model_done,
		.decided = api_model_decided,
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
	config.pausing = take(h) & 1;
	order.fast = config.pausing ? FW_FAST_REST : FW_FAST_SCORE;
	order.guard = take(h) & 1 ? FW_GUARD_OFF : 0;
	h->asks = !(kind & 1) || kind & 4;
	if (h->asks)
		config.admit = api_model_admit;
	h->plain = order.carry == FW_CARRY_OFF && !config.pausing &&
		   order.guard == FW_GUARD_OFF;
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
	uint32_t id = take(h) % REQS, waiting = api_model_places(h);
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

static int report_all(struct history *h)
{
	switch (take(h) % 3) {
	case 0:
		return fw_block_cleared(h->fw);
	case 1:
		return fw_snapshot_begin(h->fw);
	default:
		return fw_snapshot_end(h->fw);
	}
}

static int report_stored(struct history *h, const struct fw_key *key,
			 const struct fw_key *parent)
{
	uint32_t how = take(h);

	if (how & 1)
		return fw_block_stored(h->fw, key, FW_PARENT_UNKNOWN);
	if (how & 2)
		return fw_block_present(h->fw, key, parent, how >> 6);
	return fw_block_stored(h->fw, key, parent);
}

static void report_event(struct history *h)
{
	uint32_t what = take(h);
	struct fw_key key = fw_key_widen(what & 0x7f);
	struct fw_key parent = fw_key_widen((what & 0x7f) - 16);
	int ret;

	if (what > 250)
		ret = report_all(h);
	else if (what & 0x80)
		ret = fw_block_removed(h->fw, &key);
	else
		ret = report_stored(h, &key, what < 16 ? NULL : &parent);
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
		uint32_t slot = fw_entry(&r->req)->ticket - 1;

		if (r->state == RUNNING &&
		    fw_slot_state(&h->fw->slots, slot) == FW_SLOT_WAITING)
			api_model_went_back(h, r);
		waiting += r->state == WAITING;
		running += r->state == RUNNING;
	}
	promise(running == h->fw->planner.num_running, "the model runs along");
	promise(waiting == fw_planner_waiting(&h->fw->planner),
		"and waits along");
}

/* Whoever has begun holds its blocks: it pauses for others alone. */
static bool pauses_for_others(const struct fw_planner *planner)
{
	for (uint32_t i = 0; i < planner->num_running; i++) {
		const struct fw_sequence *seq =
			&planner->seqs[planner->running[i]];

		if (seq->competes && seq->step != planner->steps &&
		    planner->plan->num_tokens < planner->config.budget)
			return false;
	}
	return true;
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
	promise(pauses_for_others(&h->fw->planner),
		"nobody pauses while budget is left");
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
	promise(!api_model_count(h, WAITING), "what waits ends at once");
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
