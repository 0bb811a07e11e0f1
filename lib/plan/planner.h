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

#include "lib/base/entry.h"
#include "lib/pool/kv_pool.h"
#include "lib/queue/order_ops.h"

/*
 * The planner spends a step's token budget on a plan. Running requests come
 * first, in the order of their admission. Then waiting requests are admitted in
 * an order, until budget, memory or sequences run out. With pausing all that is
 * unfinished competes in the order (pausing.h). The planner reads no clock and
 * does no I/O.
 *
 * Several plans may be in flight. They are computed and retired in their order.
 * A block counts as cached as soon as the chunk that computes it is planned, so
 * a later plan builds on earlier ones. When a plan fails, the blocks that it
 * was to compute leave the cache. Each sequence that it computed, or that hit
 * such a block, is lost. A lost sequence ends when no plan in flight touches it
 * any more.
 *
 * Single owner, takes no lock.
 */

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
 * @shown: entries of @table that plans have shown to the executor
 * @computed: tokens that are cached or planned
 * @hit: tokens that were cached when it was admitted
 * @in_flight: plans in flight that compute a chunk of it
 * @step: number of the step that planned its last chunk
 * @competes: does it stand in the order, with pausing?
 * @finished: tokens of its chunks in plans that were computed and retired
 * @end: FW_SEQUENCE_DONE while it goes on. Any other value: no more chunks are
 *	planned, and it ends when @in_flight is 0
 * @status: -errno of the plan whose failure it fell with, else 0
 */
struct fw_sequence {
	struct fw_request *req;
	uint32_t *table;
	size_t cap;
	uint32_t num_blocks;
	uint32_t shown;
	uint32_t computed;
	uint32_t hit;
	uint32_t in_flight;
	uint32_t finished;
	uint64_t step;
	bool competes;
	enum fw_sequence_end end;
	int status;
};

/**
 * struct fw_planner_ops - what the planner asks and tells its owner
 * @admit: asks whether the next request may be admitted; @cached of its tokens
 *	are hit. NULL: it may, if the pool has room
 * @admitted: the request was admitted. Its sequence is made, but it still
 *	stands in the order
 * @refused: @admit said FW_ADMIT_NEVER: the owner takes the request out of the
 *	order and the index
 * @ended: a sequence ended. Its blocks are released and its number is free
 *
 * Functions that are NULL are not called. None of them may call the planner.
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
 * @pool: the blocks. NULL where the embedder keeps its own; @ops.admit then
 *	says whether a request fits
 * @index: in which waiting requests are watched; with a pool, the pool's
 * @order: of the requests that wait
 * @order_ctx: handed to @order
 * @budget: tokens of a step, at least 1
 * @max_running: sequences at once, at least 1
 * @depth: plans in flight at most, at least 1
 * @pausing: do requests compete on once they have begun? The pool and the order
 *	must serve that
 * @max_moved: most waiting requests whose hit one step changes because blocks
 *	were stored or removed. Those that have waited longest for that go
 *	first, the others follow in the next steps. 0 for all
 * @ops: copied
 * @ctx: handed to @ops
 * @allocator: of all arrays
 */
struct fw_planner_config {
	struct fw_kv_pool *pool;
	struct fw_prefix_index *index;
	const struct fw_order_ops *order;
	void *order_ctx;
	uint32_t budget;
	uint32_t max_running;
	uint32_t depth;
	bool pausing;
	uint32_t max_moved;
	struct fw_planner_ops ops;
	void *ctx;
	const struct fw_allocator *allocator;
};

/**
 * struct fw_planner - the planner
 * @config: settings
 * @seqs: config.max_running of them
 * @running: numbers of running sequences, in order of admission, with pausing
 *	in order of arrival
 * @num_running: number of them
 * @competing: how many of them stand in the order
 * @unused: stack of the numbers that no sequence has
 * @tables: block table of each sequence, by its number: what plans point to
 * @plans: config.depth plans, used in turn
 * @oldest: number of the plan in flight that was planned first
 * @num_flights: plans in flight
 * @plan: plan of the last step. When it is empty it is not in flight
 * @steps: begun so far
 * @step_end: why the last step planned no more
 * @starved: request for which the last step found no memory, or NULL
 */
struct fw_planner {
	struct fw_planner_config config;
	struct fw_sequence *seqs;
	uint32_t *running;
	uint32_t num_running;
	uint32_t competing;
	uint32_t *unused;
	const uint32_t **tables;
	struct fw_plan *plans;
	uint32_t oldest;
	uint32_t num_flights;
	struct fw_plan *plan;
	uint64_t steps;
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
 * The index must watch every waiting request. A request that is admitted is not
 * watched any more. A plan with entries is in flight from now on.
 *
 * Return: 0; -ENOMEM when there was no memory to admit a request. The plan then
 * holds what was planned before, and the request, @starved, still waits.
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
 * Sequences that end with it are reported in the order of the plan.
 */
void fw_planner_retire(struct fw_planner *planner, int status);

/**
 * fw_planner_stop() - plan no more chunks of a running request
 * @planner: the planner
 * @req: a request that runs
 *
 * It ends when no plan in flight computes it. That may be at once.
 */
void fw_planner_stop(struct fw_planner *planner, const struct fw_request *req);

/* The same for all running requests. */
void fw_planner_stop_all(struct fw_planner *planner);

/* How many wait that have not begun. */
static inline size_t fw_planner_waiting(const struct fw_planner *planner)
{
	const struct fw_planner_config *c = &planner->config;

	return c->order->waiting(c->order_ctx) - planner->competing;
}

/* For the files of this folder: @seq competes from now on, or no more. */
static inline void fw_planner_compete(struct fw_planner *planner,
				      struct fw_sequence *seq, bool competes)
{
	planner->competing += competes;
	planner->competing -= seq->competes;
	seq->competes = competes;
}

/* Take a sequence out of the order, if it stands there. Not during a step. */
void fw_planner_withdraw(struct fw_planner *planner, struct fw_sequence *seq);

/* @req went to a higher class: if it has begun, it stands where it belongs. */
void fw_planner_line_up(struct fw_planner *planner,
			const struct fw_request *req);

/* Has @req begun? What a waiting one has in its place is no sequence of its. */
static inline bool fw_planner_has_begun(const struct fw_planner *planner,
					const struct fw_request *req)
{
	uint32_t number = fw_entry_const(req)->sequence;

	return number < planner->config.max_running &&
	       planner->seqs[number].req == req;
}

/* Are all counts right? For tests. */
bool fw_planner_valid(const struct fw_planner *planner);

#endif
