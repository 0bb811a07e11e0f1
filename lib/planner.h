/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PLANNER_H
#define LIB_PLANNER_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/plan.h>
#include <fairway/request.h>

#include "kv_pool.h"
#include "lanes.h"

/*
 * Turns a step's token budget into a plan: running requests first, in the
 * order of their admission, then waiting ones in the order of a source, as
 * long as budget, pool and sequences last. No clock and no I/O.
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
 *
 * The lanes are one; the baselines of the simulator are others.
 */
struct fw_source_ops {
	size_t (*waiting)(void *ctx);
	void (*begin)(void *ctx, double now, uint32_t budget);
	struct fw_request *(*peek)(void *ctx);
	void (*admit)(void *ctx, uint32_t tokens);
	void (*end)(void *ctx);
};

/* The source that is a struct fw_lanes. */
extern const struct fw_source_ops fw_lanes_source;

/**
 * struct fw_sequence - a request that was admitted and has not ended
 * @req: the request
 * @table: its block table
 * @cap: entries that @table has room for
 * @num_blocks: entries of @table
 * @computed: tokens that are cached or planned
 * @hit: tokens that were cached when it was admitted
 */
struct fw_sequence {
	struct fw_request *req;
	uint32_t *table;
	size_t cap;
	uint32_t num_blocks;
	uint32_t computed;
	uint32_t hit;
};

/**
 * struct fw_planner - the planner
 * @pool: blocks
 * @source: order of those that wait
 * @source_ctx: handed to @source
 * @budget: tokens of a step
 * @max_running: sequences at once
 * @seqs: @max_running of them
 * @running: slots of running sequences, in order of admission
 * @num_running: how many
 * @free_slots: stack of the others
 * @blocks_running: block table entries of all running ones
 * @plan: of the last step
 * @cap_tables: block numbers that the plan has room for
 * @allocator: of all arrays
 */
struct fw_planner {
	struct fw_kv_pool *pool;
	const struct fw_source_ops *source;
	void *source_ctx;
	uint32_t budget;
	uint32_t max_running;
	struct fw_sequence *seqs;
	uint32_t *running;
	uint32_t num_running;
	uint32_t *free_slots;
	size_t blocks_running;
	struct fw_plan plan;
	size_t cap_tables;
	const struct fw_allocator *allocator;
};

/**
 * fw_planner_init() - a planner with nothing running
 * @planner: written only on success
 * @pool: kept
 * @source: kept
 * @source_ctx: kept
 * @budget: tokens of a step, at least 1
 * @max_running: sequences at once, at least 1
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_planner_init(struct fw_planner *planner, struct fw_kv_pool *pool,
		    const struct fw_source_ops *source, void *source_ctx,
		    uint32_t budget, uint32_t max_running,
		    const struct fw_allocator *allocator);
void fw_planner_destroy(struct fw_planner *planner);

/**
 * fw_planner_step() - plan one step
 * @planner: the planner
 * @now: seconds since open
 *
 * Every waiting request is watched by the pool's index; the one that is
 * admitted is not any more.
 *
 * Return: 0; -ENOMEM when an admission found no memory. The plan then holds
 * what was planned before, and that request still waits.
 */
int fw_planner_step(struct fw_planner *planner, double now);

/**
 * fw_planner_retire() - the plan was computed
 * @planner: the planner
 * @done: called for each request that it completed, in plan order; its blocks
 *	are released before
 * @ctx: handed to @done
 */
void fw_planner_retire(struct fw_planner *planner,
		       void (*done)(void *ctx, struct fw_request *req,
				    uint32_t hit),
		       void *ctx);

#endif
