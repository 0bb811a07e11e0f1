/* SPDX-License-Identifier: Apache-2.0 */
#include "sweep.h"

#include "hang.h"

static bool is_used(const struct fw_index_node *node)
{
	return node->flags & FW_NODE_USED;
}

/* Cached, and not named by the snapshot. */
static bool is_stale(const struct fw_index_node *node)
{
	return is_used(node) && fw_node_cached(node) &&
	       !(node->flags & FW_NODE_NAMED);
}

void fw_index_begin_snapshot(struct fw_prefix_index *index)
{
	/* Of a snapshot that had no end. */
	for (uint32_t id = 0; index->snapshot && id < index->arena.fresh; id++)
		if (is_used(fw_index_node(index, id)))
			fw_node_clear(fw_index_node(index, id), FW_NODE_NAMED);
	index->snapshot = true;
}

/* Is it open behind a block that stays? Then all behind it closes with it. */
static bool is_stale_top(const struct fw_prefix_index *index,
			 const struct fw_index_node *node)
{
	if (!is_stale(node) || !fw_node_open(node))
		return false;
	return node->parent == FW_NODE_NONE ||
	       !is_stale(fw_index_node(index, node->parent));
}

/* As fw_index_clear(), but only what was not named. */
void fw_index_end_snapshot(struct fw_prefix_index *index)
{
	if (!index->snapshot)
		return;
	for (uint32_t id = 0; id < index->arena.fresh; id++)
		if (is_stale_top(index, fw_index_node(index, id)))
			fw_node_uncache(index, id);
	for (uint32_t id = 0; id < index->arena.fresh; id++) {
		struct fw_index_node *node = fw_index_node(index, id);

		if (is_stale(node))
			fw_node_uncache(index, id);
		else if (is_used(node))
			fw_node_clear(node, FW_NODE_NAMED);
	}
	index->snapshot = false;
}

/*
 * First the open blocks, a whole tree at a time, so that each waiting request
 * is moved once. Then the closed blocks, which nobody holds.
 */
void fw_index_clear(struct fw_prefix_index *index)
{
	for (uint32_t id = 0; id < index->arena.fresh; id++) {
		struct fw_index_node *node = fw_index_node(index, id);

		if (is_used(node) && node->depth == 1)
			fw_node_uncache(index, id);
	}
	for (uint32_t id = 0; id < index->arena.fresh; id++) {
		struct fw_index_node *node = fw_index_node(index, id);

		if (is_used(node) && fw_node_cached(node))
			fw_node_uncache(index, id);
	}
}
