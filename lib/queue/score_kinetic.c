/* SPDX-License-Identifier: Apache-2.0 */
#include "score_kinetic.h"

#include <assert.h>
#include <math.h>

#include "kinetic_sift.h"

/*
 * By rest, a score that stands still: no wait is worth anything. A rest of up
 * to 104 days is a whole number of nanoseconds in a double too.
 */
static void item_by_rest(const struct fw_kinetic *heap,
			 const struct fw_rank *rank,
			 struct fw_kinetic_item *item)
{
	item->ratio =
		-(double)fw_remaining_rest(heap->work, rank->hit, rank->cost);
	item->arrival = rank->arrival;
	item->unit = INFINITY;
	item->handle = rank->by_score - 1u;
}

static void item_from(const struct fw_kinetic *heap, struct fw_rank *rank,
		      struct fw_kinetic_item *item)
{
	if (heap->work) {
		item_by_rest(heap, rank, item);
		return;
	}
	item->ratio = (double)rank->hit / (double)rank->cost;
	item->arrival = rank->arrival;
	item->unit =
		heap->wait_constant > 0.0 ? heap->wait_constant : rank->unit;
	item->handle = rank->by_score - 1u;
}

void fw_kinetic_init(struct fw_kinetic *heap, double wait_constant,
		     const struct fw_allocator *allocator)
{
	*heap = (struct fw_kinetic){
		.at.allocator = allocator,
		.wait_constant = wait_constant,
	};
}

void fw_kinetic_destroy(struct fw_kinetic *heap)
{
	fw_kinetic_slots_destroy(&heap->at);
	fw_kinetic_init(heap, heap->wait_constant, heap->at.allocator);
}

void fw_kinetic_insert(struct fw_kinetic *heap, struct fw_rank *rank)
{
	struct fw_kinetic_item item;

	assert(!rank->by_score);
	assert(heap->at.num < heap->at.cap);
	fw_kinetic_slots_enter(&heap->at, rank);
	item_from(heap, rank, &item);
	fw_kinetic_place(heap, fw_kinetic_slots_append(&heap->at), &item);
}

static size_t slot_of(const struct fw_kinetic *heap, const struct fw_rank *rank)
{
	assert(rank->by_score && rank->by_score <= heap->at.num_handles);
	assert(heap->at.ties[rank->by_score - 1u].rank == rank);
	return heap->at.slots[rank->by_score - 1u];
}

/*
 * One of the root's children is the next first: fetch what says whose they
 * are, so that its sift can fetch the request before it is asked for.
 */
static void look_ahead(const struct fw_kinetic *heap)
{
	const struct fw_kinetic_slots *at = &heap->at;

	for (size_t slot = 1; slot <= FW_KINETIC_ARY && slot < at->num; slot++)
		__builtin_prefetch(&at->ties[at->handles[slot]]);
}

void fw_kinetic_remove(struct fw_kinetic *heap, struct fw_rank *rank)
{
	size_t slot = slot_of(heap, rank), last = heap->at.num - 1;
	struct fw_kinetic_item item;

	fw_kinetic_slots_leave(&heap->at, rank);
	fw_kinetic_load(&heap->at, last, &item);
	fw_kinetic_clear(fw_kinetic_group(&heap->at, last),
			 fw_kinetic_lane(last));
	heap->at.num--;
	/* Above the last slot the due times are early now: that is harmless. */
	if (slot != last)
		fw_kinetic_place(heap, slot, &item);
	look_ahead(heap);
}

void fw_kinetic_rescore(struct fw_kinetic *heap, struct fw_rank *rank)
{
	size_t slot = slot_of(heap, rank);
	struct fw_kinetic_item item;

	item_from(heap, rank, &item);
	fw_kinetic_place(heap, slot, &item);
}

/* Mend what is due below @slot first, then @slot itself. */
static void mend(struct fw_kinetic *heap, size_t slot)
{
	struct fw_kinetic_item item;

	if (fw_kinetic_has_children(heap, slot)) {
		const struct fw_kinetic_group *group =
			fw_kinetic_children(&heap->at, slot);

		for (unsigned int i = 0; i < FW_KINETIC_ARY; i++)
			if (group->due[i] <= heap->now)
				fw_kinetic_prefetch_group(fw_kinetic_children(
					&heap->at,
					fw_kinetic_first_child(slot) + i));
		for (unsigned int i = 0; i < FW_KINETIC_ARY; i++)
			if (group->due[i] <= heap->now)
				mend(heap, fw_kinetic_first_child(slot) + i);
	}
	fw_kinetic_load(&heap->at, slot, &item);
	fw_kinetic_sift_down(heap, slot, &item);
}

static void rebuild(struct fw_kinetic *heap)
{
	for (size_t slot = heap->at.num; slot-- > 0;) {
		struct fw_kinetic_item item;

		fw_kinetic_load(&heap->at, slot, &item);
		fw_kinetic_sift_down(heap, slot, &item);
	}
}

void fw_kinetic_advance(struct fw_kinetic *heap, double now)
{
	bool back = now < heap->now;

	heap->now = now;
	if (back)
		rebuild(heap);
	else if (heap->at.num && *fw_kinetic_due(&heap->at, 0) <= now)
		mend(heap, 0);
	look_ahead(heap);
}

struct fw_rank *fw_kinetic_first(const struct fw_kinetic *heap)
{
	return heap->at.num ? heap->at.ties[heap->at.handles[0]].rank : NULL;
}

static bool slot_valid(const struct fw_kinetic *heap, size_t slot)
{
	uint32_t handle = heap->at.handles[slot];

	return heap->at.slots[handle] == slot &&
	       heap->at.ties[handle].rank->by_score == handle + 1 &&
	       (!slot || fw_kinetic_in_order(heap, slot));
}

bool fw_kinetic_valid(const struct fw_kinetic *heap)
{
	for (size_t slot = 0; slot < heap->at.num; slot++)
		if (!slot_valid(heap, slot))
			return false;
	return heap->at.num <= heap->at.cap;
}
