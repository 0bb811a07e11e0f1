/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SCORE_ORDER_H
#define LIB_SCORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "entry.h"

/*
 * Waiting requests by (-score, arrival, seq) at one instant: the fast lane.
 *
 * This form sorts all of them at every fw_score_order_advance(). It is the
 * plain truth that faster forms are held against.
 *
 * Single owner, takes no lock. fw_score_order_reserve() allocates, nothing
 * else. Between fw_score_order_advance() and the next one entries may leave;
 * none may enter or change.
 */

struct fw_score_item {
	double score;
	double arrival;
	uint64_t seq;
	struct fw_entry *entry; /* NULL: it left */
};

/**
 * struct fw_score_order - the order and its settings
 * @items: entries, sorted up to the last advance
 * @scratch: for merging, room for all that are live
 * @num: items, those that left counted
 * @live: items without those
 * @cursor: no live item stands before it
 * @cap: of @items
 * @cap_scratch: of @scratch
 * @wait_constant: unit of the wait where it is not the SLO; 0 otherwise
 */
struct fw_score_order {
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

void fw_score_order_init(struct fw_score_order *order, double wait_constant,
			 const struct fw_allocator *allocator);
void fw_score_order_destroy(struct fw_score_order *order);

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
int fw_score_order_reserve(struct fw_score_order *order, size_t num);

void fw_score_order_insert(struct fw_score_order *order,
			   struct fw_entry *entry);
void fw_score_order_remove(struct fw_score_order *order,
			   struct fw_entry *entry);
/* The entry's hit, cost, arrival or SLO changed. */
void fw_score_order_rescore(struct fw_score_order *order,
			    struct fw_entry *entry);

/* Make the order that of time @now. */
void fw_score_order_advance(struct fw_score_order *order, double now);

/* First of the order, NULL when it is empty. */
struct fw_entry *fw_score_order_first(struct fw_score_order *order);

/* Is every slot right and, after an advance, every pair in order? */
bool fw_score_order_valid(const struct fw_score_order *order);

#endif
