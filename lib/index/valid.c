/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include "lib/base/alloc.h"
#include "watched.h"

/*
 * Is the index consistent? For tests only: it looks at every node.
 */

#define HASH ((1ull << FW_HASH_BITS) - 1)

/**
 * struct seen - counts that a pass over all nodes makes
 * @children: for each node, how many cached nodes have it as their parent
 * @wanted: for each node, how many of those are in demand
 * @used: nodes in use
 * @placed: nodes that are cached or the parent of a cached one
 */
struct seen {
	uint32_t *children;
	uint32_t *wanted;
	uint32_t used;
	uint32_t placed;
};

static uint32_t ring_length(const struct fw_list *ring)
{
	const struct fw_list *pos = ring;
	uint32_t num = 0;

	if (!ring)
		return 0;
	do {
		num++;
		pos = pos->next;
	} while (pos != ring);
	return num;
}

/* A lacker of an open node will be moved, or it holds another parent. */
static bool lackers_valid(const struct fw_index_node *node, uint32_t id)
{
	const struct fw_list *pos = node->lackers;
	uint32_t num = ring_length(pos);

	for (; num; num--, pos = pos->next) {
		const struct fw_watched *e =
			fw_list_entry(pos, const struct fw_watched, lack);

		if (e->lack_node != id)
			return false;
		if (fw_node_open(node) && !(node->flags & FW_NODE_DUE) &&
		    e->hold_node == node->parent)
			return false;
	}
	return true;
}

static bool holders_valid(const struct fw_index_node *node, uint32_t id)
{
	const struct fw_list *pos = node->holders;
	uint32_t num = ring_length(pos);

	for (; num; num--, pos = pos->next) {
		const struct fw_watched *e =
			fw_list_entry(pos, const struct fw_watched, hold);

		if (e->hold_node != id ||
		    (fw_node_open(node) && fw_watched_blocks(e) != node->depth))
			return false;
	}
	return true;
}

static uint32_t depth_by_parent(const struct fw_prefix_index *index,
				const struct fw_index_node *node)
{
	uint32_t parent = node->parent;

	if (!fw_node_cached(node))
		return 0;
	if (parent == FW_NODE_NONE)
		return 1;
	if (!fw_node_is(parent) || !fw_node_open(fw_index_node(index, parent)))
		return 0;
	return fw_index_node(index, parent)->depth + 1;
}

static uint32_t list_children(const struct fw_prefix_index *index, uint32_t id)
{
	uint32_t num = 0;

	for (uint32_t at = fw_index_node(index, id)->child; at != FW_NODE_NONE;
	     at = fw_index_node(index, at)->next) {
		if (fw_index_node(index, at)->parent != id)
			return UINT32_MAX;
		num++;
	}
	return num;
}

static bool readers_see(const struct fw_prefix_index *index, uint32_t id)
{
	return fw_view_find(fw_map_view(&index->map), &index->arena,
			    fw_arena_key(&index->arena, id),
			    fw_node_hash(fw_index_node(index, id))) == id;
}

static bool node_valid(const struct fw_prefix_index *index, uint32_t id,
		       const struct seen *seen)
{
	const struct fw_index_node *node = fw_index_node(index, id);
	const struct fw_key *key = fw_arena_key(&index->arena, id);
	uint32_t held = ring_length(node->holders);

	if (fw_node_find(index, key) != id ||
	    fw_node_hash(node) != (fw_map_hash(&index->map, key) & HASH) ||
	    readers_see(index, id) != fw_node_open(node))
		return false;
	if (!fw_node_placed(node) && !node->lackers && !held &&
	    !(node->flags & FW_NODE_DUE))
		return false;
	if (node->depth != depth_by_parent(index, node) ||
	    list_children(index, id) != seen->children[id])
		return false;
	/* Lost, and about to be moved. */
	if (!fw_node_open(node) && held &&
	    !(index->late && node->flags & FW_NODE_DUE))
		return false;
	/* Demand is counted only for an owner that asks. */
	if (node->demand != (index->ops.demand ? held + seen->wanted[id] : 0))
		return false;
	return holders_valid(node, id) && lackers_valid(node, id);
}

static void see(const struct fw_prefix_index *index, uint32_t id,
		struct seen *seen)
{
	const struct fw_index_node *node = fw_index_node(index, id);

	seen->used++;
	seen->placed += fw_node_placed(node);
	if (!fw_node_cached(node) || !fw_node_is(node->parent))
		return;
	seen->children[node->parent]++;
	seen->wanted[node->parent] += node->demand > 0;
}

static bool nodes_valid(const struct fw_prefix_index *index, struct seen *seen)
{
	const struct fw_node_arena *arena = &index->arena;

	for (uint32_t id = 0; id < arena->fresh; id++)
		if (fw_index_node(index, id)->flags & FW_NODE_USED)
			see(index, id, seen);
	for (uint32_t id = 0; id < arena->fresh; id++)
		if (fw_index_node(index, id)->flags & FW_NODE_USED &&
		    !node_valid(index, id, seen))
			return false;
	return seen->used == index->map.num && seen->placed == index->placed &&
	       index->placed <= index->max_blocks &&
	       arena->fresh == seen->used + arena->free.num + arena->limbo.num +
				       arena->leaving.num;
}

static bool due_valid(const struct fw_prefix_index *index)
{
	uint32_t flagged = 0, listed = 0;

	for (uint32_t id = 0; id < index->arena.fresh; id++)
		flagged += (fw_index_node(index, id)->flags & FW_NODE_DUE) > 0;
	for (uint32_t id = index->due; id != FW_NODE_NONE && listed <= flagged;
	     id = fw_index_node(index, id)->due)
		listed++;
	return listed == flagged;
}

bool fw_index_valid(const struct fw_prefix_index *index)
{
	const struct fw_allocator *a = index->allocator;
	uint32_t num = index->arena.cap;
	struct seen seen = {
		.children = fw_alloc_array(a, num, sizeof(*seen.children)),
		.wanted = fw_alloc_array(a, num, sizeof(*seen.wanted)),
	};
	bool valid = false;

	if (seen.children && seen.wanted)
		valid = nodes_valid(index, &seen) && due_valid(index) &&
			fw_map_valid(&index->map, &index->arena);
	fw_free_array(a, seen.wanted, num, sizeof(*seen.wanted));
	fw_free_array(a, seen.children, num, sizeof(*seen.children));
	return valid;
}
