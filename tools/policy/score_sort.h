/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_SCORE_SORT_H
#define TOOLS_POLICY_SCORE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/queue/score_order.h"

/*
 * Waiting requests by (-score, arrival, seq) at one instant, as a full sort at
 * every score_sort_advance(): the plain form that the kinetic heap is compared
 * with.
 *
 * Single owner, takes no lock. score_sort_reserve() allocates, nothing
 * else. Between score_sort_advance() and the next one entries may leave;
 * none may enter or change.
 */

/**
 * struct score_item - a request with what orders it
 * @score: at the last advance, largest first
 * @arrival: seconds since open, smallest first
 * @seq: smallest first
 * @rank: NULL once it left
 */
struct score_item {
	double score;
	double arrival;
	uint64_t seq;
	struct fw_rank *rank;
};

/**
 * struct score_sort - the order and its settings
 * @items: entries, sorted up to the last advance
 * @scratch: for merging, as long as @items
 * @num: items, those that left counted
 * @live: items without those
 * @cursor: no live item stands before it
 * @cap: of @items
 * @cap_scratch: of @scratch
 * @wait_constant: unit of the wait where it is not the SLO; 0 otherwise
 * @allocator: of both arrays
 */
struct score_sort {
	struct score_item *items;
	struct score_item *scratch;
	size_t num;
	size_t live;
	size_t cursor;
	size_t cap;
	size_t cap_scratch;
	double wait_constant;
	const struct fw_allocator *allocator;
};

void score_sort_init(struct score_sort *order, double wait_constant,
		     const struct fw_allocator *allocator);
void score_sort_destroy(struct score_sort *order);

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
int score_sort_reserve(struct score_sort *order, size_t num);

void score_sort_insert(struct score_sort *order, struct fw_rank *rank);
void score_sort_remove(struct score_sort *order, struct fw_rank *rank);
/* Its hit, cost, arrival or unit changed. */
void score_sort_rescore(struct score_sort *order, struct fw_rank *rank);

/* Make the order that of time @now. */
void score_sort_advance(struct score_sort *order, double now);

/* First of the order, NULL when it is empty. */
struct fw_rank *score_sort_first(struct score_sort *order);

/* Is every slot right and, after an advance, every pair in order? */
bool score_sort_valid(const struct score_sort *order);

/* The order of a fast lane that is a struct score_sort. */
extern const struct fw_score_ops score_sort_ops;

#endif
