/* SPDX-License-Identifier: Apache-2.0 */
#include "hang.h"

#include "sweep.h"
#include "watched.h"

/*
 * Events of an engine's own cache. Each event touches a few cache lines that
 * have not been used for long, so the lines of a window are fetched together.
 */

#define WINDOW 64u

/*
 * A request that lacks a block holds the parent of that block. In a late index
 * it may hold one that is gone, which then needs a place as a parent.
 */
static uint32_t guess_parent(struct fw_prefix_index *index,
			     const struct fw_index_node *node)
{
	uint32_t hold;

	if (!node->lackers)
		return FW_NODE_UNKNOWN;
	hold = fw_list_entry(node->lackers, const struct fw_watched, lack)
		       ->hold_node;
	if (fw_node_is(hold) && !fw_node_place(index, hold))
		return FW_NODE_UNKNOWN;
	return hold;
}

/* Return: The parent's node, placed; FW_NODE_BLIND if there is no room. */
static uint32_t get_parent(struct fw_prefix_index *index,
			   const struct fw_index_event *event)
{
	uint32_t id = fw_node_get(index, &event->parent);

	if (id == FW_NODE_NONE)
		return FW_NODE_BLIND;
	if (fw_node_place(index, id))
		return id;
	fw_node_drop_unused(index, id);
	return FW_NODE_BLIND;
}

/* The parent of a block, from the event or else from who lacks the block. */
static uint32_t find_parent(struct fw_prefix_index *index,
			    const struct fw_index_event *event,
			    const struct fw_index_node *node)
{
	if (event->kind == FW_INDEX_FIRST)
		return FW_NODE_NONE;
	/* A block that claims to be behind itself has no known parent. */
	if (event->kind == FW_INDEX_NEXT &&
	    !fw_key_equal(&event->key, &event->parent))
		return get_parent(index, event);
	return guess_parent(index, node);
}

/* Copies that an event says: exactly so many, or one more than before. */
static uint32_t count_copies(const struct fw_prefix_index *index,
			     const struct fw_index_event *event,
			     const struct fw_index_node *node)
{
	if (event->copies)
		return event->copies;
	/* A snapshot counts anew. */
	if (index->snapshot && !(node->flags & FW_NODE_NAMED))
		return 1;
	/* One more than the most is the most: 0 would be a block gone. */
	return node->copies < UINT32_MAX ? node->copies + 1 : UINT32_MAX;
}

/* Count the copies. The first one, or one that names a parent, is used. */
static void copy_stored(struct fw_prefix_index *index,
			const struct fw_index_event *event, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);
	bool first = !node->copies;
	uint32_t parent;

	node->copies = count_copies(index, event, node);
	if (index->snapshot)
		node->flags |= FW_NODE_NAMED;
	if (!first && node->parent != FW_NODE_UNKNOWN)
		return;
	parent = find_parent(index, event, node);
	if (parent == FW_NODE_BLIND) {
		/* No room for the parent. A later copy may name it again. */
		index->refused++;
		parent = FW_NODE_UNKNOWN;
	}
	if (first || parent != FW_NODE_UNKNOWN)
		fw_index_attach(index, id, parent);
}

static void stored(struct fw_prefix_index *index,
		   const struct fw_index_event *event)
{
	uint32_t id = fw_node_get(index, &event->key);

	if (id == FW_NODE_NONE) {
		index->refused++;
		return;
	}
	if (!fw_node_place(index, id)) {
		fw_node_drop_unused(index, id);
		index->refused++;
		return;
	}
	copy_stored(index, event, id);
}

static void gone(struct fw_prefix_index *index,
		 const struct fw_index_event *event)
{
	uint32_t id = fw_index_find(index, &event->key);
	struct fw_index_node *node;

	if (id == FW_NODE_NONE)
		return;
	node = fw_index_node(index, id);
	if (node->copies > 1)
		node->copies--;
	else
		fw_node_uncache(index, id);
}

static void absent(struct fw_prefix_index *index,
		   const struct fw_index_event *event)
{
	uint32_t id = fw_index_find(index, &event->key);

	if (id != FW_NODE_NONE)
		fw_node_uncache(index, id);
}

static void apply(struct fw_prefix_index *index,
		  const struct fw_index_event *event)
{
	switch (event->kind) {
	case FW_INDEX_FIRST:
	case FW_INDEX_NEXT:
	case FW_INDEX_SOMEWHERE:
		stored(index, event);
		break;
	case FW_INDEX_GONE:
		gone(index, event);
		break;
	case FW_INDEX_ABSENT:
		absent(index, event);
		break;
	case FW_INDEX_CLEARED:
		fw_index_clear(index);
		break;
	case FW_INDEX_SNAPSHOT:
		fw_index_begin_snapshot(index);
		break;
	case FW_INDEX_SNAPSHOT_END:
		fw_index_end_snapshot(index);
		break;
	}
}

/**
 * struct window - what the next events will touch
 * @num: number of keys, of blocks and of their parents
 * @hash: of each key
 * @node: of each key, as its bucket tells; the key itself is not compared
 */
struct window {
	uint32_t num;
	uint64_t hash[2 * WINDOW];
	uint32_t node[2 * WINDOW];
};

static void expect_key(const struct fw_prefix_index *index, struct window *w,
		       const struct fw_key *key)
{
	w->hash[w->num] = fw_map_hash(&index->map, key);
	fw_view_prefetch(fw_map_view(&index->map), w->hash[w->num]);
	w->num++;
}

static void expect_node(const struct fw_prefix_index *index, uint32_t id)
{
	if (fw_node_is(id))
		__builtin_prefetch(fw_index_node(index, id), 1);
}

/* A block that comes or goes changes its parent and its siblings. */
static void expect_family(const struct fw_prefix_index *index, uint32_t id)
{
	const struct fw_index_node *node = fw_index_node(index, id);

	expect_node(index, node->parent);
	expect_node(index, node->child);
	expect_node(index, node->next);
	expect_node(index, node->prev);
}

/* All buckets first, then the nodes in them, then the nodes around those. */
static void prefetch(const struct fw_prefix_index *index,
		     const struct fw_index_event *events, uint32_t num)
{
	struct window w = {.num = 0};

	for (uint32_t i = 0; i < num; i++) {
		if (events[i].kind >= FW_INDEX_CLEARED)
			continue;
		expect_key(index, &w, &events[i].key);
		if (events[i].kind == FW_INDEX_NEXT)
			expect_key(index, &w, &events[i].parent);
	}
	for (uint32_t i = 0; i < w.num; i++) {
		w.node[i] = fw_view_guess(fw_map_view(&index->map), w.hash[i]);
		if (w.node[i] == FW_NODE_NONE)
			continue;
		expect_node(index, w.node[i]);
		__builtin_prefetch(fw_arena_key(&index->arena, w.node[i]));
	}
	for (uint32_t i = 0; i < w.num; i++)
		if (w.node[i] != FW_NODE_NONE)
			expect_family(index, w.node[i]);
}

void fw_index_apply(struct fw_prefix_index *index,
		    const struct fw_index_event *events, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++) {
		uint32_t left = num - i;

		if (!(i % WINDOW))
			prefetch(index, &events[i],
				 left < WINDOW ? left : WINDOW);
		apply(index, &events[i]);
	}
	if (index->shared)
		fw_index_reclaim(index);
	if (!index->lazy)
		fw_index_flush(index, 0);
}
