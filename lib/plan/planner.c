/* SPDX-License-Identifier: Apache-2.0 */
#include "planner.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/entry.h"

static int alloc_plans(struct fw_planner *p)
{
	const struct fw_allocator *a = p->config.allocator;
	uint32_t max = p->config.max_running;

	p->plans = fw_alloc_array(a, p->config.depth, sizeof(*p->plans));
	if (!p->plans)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->config.depth; i++) {
		struct fw_plan *plan = &p->plans[i];

		plan->tables = p->tables;
		plan->num_sequences = max;
		plan->entries = fw_alloc_array(a, max, sizeof(*plan->entries));
		if (!plan->entries)
			return -ENOMEM;
	}
	p->plan = &p->plans[0];
	return 0;
}

int fw_planner_init(struct fw_planner *planner,
		    const struct fw_planner_config *config)
{
	const struct fw_allocator *a = config->allocator;
	uint32_t max = config->max_running;
	struct fw_planner p = {.config = *config};

	p.seqs = fw_alloc_array(a, max, sizeof(*p.seqs));
	p.running = fw_alloc_array(a, max, sizeof(*p.running));
	p.unused = fw_alloc_array(a, max, sizeof(*p.unused));
	p.tables = fw_alloc_array(a, max, sizeof(*p.tables));
	if (!p.seqs || !p.running || !p.unused || !p.tables ||
	    alloc_plans(&p)) {
		fw_planner_destroy(&p);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < max; i++)
		p.unused[i] = max - 1 - i;
	/* Hits change once a step, before waiting requests are compared. */
	config->index->lazy = true;
	config->index->late = config->max_moved > 0;
	*planner = p;
	return 0;
}

static void free_plans(struct fw_planner *planner)
{
	const struct fw_allocator *a = planner->config.allocator;

	for (uint32_t i = 0; planner->plans && i < planner->config.depth; i++)
		fw_free_array(a, planner->plans[i].entries,
			      planner->config.max_running,
			      sizeof(*planner->plans[i].entries));
	fw_free_array(a, planner->plans, planner->config.depth,
		      sizeof(*planner->plans));
	planner->plans = NULL;
}

void fw_planner_destroy(struct fw_planner *planner)
{
	const struct fw_allocator *a = planner->config.allocator;
	uint32_t max = planner->config.max_running;

	for (uint32_t i = 0; planner->seqs && i < max; i++)
		fw_free_array(a, planner->seqs[i].table, planner->seqs[i].cap,
			      sizeof(uint32_t));
	free_plans(planner);
	fw_free_array(a, planner->tables, max, sizeof(*planner->tables));
	fw_free_array(a, planner->unused, max, sizeof(*planner->unused));
	fw_free_array(a, planner->running, max, sizeof(*planner->running));
	fw_free_array(a, planner->seqs, max, sizeof(*planner->seqs));
	planner->seqs = NULL;
}

/* Plan @count more tokens of a sequence. */
static void add_entry(struct fw_planner *planner, uint32_t number,
		      uint32_t count)
{
	struct fw_sequence *seq = &planner->seqs[number];
	struct fw_plan *plan = planner->plan;
	bool last = seq->computed + count == seq->req->len;

	plan->entries[plan->num_entries++] = (struct fw_plan_entry){
		.request = seq->req->id,
		.first = seq->computed,
		.count = count,
		.known = seq->shown,
		.num_blocks = seq->num_blocks,
		.flags = last ? FW_PLAN_LAST : 0,
		.sequence = number,
	};
	seq->shown = seq->num_blocks;
	plan->num_tokens += count;
	if (planner->config.pool)
		fw_kv_pool_plan(planner->config.pool, seq->req, seq->table,
				seq->computed, count);
	seq->computed += count;
	seq->in_flight++;
}

static uint32_t budget_left(const struct fw_planner *planner)
{
	return planner->config.budget - planner->plan->num_tokens;
}

/* Tokens that a sequence gets now: none when it is about to end. */
static uint32_t chunk(const struct fw_planner *planner,
		      const struct fw_sequence *seq)
{
	uint32_t left = seq->req->len - seq->computed;

	if (seq->end != FW_SEQUENCE_DONE)
		return 0;
	return left < budget_left(planner) ? left : budget_left(planner);
}

static void plan_running(struct fw_planner *planner)
{
	for (uint32_t i = 0; i < planner->num_running; i++) {
		uint32_t number = planner->running[i];
		uint32_t count = chunk(planner, &planner->seqs[number]);

		if (count)
			add_entry(planner, number, count);
	}
}

/* Take blocks for the whole prompt, if there is a pool. */
static int take_blocks(struct fw_planner *planner, struct fw_sequence *seq,
		       const struct fw_request *req)
{
	struct fw_kv_pool *pool = planner->config.pool;
	int ret;

	if (!pool)
		return 0;
	seq->num_blocks = fw_kv_pool_need(pool, req->len);
	ret = fw_grow_array(planner->config.allocator, (void **)&seq->table,
			    &seq->cap, seq->num_blocks, sizeof(*seq->table));
	return ret ? ret : fw_kv_pool_take(pool, req, seq->table);
}

static uint32_t hit_tokens(const struct fw_planner *planner,
			   const struct fw_request *req)
{
	return fw_entry_const(req)->blocks *
	       planner->config.index->block_tokens;
}

/* Make a sequence for @req. Return: Its number, or -errno. */
static int start(struct fw_planner *planner, struct fw_request *req)
{
	uint32_t number = planner->unused[planner->config.max_running -
					  planner->num_running - 1];
	struct fw_sequence *seq = &planner->seqs[number];
	int ret;

	seq->num_blocks = 0;
	ret = take_blocks(planner, seq, req);
	if (ret)
		return ret;
	planner->tables[number] = seq->table;
	seq->req = req;
	seq->shown = 0;
	seq->hit = hit_tokens(planner, req);
	seq->computed = seq->hit;
	seq->in_flight = 0;
	seq->finished = 0;
	seq->end = FW_SEQUENCE_DONE;
	seq->status = 0;
	fw_index_unwatch(planner->config.index, req);
	planner->running[planner->num_running++] = number;
	return (int)number;
}

static int admit(struct fw_planner *planner, struct fw_request *req)
{
	const struct fw_planner_config *c = &planner->config;
	int number = start(planner, req);
	uint32_t count;

	if (number < 0)
		return number;
	if (planner->config.ops.admitted)
		planner->config.ops.admitted(planner->config.ctx,
					     &planner->seqs[number]);
	count = chunk(planner, &planner->seqs[number]);
	c->order->admit(c->order_ctx, count);
	add_entry(planner, (uint32_t)number, count);
	return 0;
}

/* Ask the embedder, but only when the pool can hold the request now. */
static enum fw_admit may_admit(struct fw_planner *planner,
			       struct fw_request *req)
{
	const struct fw_planner_config *c = &planner->config;

	if (!c->ops.admit)
		return FW_ADMIT_FITS;
	if (c->pool && !fw_kv_pool_fits(c->pool, req))
		return FW_ADMIT_FULL;
	return c->ops.admit(c->ctx, req, hit_tokens(planner, req));
}

/* Return: 0: the next one may be offered; -ENOSPC: no other may; -ENOMEM. */
static int offer(struct fw_planner *planner, struct fw_request *req)
{
	const struct fw_planner_config *c = &planner->config;

	/* Its real hit: earlier chunks of this step may have added blocks. */
	fw_index_catch_up(c->index, req);
	switch (may_admit(planner, req)) {
	case FW_ADMIT_FITS:
		return admit(planner, req);
	case FW_ADMIT_SKIP:
		c->order->skip(c->order_ctx);
		return 0;
	case FW_ADMIT_NEVER:
		c->ops.refused(c->ctx, req);
		return 0;
	case FW_ADMIT_FULL:
		break;
	}
	return -ENOSPC;
}

/* Are a token and a sequence left for one more request? */
static bool has_room(struct fw_planner *planner)
{
	if (!budget_left(planner))
		planner->step_end = FW_STEP_BUDGET;
	else if (planner->num_running == planner->config.max_running)
		planner->step_end = FW_STEP_SEQUENCES;
	else
		return true;
	return false;
}

static int plan_waiting(struct fw_planner *planner)
{
	const struct fw_planner_config *c = &planner->config;
	struct fw_request *req;
	int ret = 0;

	while (!ret && has_room(planner)) {
		req = c->order->peek(c->order_ctx);
		if (!req) {
			planner->step_end = FW_STEP_EMPTY;
			break;
		}
		ret = offer(planner, req);
		if (ret == -ENOMEM)
			planner->starved = req;
	}
	if (ret)
		planner->step_end = FW_STEP_MEMORY;
	return ret == -ENOMEM ? ret : 0;
}

/* Begin an empty plan. */
static void begin_plan(struct fw_planner *planner)
{
	uint32_t next = (planner->oldest + planner->num_flights) %
			planner->config.depth;

	assert(planner->num_flights < planner->config.depth);
	planner->plan = &planner->plans[next];
	planner->plan->num_entries = 0;
	planner->plan->num_tokens = 0;
	planner->starved = NULL;
}

/* What has begun goes before what waits: say so to an order that predicts. */
static void tell_outside(const struct fw_planner *planner)
{
	const struct fw_planner_config *c = &planner->config;
	const struct fw_plan *plan = planner->plan;
	uint32_t chunk = 0;

	for (uint32_t i = 0; i < planner->num_running; i++) {
		const struct fw_sequence *seq =
			&planner->seqs[planner->running[i]];
		uint32_t hit = seq->computed;

		/* As it stood when the step began: chunks are in this order. */
		if (chunk < plan->num_entries &&
		    plan->entries[chunk].sequence == planner->running[i])
			hit = plan->entries[chunk++].first;
		if (seq->end == FW_SEQUENCE_DONE && hit < seq->req->len &&
		    !c->order->outside(c->order_ctx, seq->req, hit,
				       seq->req->len - hit))
			return;
	}
}

int fw_planner_step(struct fw_planner *planner, double now)
{
	const struct fw_planner_config *c = &planner->config;
	int ret = 0;

	begin_plan(planner);
	plan_running(planner);
	planner->step_end = FW_STEP_EMPTY;
	if (c->order->waiting(c->order_ctx) && has_room(planner)) {
		fw_index_flush(c->index, c->max_moved);
		if (c->order->outside)
			tell_outside(planner);
		c->order->begin(c->order_ctx, now, budget_left(planner));
		ret = plan_waiting(planner);
		c->order->end(c->order_ctx);
	}
	if (planner->plan->num_entries)
		planner->num_flights++;
	return ret;
}
