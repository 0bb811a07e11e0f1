/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_KINETIC_SLOTS_H
#define LIB_QUEUE_KINETIC_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "queued.h"
#include "kinetic_group.h"

/*
 * Where the lines of the kinetic heap stand in memory, and whose they are.
 * Nothing here knows an order. Single owner; fw_kinetic_slots_reserve()
 * allocates, nothing else.
 */

/**
 * struct fw_kinetic_tie - what a handle stands for
 * @seq: decides between equal scores of equal arrival
 * @rank: the request, which knows its handle
 */
struct fw_kinetic_tie {
	uint64_t seq;
	struct fw_rank *rank;
};

/**
 * struct fw_kinetic_slots - a line for each slot, a handle for each request
 * @groups: slots by fours: slot i stands at i + 3, so that the children of
 *	slot i are group i + 1, and a group is two cache lines
 * @handles: of the request in each slot
 * @slots: of each handle; of a free one the next free one plus 1, or 0
 * @ties: of each handle
 * @num: requests
 * @cap: slots, and handles
 * @num_handles: handles that were ever used
 * @free_handle: a handle that is free plus 1, or 0
 * @allocator: of all arrays
 *
 * A request has a handle while it is queued, and its slot stands beside the
 * handle. So moving a request writes into one dense array and not into the
 * request, whose memory is seldom in a cache.
 */
struct fw_kinetic_slots {
	struct fw_kinetic_group *groups;
	uint32_t *handles;
	uint32_t *slots;
	struct fw_kinetic_tie *ties;
	size_t num;
	size_t cap;
	uint32_t num_handles;
	uint32_t free_handle;
	const struct fw_allocator *allocator;
};

/**
 * struct fw_kinetic_item - one request on its way from slot to slot
 * @ratio: as in struct fw_kinetic_group
 * @arrival: the same
 * @unit: the same
 * @handle: whose line it is
 */
struct fw_kinetic_item {
	double ratio;
	double arrival;
	double unit;
	uint32_t handle;
};

void fw_kinetic_slots_destroy(struct fw_kinetic_slots *at);

/* Make room for @num requests in all. Return: 0, -ENOMEM. */
int fw_kinetic_slots_reserve(struct fw_kinetic_slots *at, size_t num);

/* Give @rank a handle, for which there is room; no slot yet. */
void fw_kinetic_slots_enter(struct fw_kinetic_slots *at, struct fw_rank *rank);
/* Take it back. */
void fw_kinetic_slots_leave(struct fw_kinetic_slots *at, struct fw_rank *rank);

/* One slot more at the end, for which there is room. Return: The slot. */
size_t fw_kinetic_slots_append(struct fw_kinetic_slots *at);

static inline size_t fw_kinetic_position(size_t slot)
{
	return slot + FW_KINETIC_ARY - 1;
}

static inline size_t fw_kinetic_parent(size_t slot)
{
	return (slot - 1) / FW_KINETIC_ARY;
}

static inline size_t fw_kinetic_first_child(size_t slot)
{
	return slot * FW_KINETIC_ARY + 1;
}

static inline unsigned int fw_kinetic_lane(size_t slot)
{
	return fw_kinetic_position(slot) % FW_KINETIC_ARY;
}

static inline struct fw_kinetic_group *
fw_kinetic_group(const struct fw_kinetic_slots *at, size_t slot)
{
	return &at->groups[fw_kinetic_position(slot) / FW_KINETIC_ARY];
}

static inline struct fw_kinetic_group *
fw_kinetic_children(const struct fw_kinetic_slots *at, size_t slot)
{
	return &at->groups[slot + 1];
}

static inline double *fw_kinetic_due(const struct fw_kinetic_slots *at,
				     size_t slot)
{
	return &fw_kinetic_group(at, slot)->due[fw_kinetic_lane(slot)];
}

static inline void fw_kinetic_load(const struct fw_kinetic_slots *at,
				   size_t slot, struct fw_kinetic_item *item)
{
	const struct fw_kinetic_group *group = fw_kinetic_group(at, slot);
	unsigned int lane = fw_kinetic_lane(slot);

	item->ratio = group->ratio[lane];
	item->arrival = group->arrival[lane];
	item->unit = group->unit[lane];
	item->handle = at->handles[slot];
}

/* The due time stays: it is that of the slot. */
static inline void fw_kinetic_store(struct fw_kinetic_slots *at, size_t slot,
				    const struct fw_kinetic_item *item)
{
	struct fw_kinetic_group *group = fw_kinetic_group(at, slot);
	unsigned int lane = fw_kinetic_lane(slot);

	group->ratio[lane] = item->ratio;
	group->arrival[lane] = item->arrival;
	group->unit[lane] = item->unit;
	at->handles[slot] = item->handle;
	at->slots[item->handle] = (uint32_t)slot;
}

static inline void
fw_kinetic_prefetch_group(const struct fw_kinetic_group *group)
{
	__builtin_prefetch(group);
	__builtin_prefetch(group->unit);
}

/* A lane without a request never wins and is never due. */
static inline void fw_kinetic_clear(struct fw_kinetic_group *group,
				    unsigned int lane)
{
	group->ratio[lane] = -INFINITY;
	group->arrival[lane] = 0.0;
	group->unit[lane] = 1.0;
	group->due[lane] = INFINITY;
}

#endif
