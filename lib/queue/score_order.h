/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_SCORE_ORDER_H
#define LIB_QUEUE_SCORE_ORDER_H

#include "score_kinetic.h"

/*
 * The fast lane's order: by (-score, arrival, seq) at one instant. It is the
 * kinetic heap, or another one that its owner brings. Single owner, takes no
 * lock. fw_score_order_reserve() allocates, nothing else does. Between an
 * advance and the next one requests may leave; another order may forbid that
 * one enters or changes.
 */

/**
 * struct fw_score_ops - another order in the place of the kinetic heap
 * @reserve: make room for @num requests in all; 0 or -ENOMEM
 * @insert: a request is in the order from now on
 * @remove: it leaves
 * @rescore: its hit, cost, arrival or unit changed
 * @advance: make the order that of time @now
 * @first: first of the order, NULL when it is empty
 * @num: how many stand in it
 * @valid: does all of it fit? For tests
 */
struct fw_score_ops {
	int (*reserve)(void *ctx, size_t num);
	void (*insert)(void *ctx, struct fw_rank *rank);
	void (*remove)(void *ctx, struct fw_rank *rank);
	void (*rescore)(void *ctx, struct fw_rank *rank);
	void (*advance)(void *ctx, double now);
	struct fw_rank *(*first)(void *ctx);
	size_t (*num)(const void *ctx);
	bool (*valid)(const void *ctx);
};

/**
 * struct fw_score_order - the order
 * @ops: of another order; NULL for @kinetic
 * @ctx: handed to @ops; its owner destroys it
 * @kinetic: the heap
 */
struct fw_score_order {
	const struct fw_score_ops *ops;
	void *ctx;
	struct fw_kinetic kinetic;
};

static inline void fw_score_order_init(struct fw_score_order *order,
				       const struct fw_score_ops *ops,
				       void *ctx, double wait_constant,
				       const struct fw_allocator *allocator)
{
	order->ops = ops;
	order->ctx = ctx;
	fw_kinetic_init(&order->kinetic, wait_constant, allocator);
}

/* By the least rest, not by score; @work outlives the order. */
static inline void fw_score_order_by_rest(struct fw_score_order *order,
					  const struct fw_remaining *work)
{
	order->kinetic.work = work;
}

static inline void fw_score_order_destroy(struct fw_score_order *order)
{
	fw_kinetic_destroy(&order->kinetic);
}

/* Make room for @num requests in all. Return: 0, -ENOMEM. */
static inline int fw_score_order_reserve(struct fw_score_order *order,
					 size_t num)
{
	if (order->ops)
		return order->ops->reserve(order->ctx, num);
	return fw_kinetic_reserve(&order->kinetic, num);
}

static inline void fw_score_order_insert(struct fw_score_order *order,
					 struct fw_rank *rank)
{
	if (order->ops)
		order->ops->insert(order->ctx, rank);
	else
		fw_kinetic_insert(&order->kinetic, rank);
}

static inline void fw_score_order_remove(struct fw_score_order *order,
					 struct fw_rank *rank)
{
	if (order->ops)
		order->ops->remove(order->ctx, rank);
	else
		fw_kinetic_remove(&order->kinetic, rank);
}

/* Its hit, cost, arrival or unit changed. */
static inline void fw_score_order_rescore(struct fw_score_order *order,
					  struct fw_rank *rank)
{
	if (order->ops)
		order->ops->rescore(order->ctx, rank);
	else
		fw_kinetic_rescore(&order->kinetic, rank);
}

/* Make the order that of time @now. */
static inline void fw_score_order_advance(struct fw_score_order *order,
					  double now)
{
	if (order->ops)
		order->ops->advance(order->ctx, now);
	else
		fw_kinetic_advance(&order->kinetic, now);
}

/* First of the order, NULL when it is empty. */
static inline struct fw_rank *fw_score_order_first(struct fw_score_order *order)
{
	if (order->ops)
		return order->ops->first(order->ctx);
	return fw_kinetic_first(&order->kinetic);
}

/* How many stand in it? */
static inline size_t fw_score_order_num(const struct fw_score_order *order)
{
	return order->ops ? order->ops->num(order->ctx) : order->kinetic.at.num;
}

/* Is every slot right and, after an advance, every pair in order? */
static inline bool fw_score_order_valid(const struct fw_score_order *order)
{
	return order->ops ? order->ops->valid(order->ctx)
			  : fw_kinetic_valid(&order->kinetic);
}

#endif
