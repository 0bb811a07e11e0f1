/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_SCORE_ORDER_H
#define LIB_QUEUE_SCORE_ORDER_H

#include "score_kinetic.h"
#include "score_sort.h"

/*
 * Waiting requests by (-score, arrival, seq) at one instant: the fast lane, in
 * one of two forms that give the same order. Single owner, takes no lock.
 * fw_score_order_reserve() allocates, nothing else. Between an advance and the
 * next one entries may leave; the sort lets none enter or change.
 */

/**
 * enum fw_score_form - how the order is kept
 * @FW_SCORE_KINETIC: as a kinetic heap; 0, the default
 * @FW_SCORE_SORT: by a full sort at every advance
 */
enum fw_score_form {
	FW_SCORE_KINETIC,
	FW_SCORE_SORT,
};

/**
 * struct fw_score_order - the order in one of its forms
 * @form: which; never changes
 * @kinetic: for FW_SCORE_KINETIC
 * @sort: for FW_SCORE_SORT
 */
struct fw_score_order {
	enum fw_score_form form;
	union {
		struct fw_kinetic kinetic;
		struct fw_score_sort sort;
	};
};

static inline void fw_score_order_init(struct fw_score_order *order,
				       enum fw_score_form form,
				       double wait_constant,
				       const struct fw_allocator *allocator)
{
	order->form = form;
	if (form == FW_SCORE_SORT)
		fw_score_sort_init(&order->sort, wait_constant, allocator);
	else
		fw_kinetic_init(&order->kinetic, wait_constant, allocator);
}

static inline void fw_score_order_destroy(struct fw_score_order *order)
{
	if (order->form == FW_SCORE_SORT)
		fw_score_sort_destroy(&order->sort);
	else
		fw_kinetic_destroy(&order->kinetic);
}

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
static inline int fw_score_order_reserve(struct fw_score_order *order,
					 size_t num)
{
	if (order->form == FW_SCORE_SORT)
		return fw_score_sort_reserve(&order->sort, num);
	return fw_kinetic_reserve(&order->kinetic, num);
}

static inline void fw_score_order_insert(struct fw_score_order *order,
					 struct fw_rank *rank)
{
	if (order->form == FW_SCORE_SORT)
		fw_score_sort_insert(&order->sort, rank);
	else
		fw_kinetic_insert(&order->kinetic, rank);
}

static inline void fw_score_order_remove(struct fw_score_order *order,
					 struct fw_rank *rank)
{
	if (order->form == FW_SCORE_SORT)
		fw_score_sort_remove(&order->sort, rank);
	else
		fw_kinetic_remove(&order->kinetic, rank);
}

/* Its hit, cost, arrival or unit changed. */
static inline void fw_score_order_rescore(struct fw_score_order *order,
					  struct fw_rank *rank)
{
	if (order->form == FW_SCORE_SORT)
		fw_score_sort_rescore(&order->sort, rank);
	else
		fw_kinetic_rescore(&order->kinetic, rank);
}

/* Make the order that of time @now. */
static inline void fw_score_order_advance(struct fw_score_order *order,
					  double now)
{
	if (order->form == FW_SCORE_SORT)
		fw_score_sort_advance(&order->sort, now);
	else
		fw_kinetic_advance(&order->kinetic, now);
}

/* First of the order, NULL when it is empty. */
static inline struct fw_rank *fw_score_order_first(struct fw_score_order *order)
{
	if (order->form == FW_SCORE_SORT)
		return fw_score_sort_first(&order->sort);
	return fw_kinetic_first(&order->kinetic);
}

/* How many stand in it? */
static inline size_t fw_score_order_num(const struct fw_score_order *order)
{
	return order->form == FW_SCORE_SORT ? order->sort.live
					    : order->kinetic.at.num;
}

/* Is every slot right and, after an advance, every pair in order? */
static inline bool fw_score_order_valid(const struct fw_score_order *order)
{
	if (order->form == FW_SCORE_SORT)
		return fw_score_sort_valid(&order->sort);
	return fw_kinetic_valid(&order->kinetic);
}

#endif
