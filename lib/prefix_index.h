/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_PREFIX_INDEX_H
#define LIB_PREFIX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

#include "key_map.h"
#include "list.h"

/*
 * Which blocks are cached, and which waiting request gains or loses by it.
 *
 * A node is a block by its key: cached, or wanted (absent, but the next block
 * of some waiting request). A waiting request hangs on two nodes: the last
 * block that it hits and the first one that it lacks. So a block that is
 * stored touches only the requests that lack exactly it, and one that is
 * removed only those that hold it last.
 *
 * Prefixes are closed: a block is stored after its parent and removed before
 * it, as a pool that evicts leaves first does by itself.
 *
 * Demand: a block is in demand while a waiting request holds it, or a cached
 * descendant of it, last. That is what a pool with protection spares.
 *
 * Single owner, takes no lock. fw_index_init() and fw_index_watch() allocate,
 * nothing else does.
 */

#define FW_NODE_NONE UINT32_MAX

/**
 * struct fw_index_node - a block that is cached or wanted
 * @key: its key
 * @holders: requests whose hit ends here
 * @lackers: requests whose hit ends just before
 * @parent: node of the block before, FW_NODE_NONE for the first of a prompt
 *	and for wanted ones
 * @demand: holders plus cached children in demand
 * @children: cached nodes with this parent
 * @block: physical block, FW_NODE_NONE while it is wanted
 */
struct fw_index_node {
	struct fw_key key;
	struct fw_list holders;
	struct fw_list lackers;
	uint32_t parent;
	uint32_t demand;
	uint32_t children;
	uint32_t block;
};

/**
 * struct fw_index_ops - who wants to know
 * @hit: a waiting request's hit is now @blocks blocks
 * @demand: a cached block came into demand or went out of it
 */
struct fw_index_ops {
	void (*hit)(void *ctx, struct fw_request *req, uint32_t blocks);
	void (*demand)(void *ctx, uint32_t block, bool wanted);
};

/**
 * struct fw_prefix_index - the index
 * @map: key to node
 * @chunks: the nodes; they never move, since lists start in them
 * @num_chunks: how many
 * @cap_chunks: of @chunks
 * @free_node: first of the unused nodes, linked by their parent
 * @num_free: how many
 * @max_blocks: cached nodes at most, room is kept for them
 * @watching: requests that hang on nodes
 * @block_tokens: tokens of a block
 * @ops: set by the owner; functions that are NULL are not called
 * @ops_ctx: handed to them
 * @allocator: of the nodes and the map
 */
struct fw_prefix_index {
	struct fw_key_map map;
	struct fw_index_node **chunks;
	size_t num_chunks;
	size_t cap_chunks;
	uint32_t free_node;
	size_t num_free;
	uint32_t max_blocks;
	size_t watching;
	uint32_t block_tokens;
	struct fw_index_ops ops;
	void *ops_ctx;
	const struct fw_allocator *allocator;
};

/**
 * fw_index_init() - an empty index
 * @index: written only on success
 * @max_blocks: cached blocks at most
 * @block_tokens: tokens of a block, at least 1
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_index_init(struct fw_prefix_index *index, uint32_t max_blocks,
		  uint32_t block_tokens, const struct fw_allocator *allocator);
void fw_index_destroy(struct fw_prefix_index *index);

/* Node of a cached key, FW_NODE_NONE where it is not cached. */
uint32_t fw_index_find(const struct fw_prefix_index *index,
		       const struct fw_key *key);

/**
 * fw_index_store() - a block is cached now
 * @index: the index
 * @key: not cached before
 * @parent: node of the block before, FW_NODE_NONE for the first
 * @block: physical block
 *
 * Return: Its node, to name it by until it is removed.
 */
uint32_t fw_index_store(struct fw_prefix_index *index, const struct fw_key *key,
			uint32_t parent, uint32_t block);

/* A cached block without cached children is gone. */
void fw_index_remove(struct fw_prefix_index *index, uint32_t node);

/* The node by its number. */
struct fw_index_node *fw_index_node(const struct fw_prefix_index *index,
				    uint32_t node);

/**
 * fw_index_watch() - follow the hit of a request from now on
 * @index: the index
 * @req: its keys stay until fw_index_unwatch()
 * @blocks: hit in blocks, written only on success
 *
 * Return: 0, -ENOMEM.
 */
int fw_index_watch(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t *blocks);
void fw_index_unwatch(struct fw_prefix_index *index, struct fw_request *req);

/* Is every list, count and map entry right? For tests. */
bool fw_index_valid(const struct fw_prefix_index *index);

#endif
