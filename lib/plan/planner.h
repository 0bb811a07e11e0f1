/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PLAN_PLANNER_H
#define LIB_PLAN_PLANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/plan.h>
#include <fairway/request.h>
#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "lib/pool/kv_pool.h"
#include "lib/queue/lanes.h"

/*
 * Turns a step's token budget into a plan: running requests first, in the
 * order of their admission, then waiting ones in the order of a source, as
 * long as budget, memory and sequences last. No clock and no I/O.
 *
 * Several plans may be in flight; they are computed and retired in their order.
 * A block counts as cached from the moment that the chunk which computes it is
 * planned, so a later plan builds on those before it. When one fails, the
 * blocks that it was to compute leave the cache, and every sequence that it
 * computed, or that hit such a block, is lost with it: it ends once no plan in
 * flight touches it any more.
 *
 * Single owner, takes no lock.
 */

/**
 * struct fw_source_ops - an order of waiting requests, as the planner sees it
 * @waiting: how many wait
 * @begin: a merge starts, with @budget tokens left of the step
 * @peek: who is next; the same until admitted, NULL when nobody is
 * @admit: the one that @peek gave got @tokens tokens and waits no more
 * @end: the merge is over
 * @skip: the one that @peek gave waits on and is not given again in this merge;
 *	NULL where no embedder may say so
 *
 * The lanes are one; the baselines of the simulator are others.
 */
struct fw_source_ops {
	size_t (*waiting)(void *ctx);
	void (*begin)(void *ctx, double now, uint32_t budget);
	struct fw_request *(*peek)(void *ctx);
	void (*admit)(void *ctx, uint32_t tokens);
	void (*end)(void *ctx);
	void (*skip)(void *ctx);
};

/* The source that is a struct fw_lanes. */
extern const struct fw_source_ops fw_lanes_source;

/**
 * enum fw_sequence_end - how a sequence ended
 * @FW_SEQUENCE_DONE: all of its prompt is computed
 * @FW_SEQUENCE_STOPPED: fw_planner_stop() was called
 * @FW_SEQUENCE_LOST: a plan that it needs failed
 */
enum fw_sequence_end {
	FW_SEQUENCE_DONE,
	FW_SEQUENCE_STOPPED,
	FW_SEQUENCE_LOST,
};

/**
 * struct fw_sequence - a request that was admitted and has not ended
 * @req: the request
 * @table: its block table
 * @cap: entries that @table has room for
 * @num_blocks: entries of @table
 * @computed: tokens that are cached or planned
 * @hit: tokens that were cached when it was admitted
 * @in_flight: plans in flight that compute a chunk of it
 * @finished: tokens of its chunks in plans that were retired
 * @end: FW_SEQUENCE_DONE while it goes on; else nothing more is planned, and
 *	it ends when @in_flight is 0
 * @status: of the plan that failed it, -errno; 0 while none did
 */
struct fw_sequence {
	struct fw_request *req;
	uint32_t *table;
	size_t cap;
	uint32_t num_blocks;
	uint32_t computed;
	uint32_t hit;
	uint32_t in_flight;
	uint32_t finished;
	enum fw_sequence_end end;
	int status;
};

/**
 * struct fw_planner_ops - who wants to know, and to have a say
 * @admit: may the request that is next be admitted, with @cached tokens hit?
 *	NULL when it may wherever the pool has room
 * @admitted: it was: its sequence is made and the source has not let it go yet
 * @refused: it said FW_ADMIT_NEVER: take it from the source and the index
 * @ended: a sequence ended; its blocks are released and its number is free
 *
 * Those that are NULL are not called. None may call the planner.
 */
struct fw_planner_ops {
	enum fw_admit (*admit)(void *ctx, struct fw_request *req,
			       uint32_t cached);
	void (*admitted)(void *ctx, const struct fw_sequence *seq);
	void (*refused)(void *ctx, struct fw_request *req);
	void (*ended)(void *ctx, const struct fw_sequence *seq);
};

/**
 * struct fw_planner_config - settings
 * @pool: blocks; NULL where the embedder keeps them, who is then asked by
 *	@ops.admit
 * @index: where waiting requests are watched; the pool's own with a pool
 * @source: order of those that wait
 * @source_ctx: handed to @source
 * @budget: tokens of a step, at least 1
 * @max_running: sequences at once, at least 1
 * @depth: plans in flight at most, at least 1
 * @max_moved: waiting requests whose hit a step extends by blocks that were
 *	stored, at most, those that waited longest for them first; the others
 *	follow in the next steps. 0 for all
 * @ops: kept as they are
 * @ctx: handed to @ops
 * @allocator: of all arrays
 */
struct fw_planner_config {
	struct fw_kv_pool *pool;
	struct fw_prefix_index *index;
	const struct fw_source_ops *source;
	void *source_ctx;
	uint32_t budget;
	uint32_t max_running;
	uint32_t depth;
	uint32_t max_moved;
	struct fw_planner_ops ops;
	void *ctx;
	const struct fw_allocator *allocator;
};

/**
 * struct fw_planned - a plan and its room
 * @plan: the plan
 * @cap_tables: block numbers that it has room for
 */
struct fw_planned {
	struct fw_plan plan;
	size_t cap_tables;
};

/**
 * struct fw_planner - the planner
 * @config: settings
 * @seqs: config.max_running of them
 * @running: numbers of running sequences, in order of admission
 * @num_running: how many
 * @unused: stack of the numbers that no sequence has
 * @blocks_running: block table entries of all running ones
 * @plans: config.depth of them, used in turn
 * @oldest: the one that was planned first of those in flight
 * @num_flights: how many are in flight
 * @plan: of the last step; may be empty, then it is not in flight
 * @step_end: why the last step planned no more
 * @starved: the request that the last step found no memory for, or NULL
 */
struct fw_planner {
	struct fw_planner_config config;
	struct fw_sequence *seqs;
	uint32_t *running;
	uint32_t num_running;
	uint32_t *unused;
	size_t blocks_running;
	struct fw_planned *plans;
	uint32_t oldest;
	uint32_t num_flights;
	struct fw_plan *plan;
	enum fw_step_end step_end;
	struct fw_request *starved;
};

/**
 * fw_planner_init() - a planner with nothing running
 * @planner: written only on success
 * @config: copied
 *
 * Return: 0, -ENOMEM.
 */
int fw_planner_init(struct fw_planner *planner,
		    const struct fw_planner_config *config);
void fw_planner_destroy(struct fw_planner *planner);

/**
 * fw_planner_step() - plan one step
 * @planner: fewer than config.depth plans are in flight
 * @now: seconds since open
 *
 * Every waiting request is watched by the index; the one that is admitted is
 * not any more. A plan with entries is in flight from here on.
 *
 * Return: 0; -ENOMEM when an admission found no memory. The plan then holds
 * what was planned before, and that request, @starved, still waits. Without
 * one there is no memory for a plan at all.
 */
int fw_planner_step(struct fw_planner *planner, double now);

/* Number in planner->plans of the plan that fw_planner_step() just made. */
static inline uint32_t fw_planner_last(const struct fw_planner *planner)
{
	return (planner->oldest + planner->num_flights - 1) %
	       planner->config.depth;
}

/**
 * fw_planner_retire() - the oldest plan in flight was computed, or failed
 * @planner: the planner
 * @status: 0, or -errno when it failed
 *
 * Sequences that it ends are told in plan order.
 */
void fw_planner_retire(struct fw_planner *planner, int status);

/**
 * fw_planner_stop() - plan no more of a running request
 * @planner: the planner
 * @req: a request that runs
 *
 * It ends when no plan in flight computes it: at once where none does.
 */
void fw_planner_stop(struct fw_planner *planner, const struct fw_request *req);

/* The same for all that run. */
void fw_planner_stop_all(struct fw_planner *planner);

/* Does all that is counted fit? For tests. */
bool fw_planner_valid(const struct fw_planner *planner);

#endif
