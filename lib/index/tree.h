/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_TREE_H
#define LIB_INDEX_TREE_H

#include "prefix_index.h"

/*
 * The tree of blocks inside the prefix index: which node is behind which, and
 * which of them are open. Only files of this folder include this header.
 *
 * Nothing here knows requests, but for the rings of them that hang on a node.
 */

static inline bool fw_node_cached(const struct fw_index_node *node)
{
	return node->copies > 0;
}

static inline bool fw_node_open(const struct fw_index_node *node)
{
	return node->depth > 0;
}

/* Is the node cached, or the parent of a cached one? Else it is only wanted. */
static inline bool fw_node_placed(const struct fw_index_node *node)
{
	return node->copies || node->child != FW_NODE_NONE;
}

/* Is @id the number of a node, and not one of the special values? */
static inline bool fw_node_is(uint32_t id)
{
	return id < FW_NODE_BLIND;
}

/**
 * fw_chain_step() - what a block adds to the chain of its prefix
 * @index: the index
 * @key: of the block
 * @depth: blocks of the prefix, this one included
 *
 * Two prefixes of the same length have equal sums if all their keys are equal,
 * and else by a chance of one in 2^32: the seed is secret.
 */
static inline uint32_t fw_chain_step(const struct fw_prefix_index *index,
				     const struct fw_key *key, uint32_t depth)
{
	const uint64_t *seed = index->map.seed;
	uint64_t place = depth * 0x9e3779b97f4a7c15u;
	unsigned __int128 p = (unsigned __int128)(key->hi ^ seed[1]) *
			      (key->lo ^ seed[0] ^ place);

	return (uint32_t)(((uint64_t)p ^ (uint64_t)(p >> 64)) >> 32);
}

/* The node of @key, cached or not; FW_NODE_NONE when there is none. */
uint32_t fw_node_find(const struct fw_prefix_index *index,
		      const struct fw_key *key);

/* As fw_node_find(), but makes the node. FW_NODE_NONE: no node is free. */
uint32_t fw_node_get(struct fw_prefix_index *index, const struct fw_key *key);

/* Free the node if nobody needs it any more. */
void fw_node_drop_unused(struct fw_prefix_index *index, uint32_t id);

/* Count a node among the placed ones. False: max_blocks of them are there. */
bool fw_node_place(struct fw_prefix_index *index, uint32_t id);

/**
 * fw_node_attach() - give a cached block its parent
 * @index: the index
 * @id: its node, which has no parent yet
 * @parent: a placed node; FW_NODE_NONE for the first block of a prompt;
 *	FW_NODE_UNKNOWN when nobody knows, and it is attached again later
 *
 * When the parent is open, the block opens, and so does all behind it. Holders
 * that a closed node kept hold it again, or they are added to @index->astray.
 */
void fw_node_attach(struct fw_prefix_index *index, uint32_t id,
		    uint32_t parent);

/**
 * fw_node_close() - close a block and all blocks behind it
 * @index: the index
 * @id: an open node
 * @displaced: ring to which those who held one of the blocks are added, by
 *	hold; when the index is late they stay, and their nodes are due
 */
void fw_node_close(struct fw_prefix_index *index, uint32_t id,
		   struct fw_list **displaced);

/* Take a closed node, which is not cached any more, away from its parent. */
void fw_node_detach(struct fw_prefix_index *index, uint32_t id);

/* Let the next fw_index_flush() move the lackers or holders of a node. */
void fw_node_make_due(struct fw_prefix_index *index, uint32_t id);

/*
 * One more who needs the block, and so all blocks before it. Closed nodes are
 * counted too, but their blocks are reported only while they are open.
 */
void fw_node_demand_more(struct fw_prefix_index *index, uint32_t id);
/* One less. */
void fw_node_demand_less(struct fw_prefix_index *index, uint32_t id);

#endif
