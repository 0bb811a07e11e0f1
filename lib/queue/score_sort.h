/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_SCORE_SORT_H
#define LIB_QUEUE_SCORE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "queued.h"

/*
 * Waiting requests by (-score, arrival, seq) at one instant, as a full sort at
 * every fw_score_sort_advance(): the plain truth that the kinetic heap is held
 * against.
 *
 * Single owner, takes no lock. fw_score_sort_reserve() allocates, nothing
 * else. Between fw_score_sort_advance() and the next one entries may leave;
 * none may enter or change.
 */

/**
 * struct fw_score_item - a request with what orders it
 * @score: at the last advance, largest first
 * @arrival: seconds since open, smallest first
 * @seq: smallest first
 * @rank: NULL once it left
 */
struct fw_score_item {
	double score;
	double arrival;
	uint64_t seq;
	struct fw_rank *rank;
};

/**
 * struct fw_score_sort - the order and its settings
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
struct fw_score_sort {
	struct fw_score_item *items;
	struct fw_score_item *scratch;
	size_t num;
	size_t live;
	size_t cursor;
	size_t cap;
	size_t cap_scratch;
	double wait_constant;
	const struct fw_allocator *allocator;
};

void fw_score_sort_init(struct fw_score_sort *order, double wait_constant,
			const struct fw_allocator *allocator);
void fw_score_sort_destroy(struct fw_score_sort *order);

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
int fw_score_sort_reserve(struct fw_score_sort *order, size_t num);

void fw_score_sort_insert(struct fw_score_sort *order, struct fw_rank *rank);
void fw_score_sort_remove(struct fw_score_sort *order, struct fw_rank *rank);
/* Its hit, cost, arrival or unit changed. */
void fw_score_sort_rescore(struct fw_score_sort *order, struct fw_rank *rank);

/* Make the order that of time @now. */
void fw_score_sort_advance(struct fw_score_sort *order, double now);

/* First of the order, NULL when it is empty. */
struct fw_rank *fw_score_sort_first(struct fw_score_sort *order);

/* Is every slot right and, after an advance, every pair in order? */
bool fw_score_sort_valid(const struct fw_score_sort *order);

#endif
