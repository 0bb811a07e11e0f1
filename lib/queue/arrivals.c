/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"

/* How many of the last a newcomer may be earlier than and still be listed. */
#define MAX_BACK 8u

void fw_arrivals_init(struct fw_arrivals *arrivals,
		      const struct fw_allocator *allocator)
{
	*arrivals = (struct fw_arrivals){
		.first = FW_ARRIVAL_NONE,
		.last = FW_ARRIVAL_NONE,
		.free = FW_ARRIVAL_NONE,
	};
	fw_heap_init(&arrivals->late, allocator);
}

void fw_arrivals_destroy(struct fw_arrivals *arrivals)
{
	const struct fw_allocator *allocator = arrivals->late.allocator;

	fw_free_array(allocator, arrivals->places, arrivals->cap,
		      sizeof(*arrivals->places));
	fw_heap_destroy(&arrivals->late);
	fw_arrivals_init(arrivals, allocator);
}

int fw_arrivals_reserve(struct fw_arrivals *arrivals, size_t num)
{
	int ret;

	if (num >= FW_ARRIVAL_LISTED)
		return -ENOMEM;
	/* Any share of them may come out of order. */
	ret = fw_heap_reserve(&arrivals->late, num);
	if (ret)
		return ret;
	return fw_grow_dirty(arrivals->late.allocator,
			     (void **)&arrivals->places, &arrivals->cap,
			     arrivals->num_places, num,
			     sizeof(*arrivals->places));
}

static uint32_t take_place(struct fw_arrivals *arrivals)
{
	uint32_t handle = arrivals->free;

	if (handle == FW_ARRIVAL_NONE) {
		assert(arrivals->num_places < arrivals->cap);
		return arrivals->num_places++;
	}
	arrivals->free = arrivals->places[handle].next;
	return handle;
}

static bool before(double key_a, uint64_t seq_a, double key_b, uint64_t seq_b)
{
	return key_a < key_b || (key_a == key_b && seq_a < seq_b);
}

/*
 * Behind which place does @rank belong? False when that is too far from the
 * end of the list to look for it.
 */
static bool find_prev(const struct fw_arrivals *arrivals,
		      const struct fw_rank *rank, uint32_t *prev)
{
	*prev = arrivals->last;
	for (unsigned int i = 0; i <= MAX_BACK; i++) {
		const struct fw_arrival *at;

		if (*prev == FW_ARRIVAL_NONE)
			return true;
		at = &arrivals->places[*prev];
		if (before(at->key, at->seq, rank->arrival, rank->seq))
			return true;
		*prev = at->prev;
	}
	return false;
}

/* Make @to follow @from; either may be an end. */
static void join(struct fw_arrivals *arrivals, uint32_t from, uint32_t to)
{
	if (from == FW_ARRIVAL_NONE)
		arrivals->first = to;
	else
		arrivals->places[from].next = to;
	if (to == FW_ARRIVAL_NONE)
		arrivals->last = from;
	else
		arrivals->places[to].prev = from;
}

static void list_insert(struct fw_arrivals *arrivals, struct fw_rank *rank,
			uint32_t prev)
{
	uint32_t next = prev == FW_ARRIVAL_NONE ? arrivals->first
						: arrivals->places[prev].next;
	uint32_t handle = take_place(arrivals);

	arrivals->places[handle].key = rank->arrival;
	arrivals->places[handle].seq = rank->seq;
	arrivals->places[handle].rank = rank;
	join(arrivals, prev, handle);
	join(arrivals, handle, next);
	arrivals->num_listed++;
	rank->by_arrival.position = FW_ARRIVAL_LISTED | handle;
}

static void list_remove(struct fw_arrivals *arrivals, struct fw_rank *rank)
{
	uint32_t handle = rank->by_arrival.position & ~FW_ARRIVAL_LISTED;
	struct fw_arrival *place = &arrivals->places[handle];

	assert(handle < arrivals->num_places && place->rank == rank);
	join(arrivals, place->prev, place->next);
	if (arrivals->first == place->next && arrivals->num_listed > 1)
		fw_rank_prefetch(arrivals->places[place->next].rank);
	place->rank = NULL;
	place->next = arrivals->free;
	arrivals->free = handle;
	arrivals->num_listed--;
	rank->by_arrival.position = 0;
}

void fw_arrivals_insert(struct fw_arrivals *arrivals, struct fw_rank *rank)
{
	uint32_t prev;

	assert(!fw_heap_queued(&rank->by_arrival));
	if (find_prev(arrivals, rank, &prev))
		list_insert(arrivals, rank, prev);
	else
		fw_heap_insert(&arrivals->late, &rank->by_arrival,
			       rank->arrival, rank->seq);
}

void fw_arrivals_remove(struct fw_arrivals *arrivals, struct fw_rank *rank)
{
	if (rank->by_arrival.position & FW_ARRIVAL_LISTED)
		list_remove(arrivals, rank);
	else
		fw_heap_remove(&arrivals->late, &rank->by_arrival);
}

static struct fw_rank *late_rank(const struct fw_heap_item *item)
{
	return container_of(item->node, struct fw_rank, by_arrival);
}

struct fw_rank *fw_arrivals_first(const struct fw_arrivals *arrivals)
{
	const struct fw_heap_item *late =
		arrivals->late.num ? arrivals->late.items : NULL;
	const struct fw_arrival *listed;

	if (arrivals->first == FW_ARRIVAL_NONE)
		return late ? late_rank(late) : NULL;
	listed = &arrivals->places[arrivals->first];
	if (late && before(late->key, late->tie, listed->key, listed->seq))
		return late_rank(late);
	return listed->rank;
}

struct fw_rank *fw_arrivals_at(const struct fw_arrivals *arrivals, size_t i)
{
	if (i < arrivals->num_places)
		return arrivals->places[i].rank;
	return late_rank(&arrivals->late.items[i - arrivals->num_places]);
}

static bool place_valid(const struct fw_arrivals *arrivals, uint32_t handle)
{
	const struct fw_arrival *at = &arrivals->places[handle], *prev;

	if (!at->rank ||
	    at->rank->by_arrival.position != (FW_ARRIVAL_LISTED | handle))
		return false;
	if (at->prev == FW_ARRIVAL_NONE)
		return arrivals->first == handle;
	prev = &arrivals->places[at->prev];
	return prev->next == handle &&
	       before(prev->key, prev->seq, at->key, at->seq);
}

bool fw_arrivals_valid(const struct fw_arrivals *arrivals)
{
	uint32_t handle = arrivals->last;
	size_t num = 0;

	for (; handle != FW_ARRIVAL_NONE && num < arrivals->cap; num++) {
		if (!place_valid(arrivals, handle))
			return false;
		handle = arrivals->places[handle].prev;
	}
	return num == arrivals->num_listed &&
	       arrivals->num_places <= arrivals->cap &&
	       (num || arrivals->first == FW_ARRIVAL_NONE) &&
	       fw_heap_valid(&arrivals->late);
}
