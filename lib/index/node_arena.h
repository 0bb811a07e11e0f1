/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_NODE_ARENA_H
#define LIB_INDEX_NODE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

#include "lib/base/list.h"

/*
 * The nodes of a prefix index and, in arrays of their own, their keys.
 *
 * Only the owner reads and writes nodes. Readers on other threads read keys
 * and nothing else, so they share no cache line that the owner writes. A node
 * and its key have one number, and neither of them ever moves.
 *
 * A key stays as it is while a reader may read it. So a node that readers may
 * know of is used again only after a grace period. The caller says when one is
 * over: fw_arena_advance().
 *
 * Memory comes in chunks. Each chunk is as large as all before it together,
 * and no page of it is touched before it is used, so no call pays for all.
 */

#define FW_NODE_NONE UINT32_MAX
/* Parent of a block that was stored, and nobody said behind which other. */
#define FW_NODE_UNKNOWN (UINT32_MAX - 1)
/* What a request lacks, when no node was free for that block. */
#define FW_NODE_BLIND (UINT32_MAX - 2)

/* Numbers of nodes have 28 bits: a cell of the map has no room for more. */
#define FW_NODE_BITS 28u
#define FW_ARENA_MAX ((1u << FW_NODE_BITS) - 1)
#define FW_ARENA_CHUNKS (FW_NODE_BITS + 1)

/**
 * enum fw_node_flag - flags of a node
 * @FW_NODE_USED: in use, not free
 * @FW_NODE_SEEN: readers may know of it
 * @FW_NODE_DUE: on the list of nodes whose lackers are to be moved
 * @FW_NODE_BUSY: not to be dropped, although nobody needs it at this moment
 * @FW_NODE_NAMED: cached, as the snapshot says that is being taken over
 */
enum fw_node_flag {
	FW_NODE_USED = 1,
	FW_NODE_SEEN = 2,
	FW_NODE_DUE = 4,
	FW_NODE_BUSY = 8,
	FW_NODE_NAMED = 16,
};

/**
 * struct fw_index_node - a block: cached, wanted, or the parent of a cached one
 * @holders: ring of the requests whose hit ends with this block
 * @lackers: ring of the requests whose hit ends with the block before
 * @hash_rest: bits 8 to 39 of the hash of its key
 * @chain: while open, the sum of fw_chain_step() over its prefix
 * @parent: node of the block before; FW_NODE_NONE for the first block of a
 *	prompt and for a block that is not cached; FW_NODE_UNKNOWN. On a free
 *	list: the next node
 * @depth: blocks of its prefix, itself included, while the node is open; 0
 *	while it is closed
 * @demand: holders plus children in demand; 0 where nobody asks for it
 * @child: first cached node whose parent this is
 * @next: next child of the same parent
 * @prev: previous child, FW_NODE_NONE for the first
 * @block: physical block, FW_NODE_NONE where the index does not know it
 * @copies: how many copies are cached, 0 when none is
 * @due: next node on the list of FW_NODE_DUE
 * @hash_home: bits 0 to 7 of the hash of its key
 * @flags: of enum fw_node_flag
 */
struct fw_index_node {
	struct fw_list *holders;
	struct fw_list *lackers;
	uint32_t hash_rest;
	uint32_t chain;
	uint32_t parent;
	uint32_t depth;
	uint32_t demand;
	uint32_t child;
	uint32_t next;
	uint32_t prev;
	uint32_t block;
	uint32_t copies;
	uint32_t due;
	uint8_t hash_home;
	uint8_t flags;
};

_Static_assert(sizeof(struct fw_index_node) == 64, "one cache line");

/* Bits of a hash that a node keeps. The map uses no others. */
#define FW_HASH_BITS 40u

static inline uint64_t fw_node_hash(const struct fw_index_node *node)
{
	return (uint64_t)node->hash_rest << 8 | node->hash_home;
}

static inline void fw_node_set_hash(struct fw_index_node *node, uint64_t hash)
{
	node->hash_rest = (uint32_t)(hash >> 8);
	node->hash_home = (uint8_t)hash;
}

static inline void fw_node_clear(struct fw_index_node *node,
				 enum fw_node_flag flag)
{
	node->flags = (uint8_t)(node->flags & ~(unsigned int)flag);
}

/**
 * struct fw_node_list - free nodes, linked by their field parent
 * @first: FW_NODE_NONE when empty
 * @last: valid unless empty
 * @num: how many
 */
struct fw_node_list {
	uint32_t first;
	uint32_t last;
	uint32_t num;
};

/**
 * struct fw_node_arena - the nodes
 * @nodes: an array for each chunk, aligned to cache lines
 * @keys: the same
 * @num_chunks: chunks so far
 * @base_bits: the first chunk has 2^base_bits nodes
 * @cap: nodes in all chunks
 * @fresh: nodes from this number on were never used
 * @free: nodes that were used before and are free now
 * @limbo: nodes given back that readers may still know of
 * @leaving: the same; they were given back before the grace period that runs
 *	now began
 * @allocator: of the chunks
 */
struct fw_node_arena {
	struct fw_index_node *nodes[FW_ARENA_CHUNKS];
	struct fw_key *keys[FW_ARENA_CHUNKS];
	uint32_t num_chunks;
	uint32_t base_bits;
	uint32_t cap;
	uint32_t fresh;
	struct fw_node_list free;
	struct fw_node_list limbo;
	struct fw_node_list leaving;
	const struct fw_allocator *allocator;
};

/* Chunk of node @id. Its top bit says the chunk, the other bits @offset. */
static inline uint32_t fw_arena_chunk(const struct fw_node_arena *arena,
				      uint32_t id, uint32_t *offset)
{
	uint32_t at = id + (1u << arena->base_bits);
	uint32_t top = 31u - (uint32_t)__builtin_clz(at);

	*offset = at - (1u << top);
	return top - arena->base_bits;
}

static inline struct fw_index_node *
fw_arena_node(const struct fw_node_arena *arena, uint32_t id)
{
	uint32_t offset, chunk = fw_arena_chunk(arena, id, &offset);

	return &arena->nodes[chunk][offset];
}

static inline struct fw_key *fw_arena_key(const struct fw_node_arena *arena,
					  uint32_t id)
{
	uint32_t offset, chunk = fw_arena_chunk(arena, id, &offset);

	return &arena->keys[chunk][offset];
}

/**
 * fw_arena_init() - an arena without nodes
 * @arena: written in all cases
 * @first: nodes of the first chunk, rounded up to a power of two
 * @allocator: kept
 */
void fw_arena_init(struct fw_node_arena *arena, uint32_t first,
		   const struct fw_allocator *allocator);

/* No grace period may be running. */
void fw_arena_destroy(struct fw_node_arena *arena);

/* Make room for @num nodes in all. Return: 0, -ENOMEM. */
int fw_arena_reserve(struct fw_node_arena *arena, size_t num);

/* A node that holds garbage; FW_NODE_NONE when all are in use. */
uint32_t fw_arena_get(struct fw_node_arena *arena);

/* Give back a node that no reader can know of. */
void fw_arena_put(struct fw_node_arena *arena, uint32_t id);

/* Give back a node that readers may know of; fw_arena_advance() frees it. */
void fw_arena_put_later(struct fw_node_arena *arena, uint32_t id);

/**
 * fw_arena_advance() - one grace period is over, and another may begin
 * @arena: the arena
 *
 * Frees the nodes that were given back before that grace period began.
 *
 * Return: Are there nodes left that wait for another grace period?
 */
bool fw_arena_advance(struct fw_node_arena *arena);

#endif
