/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_QUEUED_H
#define LIB_QUEUE_QUEUED_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/entry.h"
#include "lib/base/heap.h"
#include "lib/base/list.h"

struct fw_lanes;

/**
 * struct fw_rank - what decides when a waiting request is released
 * @arrival: seconds since open
 * @seq: rank among equal arrivals; from 1, for life
 * @unit: unit of its wait, seconds: its SLO
 * @hit: h that the score order counts
 * @cost: c that the score order counts
 * @by_score: its handle in the score order plus 1, 0 while not queued
 * @by_arrival: place among the arrivals, see arrivals.h; 0 while not queued
 */
struct FW_MAY_ALIAS fw_rank {
	double arrival;
	uint64_t seq;
	double unit;
	uint32_t hit;
	uint32_t cost;
	uint32_t by_score;
	struct fw_heap_node by_arrival;
};

/**
 * enum fw_queued_state - where a request stands in its lanes
 * @FW_QUEUED_FREE: in no lanes; 0, so that a zeroed request is free
 * @FW_QUEUED_IN: in both orders
 * @FW_QUEUED_LATER: waits for the next pass to enter the orders: added or
 *	skipped since the last one began
 */
enum fw_queued_state {
	FW_QUEUED_FREE,
	FW_QUEUED_IN,
	FW_QUEUED_LATER,
};

/**
 * struct fw_queued - what the lanes keep of a request
 * @rank: by which both lanes order it
 * @lanes: that it waits in, NULL while free
 * @ahead: cost admitted ahead of it since it became the oldest; while it stands
 *	in both orders
 * @due: with a guard, when it is due in nanoseconds since open, 0 before it was
 *	looked at; while it does not stand in both orders
 * @new_hit: h that counts from the next pass on
 * @state: one of enum fw_queued_state
 * @moved: was the arrival changed since it was queued?
 * @paid: of tenants: it was admitted, which its tenant paid for, and has not
 *	come back
 * @later: hook of the lanes' list of requests to settle at the next pass
 */
struct FW_MAY_ALIAS fw_queued {
	struct fw_rank rank;
	struct fw_lanes *lanes;
	union {
		uint64_t ahead;
		int64_t due;
	};
	uint32_t new_hit;
	uint16_t state;
	bool moved;
	bool paid;
	struct fw_list later;
};

_Static_assert(sizeof(struct fw_queued) <= FW_ENTRY_QUEUED, "its part");

static inline struct fw_queued *fw_queued(struct fw_request *req)
{
	return (struct fw_queued *)fw_entry(req)->queued;
}

static inline const struct fw_queued *
fw_queued_const(const struct fw_request *req)
{
	return (const struct fw_queued *)fw_entry_const(req)->queued;
}

static inline struct fw_request *fw_queued_request(struct fw_queued *queued)
{
	struct fw_entry *entry = container_of(queued, struct fw_entry, queued);

	return container_of(entry, struct fw_request, priv);
}

/* By arrival, then by the sequence of first submission. */
static inline bool fw_rank_older(const struct fw_rank *a,
				 const struct fw_rank *b)
{
	return a->arrival < b->arrival ||
	       (a->arrival <= b->arrival && a->seq < b->seq);
}

/* NULL stays NULL. */
static inline struct fw_queued *fw_queued_of(struct fw_rank *rank)
{
	return rank ? container_of(rank, struct fw_queued, rank) : NULL;
}

/*
 * The next to be released is read soon. Requests are the callers' memory, so
 * no other access has fetched it.
 */
static inline void fw_rank_prefetch(const struct fw_rank *rank)
{
	__builtin_prefetch(rank);
	__builtin_prefetch(
		&container_of(rank, const struct fw_queued, rank)->later);
}

#endif
