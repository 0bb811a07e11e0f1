/* SPDX-License-Identifier: Apache-2.0 */
#include "pausing.h"

#include <errno.h>

#include "lib/base/entry.h"
#include "chunk.h"
#include "offer.h"

static int serve(struct fw_planner *planner, struct fw_request *req)
{
	int ret;

	if (fw_planner_has_begun(planner, req)) {
		fw_chunk_give(planner, fw_entry(req)->sequence);
		return 0;
	}
	if (planner->num_running == planner->config.max_running) {
		planner->step_end = FW_STEP_SEQUENCES;
		return -ENOSPC;
	}
	ret = fw_offer(planner, req);
	if (ret)
		planner->step_end = FW_STEP_MEMORY;
	return ret;
}

static int serve_all(struct fw_planner *planner)
{
	const struct fw_planner_config *c = &planner->config;
	int ret = 0;

	while (!ret && fw_budget_left(planner)) {
		struct fw_request *req = c->order->peek(c->order_ctx);

		if (!req)
			return 0;
		ret = serve(planner, req);
	}
	if (!ret)
		planner->step_end = FW_STEP_BUDGET;
	return ret == -ENOMEM ? ret : 0;
}

/* A sequence gets what the order cannot give to anybody. */
static void give_rest(struct fw_planner *planner, uint32_t number)
{
	const struct fw_planner_config *c = &planner->config;
	struct fw_sequence *seq = &planner->seqs[number];
	uint32_t count = fw_chunk_size(planner, number);

	fw_chunk_add(planner, number, count);
	c->order->serve(c->order_ctx, seq->req, seq->computed);
	if (seq->computed == seq->req->len)
		fw_planner_withdraw(planner, seq);
}

static void give_rests(struct fw_planner *planner)
{
	for (uint32_t i = 0;
	     i < planner->num_running && fw_budget_left(planner); i++) {
		uint32_t number = planner->running[i];
		const struct fw_sequence *seq = &planner->seqs[number];

		if (seq->competes && seq->step != planner->steps)
			give_rest(planner, number);
	}
}

int fw_plan_by_order(struct fw_planner *planner, double now)
{
	const struct fw_planner_config *c = &planner->config;
	int ret;

	if (!c->order->waiting(c->order_ctx))
		return 0;
	fw_index_flush(c->index, c->max_moved);
	c->order->begin(c->order_ctx, now, c->budget);
	ret = serve_all(planner);
	c->order->end(c->order_ctx);
	if (planner->step_end == FW_STEP_MEMORY ||
	    planner->step_end == FW_STEP_SEQUENCES)
		give_rests(planner);
	return ret;
}
