/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_TURNS_H
#define LIB_QUEUE_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

/*
 * Intrusive min-heap of tenants by (served, number). Whole nanoseconds decide,
 * which the doubles of lib/base/heap.h would round.
 *
 * Single owner, takes no lock. Only fw_turns_reserve() allocates.
 */

/**
 * struct fw_turn - hook embedded in what takes turns
 * @served: work that it was given, nanoseconds over its weight; smallest first
 * @number: smallest first among equals; no two are equal
 * @position: in the heap's array, plus 1; 0 while not queued
 */
struct fw_turn {
	int64_t served;
	uint64_t number;
	uint32_t position;
};

/**
 * struct fw_turn_item - a queued turn with what orders it
 * @served: a copy, so that sifting reads no other memory
 * @number: a copy
 * @turn: its position is kept up to date
 */
struct fw_turn_item {
	int64_t served;
	uint64_t number;
	struct fw_turn *turn;
};

/**
 * struct fw_turns - the heap
 * @items: in heap order
 * @num: turns queued
 * @cap: items that there is room for
 * @allocator: of @items
 */
struct fw_turns {
	struct fw_turn_item *items;
	size_t num;
	size_t cap;
	const struct fw_allocator *allocator;
};

void fw_turns_init(struct fw_turns *turns,
		   const struct fw_allocator *allocator);
void fw_turns_destroy(struct fw_turns *turns);

/* Make room for @num turns in all. Return: 0, -ENOMEM. */
int fw_turns_reserve(struct fw_turns *turns, size_t num);

/* Queue @turn, for which there is room. */
void fw_turns_insert(struct fw_turns *turns, struct fw_turn *turn);

/* Take a queued one out. */
void fw_turns_remove(struct fw_turns *turns, struct fw_turn *turn);

/* What a queued one was served has changed. */
void fw_turns_update(struct fw_turns *turns, struct fw_turn *turn);

/* Is everyone behind its parent, where it says, and up to date? */
bool fw_turns_valid(const struct fw_turns *turns);

/* Whose turn it is; NULL when nobody is queued. */
static inline struct fw_turn *fw_turns_first(const struct fw_turns *turns)
{
	return turns->num ? turns->items[0].turn : NULL;
}

static inline bool fw_turn_queued(const struct fw_turn *turn)
{
	return turn->position != 0;
}

#endif
