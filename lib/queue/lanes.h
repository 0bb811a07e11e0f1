/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_LANES_H
#define LIB_QUEUE_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/list.h"
#include "arrivals.h"
#include "guard.h"
#include "queued.h"
#include "order_ops.h"
#include "score_order.h"

/*
 * The two lanes of one priority class and the merge of them by work.
 *
 * Every waiting request stands in both: in the fast lane by score, in the fair
 * lane by arrival. In a pass each release is charged to its lane's ledger, in
 * thousandths of a token: a token costs the weight in the fast lane and 1,000
 * in the fair lane, and the lane with the smaller ledger goes next, the fast
 * one when they are equal. Both start at the charge of their head. So the
 * work that overtakes the oldest request in a pass is at most
 *
 *	cost_oldest / weight + cost_last - cost_first
 *
 * of the requests that the fast lane released.
 *
 * Changes of hits, additions and what a pass skipped are settled when the
 * next pass begins, once for each request. Removals take effect at once.
 *
 * Single owner, takes no lock, never reads a clock. fw_lanes_add() allocates,
 * nothing else does.
 */

/**
 * struct fw_lanes_config - settings
 * @weight: charge of a token in the fast lane, thousandths
 * @budget: tokens of a whole step, for FW_CARRY_LONG
 * @carry: do the ledgers outlive a pass?
 * @fair_lane: false serves by score alone
 * @wait_constant: unit of the wait in seconds; 0 takes each request's SLO
 * @score: another order in the place of the kinetic heap; NULL for none
 * @score_ctx: handed to @score; its owner destroys it after the lanes
 * @work: what is left of a prompt, in time; copied. Needed by the next two
 * @by_rest: is the fast lane by the least rest of @work, not by score?
 * @guard: share of the wait that the guard adds, thousandths; 0 for no guard
 */
struct fw_lanes_config {
	uint32_t weight;
	uint32_t budget;
	enum fw_carry carry;
	bool fair_lane;
	double wait_constant;
	const struct fw_score_ops *score;
	void *score_ctx;
	struct fw_remaining work;
	bool by_rest;
	uint32_t guard;
};

enum fw_lane {
	FW_LANE_FAST,
	FW_LANE_FAIR,
};

/**
 * struct fw_ledgers - the account of a merge
 * @fast: F, thousandths of a token
 * @fair: R, the same
 * @oldest: seq of the oldest request when they started; 0 with none, or once
 *	it left or was passed over: then nothing can overtake it any more
 * @limit: its charge, R at the start
 * @ahead: cost that the fast lane released ahead of it
 * @first: cost of the fast lane's head when they started; also the first that
 *	it releases, unless that one was removed or the ledgers were carried
 */
struct fw_ledgers {
	int64_t fast;
	int64_t fair;
	uint64_t oldest;
	int64_t limit;
	int64_t ahead;
	int64_t first;
};

/**
 * struct fw_lanes_stats - counters since the lanes were made
 * @passes: passes begun
 * @late: those that served by arrival, since somebody would have ended after it
 *	was due
 * @admitted: requests admitted, by enum fw_lane
 * @skipped: releases that were passed over
 * @overtaken: releases of the fast lane ahead of the oldest request
 * @bound_broken: those that broke the bound; always 0
 * @max_ahead: largest cost admitted ahead of one request while it was the
 *	oldest, over all passes, tokens
 */
struct fw_lanes_stats {
	uint64_t passes;
	uint64_t late;
	uint64_t admitted[2];
	uint64_t skipped;
	uint64_t overtaken;
	uint64_t bound_broken;
	uint64_t max_ahead;
};

/**
 * struct fw_lanes - the lanes and, between begin and end, one pass
 * @config: settings
 * @arrival: the fair lane
 * @score: the fast lane
 * @guard: when each one is due
 * @late: does the open pass serve by arrival?
 * @later: entries to settle when the next pass begins
 * @waiting: queued and later ones
 * @next_seq: rank of the next new request
 * @ledgers: of the open pass
 * @carried: those that the next pass may go on with
 * @now: when the last pass began, seconds since open
 * @open: is there a pass?
 * @budget: tokens that it has left
 * @released: admissions of the pass that were not taken back
 * @peeked: what fw_lanes_peek() gave and nobody has decided on
 * @lane: the lane that released it
 * @admitted: last admission, while it can be taken back
 * @undo: the ledgers before it
 * @undo_stats: the counters before it
 * @undo_ahead: seq of the request that it was counted ahead of, 0 for none
 * @undo_tokens: what it took from the budget
 * @stats: counters
 * @home: whose lanes these are, for the owner's own use; may be NULL
 */
struct fw_lanes {
	struct fw_lanes_config config;
	struct fw_arrivals arrival;
	struct fw_score_order score;
	struct fw_guard guard;
	bool late;
	struct fw_list later;
	size_t waiting;
	uint64_t next_seq;
	struct fw_ledgers ledgers;
	struct fw_ledgers carried;
	double now;
	bool open;
	uint32_t budget;
	uint64_t released;
	struct fw_queued *peeked;
	enum fw_lane lane;
	struct fw_queued *admitted;
	struct fw_ledgers undo;
	struct fw_lanes_stats undo_stats;
	uint64_t undo_ahead;
	uint32_t undo_tokens;
	struct fw_lanes_stats stats;
	void *home;
};

void fw_lanes_init(struct fw_lanes *lanes, const struct fw_lanes_config *config,
		   const struct fw_allocator *allocator);
/* What still waits is let go: each request is free again. */
void fw_lanes_destroy(struct fw_lanes *lanes);

/**
 * fw_lanes_add() - queue a request that is free
 * @lanes: the lanes
 * @req: its priv is zeroed, or as the last admission left it
 * @arrival: seconds since open
 * @slo: unit of its wait, seconds, over 0
 * @hit: cached tokens
 *
 * Return: 0, -ENOMEM; then nothing changed.
 */
int fw_lanes_add(struct fw_lanes *lanes, struct fw_request *req, double arrival,
		 double slo, uint32_t hit);

/* Let the next fw_lanes_add() of @entry not fail. Return: 0, -ENOMEM. */
int fw_lanes_reserve(struct fw_lanes *lanes, const struct fw_queued *entry);

/* Take a waiting request out, wherever it stands. */
void fw_lanes_remove(struct fw_lanes *lanes, struct fw_request *req);

/* A waiting request's len, hit, arrival or SLO changed: as above. */
void fw_lanes_update(struct fw_lanes *lanes, struct fw_request *req,
		     double arrival, double slo);

/* A waiting request's cached tokens, from the next pass on. */
void fw_lanes_set_hit(struct fw_lanes *lanes, struct fw_request *req,
		      uint32_t hit);

/* The pass, as in fairway/order.h, in seconds since open. */
void fw_lanes_begin(struct fw_lanes *lanes, double now, uint32_t budget);
struct fw_request *fw_lanes_peek(struct fw_lanes *lanes);
int fw_lanes_admit(struct fw_lanes *lanes, uint32_t tokens);
int fw_lanes_skip(struct fw_lanes *lanes);
/* As admit, but it competes on from the next pass on, with @hit. */
void fw_lanes_go_on(struct fw_lanes *lanes, uint32_t tokens, uint32_t hit);
void fw_lanes_end(struct fw_lanes *lanes);

/*
 * The head of the pass, which nobody decided on yet, counts its new hit at
 * once. The next peek chooses anew.
 */
void fw_lanes_correct(struct fw_lanes *lanes);

/* Anyone that waits, NULL when nobody does. */
struct fw_request *fw_lanes_any(const struct fw_lanes *lanes);
/* Add counters to those of a runtime. */
void fw_lanes_add_stats(const struct fw_lanes_stats *s, struct fw_stats *to);

/* Operations of every order that is made of lanes, whichever they stand in. */
uint64_t fw_lanes_ahead(const void *order, const struct fw_request *req);
bool fw_lanes_older(const void *order, const struct fw_request *a,
		    const struct fw_request *b);

/* The order that is a struct fw_lanes. */
extern const struct fw_order_ops fw_lanes_order;

/* Do both heaps hold the same requests, each in order? For tests. */
bool fw_lanes_valid(struct fw_lanes *lanes);

/*
 * For lanes.c, which queues, and lanes_pass.c, which merges, alone.
 */

/* Head of the fair lane, NULL when it is empty. */
struct fw_queued *fw_lanes_oldest(const struct fw_lanes *lanes);

/* Take @entry out of both heaps and of all that waits to be settled. */
void fw_lanes_unlink(struct fw_lanes *lanes, struct fw_queued *entry);

/* The same, and it waits no more. */
void fw_lanes_release(struct fw_lanes *lanes, struct fw_queued *entry);

/* Let @entry enter the heaps, or move in them, when the next pass begins. */
void fw_lanes_settle_later(struct fw_lanes *lanes, struct fw_queued *entry);

/* That pass begins, at @now. */
void fw_lanes_settle(struct fw_lanes *lanes, double now);

/* One that stands in both heaps counts its new hit now, if it has one. */
void fw_lanes_settle_one(struct fw_lanes *lanes, struct fw_queued *entry);

static inline bool fw_lanes_holds(const struct fw_lanes *lanes,
				  const struct fw_request *req)
{
	return fw_queued_const(req)->lanes == lanes;
}

#endif
