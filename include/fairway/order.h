/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_ORDER_H
#define FAIRWAY_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

/*
 * Order mode: the engine keeps its loop, its cache and its memory, and asks
 * only which request comes next. It tells the hits of those that wait, by
 * fw_order_set_hit(), or names a struct fw_cache (fairway/cache.h), by which
 * the order knows them. Order mode starts no thread, takes no lock, calls
 * nothing back but the allocator, and works on after fork().
 *
 * One thread at a time uses an order; it need not always be the same thread.
 * "The order's thread" below is the one that uses it now. Different orders are
 * independent of each other. Only fw_order_open() and fw_order_add() allocate.
 * After an error an order is as it was before the call.
 *
 * Each scheduling step is one pass:
 *
 *	fw_pass_begin(order, now, budget);
 *	while ((req = fw_pass_peek(order))) {
 *		if (!engine_can_hold(req))
 *			break;
 *		fw_pass_admit(order, engine_start(req));
 *	}
 *	fw_pass_end(order);
 *
 * An addition, an update or a new hit during a pass takes effect when the pass
 * ends. A removal takes effect at once.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct fw_cache;
struct fw_decision;
struct fw_order;

/**
 * enum fw_fast - what orders the fast lane
 * @FW_FAST_SCORE: reuse plus relative wait, h/c + wait/SLO
 * @FW_FAST_REST: shortest remaining prefill first: the time that the device
 *	takes for the c tokens that are left
 */
enum fw_fast {
	FW_FAST_SCORE,
	FW_FAST_REST,
};

/* For fw_order_config.guard: nobody is guarded. */
#define FW_GUARD_OFF UINT32_MAX

/**
 * struct fw_tenant_weight - the share of one tenant
 * @tenant: its number
 * @weight: thousandths, from 10 to 1,000,000; others have 1000
 * @reserved: must be 0
 */
struct fw_tenant_weight {
	uint64_t tenant;
	uint32_t weight;
	uint32_t reserved;
};

/**
 * struct fw_order_config - settings of one order
 * @size: sizeof(struct fw_order_config) as the caller was compiled
 * @carry: whether the ledgers outlive a step
 * @weight: what a token of the fast lane is charged, in thousandths of a
 *	token of the fair lane; 4000 when 0, at most 1,000,000
 * @budget: tokens of one step; 2048 when 0
 * @no_fair_lane: serve by score alone, without the bound on overtaking
 * @wait_constant: seconds, at least 1e-9, that make one unit of wait for every
 *	request. When 0, the unit follows from the request's own prefill time
 * @slo_multiplier: how many prefill times make one unit of wait; 3 when 0
 * @slo_floor: shortest such unit, in seconds, at least 1e-9; 1 when 0
 * @device: one of fw_device_name(); "a6000" when NULL. Not used with @table
 * @table: prefill times of the embedder's own device, by rising tokens; copied
 * @num_points: rows of @table
 * @open: time of the caller's clock that counts as 0, in nanoseconds;
 *	arrivals and passes should lie within some years of it
 * @allocator: malloc and free when NULL; copied. What its ctx points to must
 *	live until fw_order_close()
 * @fast: what orders the fast lane; a later field, 0 as before
 * @guard: share of its wait in order of arrival by which a request may wait
 *	longer, in thousandths, at most 1,000,000; 500 when 0. FW_GUARD_OFF for
 *	no guard: then the order is the source paper's
 * @cache: what the engine's cache holds, for the hits of requests with keys;
 *	NULL for none. Others may share it. Close it after the order
 * @tenant_weights: shares of tenants, each once and in any order; copied
 * @num_tenant_weights: rows of @tenant_weights; 0 for equal shares
 * @by_tenant: 1: fair between tenants
 * @reserved32: must be 0
 *
 * The bound on overtaking holds within a step. Without a guard, one prompt of
 * more than @weight thousandths of @budget switches it off for all behind it,
 * for as long as cheap requests keep coming. With a guard the order predicts,
 * when it first looks at a request, when it would end if all were served by
 * arrival, and adds the share of the wait until then. That is when it is due. A
 * pass is late while somebody would now end after it is due, served by arrival.
 * A late pass gives all by arrival. So no request waits much longer than in
 * order of arrival, whatever its length. Predictions follow @device or @table,
 * and @budget.
 *
 * With @by_tenant each tenant has lanes, ledgers and a guard of its own, which
 * predicts by the tenant's own work alone. Next is the tenant that was served
 * least: the work that its admissions computed, in time, over its weight. So a
 * tenant gets its share of the device, however much others ask for. One that
 * had nothing unfinished goes on from what was served to the tenant that was
 * next last, unless it was served more: nobody saves up what it does not use.
 * An admission counts for all that is left of the prompt; what is left of one
 * that is put back is taken off again. Any number of tenants may come and go.
 *
 * Start from a struct of zeros with @size set. A later version appends
 * fields; a tail that this version does not know must be 0.
 */
struct fw_order_config {
	size_t size;
	enum fw_carry carry;
	uint32_t weight;
	uint32_t budget;
	uint32_t no_fair_lane;
	double wait_constant;
	double slo_multiplier;
	double slo_floor;
	const char *device;
	const struct fw_cost_point *table;
	size_t num_points;
	int64_t open;
	const struct fw_allocator *allocator;
	enum fw_fast fast;
	uint32_t guard;
	struct fw_cache *cache;
	const struct fw_tenant_weight *tenant_weights;
	size_t num_tenant_weights;
	uint32_t by_tenant;
	uint32_t reserved32;
};

/**
 * struct fw_order_stats - what an order has done since it was opened
 * @size: set by the caller to sizeof(struct fw_order_stats)
 * @waiting: requests queued now
 * @passes: passes begun
 * @admitted_fast: requests that left by the fast lane
 * @admitted_fair: requests that left by the fair lane
 * @skipped: releases that the engine passed over
 * @overtaken: releases of the fast lane ahead of the oldest request
 * @bound_broken: times the bound on overtaking did not hold; always 0
 * @late: passes that gave requests by arrival, because of the guard
 */
struct fw_order_stats {
	size_t size;
	uint64_t waiting;
	uint64_t passes;
	uint64_t admitted_fast;
	uint64_t admitted_fair;
	uint64_t skipped;
	uint64_t overtaken;
	uint64_t bound_broken;
	uint64_t late;
};

/**
 * fw_order_open() - make an order
 * @out: written only on success
 * @config: settings; defaults when NULL
 *
 * Context: Any thread. Allocates. @config is copied; only what the allocator's
 * ctx points to must live on.
 * Return: 0, -EINVAL for a size or value out of range or a table that does not
 * rise, -ENODEV for an unknown device, -E2BIG for an unknown tail, -ENOMEM.
 */
int fw_order_open(struct fw_order **out, const struct fw_order_config *config);

/**
 * fw_order_close() - free an order
 * @order: may be NULL. Requests that still wait are the caller's again; set
 *	their priv to 0 before queueing them in another order
 *
 * Context: The order's thread, also during a pass. Writes to the priv of the
 * requests that still wait, so free those later.
 */
void fw_order_close(struct fw_order *order);

/**
 * fw_order_add() - queue a request, or update one that is queued
 * @order: the order
 * @req: its len, arrival and hit are read here; the order owns priv. To update
 *	it, change these three and call at once. In an order with a cache its
 *	keys too
 *
 * Ties go by arrival, then by the sequence of first calls. A request that was
 * admitted and comes back (a preemption) keeps its place in that sequence.
 *
 * In an order with a cache a request with keys needs no hit: what the cache
 * holds of its prompt counts, now and whenever that changes. Where the engine
 * holds more of it, as the KV of a request that was preempted, its hit says so:
 * the larger one counts. The keys must stay while the request waits, and after
 * it was admitted as long as it may be skipped. Keys for the first part of a
 * prompt are enough; a call with more of them appends.
 *
 * Context: The order's thread. During a pass it takes effect when that ends.
 * May allocate, but not for an update.
 * Return: 0; -EINVAL when len is 0, or flags or a reserved field is not;
 * -EBUSY when it waits in another order; -ENOMEM. With a cache also -EINVAL
 * when it has a number of keys, but no keys.
 */
int fw_order_add(struct fw_order *order, struct fw_request *req);

/**
 * fw_order_set_hit() - tell how much of a waiting prompt is cached now
 * @order: the order
 * @req: a request that waits in it
 * @hit: cached tokens at the prompt's start; at most len - 1 are counted
 *
 * O(1); the next pass moves the request in O(log n), once for all calls since.
 * For a request that the order's cache follows it is what the engine holds,
 * and is kept in its field hit: the larger of the two counts.
 *
 * Context: The order's thread. During a pass it takes effect when that ends.
 * Never allocates.
 * Return: 0, -ENOENT when @req does not wait here.
 */
int fw_order_set_hit(struct fw_order *order, struct fw_request *req,
		     uint32_t hit);

/**
 * fw_order_hit() - what the next pass counts for a waiting request
 * @order: the order
 * @req: the request
 * @hit: cached tokens; written only on success
 *
 * Context: The order's thread. Never allocates.
 * Return: 0, -ENOENT when @req does not wait here.
 */
int fw_order_hit(struct fw_order *order, struct fw_request *req, uint32_t *hit);

/**
 * fw_order_remove() - take a request out, wherever it stands
 * @order: the order
 * @req: the request
 *
 * O(log n). Also between peek and admit, and any number of times.
 *
 * Context: The order's thread. Never allocates. The memory is the caller's
 * again.
 * Return: 0, -ENOENT when @req does not wait here.
 */
int fw_order_remove(struct fw_order *order, struct fw_request *req);

/**
 * fw_order_read_stats() - read the counters
 * @order: the order
 * @stats: its size field says how many bytes are filled. Bytes beyond that,
 *	and fields that this version does not know, stay as they were
 *
 * Context: The order's thread.
 * Return: 0, -EINVAL when the size is 0.
 */
int fw_order_read_stats(const struct fw_order *order,
			struct fw_order_stats *stats);

/**
 * fw_order_outside() - tell of work that goes before all that waits
 * @order: an order with a guard; without one nothing happens
 * @hit: tokens of a prompt that are cached or computed
 * @left: tokens of it that are to be computed
 *
 * For each request that the engine runs and has not put back, before each pass:
 * the pass counts it in its predictions and forgets it at its end. An engine
 * that pauses puts an unfinished prefill back by fw_order_add() instead, with
 * what it computed as its hit; the request keeps its due time.
 *
 * With tenants it is work of tenant 0; see fw_order_outside_of().
 *
 * Context: The order's thread. Never allocates.
 */
void fw_order_outside(struct fw_order *order, uint32_t hit, uint32_t left);

/**
 * fw_order_outside_of() - the same for a request of one tenant
 * @order: an order with a guard; without one nothing happens
 * @tenant: whose request it is; not looked at without tenants
 * @hit: as there
 * @left: as there
 *
 * Context: The order's thread. Never allocates.
 */
void fw_order_outside_of(struct fw_order *order, uint64_t tenant, uint32_t hit,
			 uint32_t left);

/**
 * fw_pass_begin() - start one step's pass over the waiting requests
 * @order: the order
 * @now: the caller's clock, nanoseconds; a wait below 0 counts as 0
 * @budget: tokens that this step has left for waiting requests; 0 makes a
 *	pass that gives none
 *
 * Context: The order's thread. Never allocates.
 * Return: 0, -EBUSY when a pass is open.
 */
int fw_pass_begin(struct fw_order *order, int64_t now, uint32_t budget);

/**
 * fw_pass_peek() - which request comes next?
 * @order: an order with an open pass
 *
 * Changes nothing: called again it gives the same request, until that request
 * is admitted, skipped or removed.
 *
 * Context: The order's thread. Never allocates.
 * Return: The request, or NULL when none is left, the budget is spent, or no
 * pass is open.
 */
struct fw_request *fw_pass_peek(struct fw_order *order);

/**
 * fw_pass_hit() - what the order counts for the request that comes next
 * @order: an order with an open pass
 * @hit: cached tokens at the start of the pass, may be NULL
 * @cost: tokens that its lane is charged, may be NULL
 *
 * Context: The order's thread. Both are written only on success.
 * Return: 0, -ENOENT when fw_pass_peek() would give NULL.
 */
int fw_pass_hit(struct fw_order *order, uint32_t *hit, uint32_t *cost);

/**
 * fw_pass_explain() - why does the request come next?
 * @order: an order with an open pass
 * @decision: see fairway/runtime.h. Its position counts the admissions of the
 *	pass that were not taken back, its step the passes; its cached is its
 *	hit, as the order knows no more
 *
 * For a record of what was decided and why. Call it before fw_pass_admit().
 *
 * Context: The order's thread. Never allocates. @decision is written only on
 * success.
 * Return: 0, -ENOENT when fw_pass_peek() would give NULL.
 */
int fw_pass_explain(struct fw_order *order, struct fw_decision *decision);

/**
 * fw_pass_admit() - the engine took the request that fw_pass_peek() gave
 * @order: an order with an open pass
 * @tokens: tokens that the engine computes for it in this step; taken from
 *	the pass's budget. The lane is charged the request's whole cost, even
 *	when this step computes only a chunk
 *
 * The request no longer waits; its memory is the caller's again.
 *
 * Context: The order's thread. Never allocates.
 * Return: 0, -ENOENT when nothing was peeked or it was removed since.
 */
int fw_pass_admit(struct fw_order *order, uint32_t tokens);

/**
 * fw_pass_skip() - pass over a request for the rest of this pass
 * @order: an order with an open pass
 *
 * Called before fw_pass_admit(): the request that fw_pass_peek() gave keeps
 * waiting and is not offered again in this pass.
 *
 * Called after fw_pass_admit() and before the next peek: the admission is taken
 * back, with its charge and its budget. The request's memory must still be
 * there. When the pass has released nothing else, the ledgers start anew, as
 * if the request had not been there.
 *
 * Context: The order's thread. Never allocates.
 * Return: 0, -ENOENT when there is nothing to skip, or when the request that
 * was admitted already waits in another order.
 */
int fw_pass_skip(struct fw_order *order);

/**
 * fw_pass_end() - end the pass
 * @order: an order with an open pass
 *
 * What was skipped, added or updated during the pass is queued now.
 *
 * Context: The order's thread. Never allocates.
 * Return: 0, -ENOENT when no pass is open.
 */
int fw_pass_end(struct fw_order *order);

/**
 * fw_device_name() - names of the devices with built-in prefill times
 * @index: from 0
 *
 * Context: Any thread.
 * Return: The name, never freed, or NULL past the last one.
 */
const char *fw_device_name(size_t index);

#ifdef __cplusplus
}
#endif

#endif
