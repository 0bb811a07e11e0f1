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
 * The blocks of the KV cache. A block is free, or running requests reference
 * it, or nobody references it but it is still cached. Unreferenced blocks are
 * evicted by age. A request that ends releases its last block first, so a block
 * is always older than the block before it, and eviction takes the end of a
 * prompt first.
 *
 * With protection, a block that a waiting request would hit is evicted only
 * when no other block is left. It still counts as evictable.
 *
 * Where requests pause, one may compute blocks whose first ones another has
 * cached meanwhile. Its own copies of those are private, and the blocks behind
 * them hang on blocks that it does not reference. So a block may be evicted
 * before blocks behind it; they do not count until it is cached again.
 *
 * Single owner, takes no lock. Only fw_kv_pool_init() allocates.
 */

/**
 * struct fw_evict_ops - an order of eviction other than by age
 * @take: @req is about to get its blocks. The first @hit entries of @table are
 *	filled; those blocks are cached. Called before a block is evicted
 * @give: @block is one of the other blocks that the request got
 * @store: @block is cached from now on
 * @prio: priority of an unreferenced block. The smallest is evicted first; of
 *	equal ones, the block that was released first. Only @take may change it
 * @evict: @block is not cached any more
 *
 * A block is never evicted before the cached blocks behind it. A pool in which
 * requests pause has no such order.
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
 * @blocks: all blocks
 * @num_blocks: number of them
 * @block_tokens: tokens of a block
 * @free_blocks: stack of free blocks
 * @num_free: number of them
 * @spare: blocks that are cached, unreferenced and not in demand
 * @kept: with protection, those that are cached, unreferenced and in demand
 * @age: stamp of the next release
 * @protect: is protection on?
 * @pausing: may requests pause that have begun?
 * @evictions: cached blocks that were evicted
 * @evict_ops: set by the owner while the pool is empty; NULL: by age alone
 * @evict_ctx: handed to them
 * @index: is told of each block that enters or leaves the cache
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
	bool pausing;
	uint64_t evictions;
	const struct fw_evict_ops *evict_ops;
	void *evict_ctx;
	struct fw_prefix_index index;
	const struct fw_allocator *allocator;
};

/**
 * enum fw_kv_pool_flags - what a pool is asked for
 * @FW_POOL_PROTECT: spare the blocks that waiting requests would hit
 * @FW_POOL_PAUSING: requests that have begun may pause
 */
enum fw_kv_pool_flags {
	FW_POOL_PROTECT = 1,
	FW_POOL_PAUSING = 2,
};

/**
 * fw_kv_pool_init() - an empty pool
 * @pool: written only on success; must not be moved
 * @num_blocks: at least 1
 * @block_tokens: tokens of a block, at least 1
 * @flags: of enum fw_kv_pool_flags
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_kv_pool_init(struct fw_kv_pool *pool, uint32_t num_blocks,
		    uint32_t block_tokens, uint32_t flags,
		    const struct fw_allocator *allocator);
void fw_kv_pool_destroy(struct fw_kv_pool *pool);

/* Blocks that a prompt of @len tokens takes, a partial one included. */
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
 * First its hit blocks are referenced, so that they are not evicted. Then it
 * gets the other blocks, free ones before cached ones.
 *
 * Return: 0; -ENOSPC when it does not fit now, and nothing changed.
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
 * Each full block whose last token lies in the chunk is cached from now on. A
 * block whose key is cached already stays private to the request. So do all
 * blocks behind it, unless requests pause: then these hang on the cached copy.
 */
void fw_kv_pool_plan(struct fw_kv_pool *pool, const struct fw_request *req,
		     const uint32_t *table, uint32_t first, uint32_t count);

/* Would fw_kv_pool_take() find room for @req now? */
bool fw_kv_pool_fits(const struct fw_kv_pool *pool,
		     const struct fw_request *req);

/*
 * For chunks whose plan failed. First fw_kv_pool_lose() marks the blocks of
 * each such chunk, so that fw_kv_pool_lost() tells who hits one of them. Then
 * fw_kv_pool_forget() takes these blocks out of the cache, the chunk that was
 * planned last first, since a block leaves the index after those behind it.
 */
void fw_kv_pool_lose(struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t first, uint32_t count);
bool fw_kv_pool_lost(const struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t num);
void fw_kv_pool_forget(struct fw_kv_pool *pool, const uint32_t *table,
		       uint32_t first, uint32_t count);

/* Release the blocks of a request that ended, the last one first. */
void fw_kv_pool_release(struct fw_kv_pool *pool, const uint32_t *table,
			uint32_t num);

/* Is each block in exactly one place, and the index valid? For tests. */
bool fw_kv_pool_valid(const struct fw_kv_pool *pool);

#endif
