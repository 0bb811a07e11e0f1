/* SPDX-License-Identifier: Apache-2.0 */
#include "kv_pool.h"

/* Is the pool consistent? For tests only: it looks at every block. */

/*
 * Is the parent of @node the node of the block before @block? While it does not
 * count, the block before may be gone.
 */
static bool before_valid(const struct fw_kv_pool *pool,
			 const struct fw_kv_block *block,
			 const struct fw_index_node *node)
{
	if (!node->depth)
		return pool->pausing;
	if (block->before == FW_BLOCK_NONE)
		return node->parent == FW_NODE_NONE;
	return pool->blocks[block->before].node == node->parent;
}

static bool block_valid(const struct fw_kv_pool *pool, uint32_t number)
{
	const struct fw_kv_block *block = &pool->blocks[number];
	const struct fw_index_node *node;

	if (block->node == FW_NODE_NONE)
		return !fw_block_queued(block) && !block->wanted;
	node = fw_index_node(&pool->index, block->node);
	if (node->block != number || !before_valid(pool, block, node))
		return false;
	if (pool->protect && block->wanted != (node->depth && node->demand))
		return false;
	return fw_block_queued(block) == !block->refs;
}

bool fw_kv_pool_valid(const struct fw_kv_pool *pool)
{
	size_t unused = pool->num_free + pool->spare.num + pool->kept.num;

	for (uint32_t i = 0; i < pool->num_blocks; i++) {
		if (!block_valid(pool, i))
			return false;
		unused += pool->blocks[i].refs > 0;
	}
	return unused == pool->num_blocks &&
	       fw_block_queue_valid(&pool->spare) &&
	       fw_block_queue_valid(&pool->kept) &&
	       fw_index_valid(&pool->index);
}
