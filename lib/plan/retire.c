/* SPDX-License-Identifier: Apache-2.0 */
#include "planner.h"

#include <assert.h>

#include "lib/base/entry.h"

/* Close the gaps that ended sequences left. */
static void compact_running(struct fw_planner *planner)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < planner->num_running; i++)
		if (planner->seqs[planner->running[i]].req)
			planner->running[to++] = planner->running[i];
	planner->num_running = to;
}

/* End a sequence. @num_ended others ended since the gaps were closed. */
static void end_sequence(struct fw_planner *planner, uint32_t number,
			 uint32_t num_ended)
{
	const struct fw_planner_config *c = &planner->config;
	struct fw_sequence *seq = &planner->seqs[number];
	const struct fw_sequence ended = *seq;

	assert(!seq->in_flight);
	if (c->pool)
		fw_kv_pool_release(c->pool, seq->table, seq->num_blocks);
	planner->unused[c->max_running - planner->num_running + num_ended] =
		number;
	seq->req = NULL;
	if (c->ops.ended)
		c->ops.ended(c->ctx, &ended);
}

/* Does the sequence end with @entry, which is just retired? */
static bool is_over(const struct fw_sequence *seq,
		    const struct fw_plan_entry *entry)
{
	if (seq->in_flight)
		return false;
	return seq->end != FW_SEQUENCE_DONE || (entry->flags & FW_PLAN_LAST);
}

static void retire_entries(struct fw_planner *planner,
			   const struct fw_plan *plan, bool computed)
{
	uint32_t num_ended = 0;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];
		struct fw_sequence *seq = &planner->seqs[entry->sequence];

		seq->in_flight--;
		if (computed)
			seq->finished += entry->count;
		if (is_over(seq, entry))
			end_sequence(planner, entry->sequence, num_ended++);
	}
	compact_running(planner);
}

void fw_planner_withdraw(struct fw_planner *planner, struct fw_sequence *seq)
{
	const struct fw_planner_config *c = &planner->config;

	if (!seq->competes)
		return;
	c->order->remove(c->order_ctx, seq->req);
	fw_planner_compete(planner, seq, false);
}

/* The sequence falls with a plan that failed. */
static void lose(struct fw_planner *planner, struct fw_sequence *seq,
		 int status)
{
	if (!seq->status)
		seq->status = status;
	if (seq->end == FW_SEQUENCE_DONE)
		seq->end = FW_SEQUENCE_LOST;
	fw_planner_withdraw(planner, seq);
}

static bool hits_lost_block(const struct fw_planner *planner,
			    const struct fw_sequence *seq)
{
	const struct fw_kv_pool *pool = planner->config.pool;

	return pool &&
	       fw_kv_pool_lost(pool, seq->table, seq->hit / pool->block_tokens);
}

static struct fw_plan *flight(const struct fw_planner *planner, uint32_t i)
{
	return &planner->plans[(planner->oldest + i) % planner->config.depth];
}

/*
 * In the order of planning. A request that hits a block was admitted after the
 * chunk that computes the block was planned. So one pass finds all that falls.
 */
static void mark_lost(struct fw_planner *planner, int status)
{
	struct fw_kv_pool *pool = planner->config.pool;

	for (uint32_t i = 0; i < planner->num_flights; i++) {
		const struct fw_plan *plan = flight(planner, i);

		for (uint32_t j = 0; j < plan->num_entries; j++) {
			const struct fw_plan_entry *e = &plan->entries[j];
			struct fw_sequence *seq = &planner->seqs[e->sequence];

			if (i == 0 || hits_lost_block(planner, seq))
				lose(planner, seq, status);
			if (pool && seq->status)
				fw_kv_pool_lose(pool, seq->table, e->first,
						e->count);
		}
	}
}

/* In reverse order: a block leaves the cache after the blocks behind it. */
static void forget_lost(struct fw_planner *planner)
{
	for (uint32_t i = planner->num_flights; i-- > 0;) {
		const struct fw_plan *plan = flight(planner, i);

		for (uint32_t j = plan->num_entries; j-- > 0;) {
			const struct fw_plan_entry *e = &plan->entries[j];
			struct fw_sequence *seq = &planner->seqs[e->sequence];

			if (seq->status)
				fw_kv_pool_forget(planner->config.pool,
						  seq->table, e->first,
						  e->count);
		}
	}
}

void fw_planner_retire(struct fw_planner *planner, int status)
{
	const struct fw_plan *plan = flight(planner, 0);

	assert(planner->num_flights);
	if (status) {
		mark_lost(planner, status);
		if (planner->config.pool)
			forget_lost(planner);
	}
	planner->oldest = (planner->oldest + 1) % planner->config.depth;
	planner->num_flights--;
	retire_entries(planner, plan, !status);
}

static void stop(struct fw_planner *planner, uint32_t number,
		 uint32_t *num_ended)
{
	struct fw_sequence *seq = &planner->seqs[number];

	if (seq->end == FW_SEQUENCE_DONE)
		seq->end = FW_SEQUENCE_STOPPED;
	fw_planner_withdraw(planner, seq);
	if (!seq->in_flight)
		end_sequence(planner, number, (*num_ended)++);
}

void fw_planner_stop(struct fw_planner *planner, const struct fw_request *req)
{
	uint32_t number = fw_entry_const(req)->sequence, num_ended = 0;

	assert(fw_planner_has_begun(planner, req));
	stop(planner, number, &num_ended);
	if (num_ended)
		compact_running(planner);
}

void fw_planner_stop_all(struct fw_planner *planner)
{
	uint32_t num_ended = 0;

	for (uint32_t i = 0; i < planner->num_running; i++)
		stop(planner, planner->running[i], &num_ended);
	compact_running(planner);
}

/* How many plans in flight compute a chunk of a sequence. */
static uint32_t count_chunks(const struct fw_planner *planner, uint32_t number)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < planner->num_flights; i++) {
		const struct fw_plan *plan = flight(planner, i);

		for (uint32_t j = 0; j < plan->num_entries; j++)
			num += plan->entries[j].sequence == number;
	}
	return num;
}

/* Does a sequence compete just while it is to get more chunks? */
static bool competes_valid(const struct fw_planner *planner,
			   const struct fw_sequence *seq)
{
	return seq->competes ==
	       (planner->config.pausing && seq->end == FW_SEQUENCE_DONE &&
		seq->computed < seq->req->len);
}

bool fw_planner_valid(const struct fw_planner *planner)
{
	uint32_t competing = 0;

	for (uint32_t i = 0; i < planner->num_running; i++) {
		uint32_t number = planner->running[i];
		const struct fw_sequence *seq = &planner->seqs[number];

		if (!seq->req ||
		    seq->in_flight != count_chunks(planner, number))
			return false;
		if (seq->end != FW_SEQUENCE_DONE && !seq->in_flight)
			return false;
		if (planner->tables[number] != seq->table ||
		    !competes_valid(planner, seq))
			return false;
		competing += seq->competes;
	}
	return competing == planner->competing;
}
