/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include "lib/cost/score.h"

/* The lanes behind the interface of an order: the ctx is a struct fw_lanes. */

static size_t waiting(const void *order)
{
	return ((const struct fw_lanes *)order)->waiting;
}

static int add(void *order, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	return fw_lanes_add(order, req, arrival, slo, hit);
}

static void take_out(void *order, struct fw_request *req)
{
	fw_lanes_remove(order, req);
}

static void set_hit(void *order, struct fw_request *req, uint32_t hit)
{
	fw_lanes_set_hit(order, req, hit);
}

static void begin(void *order, double now, uint32_t budget)
{
	fw_lanes_begin(order, now, budget);
}

static struct fw_request *peek(void *order)
{
	return fw_lanes_peek(order);
}

static void admit(void *order, uint32_t tokens)
{
	fw_lanes_admit(order, tokens);
}

static void skip(void *order)
{
	fw_lanes_skip(order);
}

static void end(void *order)
{
	fw_lanes_end(order);
}

static void explain(const void *order, const struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct fw_lanes *lanes = order;
	const struct fw_rank *rank = &fw_queued_const(req)->rank;
	double unit = rank->unit;

	if (lanes->config.wait_constant > 0.0)
		unit = lanes->config.wait_constant;
	decision->lane = lanes->lane == FW_LANE_FAST ? FW_LANE_NAME_FAST
						     : FW_LANE_NAME_FAIR;
	decision->hit = rank->hit;
	decision->cost = rank->cost;
	decision->score = fw_score(rank->hit, rank->cost, rank->arrival, unit,
				   lanes->now);
}

uint64_t fw_lanes_ahead(const void *order, const struct fw_request *req)
{
	(void)order;
	return fw_queued_const(req)->ahead;
}

static bool outside(void *order, const struct fw_request *req, uint32_t hit,
		    uint32_t left)
{
	struct fw_lanes *lanes = order;

	(void)req;
	fw_guard_outside(&lanes->guard, hit, left);
	return lanes->config.guard;
}

static void go_on(void *order, uint32_t tokens, uint32_t hit)
{
	fw_lanes_go_on(order, tokens, hit);
}

static void serve(void *order, struct fw_request *req, uint32_t hit)
{
	fw_lanes_set_hit(order, req, hit);
}

bool fw_lanes_older(const void *order, const struct fw_request *a,
		    const struct fw_request *b)
{
	(void)order;
	return fw_rank_older(&fw_queued_const(a)->rank,
			     &fw_queued_const(b)->rank);
}

void fw_lanes_add_stats(const struct fw_lanes_stats *s, struct fw_stats *to)
{
	to->released_fast += s->admitted[FW_LANE_FAST];
	to->released_fair += s->admitted[FW_LANE_FAIR];
	to->skipped += s->skipped;
	to->overtaken += s->overtaken;
	to->bound_broken += s->bound_broken;
	if (s->max_ahead > to->max_ahead)
		to->max_ahead = s->max_ahead;
}

static void stats(const void *order, struct fw_stats *to)
{
	fw_lanes_add_stats(&((const struct fw_lanes *)order)->stats, to);
}

const struct fw_order_ops fw_lanes_order = {
	.waiting = waiting,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.begin = begin,
	.peek = peek,
	.admit = admit,
	.skip = skip,
	.end = end,
	.explain = explain,
	.ahead = fw_lanes_ahead,
	.outside = outside,
	.go_on = go_on,
	.serve = serve,
	.older = fw_lanes_older,
	.stats = stats,
};
