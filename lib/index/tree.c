/* SPDX-License-Identifier: Apache-2.0 */
#include "tree.h"

#include <assert.h>

#include "lib/base/ring.h"

uint32_t fw_node_find(const struct fw_prefix_index *index,
		      const struct fw_key *key)
{
	return fw_map_find(&index->map, &index->arena, key,
			   fw_map_hash(&index->map, key));
}

/* Does nobody need the node? */
static bool is_unused(const struct fw_index_node *node)
{
	return !fw_node_placed(node) && !node->lackers && !node->holders;
}

static void drop(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	fw_map_remove(&index->map, id, fw_node_hash(node));
	if (index->shared && node->flags & FW_NODE_SEEN)
		fw_arena_put_later(&index->arena, id);
	else
		fw_arena_put(&index->arena, id);
	node->flags = 0;
}

/* Drop the nodes that are due for nobody. */
static void drop_idle(struct fw_prefix_index *index)
{
	uint32_t id = index->due, last = FW_NODE_NONE;

	index->idle = false;
	while (id != FW_NODE_NONE) {
		struct fw_index_node *node = fw_index_node(index, id);
		uint32_t next = node->due;

		if (is_unused(node) && !(node->flags & FW_NODE_BUSY)) {
			if (last == FW_NODE_NONE)
				index->due = next;
			else
				fw_index_node(index, last)->due = next;
			drop(index, id);
		} else {
			last = id;
		}
		id = next;
	}
	index->due_last = last;
}

/* What is due for nobody is in the way only where all other nodes are used. */
static uint32_t new_node(struct fw_prefix_index *index,
			 const struct fw_key *key, uint64_t hash)
{
	uint32_t id = fw_arena_get(&index->arena);

	if (id == FW_NODE_NONE && index->idle) {
		drop_idle(index);
		id = fw_arena_get(&index->arena);
	}
	if (id == FW_NODE_NONE)
		return id;
	*fw_index_node(index, id) = (struct fw_index_node){
		.parent = FW_NODE_NONE,
		.child = FW_NODE_NONE,
		.next = FW_NODE_NONE,
		.prev = FW_NODE_NONE,
		.block = FW_NODE_NONE,
		.flags = FW_NODE_USED,
	};
	fw_node_set_hash(fw_index_node(index, id), hash);
	*fw_arena_key(&index->arena, id) = *key;
	fw_map_add(&index->map, id, hash);
	return id;
}

uint32_t fw_node_get(struct fw_prefix_index *index, const struct fw_key *key)
{
	uint64_t hash = fw_map_hash(&index->map, key);
	uint32_t id = fw_map_find(&index->map, &index->arena, key, hash);

	return id == FW_NODE_NONE ? new_node(index, key, hash) : id;
}

void fw_node_drop_unused(struct fw_prefix_index *index, uint32_t id)
{
	const struct fw_index_node *node = fw_index_node(index, id);

	if (!is_unused(node))
		return;
	if (node->flags & FW_NODE_DUE)
		index->idle = true;
	else if (!(node->flags & FW_NODE_BUSY))
		drop(index, id);
}

bool fw_node_place(struct fw_prefix_index *index, uint32_t id)
{
	if (fw_node_placed(fw_index_node(index, id)))
		return true;
	if (index->placed == index->max_blocks)
		return false;
	index->placed++;
	return true;
}

/* Put a node first among the children of its parent, if it has one. */
static void link_child(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_index_node *parent;

	if (!fw_node_is(node->parent))
		return;
	parent = fw_index_node(index, node->parent);
	node->prev = FW_NODE_NONE;
	node->next = parent->child;
	if (node->next != FW_NODE_NONE)
		fw_index_node(index, node->next)->prev = id;
	parent->child = id;
}

/* A parent that is not cached and loses its last child is dropped. */
static void unlink_child(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_index_node *parent;

	if (!fw_node_is(node->parent))
		return;
	parent = fw_index_node(index, node->parent);
	if (node->prev == FW_NODE_NONE)
		parent->child = node->next;
	else
		fw_index_node(index, node->prev)->next = node->next;
	if (node->next != FW_NODE_NONE)
		fw_index_node(index, node->next)->prev = node->prev;
	if (fw_node_placed(parent))
		return;
	index->placed--;
	fw_node_drop_unused(index, node->parent);
}

static void tell_demand(const struct fw_prefix_index *index,
			const struct fw_index_node *node, bool wanted)
{
	if (node->block != FW_NODE_NONE && fw_node_open(node))
		index->ops.demand(index->ops_ctx, node->block, wanted);
}

/*
 * The first demand on a block is also a demand on the block before it. Nothing
 * is counted for an owner that does not ask: to count, each prompt that waits
 * alone would walk to its first block and back out again.
 */
void fw_node_demand_more(struct fw_prefix_index *index, uint32_t id)
{
	if (!index->ops.demand)
		return;
	while (fw_node_is(id)) {
		struct fw_index_node *node = fw_index_node(index, id);

		if (node->demand++)
			break;
		tell_demand(index, node, true);
		id = node->parent;
	}
}

void fw_node_demand_less(struct fw_prefix_index *index, uint32_t id)
{
	if (!index->ops.demand)
		return;
	while (fw_node_is(id)) {
		struct fw_index_node *node = fw_index_node(index, id);

		assert(node->demand);
		if (--node->demand)
			break;
		tell_demand(index, node, false);
		id = node->parent;
	}
}

void fw_node_make_due(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	if (node->flags & FW_NODE_DUE)
		return;
	node->flags |= FW_NODE_DUE;
	node->due = FW_NODE_NONE;
	if (index->due == FW_NODE_NONE)
		index->due = id;
	else
		fw_index_node(index, index->due_last)->due = id;
	index->due_last = id;
}

static void open_node(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	uint32_t chain = 0;

	node->depth = 1;
	if (node->parent != FW_NODE_NONE) {
		node->depth += fw_index_node(index, node->parent)->depth;
		chain = fw_index_node(index, node->parent)->chain;
	}
	chain += fw_chain_step(index, fw_arena_key(&index->arena, id),
			       node->depth);
	/* Those who held it hold something else, if it stands elsewhere. */
	if (node->holders && chain != node->chain)
		fw_ring_splice_tail(&index->astray, &node->holders);
	node->chain = chain;
	node->flags |= FW_NODE_SEEN;
	fw_map_open(&index->map, id, fw_node_hash(node), true);
	if (node->demand)
		tell_demand(index, node, true);
	if (node->lackers)
		fw_node_make_due(index, id);
}

/* Open a tree, parents first. */
static void open_tree(struct fw_prefix_index *index, uint32_t top)
{
	uint32_t id = top;

	for (;;) {
		struct fw_index_node *node = fw_index_node(index, id);

		open_node(index, id);
		if (node->child != FW_NODE_NONE) {
			id = node->child;
			continue;
		}
		while (id != top && node->next == FW_NODE_NONE) {
			id = node->parent;
			node = fw_index_node(index, id);
		}
		if (id == top)
			return;
		id = node->next;
	}
}

static void close_node(struct fw_prefix_index *index, uint32_t id,
		       struct fw_list **displaced)
{
	struct fw_index_node *node = fw_index_node(index, id);

	if (node->demand)
		tell_demand(index, node, false);
	node->depth = 0;
	fw_map_open(&index->map, id, fw_node_hash(node), false);
	if (!index->late)
		fw_ring_splice_tail(displaced, &node->holders);
	else if (node->holders)
		fw_node_make_due(index, id);
}

static uint32_t first_leaf(const struct fw_prefix_index *index, uint32_t id)
{
	while (fw_index_node(index, id)->child != FW_NODE_NONE)
		id = fw_index_node(index, id)->child;
	return id;
}

/* Children first. All that is behind an open node is open. */
void fw_node_close(struct fw_prefix_index *index, uint32_t top,
		   struct fw_list **displaced)
{
	uint32_t id = first_leaf(index, top);

	for (;;) {
		const struct fw_index_node *node = fw_index_node(index, id);

		close_node(index, id, displaced);
		if (id == top)
			return;
		id = node->next == FW_NODE_NONE ? node->parent
						: first_leaf(index, node->next);
	}
}

void fw_node_attach(struct fw_prefix_index *index, uint32_t id, uint32_t parent)
{
	struct fw_index_node *node = fw_index_node(index, id);

	node->parent = parent;
	link_child(index, id);
	if (node->demand && fw_node_is(parent))
		fw_node_demand_more(index, parent);
	if (parent == FW_NODE_NONE ||
	    (fw_node_is(parent) && fw_node_open(fw_index_node(index, parent))))
		open_tree(index, id);
}

void fw_node_detach(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	unlink_child(index, id);
	node->parent = FW_NODE_NONE;
	if (!fw_node_placed(node))
		index->placed--;
}

void fw_index_reclaim(struct fw_prefix_index *index)
{
	bool more;

	if (!fw_rcu_grace_over(&index->grace))
		return;
	more = fw_arena_advance(&index->arena);
	more |= fw_map_advance(&index->map);
	if (more && index->shared)
		fw_rcu_grace_start(&index->grace);
}
