/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_POOL_KV_POOL_H
#define LIB_POOL_KV_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

#include "lib/index/prefix_index.h"
#include "block_queue.h"

/*
 * The KV cache's blocks: free, referenced by running requests, or unreferenced
 * but still cached, until evicted by age. Blocks of a request that ends are
 * released tail first, so a block is always older than the block before it and
 * eviction takes leaves first.
 *
 * With protection, blocks that a waiting request would hit are passed over
 * while others are left. They count as evictable all the same.
 *
 * Single owner, takes no lock. fw_kv_pool_init() allocates, nothing else.
 */

/**
 * struct fw_evict_ops - another order of eviction than the age
 * @take: @req is about to get its blocks, of which the first @hit of @table
 *	are cached; before any is evicted for it
 * @give: @block is one of the others that it got
 * @store: @block is cached from now on
 * @prio: of an unreferenced block; the smallest goes first, the longest
 *	released one of those that are equal; changes with @take only
 * @evict: @block is not cached any more
 *
 * A block behind which others are cached is never evicted before those.
 */
struct fw_evict_ops {
	void (*take)(void *ctx, const struct fw_request *req,
		     const uint32_t *table, uint32_t hit);
	void (*give)(void *ctx, uint32_t block);
	void (*store)(void *ctx, uint32_t block);
	double (*prio)(const void *ctx, uint32_t block);
	void (*evict)(void *ctx, uint32_t block);
};

/**
 * struct fw_kv_pool - the blocks
 * @blocks: all of them
 * @num_blocks: how many
 * @block_tokens: tokens of one
 * @free_blocks: stack of free ones
 * @num_free: how many
 * @spare: unreferenced, cached, by priority and age of release
 * @kept: the same, those that are in demand, with protection
 * @age: stamp of the next release
 * @protect: is protection on?
 * @evictions: cached blocks that made room
 * @evict_ops: set by the owner of an empty pool; NULL: by age alone
 * @evict_ctx: handed to them
 * @index: told of all that enters and leaves the cache
 * @allocator: of all the above
 */
struct fw_kv_pool {
	struct fw_kv_block *blocks;
	uint32_t num_blocks;
	uint32_t block_tokens;
	uint32_t *free_blocks;
	uint32_t num_free;
	struct fw_block_queue spare;
	struct fw_block_queue kept;
	uint64_t age;
	bool protect;
	uint64_t evictions;
	const struct fw_evict_ops *evict_ops;
	void *evict_ctx;
	struct fw_prefix_index index;
	const struct fw_allocator *allocator;
};

/**
 * fw_kv_pool_init() - an empty pool
 * @pool: written only on success; stays where it is
 * @num_blocks: at least 1
 * @block_tokens: tokens of a block, at least 1
 * @protect: spare what waiting requests would hit
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_kv_pool_init(struct fw_kv_pool *pool, uint32_t num_blocks,
		    uint32_t block_tokens, bool protect,
		    const struct fw_allocator *allocator);
void fw_kv_pool_destroy(struct fw_kv_pool *pool);

/* Blocks that a prompt of @len tokens takes, the partial one counted. */
static inline uint32_t fw_kv_pool_need(const struct fw_kv_pool *pool,
				       uint32_t len)
{
	return (uint32_t)(((uint64_t)len + pool->block_tokens - 1) /
			  pool->block_tokens);
}

/**
 * fw_kv_pool_take() - give a request all blocks of its prompt
 * @pool: the pool
 * @req: watched by the pool's index
 * @table: its block table, fw_kv_pool_need() entries; garbage after an error
 *
 * Its hit blocks leave the evictable ones first; then blocks are taken, free
 * ones before cached ones.
 *
 * Return: 0, -ENOSPC when it does not fit now; then nothing changed.
 */
int fw_kv_pool_take(struct fw_kv_pool *pool, const struct fw_request *req,
		    uint32_t *table);

/**
 * fw_kv_pool_plan() - a chunk of a request is planned
 * @pool: the pool
 * @req: its prompt
 * @table: its block table
 * @first: first token of the chunk
 * @count: tokens of the chunk
 *
 * The full blocks whose last token lies in the chunk are cached from now on,
 * up to the first whose key is cached already: that one stays private.
 */
void fw_kv_pool_plan(struct fw_kv_pool *pool, const struct fw_request *req,
		     const uint32_t *table, uint32_t first, uint32_t count);

/* Would fw_kv_pool_take() find room for @req now? */
bool fw_kv_pool_fits(const struct fw_kv_pool *pool,
		     const struct fw_request *req);

/*
 * A chunk will not be computed: first every such chunk is lost, which tells
 * who hits one of its blocks, then each is forgotten, the last planned first,
 * as a block leaves the index after those behind it.
 */
void fw_kv_pool_lose(struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t first, uint32_t count);
bool fw_kv_pool_lost(const struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t num);
void fw_kv_pool_forget(struct fw_kv_pool *pool, const uint32_t *table,
		       uint32_t first, uint32_t count);

/* A request that ends gives its blocks back, the last one first. */
void fw_kv_pool_release(struct fw_kv_pool *pool, const uint32_t *table,
			uint32_t num);

/* Is every block in exactly one place, and the index right? For tests. */
bool fw_kv_pool_valid(const struct fw_kv_pool *pool);

#endif
