/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <assert.h>

#include "lib/base/alloc.h"

/* Four children: half as deep as two. */
#define ARY 4u

void fw_turns_init(struct fw_turns *turns, const struct fw_allocator *allocator)
{
	*turns = (struct fw_turns){.allocator = allocator};
}

void fw_turns_destroy(struct fw_turns *turns)
{
	fw_free_array(turns->allocator, turns->items, turns->cap,
		      sizeof(*turns->items));
	fw_turns_init(turns, turns->allocator);
}

int fw_turns_reserve(struct fw_turns *turns, size_t num)
{
	return fw_grow_dirty(turns->allocator, (void **)&turns->items,
			     &turns->cap, turns->num, num,
			     sizeof(*turns->items));
}

static bool before(const struct fw_turn_item *a, const struct fw_turn_item *b)
{
	return a->served < b->served ||
	       (a->served == b->served && a->number < b->number);
}

static void place(struct fw_turns *turns, size_t at,
		  const struct fw_turn_item *item)
{
	turns->items[at] = *item;
	item->turn->position = (uint32_t)at + 1;
}

/* Sifting moves a hole. The item itself is written once, at the end. */
static void sift_up(struct fw_turns *turns, size_t at, struct fw_turn_item item)
{
	while (at) {
		size_t parent = (at - 1) / ARY;

		if (!before(&item, &turns->items[parent]))
			break;
		place(turns, at, &turns->items[parent]);
		at = parent;
	}
	place(turns, at, &item);
}

static size_t first_child(const struct fw_turns *turns, size_t at)
{
	size_t child = at * ARY + 1, end = child + ARY, best = child;

	if (end > turns->num)
		end = turns->num;
	for (; child < end; child++)
		if (before(&turns->items[child], &turns->items[best]))
			best = child;
	return best;
}

static void sift_down(struct fw_turns *turns, size_t at,
		      struct fw_turn_item item)
{
	for (;;) {
		size_t child = first_child(turns, at);

		if (child >= turns->num || !before(&turns->items[child], &item))
			break;
		place(turns, at, &turns->items[child]);
		at = child;
	}
	place(turns, at, &item);
}

static void sift(struct fw_turns *turns, size_t at, struct fw_turn *turn)
{
	const struct fw_turn_item item = {turn->served, turn->number, turn};

	if (at && before(&item, &turns->items[(at - 1) / ARY]))
		sift_up(turns, at, item);
	else
		sift_down(turns, at, item);
}

void fw_turns_insert(struct fw_turns *turns, struct fw_turn *turn)
{
	assert(!turn->position && turns->num < turns->cap);
	sift(turns, turns->num++, turn);
}

void fw_turns_remove(struct fw_turns *turns, struct fw_turn *turn)
{
	size_t at = turn->position - 1u;
	struct fw_turn *last;

	assert(at < turns->num && turns->items[at].turn == turn);
	last = turns->items[--turns->num].turn;
	turn->position = 0;
	if (last != turn)
		sift(turns, at, last);
}

void fw_turns_update(struct fw_turns *turns, struct fw_turn *turn)
{
	size_t at = turn->position - 1u;

	assert(at < turns->num && turns->items[at].turn == turn);
	sift(turns, at, turn);
}

bool fw_turns_valid(const struct fw_turns *turns)
{
	for (size_t i = 0; i < turns->num; i++) {
		const struct fw_turn_item *item = &turns->items[i];

		if (item->turn->position != i + 1 ||
		    item->turn->served != item->served ||
		    item->turn->number != item->number)
			return false;
		if (i && before(item, &turns->items[(i - 1) / ARY]))
			return false;
	}
	return true;
}
