/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_TREE_H
#define LIB_INDEX_TREE_H

#include "prefix_index.h"

/*
 * Inside of the prefix index: the tree of blocks, and what opens and closes.
 * For lib/prefix_index.c, index_event.c and index_watch.c alone.
 */

static inline bool fw_node_cached(const struct fw_index_node *node)
{
	return node->copies > 0;
}

static inline bool fw_node_open(const struct fw_index_node *node)
{
	return node->depth > 0;
}

/* Is it a parent, or cached, and not just wanted? */
static inline bool fw_node_placed(const struct fw_index_node *node)
{
	return node->copies || node->child != FW_NODE_NONE;
}

/* May a node be the parent of others? */
static inline bool fw_node_is(uint32_t id)
{
	return id < FW_NODE_BLIND;
}

/* The node of @key, whatever it is, or FW_NODE_NONE. */
uint32_t fw_node_find(const struct fw_prefix_index *index,
		      const struct fw_key *key);

/* The same, made when there is none; FW_NODE_NONE when that cannot be. */
uint32_t fw_node_get(struct fw_prefix_index *index, const struct fw_key *key);

/* Nobody needs it any more: it is free. */
void fw_node_drop_unused(struct fw_prefix_index *index, uint32_t id);

/* Count the block of a node in; false where there is no place for it. */
bool fw_node_place(struct fw_prefix_index *index, uint32_t id);

/**
 * fw_node_attach() - a cached block gets its parent
 * @index: the index
 * @id: its node, without a parent yet
 * @parent: a placed node; FW_NODE_NONE for the first block of a prompt;
 *	FW_NODE_UNKNOWN, and it waits for fw_node_attach() again
 *
 * It opens, and all behind it, when its parent is open.
 */
void fw_node_attach(struct fw_prefix_index *index, uint32_t id,
		    uint32_t parent);

/* Its last copy is gone: it closes, and all behind it. */
void fw_node_uncache(struct fw_prefix_index *index, uint32_t id);

/* The lackers of an open node may have its block: fw_index_flush() looks. */
void fw_node_make_due(struct fw_prefix_index *index, uint32_t id);

/* One more, or one less, that needs a block and so all before it. */
void fw_node_demand_more(struct fw_prefix_index *index, uint32_t id);
void fw_node_demand_less(struct fw_prefix_index *index, uint32_t id);

/**
 * fw_index_displace() - requests lost the block that they held last
 * @index: the index
 * @displaced: ring of them, by hold; on no other list of holders
 * @hold: what they hold now
 * @blocks: how many that are
 */
void fw_index_displace(struct fw_prefix_index *index, struct fw_list *displaced,
		       uint32_t hold, uint32_t blocks);

/* After fw_arena_put_later(): free what no reader can see any more. */
void fw_index_reclaim(struct fw_prefix_index *index);

/**
 * fw_index_search() - the longest open prefix of a prompt
 * @index: the index
 * @view: of its table
 * @keys: of the prompt
 * @from: blocks that are open, as the caller knows
 * @num: blocks at most
 * @far: probe the end first, not what follows @from
 *
 * Context: Any thread, inside a read lock or as owner.
 * Return: Blocks; of the last one the key was compared, unless that is @from.
 */
uint32_t fw_index_search(const struct fw_prefix_index *index,
			 const struct fw_map_view *view,
			 const struct fw_key *keys, uint32_t from, uint32_t num,
			 bool far);

#endif
