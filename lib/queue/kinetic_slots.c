/* SPDX-License-Identifier: Apache-2.0 */
#include "kinetic_slots.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"

/* Groups for @cap slots. */
static size_t num_groups(size_t cap)
{
	return fw_kinetic_position(cap) / FW_KINETIC_ARY + 1;
}

static void free_arrays(struct fw_kinetic_slots *at)
{
	const struct fw_allocator *allocator = at->allocator;

	fw_free_lines(allocator, at->groups, num_groups(at->cap),
		      sizeof(*at->groups));
	fw_free_array(allocator, at->handles, at->cap, sizeof(*at->handles));
	fw_free_array(allocator, at->slots, at->cap, sizeof(*at->slots));
	fw_free_array(allocator, at->ties, at->cap, sizeof(*at->ties));
}

void fw_kinetic_slots_destroy(struct fw_kinetic_slots *at)
{
	free_arrays(at);
	*at = (struct fw_kinetic_slots){.allocator = at->allocator};
}

/*
 * New arrays of @at->cap, not written to, so that the room to grow takes no
 * page; the old arrays are somebody else's.
 */
static int alloc_arrays(struct fw_kinetic_slots *at)
{
	const struct fw_allocator *allocator = at->allocator;
	size_t cap = at->cap;

	at->groups = fw_alloc_lines_dirty(allocator, num_groups(cap),
					  sizeof(*at->groups));
	at->handles = fw_alloc_dirty(allocator, cap, sizeof(*at->handles));
	at->slots = fw_alloc_dirty(allocator, cap, sizeof(*at->slots));
	at->ties = fw_alloc_dirty(allocator, cap, sizeof(*at->ties));
	if (!at->groups || !at->handles || !at->slots || !at->ties) {
		free_arrays(at);
		return -ENOMEM;
	}
	return 0;
}

static void copy_arrays(struct fw_kinetic_slots *to,
			const struct fw_kinetic_slots *from)
{
	size_t used = from->num_handles;
	size_t last = fw_kinetic_position(from->num - 1) / FW_KINETIC_ARY;

	memcpy(to->groups, from->groups, (last + 1) * sizeof(*to->groups));
	memcpy(to->handles, from->handles, from->num * sizeof(*to->handles));
	memcpy(to->slots, from->slots, used * sizeof(*to->slots));
	memcpy(to->ties, from->ties, used * sizeof(*to->ties));
}

int fw_kinetic_slots_reserve(struct fw_kinetic_slots *at, size_t num)
{
	struct fw_kinetic_slots grown = *at;

	if (num <= at->cap)
		return 0;
	if (num >= UINT32_MAX)
		return -ENOMEM;
	grown.cap = at->cap < 16 ? 32 : at->cap * 2;
	if (grown.cap < num)
		grown.cap = num;
	if (alloc_arrays(&grown))
		return -ENOMEM;
	if (at->num) {
		copy_arrays(&grown, at);
	} else {
		grown.num_handles = 0;
		grown.free_handle = 0;
	}
	free_arrays(at);
	*at = grown;
	return 0;
}

void fw_kinetic_slots_enter(struct fw_kinetic_slots *at, struct fw_rank *rank)
{
	uint32_t handle = at->num_handles;

	if (at->free_handle) {
		handle = at->free_handle - 1;
		at->free_handle = at->slots[handle];
	} else {
		assert(handle < at->cap);
		at->num_handles++;
	}
	at->ties[handle].seq = rank->seq;
	at->ties[handle].rank = rank;
	rank->by_score = handle + 1;
}

void fw_kinetic_slots_leave(struct fw_kinetic_slots *at, struct fw_rank *rank)
{
	uint32_t handle = rank->by_score - 1u;

	assert(handle < at->num_handles && at->ties[handle].rank == rank);
	at->slots[handle] = at->free_handle;
	at->free_handle = rank->by_score;
	at->ties[handle].rank = NULL;
	rank->by_score = 0;
}

size_t fw_kinetic_slots_append(struct fw_kinetic_slots *at)
{
	size_t slot = at->num++;

	/* The first of its group: the other lanes have nobody yet. */
	if (!slot || !fw_kinetic_lane(slot))
		for (unsigned int lane = 0; lane < FW_KINETIC_ARY; lane++)
			fw_kinetic_clear(fw_kinetic_group(at, slot), lane);
	return slot;
}
