/* SPDX-License-Identifier: Apache-2.0 */
#include "offer.h"

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/entry.h"
#include "chunk.h"

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

/*
 * Those that run stand in the order of their admission. Those that may pause
 * stand in that of their arrival, in which they get what nobody else can use:
 * the last one goes to its place. Most get all in one chunk, and stay.
 */
static void line_up_last(struct fw_planner *planner)
{
	const struct fw_planner_config *c = &planner->config;
	uint32_t *running = planner->running;
	uint32_t at = planner->num_running - 1, number = running[at];
	const struct fw_request *req = planner->seqs[number].req;

	while (at) {
		const struct fw_sequence *seq = &planner->seqs[running[at - 1]];

		/* Whoever competes no more may stand anywhere. */
		if (seq->competes &&
		    !c->order->older(c->order_ctx, req, seq->req))
			break;
		running[at] = running[at - 1];
		at--;
	}
	running[at] = number;
}

void fw_planner_line_up(struct fw_planner *planner,
			const struct fw_request *req)
{
	uint32_t *running = planner->running, at = 0;
	uint32_t number = fw_entry_const(req)->sequence;

	if (!fw_planner_has_begun(planner, req))
		return;
	while (running[at] != number)
		at++;
	for (; at < planner->num_running - 1; at++)
		running[at] = running[at + 1];
	running[at] = number;
	line_up_last(planner);
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
	seq->competes = false;
	fw_index_unwatch(planner->config.index, req);
	fw_entry(req)->sequence = number;
	planner->running[planner->num_running++] = number;
	return (int)number;
}

static int admit(struct fw_planner *planner, struct fw_request *req)
{
	const struct fw_planner_config *c = &planner->config;
	int number = start(planner, req);

	if (number == -ENOMEM)
		planner->starved = req;
	if (number < 0)
		return number;
	if (c->ops.admitted)
		c->ops.admitted(c->ctx, &planner->seqs[number]);
	fw_chunk_give(planner, (uint32_t)number);
	if (planner->seqs[number].competes)
		line_up_last(planner);
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

int fw_offer(struct fw_planner *planner, struct fw_request *req)
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
