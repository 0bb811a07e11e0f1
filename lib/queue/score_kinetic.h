/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_SCORE_KINETIC_H
#define LIB_QUEUE_SCORE_KINETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/cost/remaining.h"
#include "queued.h"
#include "kinetic_slots.h"

/*
 * A kinetic heap: requests by (-score, arrival, seq) at one instant, kept in
 * order as time goes on without looking at all of them.
 *
 * Between events the score of each request moves on its own line, and two of
 * them change places only where their lines cross. Beside each slot of a
 * 4-ary heap stands the earliest time at which any edge below it, parent to
 * child, can break. Advancing to a time descends only where that time has
 * come, mends from the bottom up, and stops.
 *
 * The order is that of the rounded scores of score.h, exactly. The lines only
 * say when to compare again, early by what rounding can do; a pair that is
 * closer than that is due at every advance.
 *
 * Single owner, takes no lock. fw_kinetic_reserve() allocates, nothing else.
 */

/**
 * struct fw_kinetic - the heap
 * @at: its slots
 * @now: time of the last advance, at which the order holds
 * @wait_constant: unit of the wait where it is not the SLO; 0 otherwise
 * @work: by the least rest, which no time changes; NULL for by score
 * @touched: slots that advances and changes looked at since the beginning
 */
struct fw_kinetic {
	struct fw_kinetic_slots at;
	double now;
	double wait_constant;
	const struct fw_remaining *work;
	uint64_t touched;
};

void fw_kinetic_init(struct fw_kinetic *heap, double wait_constant,
		     const struct fw_allocator *allocator);
void fw_kinetic_destroy(struct fw_kinetic *heap);

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
static inline int fw_kinetic_reserve(struct fw_kinetic *heap, size_t num)
{
	return fw_kinetic_slots_reserve(&heap->at, num);
}

void fw_kinetic_insert(struct fw_kinetic *heap, struct fw_rank *rank);
void fw_kinetic_remove(struct fw_kinetic *heap, struct fw_rank *rank);
/* Its hit, cost, arrival or unit changed. */
void fw_kinetic_rescore(struct fw_kinetic *heap, struct fw_rank *rank);

/* Make the order that of time @now; one that went back costs a rebuild. */
void fw_kinetic_advance(struct fw_kinetic *heap, double now);

/* First of the order, NULL when it is empty. */
struct fw_rank *fw_kinetic_first(const struct fw_kinetic *heap);

/* Is every edge in order now, and no due time later than one below it? */
bool fw_kinetic_valid(const struct fw_kinetic *heap);

#endif
