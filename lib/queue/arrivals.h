/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_ARRIVALS_H
#define LIB_QUEUE_ARRIVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/heap.h"
#include "queued.h"

/*
 * Waiting requests by (arrival, seq): the fair lane.
 *
 * Arrivals come almost in order. A request that is not earlier than one of the
 * last few stands in a list, which it enters and leaves in constant time and
 * at three cache lines; any other (put back, or from a clock that lags) in a
 * heap. The first of all is the earlier one of their heads. Both keep copies
 * of the arrival, so that a request may be changed while it stands here.
 *
 * Single owner, takes no lock. fw_arrivals_reserve() allocates, nothing else.
 */

/**
 * struct fw_arrival - a place in the list, by handle
 * @key: arrival, seconds since open
 * @seq: decides between equal arrivals
 * @rank: the request, which knows its handle; NULL in a free place
 * @prev: handle of the one before; FW_ARRIVAL_NONE for the first
 * @next: of the one behind, or of the next free place; the same
 */
struct fw_arrival {
	double key;
	uint64_t seq;
	struct fw_rank *rank;
	uint32_t prev;
	uint32_t next;
};

#define FW_ARRIVAL_NONE UINT32_MAX
/* In @by_arrival: a handle of the list, not a slot of the heap. */
#define FW_ARRIVAL_LISTED (1u << 31)

/**
 * struct fw_arrivals - the list and the heap
 * @places: of the list
 * @late: heap of those that came out of order
 * @first: handle of the list's first; FW_ARRIVAL_NONE when it is empty
 * @last: of its last
 * @free: of a free place
 * @num_places: that were ever used
 * @num_listed: requests in the list
 * @cap: places that there is room for
 */
struct fw_arrivals {
	struct fw_arrival *places;
	struct fw_heap late;
	uint32_t first;
	uint32_t last;
	uint32_t free;
	uint32_t num_places;
	size_t num_listed;
	size_t cap;
};

void fw_arrivals_init(struct fw_arrivals *arrivals,
		      const struct fw_allocator *allocator);
void fw_arrivals_destroy(struct fw_arrivals *arrivals);

/* Make room for @num entries in all. Return: 0, -ENOMEM. */
int fw_arrivals_reserve(struct fw_arrivals *arrivals, size_t num);

/* Queue @rank, for which there is room, by its arrival and seq. */
void fw_arrivals_insert(struct fw_arrivals *arrivals, struct fw_rank *rank);

/* Take @rank out, wherever it stands. */
void fw_arrivals_remove(struct fw_arrivals *arrivals, struct fw_rank *rank);

/* The oldest, NULL when nobody waits. */
struct fw_rank *fw_arrivals_first(const struct fw_arrivals *arrivals);

/*
 * Each request once and in no order: for @i from 0 to fw_arrivals_end(), NULL
 * where nobody stands.
 */
struct fw_rank *fw_arrivals_at(const struct fw_arrivals *arrivals, size_t i);

/* Are both in order, and does every request know its place? */
bool fw_arrivals_valid(const struct fw_arrivals *arrivals);

static inline size_t fw_arrivals_num(const struct fw_arrivals *arrivals)
{
	return arrivals->num_listed + arrivals->late.num;
}

static inline size_t fw_arrivals_end(const struct fw_arrivals *arrivals)
{
	return arrivals->num_places + arrivals->late.num;
}

#endif
