/* SPDX-License-Identifier: Apache-2.0 */
#include "chunk.h"

uint32_t fw_chunk_size(const struct fw_planner *planner, uint32_t number)
{
	const struct fw_sequence *seq = &planner->seqs[number];
	uint32_t left = seq->req->len - seq->computed;

	if (seq->end != FW_SEQUENCE_DONE)
		return 0;
	return left < fw_budget_left(planner) ? left : fw_budget_left(planner);
}

void fw_chunk_add(struct fw_planner *planner, uint32_t number, uint32_t count)
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
	seq->step = planner->steps;
	plan->num_tokens += count;
	if (planner->config.pool)
		fw_kv_pool_plan(planner->config.pool, seq->req, seq->table,
				seq->computed, count);
	seq->computed += count;
	seq->in_flight++;
}

void fw_chunk_give(struct fw_planner *planner, uint32_t number)
{
	const struct fw_planner_config *c = &planner->config;
	struct fw_sequence *seq = &planner->seqs[number];
	uint32_t count = fw_chunk_size(planner, number);
	uint32_t computed = seq->computed + count;
	bool on = c->pausing && computed < seq->req->len;

	if (on)
		c->order->go_on(c->order_ctx, count, computed);
	else
		c->order->admit(c->order_ctx, count);
	fw_planner_compete(planner, seq, on);
	fw_chunk_add(planner, number, count);
}
