/* SPDX-License-Identifier: Apache-2.0 */
#include "planner.h"

#include <errno.h>
#include <string.h>

#include "alloc.h"
#include "entry.h"

static size_t lanes_waiting(void *ctx)
{
	const struct fw_lanes *lanes = ctx;

	return lanes->waiting;
}

static void lanes_begin(void *ctx, double now, uint32_t budget)
{
	fw_lanes_begin(ctx, now, budget);
}

static struct fw_request *lanes_peek(void *ctx)
{
	return fw_lanes_peek(ctx);
}

static void lanes_admit(void *ctx, uint32_t tokens)
{
	fw_lanes_admit(ctx, tokens);
}

static void lanes_end(void *ctx)
{
	fw_lanes_end(ctx);
}

const struct fw_source_ops fw_lanes_source = {
	.waiting = lanes_waiting,
	.begin = lanes_begin,
	.peek = lanes_peek,
	.admit = lanes_admit,
	.end = lanes_end,
};

int fw_planner_init(struct fw_planner *planner, struct fw_kv_pool *pool,
		    const struct fw_source_ops *source, void *source_ctx,
		    uint32_t budget, uint32_t max_running,
		    const struct fw_allocator *allocator)
{
	struct fw_planner p = {
		.pool = pool,
		.source = source,
		.source_ctx = source_ctx,
		.budget = budget,
		.max_running = max_running,
		.allocator = allocator,
	};

	p.seqs = fw_alloc_array(allocator, max_running, sizeof(*p.seqs));
	p.running = fw_alloc_array(allocator, max_running, sizeof(*p.running));
	p.free_slots =
		fw_alloc_array(allocator, max_running, sizeof(*p.free_slots));
	p.plan.entries =
		fw_alloc_array(allocator, max_running, sizeof(*p.plan.entries));
	if (!p.seqs || !p.running || !p.free_slots || !p.plan.entries) {
		fw_planner_destroy(&p);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < max_running; i++)
		p.free_slots[i] = max_running - 1 - i;
	*planner = p;
	return 0;
}

void fw_planner_destroy(struct fw_planner *planner)
{
	const struct fw_allocator *a = planner->allocator;
	uint32_t max = planner->max_running;

	for (uint32_t i = 0; planner->seqs && i < max; i++)
		fw_free_array(a, planner->seqs[i].table, planner->seqs[i].cap,
			      sizeof(uint32_t));
	fw_free_array(a, planner->plan.tables, planner->cap_tables,
		      sizeof(*planner->plan.tables));
	fw_free_array(a, planner->plan.entries, max,
		      sizeof(*planner->plan.entries));
	fw_free_array(a, planner->free_slots, max,
		      sizeof(*planner->free_slots));
	fw_free_array(a, planner->running, max, sizeof(*planner->running));
	fw_free_array(a, planner->seqs, max, sizeof(*planner->seqs));
	planner->seqs = NULL;
}

/* Plan @count more tokens of a running sequence. Room was made before. */
static void add_entry(struct fw_planner *planner, uint32_t slot, uint32_t count)
{
	struct fw_sequence *seq = &planner->seqs[slot];
	struct fw_plan *plan = &planner->plan;
	bool last = seq->computed + count == seq->req->len;

	plan->entries[plan->num_entries++] = (struct fw_plan_entry){
		.request = seq->req->id,
		.first = seq->computed,
		.count = count,
		.table = plan->num_tables,
		.num_blocks = seq->num_blocks,
		.flags = last ? FW_PLAN_LAST : 0,
		.slot = slot,
	};
	memcpy(plan->tables + plan->num_tables, seq->table,
	       seq->num_blocks * sizeof(*seq->table));
	plan->num_tables += seq->num_blocks;
	plan->num_tokens += count;
	fw_kv_pool_plan(planner->pool, seq->req, seq->table, seq->computed,
			count);
	seq->computed += count;
}

static uint32_t budget_left(const struct fw_planner *planner)
{
	return planner->budget - planner->plan.num_tokens;
}

static uint32_t chunk(const struct fw_planner *planner,
		      const struct fw_sequence *seq)
{
	uint32_t left = seq->req->len - seq->computed;

	return left < budget_left(planner) ? left : budget_left(planner);
}

static void plan_running(struct fw_planner *planner)
{
	for (uint32_t i = 0; i < planner->num_running; i++) {
		uint32_t slot = planner->running[i];
		uint32_t count = chunk(planner, &planner->seqs[slot]);

		if (count)
			add_entry(planner, slot, count);
	}
}

/* Room for the request's block table, in its sequence and in any plan. */
static int reserve_tables(struct fw_planner *planner, struct fw_sequence *seq,
			  uint32_t num)
{
	int ret;

	ret = fw_grow_array(planner->allocator, (void **)&seq->table, &seq->cap,
			    num, sizeof(*seq->table));
	if (ret)
		return ret;
	return fw_grow_array(planner->allocator, (void **)&planner->plan.tables,
			     &planner->cap_tables,
			     planner->blocks_running + num,
			     sizeof(*planner->plan.tables));
}

/* Blocks and a slot for @req. Return: the slot, or -errno. */
static int admit(struct fw_planner *planner, struct fw_request *req)
{
	uint32_t slot = planner->free_slots[planner->max_running -
					    planner->num_running - 1];
	uint32_t need = fw_kv_pool_need(planner->pool, req->len);
	struct fw_sequence *seq = &planner->seqs[slot];
	int ret;

	ret = reserve_tables(planner, seq, need);
	if (!ret)
		ret = fw_kv_pool_take(planner->pool, req, seq->table);
	if (ret)
		return ret;
	seq->req = req;
	seq->num_blocks = need;
	seq->hit = fw_entry(req)->blocks * planner->pool->block_tokens;
	seq->computed = seq->hit;
	fw_index_unwatch(&planner->pool->index, req);
	planner->running[planner->num_running++] = slot;
	planner->blocks_running += need;
	return (int)slot;
}

static int plan_waiting(struct fw_planner *planner)
{
	struct fw_request *req;
	int slot = 0;

	while (budget_left(planner) &&
	       planner->num_running < planner->max_running &&
	       (req = planner->source->peek(planner->source_ctx))) {
		uint32_t count;

		slot = admit(planner, req);
		if (slot < 0)
			break;
		count = chunk(planner, &planner->seqs[slot]);
		planner->source->admit(planner->source_ctx, count);
		add_entry(planner, (uint32_t)slot, count);
	}
	return slot == -ENOMEM ? slot : 0;
}

int fw_planner_step(struct fw_planner *planner, double now)
{
	const struct fw_source_ops *source = planner->source;
	int ret = 0;

	planner->plan.num_entries = 0;
	planner->plan.num_tables = 0;
	planner->plan.num_tokens = 0;
	plan_running(planner);
	if (budget_left(planner) &&
	    planner->num_running < planner->max_running &&
	    source->waiting(planner->source_ctx)) {
		source->begin(planner->source_ctx, now, budget_left(planner));
		ret = plan_waiting(planner);
		source->end(planner->source_ctx);
	}
	return ret;
}

/* Close the gaps of sequences that ended. */
static void compact_running(struct fw_planner *planner)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < planner->num_running; i++)
		if (planner->seqs[planner->running[i]].req)
			planner->running[to++] = planner->running[i];
	planner->num_running = to;
}

void fw_planner_retire(struct fw_planner *planner,
		       void (*done)(void *ctx, struct fw_request *req,
				    uint32_t hit),
		       void *ctx)
{
	const struct fw_plan *plan = &planner->plan;
	uint32_t num_free = planner->max_running - planner->num_running;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		uint32_t slot = plan->entries[i].slot;
		struct fw_sequence *seq = &planner->seqs[slot];
		struct fw_request *req = seq->req;

		if (!(plan->entries[i].flags & FW_PLAN_LAST))
			continue;
		fw_kv_pool_release(planner->pool, seq->table, seq->num_blocks);
		planner->blocks_running -= seq->num_blocks;
		planner->free_slots[num_free++] = slot;
		seq->req = NULL;
		done(ctx, req, seq->hit);
	}
	compact_running(planner);
}
