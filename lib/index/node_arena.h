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
 * The nodes of a prefix index and, apart from them, their keys.
 *
 * Nodes are the owner's alone. Readers on other threads read keys and nothing
 * else, so that they share no cache line that the owner writes. Both have a
 * number and never move. A key stays as it is while a reader may read it: a
 * node that readers may know of is used again only after a grace period, which
 * is its owner's business: fw_arena_advance().
 *
 * Memory comes in chunks, each as large as all before it together, and none is
 * touched before it is used: no call pays for the whole.
 */

#define FW_NODE_NONE UINT32_MAX
/* Parent of a block that was stored without saying behind which other. */
#define FW_NODE_UNKNOWN (UINT32_MAX - 1)
/* Lacked by a request for whose missing block there was no node. */
#define FW_NODE_BLIND (UINT32_MAX - 2)

/* Numbers of nodes have 28 bits, 0 aside: node_table.h. */
#define FW_NODE_BITS 28u
#define FW_ARENA_MAX ((1u << FW_NODE_BITS) - 1)
#define FW_ARENA_CHUNKS (FW_NODE_BITS + 1)

/**
 * enum fw_node_flag - what a node is besides
 * @FW_NODE_USED: not free
 * @FW_NODE_SEEN: readers may know of it
 * @FW_NODE_DUE: on the list of nodes whose lackers are to be moved
 * @FW_NODE_BUSY: being taken apart
 */
enum fw_node_flag {
	FW_NODE_USED = 1,
	FW_NODE_SEEN = 2,
	FW_NODE_DUE = 4,
	FW_NODE_BUSY = 8,
};

/**
 * struct fw_index_node - a block: cached, wanted, or named as a parent
 * @holders: ring of the requests whose hit ends here
 * @lackers: ring of the requests whose hit ends just before
 * @hash: of its key
 * @parent: node of the block before; FW_NODE_NONE for the first of a prompt
 *	and for what is not cached, FW_NODE_UNKNOWN; next one on a free list
 * @depth: blocks of its prefix, itself counted, while all of them are cached;
 *	else 0, and it does not count
 * @demand: holders plus children in demand; 0 where nobody asks for it
 * @child: first cached node with this parent
 * @next: the next one of the same parent
 * @prev: the one before, FW_NODE_NONE for the first
 * @block: physical block, FW_NODE_NONE where the index does not know it
 * @copies: how often it is cached, 0 when it is not
 * @due: next node whose lackers are to be moved
 * @flags: of enum fw_node_flag
 */
struct fw_index_node {
	struct fw_list *holders;
	struct fw_list *lackers;
	uint64_t hash;
	uint32_t parent;
	uint32_t depth;
	uint32_t demand;
	uint32_t child;
	uint32_t next;
	uint32_t prev;
	uint32_t block;
	uint32_t copies;
	uint32_t due;
	uint32_t flags;
};

_Static_assert(sizeof(struct fw_index_node) == 64, "one cache line");

/**
 * struct fw_node_list - nodes linked by their parent
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
 * @nodes: by chunk, on cache lines
 * @keys: the same
 * @memory: what was allocated for each, as it was returned
 * @num_chunks: of them
 * @base_bits: nodes of the first chunk, as a power of two
 * @cap: nodes in all chunks
 * @fresh: nodes from here on were never used
 * @free: used before, free now
 * @limbo: given back; readers may still know of them
 * @leaving: the same, given back before the grace period that runs now began
 * @allocator: of the chunks
 */
struct fw_node_arena {
	struct fw_index_node *nodes[FW_ARENA_CHUNKS];
	struct fw_key *keys[FW_ARENA_CHUNKS];
	void *memory[2][FW_ARENA_CHUNKS];
	uint32_t num_chunks;
	uint32_t base_bits;
	uint32_t cap;
	uint32_t fresh;
	struct fw_node_list free;
	struct fw_node_list limbo;
	struct fw_node_list leaving;
	const struct fw_allocator *allocator;
};

/* Where a node of number @id lies: chunk by the top bit, then the rest. */
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
 * fw_arena_init() - a pool without nodes
 * @arena: set in all cases
 * @first: nodes of the first chunk; more than half of them are asked for
 * @allocator: kept
 */
void fw_arena_init(struct fw_node_arena *arena, uint32_t first,
		   const struct fw_allocator *allocator);

/* No grace period may be running. */
void fw_arena_destroy(struct fw_node_arena *arena);

/* Make room for @num nodes in all. Return: 0, -ENOMEM. */
int fw_arena_reserve(struct fw_node_arena *arena, size_t num);

/* A node, with garbage in it, or FW_NODE_NONE when all are in use. */
uint32_t fw_arena_get(struct fw_node_arena *arena);

/* Give one back that no reader can know of. */
void fw_arena_put(struct fw_node_arena *arena, uint32_t id);

/* Give one back that readers may know of: fw_arena_advance() frees it. */
void fw_arena_put_later(struct fw_node_arena *arena, uint32_t id);

/**
 * fw_arena_advance() - one grace period is over, and another may begin
 * @arena: the pool
 *
 * Frees what was given back before the one that is over began.
 *
 * Return: Is there anything that the next one is to wait for?
 */
bool fw_arena_advance(struct fw_node_arena *arena);

#endif
