/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_ORDER_OPS_H
#define LIB_QUEUE_ORDER_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

/**
 * struct fw_order_ops - an order of waiting requests
 * @waiting: how many wait
 * @add: a request waits from now on. @arrival is in seconds since open, @slo
 *	is the unit of its wait in seconds, @hit its cached tokens. The order's
 *	part of the entry is zeroed, or as the last admission left it. Requests
 *	of equal arrival go in the sequence of their first @add. 0 or -ENOMEM
 * @remove: a request that waits does so no more
 * @set_hit: its cached tokens changed; counts from the next @begin on
 * @begin: a merge starts at @now, with @budget tokens left of the step
 * @peek: who is next; the same until it is admitted, skipped or removed. NULL
 *	when nobody is
 * @admit: the one that @peek gave got @tokens tokens and waits no more
 * @skip: the one that @peek gave waits on and is not given again in this
 *	merge. NULL where no embedder may say so
 * @end: the merge is over
 * @explain: fill lane, score, hit and cost of the one that @peek gave. NULL
 *	where the order has no lanes
 * @ahead: cost admitted ahead of a request while it was the oldest. NULL where
 *	the order does not count it
 * @outside: of @req, which has begun and does not compete, @left tokens are to
 *	be computed after @hit others. Said before each @begin that it
 *	concerns. Returns whether the order predicts at all: when not, no more
 *	needs to be said. NULL where it never does
 * @go_on: the one that @peek gave got @tokens tokens, has @hit computed now,
 *	and competes on. It is not given again in this merge
 * @serve: outside of a merge, one that competes got tokens and has @hit
 *	computed now
 * @older: does @a go before @b by arrival?
 * @stats: add what the order counts; or NULL
 *
 * The planner asks it, the runtime fills it. Single owner: all calls come from
 * one thread. @add and @remove are not called between @begin and @end, but for
 * @remove of the one that @peek gave.
 *
 * The lanes are such an order, and so are the classes and each policy of the
 * command. Only what waits competes in it, and what has begun runs on; with
 * pausing, all that is unfinished competes. @go_on, @serve and @older are for
 * pausing alone. They are NULL where an order does not serve it.
 */
struct fw_order_ops {
	size_t (*waiting)(const void *order);
	int (*add)(void *order, struct fw_request *req, double arrival,
		   double slo, uint32_t hit);
	void (*remove)(void *order, struct fw_request *req);
	void (*set_hit)(void *order, struct fw_request *req, uint32_t hit);
	void (*begin)(void *order, double now, uint32_t budget);
	struct fw_request *(*peek)(void *order);
	void (*admit)(void *order, uint32_t tokens);
	void (*skip)(void *order);
	void (*end)(void *order);
	void (*explain)(const void *order, const struct fw_request *req,
			struct fw_decision *decision);
	uint64_t (*ahead)(const void *order, const struct fw_request *req);
	bool (*outside)(void *order, const struct fw_request *req, uint32_t hit,
			uint32_t left);
	void (*go_on)(void *order, uint32_t tokens, uint32_t hit);
	void (*serve)(void *order, struct fw_request *req, uint32_t hit);
	bool (*older)(const void *order, const struct fw_request *a,
		      const struct fw_request *b);
	void (*stats)(const void *order, struct fw_stats *stats);
};

#endif
