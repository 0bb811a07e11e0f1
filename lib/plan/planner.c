/* SPDX-License-Identifier: Apache-2.0 */
#include "planner.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"
#include "chunk.h"
#include "offer.h"
#include "pausing.h"

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

static void plan_running(struct fw_planner *planner)
{
	for (uint32_t i = 0; i < planner->num_running; i++) {
		uint32_t number = planner->running[i];
		uint32_t count = fw_chunk_size(planner, number);

		if (count)
			fw_chunk_add(planner, number, count);
	}
}

/* Are a token and a sequence left for one more request? */
static bool has_room(struct fw_planner *planner)
{
	if (!fw_budget_left(planner))
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
	int ret = 0;

	while (!ret && has_room(planner)) {
		struct fw_request *req = c->order->peek(c->order_ctx);

		if (!req) {
			planner->step_end = FW_STEP_EMPTY;
			break;
		}
		ret = fw_offer(planner, req);
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
	planner->step_end = FW_STEP_EMPTY;
	planner->steps++;
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

/* What has begun first, then what waits. */
static int plan_in_turn(struct fw_planner *planner, double now)
{
	const struct fw_planner_config *c = &planner->config;
	int ret;

	plan_running(planner);
	if (!c->order->waiting(c->order_ctx) || !has_room(planner))
		return 0;
	fw_index_flush(c->index, c->max_moved);
	if (c->order->outside)
		tell_outside(planner);
	c->order->begin(c->order_ctx, now, fw_budget_left(planner));
	ret = plan_waiting(planner);
	c->order->end(c->order_ctx);
	return ret;
}

int fw_planner_step(struct fw_planner *planner, double now)
{
	int ret;

	begin_plan(planner);
	if (planner->config.pausing)
		ret = fw_plan_by_order(planner, now);
	else
		ret = plan_in_turn(planner, now);
	if (planner->plan->num_entries)
		planner->num_flights++;
	return ret;
}
