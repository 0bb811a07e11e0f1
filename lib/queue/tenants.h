/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_TENANTS_H
#define LIB_QUEUE_TENANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "order_ops.h"
#include "tenant.h"
#include "tenant_weights.h"

/*
 * Tenants: each has lanes, a guard and ledgers of its own, and the one that was
 * served least goes next. This is start-time fair queueing:
 *
 *	served	work that a tenant was given, nanoseconds over its weight. An
 *		admission adds the work that its request has left
 *	clock	the largest served of a tenant at the moment of an admission
 *
 * A tenant that had nothing unfinished and asks again goes on from its own
 * served or from the clock, whichever is larger: nobody saves up what it did
 * not ask for. So a tenant gets its share of the device, however much the
 * others ask for.
 *
 * A request that was admitted may come back any number of times: paused, or
 * since its plan failed. Then the work that is still left is taken off again.
 * So each pays for what it was given, and no more.
 *
 * A tenant is unfinished while a request of it waits, or was admitted in the
 * pass that is open, or took the rest of the last one's budget and needs more:
 * then it may come back before the next. @turn counts the begins and ends of
 * passes, so it is odd inside of a pass; @until of a tenant says how far that
 * goes. Where nothing pauses the rest of such a request takes the budgets of
 * whole steps, in which nobody is admitted and the clock stands still.
 *
 * A tenant that is idle is forgotten once the clock has come to its served,
 * since it would then start at the clock anyway. Its lanes go at once. At most
 * @max_idle idle ones are kept; past that the one that owes least is forgiven.
 *
 * A pass looks only at the tenants that are next: their lanes' passes begin
 * when they are, or before a request of theirs changes meanwhile.
 *
 * Single owner, takes no lock. fw_tenants_add() and fw_tenants_reserve()
 * allocate, nothing else does. Begin and end of a pass free, and outside of one
 * whatever takes a tenant's last request.
 */

/**
 * struct fw_tenants_config - settings
 * @lanes: of each tenant's lanes; its score is NULL
 * @weights: not copied
 * @max_idle: idle tenants that are kept
 */
struct fw_tenants_config {
	struct fw_lanes_config lanes;
	const struct fw_tenant_weights *weights;
	size_t max_idle;
};

#define FW_TENANTS_MAX_IDLE 65536u

/**
 * struct fw_tenants_undo - what takes the last admission back
 * @tenant: whose it was; NULL when it cannot be taken back any more
 * @served: before it
 * @until: the same
 * @clock: the same
 * @tokens: that it took from the budget
 */
struct fw_tenants_undo {
	struct fw_tenant *tenant;
	int64_t served;
	uint64_t until;
	int64_t clock;
	uint32_t tokens;
};

/**
 * struct fw_tenants - the tenants and, between begin and end, one pass
 * @config: settings
 * @allocator: of everything
 * @map: everyone who is not forgotten
 * @ready: those who may be next
 * @idle: those who have nothing unfinished, and lie above the clock
 * @touched: those whose lanes an open pass has begun, or who know of work
 *	outside
 * @begun: those with nothing that waits, whose last request may come back
 * @fresh: those with a guard that is to look at requests
 * @spare: lanes that nobody has
 * @num_spare: how many
 * @waiting: requests of all
 * @next_seq: rank of the next new request, whosever it is
 * @clock: see above
 * @turn: see above
 * @now: of the open pass, seconds since open
 * @budget: tokens that it has left
 * @peeked: whose request was given last, and nobody has decided on
 * @undo: the last admission
 * @passes: passes begun
 * @stats: of all lanes, up to their last end
 */
struct fw_tenants {
	struct fw_tenants_config config;
	const struct fw_allocator *allocator;
	struct fw_tenant_map map;
	struct fw_turns ready;
	struct fw_turns idle;
	struct fw_list touched;
	struct fw_list begun;
	struct fw_list fresh;
	struct fw_list spare;
	size_t num_spare;
	size_t waiting;
	uint64_t next_seq;
	int64_t clock;
	uint64_t turn;
	double now;
	uint32_t budget;
	struct fw_tenant *peeked;
	struct fw_tenants_undo undo;
	uint64_t passes;
	struct fw_lanes_stats stats;
};

void fw_tenants_init(struct fw_tenants *tenants,
		     const struct fw_tenants_config *config,
		     const struct fw_allocator *allocator);
/* What still waits is let go: each request is free again. */
void fw_tenants_destroy(struct fw_tenants *tenants);

/**
 * fw_tenants_add() - queue a request that is free
 * @tenants: the tenants
 * @req: its tenant says whose it is; else as with fw_lanes_add()
 * @arrival: seconds since open
 * @slo: unit of its wait, seconds, over 0
 * @hit: cached tokens; of one that comes back also what was computed
 *
 * Return: 0, -ENOMEM; then nothing changed.
 */
int fw_tenants_add(struct fw_tenants *tenants, struct fw_request *req,
		   double arrival, double slo, uint32_t hit);

/* Let the next fw_tenants_add() of @req not fail. Return: 0, -ENOMEM. */
int fw_tenants_reserve(struct fw_tenants *tenants,
		       const struct fw_request *req);

/* Take a waiting request out. */
void fw_tenants_remove(struct fw_tenants *tenants, struct fw_request *req);

/* A waiting request's cached tokens, from the next pass on. */
void fw_tenants_set_hit(struct fw_tenants *tenants, struct fw_request *req,
			uint32_t hit);

/* The same of one that waits in lanes, those of a tenant or others. */
void fw_queued_set_hit(struct fw_request *req, uint32_t hit);

/* A waiting request's len, hit, arrival or SLO changed: as with the lanes. */
void fw_tenants_update(struct fw_tenants *tenants, struct fw_request *req,
		       double arrival, double slo);

/* Of a request of tenant @number that runs: see fw_order_ops. */
void fw_tenants_outside(struct fw_tenants *tenants, uint64_t number,
			uint32_t hit, uint32_t left);

/* A pass that was told of work outside does not come. */
void fw_tenants_drop_outside(struct fw_tenants *tenants);

/* The pass, as in fairway/order.h, in seconds since open. */
void fw_tenants_begin(struct fw_tenants *tenants, double now, uint32_t budget);
struct fw_request *fw_tenants_peek(struct fw_tenants *tenants);
int fw_tenants_admit(struct fw_tenants *tenants, uint32_t tokens);
int fw_tenants_skip(struct fw_tenants *tenants);
void fw_tenants_end(struct fw_tenants *tenants);

/* Anyone that waits, with no pass open. NULL when nobody does. */
struct fw_request *fw_tenants_any(const struct fw_tenants *tenants);

/* As admit, but it competes on from the next pass on, with @hit. */
void fw_tenants_go_on(struct fw_tenants *tenants, uint32_t tokens,
		      uint32_t hit);

/* With no pass open: @req, which waits, got tokens and has @hit now. */
void fw_tenants_serve(struct fw_tenants *tenants, struct fw_request *req,
		      uint32_t hit);

/* Does @req wait here? Also for requests that wait elsewhere. */
static inline bool fw_tenants_holds(const struct fw_tenants *tenants,
				    const struct fw_request *req)
{
	const struct fw_lanes *lanes = fw_queued_const(req)->lanes;

	return lanes && lanes->home == tenants;
}

static inline bool fw_tenants_open(const struct fw_tenants *tenants)
{
	return tenants->turn & 1;
}

/* Counters of all lanes. */
struct fw_lanes_stats fw_tenants_stats(const struct fw_tenants *tenants);

/* Is everyone where it belongs? For tests, with no pass open. */
bool fw_tenants_valid(const struct fw_tenants *tenants);

/* The order that is a struct fw_tenants. */
extern const struct fw_order_ops fw_tenants_order;

/*
 * For tenants.c, who comes and goes, tenants_queue.c, what of theirs does, and
 * tenants_pass.c, who is next, alone.
 */

/* The tenant of @number, with lanes. NULL without memory. */
struct fw_tenant *fw_tenant_wake(struct fw_tenants *tenants, uint64_t number);

/* Work of @cost tokens after @hit others, nanoseconds over the weight. */
int64_t fw_tenant_charge(const struct fw_tenants *tenants,
			 const struct fw_tenant *tenant, uint32_t hit,
			 uint32_t cost);

/* The pass of the tenant's own lanes begins, unless it has. */
void fw_tenant_open(struct fw_tenants *tenants, struct fw_tenant *tenant);

/* With no pass open: into the ready ones, or out of them. */
void fw_tenant_settle(struct fw_tenants *tenants, struct fw_tenant *tenant);

/* It is to be looked at when the next pass begins. */
void fw_tenant_freshen(struct fw_tenants *tenants, struct fw_tenant *tenant);

/* Forget all idle ones up to the clock. */
void fw_tenants_forget(struct fw_tenants *tenants);

#endif
