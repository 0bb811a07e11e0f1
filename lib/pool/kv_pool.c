/* SPDX-License-Identifier: Apache-2.0 */
#include "kv_pool.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

#include "lib/base/alloc.h"
#include "lib/index/watched.h"

/*
 * The key by which an unreferenced block is evicted, before its age. A block
 * with cached children must stay. Behind it there is always an unreferenced
 * block without any: whoever references a block references all before it.
 */
static double evict_key(const struct fw_kv_pool *pool, uint32_t number)
{
	uint32_t node = pool->blocks[number].node;

	if (!pool->evict_ops)
		return 0.0;
	if (fw_index_node(&pool->index, node)->child != FW_NODE_NONE)
		return INFINITY;
	return pool->evict_ops->prio(pool->evict_ctx, number);
}

static struct fw_block_queue *queue_of(struct fw_kv_pool *pool,
				       const struct fw_kv_block *block)
{
	return block->wanted ? &pool->kept : &pool->spare;
}

/*
 * The index says that a cached block came into demand, or went out of it. The
 * block keeps its age. A prefix that comes into demand does so from its last
 * block on, so its blocks come in rising age.
 */
static void on_demand(void *ctx, uint32_t number, bool wanted)
{
	struct fw_kv_pool *pool = ctx;
	struct fw_kv_block *block = &pool->blocks[number];
	bool queued = fw_block_queued(block);

	if (queued)
		fw_block_queue_remove(queue_of(pool, block), number);
	block->wanted = wanted;
	if (queued)
		fw_block_queue_insert(queue_of(pool, block), number,
				      evict_key(pool, number));
}

static int reserve_queues(struct fw_kv_pool *pool)
{
	uint32_t num = pool->num_blocks;
	int ret = fw_block_queue_reserve(&pool->spare, pool->blocks, num);

	if (!ret && pool->protect)
		ret = fw_block_queue_reserve(&pool->kept, pool->blocks, num);
	return ret;
}

static int alloc_blocks(struct fw_kv_pool *pool)
{
	uint32_t num = pool->num_blocks;

	pool->blocks =
		fw_alloc_array(pool->allocator, num, sizeof(*pool->blocks));
	pool->free_blocks = fw_alloc_array(pool->allocator, num,
					   sizeof(*pool->free_blocks));
	if (!pool->blocks || !pool->free_blocks)
		return -ENOMEM;
	for (uint32_t i = 0; i < num; i++) {
		pool->blocks[i].node = FW_NODE_NONE;
		pool->free_blocks[i] = num - 1 - i;
	}
	pool->num_free = num;
	return reserve_queues(pool);
}

int fw_kv_pool_init(struct fw_kv_pool *pool, uint32_t num_blocks,
		    uint32_t block_tokens, uint32_t flags,
		    const struct fw_allocator *allocator)
{
	struct fw_kv_pool p = {
		.num_blocks = num_blocks,
		.block_tokens = block_tokens,
		.protect = flags & FW_POOL_PROTECT,
		.pausing = flags & FW_POOL_PAUSING,
		.allocator = allocator,
	};
	/* Then each cached block may have a parent that is not cached. */
	uint32_t nodes = p.pausing ? 2 * num_blocks : num_blocks;
	int ret;

	fw_block_queue_init(&p.spare, allocator);
	fw_block_queue_init(&p.kept, allocator);
	ret = fw_index_init(&p.index, nodes, block_tokens, allocator);
	if (ret)
		return ret;
	ret = alloc_blocks(&p);
	if (ret) {
		fw_kv_pool_destroy(&p);
		return ret;
	}
	if (p.protect)
		p.index.ops.demand = on_demand;
	p.index.ops_ctx = pool;
	*pool = p;
	return 0;
}

void fw_kv_pool_destroy(struct fw_kv_pool *pool)
{
	fw_index_destroy(&pool->index);
	fw_block_queue_destroy(&pool->kept);
	fw_block_queue_destroy(&pool->spare);
	fw_free_array(pool->allocator, pool->free_blocks, pool->num_blocks,
		      sizeof(*pool->free_blocks));
	fw_free_array(pool->allocator, pool->blocks, pool->num_blocks,
		      sizeof(*pool->blocks));
	pool->free_blocks = NULL;
	pool->blocks = NULL;
}

/*
 * Fill @table, unless it is NULL, with the blocks of the hit. The walk goes
 * from block to block and not by their nodes, which are twice as large.
 *
 * Return: How many of these blocks nobody references.
 */
static uint32_t fill_hit(const struct fw_kv_pool *pool,
			 const struct fw_request *req, uint32_t *table)
{
	uint32_t hit = fw_entry_const(req)->blocks;
	uint32_t number, unreferenced = 0;

	if (!hit)
		return 0;
	number = fw_index_node(&pool->index, fw_watched_const(req)->hold_node)
			 ->block;
	for (uint32_t i = hit; i-- > 0;) {
		if (table)
			table[i] = number;
		unreferenced += !pool->blocks[number].refs;
		number = pool->blocks[number].before;
	}
	return unreferenced;
}

static void reference(struct fw_kv_pool *pool, uint32_t number)
{
	struct fw_kv_block *block = &pool->blocks[number];

	if (fw_block_queued(block))
		fw_block_queue_remove(queue_of(pool, block), number);
	block->refs++;
}

/* @number was evicted. The block before it may have no children now. */
static void tell_evicted(struct fw_kv_pool *pool, uint32_t number)
{
	uint32_t before = pool->blocks[number].before;
	const struct fw_kv_block *block;

	if (!pool->evict_ops)
		return;
	pool->evict_ops->evict(pool->evict_ctx, number);
	if (before == FW_BLOCK_NONE)
		return;
	block = &pool->blocks[before];
	if (fw_block_queued(block))
		fw_block_queue_update(queue_of(pool, block), before,
				      evict_key(pool, before));
}

/* Evict a block, one in demand only if there is no other. */
static uint32_t evict(struct fw_kv_pool *pool)
{
	struct fw_block_queue *from =
		pool->spare.num ? &pool->spare : &pool->kept;
	uint32_t number = fw_block_queue_first(from);
	struct fw_kv_block *block = &pool->blocks[number];
	uint32_t node = block->node;

	fw_block_queue_remove(from, number);
	block->node = FW_NODE_NONE;
	block->wanted = false;
	fw_index_remove(&pool->index, node);
	pool->evictions++;
	tell_evicted(pool, number);
	return number;
}

static bool has_room(const struct fw_kv_pool *pool,
		     const struct fw_request *req, uint32_t unreferenced)
{
	uint32_t need = fw_kv_pool_need(pool, req->len);
	size_t room = pool->num_free + pool->spare.num + pool->kept.num;

	return room - unreferenced >= need - fw_entry_const(req)->blocks;
}

bool fw_kv_pool_fits(const struct fw_kv_pool *pool,
		     const struct fw_request *req)
{
	return has_room(pool, req, fill_hit(pool, req, NULL));
}

/* A free block, or else one that is evicted. */
static uint32_t give(struct fw_kv_pool *pool)
{
	uint32_t number = pool->num_free ? pool->free_blocks[--pool->num_free]
					 : evict(pool);

	pool->blocks[number].refs = 1;
	if (pool->evict_ops)
		pool->evict_ops->give(pool->evict_ctx, number);
	return number;
}

int fw_kv_pool_take(struct fw_kv_pool *pool, const struct fw_request *req,
		    uint32_t *table)
{
	uint32_t hit = fw_entry_const(req)->blocks;
	uint32_t total = fw_kv_pool_need(pool, req->len);

	if (!has_room(pool, req, fill_hit(pool, req, table)))
		return -ENOSPC;
	for (uint32_t i = 0; i < hit; i++)
		reference(pool, table[i]);
	if (pool->evict_ops)
		pool->evict_ops->take(pool->evict_ctx, req, table, hit);
	for (uint32_t i = hit; i < total; i++)
		table[i] = give(pool);
	return 0;
}

/*
 * Children that were cached before it hang on @number from now on. There are
 * some only where a block was evicted before them.
 */
static void adopt(struct fw_kv_pool *pool, uint32_t number)
{
	uint32_t node = pool->blocks[number].node;

	node = fw_index_node(&pool->index, node)->child;
	while (node != FW_NODE_NONE) {
		const struct fw_index_node *child =
			fw_index_node(&pool->index, node);

		pool->blocks[child->block].before = number;
		node = child->next;
	}
}

static void cache_block(struct fw_kv_pool *pool, uint32_t number, uint32_t node)
{
	uint32_t parent = fw_index_node(&pool->index, node)->parent;
	struct fw_kv_block *block = &pool->blocks[number];

	block->node = node;
	block->before = FW_BLOCK_NONE;
	if (parent != FW_NODE_NONE)
		block->before = fw_index_node(&pool->index, parent)->block;
	adopt(pool, number);
	if (pool->evict_ops)
		pool->evict_ops->store(pool->evict_ctx, number);
}

/*
 * Cache block @i of a prompt behind @parent, its node, FW_NODE_NONE where the
 * block before is private. Return: Its own node, or FW_NODE_NONE.
 */
static uint32_t store(struct fw_kv_pool *pool, const struct fw_key *keys,
		      uint32_t i, uint32_t parent, uint32_t number)
{
	uint32_t node;

	if (i && parent == FW_NODE_NONE)
		node = fw_index_store_behind(&pool->index, &keys[i],
					     &keys[i - 1], number);
	else
		node = fw_index_store(&pool->index, &keys[i], parent, number);
	if (node != FW_NODE_NONE)
		cache_block(pool, number, node);
	return node;
}

void fw_kv_pool_plan(struct fw_kv_pool *pool, const struct fw_request *req,
		     const uint32_t *table, uint32_t first, uint32_t count)
{
	uint32_t from = first / pool->block_tokens;
	uint32_t to = (first + count) / pool->block_tokens;
	uint32_t parent = FW_NODE_NONE;

	if (to > req->num_keys)
		to = req->num_keys;
	/* Not found by key: the cached copy may be another request's. */
	if (from && from < to)
		parent = pool->blocks[table[from - 1]].node;
	for (uint32_t i = from; i < to; i++) {
		/*
		 * Behind a private block none is cached, unless requests
		 * pause: it would hang on a block that we do not reference,
		 * which may be evicted first.
		 */
		if (i && parent == FW_NODE_NONE && !pool->pausing)
			break;
		/*
		 * When the key is cached with another block, ours stays
		 * private. When readers hold all nodes, it does too.
		 */
		parent = store(pool, req->keys, i, parent, table[i]);
	}
}

static void unreference(struct fw_kv_pool *pool, uint32_t number)
{
	struct fw_kv_block *block = &pool->blocks[number];

	assert(block->refs);
	if (--block->refs)
		return;
	if (block->node == FW_NODE_NONE) {
		pool->free_blocks[pool->num_free++] = number;
		return;
	}
	block->age = pool->age++;
	fw_block_queue_insert(queue_of(pool, block), number,
			      evict_key(pool, number));
}

void fw_kv_pool_release(struct fw_kv_pool *pool, const uint32_t *table,
			uint32_t num)
{
	while (num-- > 0)
		unreference(pool, table[num]);
}
