/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_QUEUED_H
#define LIB_QUEUE_QUEUED_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/request.h>

#include "lib/base/heap.h"
#include "lib/base/list.h"

struct fw_lanes;

/**
 * enum fw_entry_state - where a request stands in its lanes
 * @FW_ENTRY_FREE: in no lanes; 0, so that a zeroed request is free
 * @FW_ENTRY_QUEUED: in both heaps
 * @FW_ENTRY_LATER: waits for the next pass to enter the heaps: added or
 *	skipped since the last one began
 */
enum fw_entry_state {
	FW_ENTRY_FREE,
	FW_ENTRY_QUEUED,
	FW_ENTRY_LATER,
};

/**
 * struct fw_entry - what the library keeps of a request, in its priv
 * @arrival: seconds since open
 * @seq: rank among equal arrivals; from 1, for life
 * @slo: unit of its wait, seconds
 * @lanes: that it waits in, NULL while free
 * @ahead: cost admitted ahead of it since it became the oldest
 * @by_arrival: place among the arrivals, see arrivals.h; 0 while not queued
 * @by_score: its handle in the score order plus 1, 0 while not queued
 * @hit: h that the score order counts
 * @cost: c that the score order counts
 * @new_hit: h that counts from the next pass on
 * @state: one of enum fw_entry_state
 * @moved: was the arrival changed since it was queued?
 * @later: hook of the lanes' list of entries to settle at the next pass
 * @hold: hook of the index node of its last cached block
 * @lack: hook of the index node of its first missing block
 * @hold_node: that node, FW_NODE_NONE without a hit
 * @lack_node: that node, FW_NODE_NONE when nothing is missing
 * @blocks: blocks that are cached now, as the index watches them
 * @ticket: of the runtime: its slot, by which all else is found that the
 *	runtime keeps of a request
 */
struct FW_MAY_ALIAS fw_entry {
	double arrival;
	uint64_t seq;
	double slo;
	struct fw_lanes *lanes;
	uint64_t ahead;
	struct fw_heap_node by_arrival;
	uint32_t by_score;
	uint32_t hit;
	uint32_t cost;
	uint32_t new_hit;
	uint16_t state;
	bool moved;
	struct fw_list later;
	struct fw_list hold;
	struct fw_list lack;
	uint32_t hold_node;
	uint32_t lack_node;
	uint32_t blocks;
	uint32_t ticket;
};

_Static_assert(sizeof(struct fw_request) == 256, "the ABI's size");
_Static_assert(offsetof(struct fw_request, priv) == 128, "the public half");
_Static_assert(sizeof(struct fw_entry) <= 128, "fits the private half");

static inline struct fw_entry *fw_entry(struct fw_request *req)
{
	return (struct fw_entry *)req->priv;
}

static inline const struct fw_entry *
fw_entry_const(const struct fw_request *req)
{
	return (const struct fw_entry *)req->priv;
}

static inline struct fw_request *fw_entry_request(struct fw_entry *entry)
{
	return container_of(entry, struct fw_request, priv);
}

/* Who is released next is read soon, and lies anywhere. */
static inline void fw_entry_prefetch(const struct fw_entry *entry)
{
	__builtin_prefetch(entry);
	__builtin_prefetch(&entry->later);
}

#endif
