/* SPDX-License-Identifier: Apache-2.0 */
#include "kv_pool.h"

/* Blocks that a plan which failed was to compute. */

void fw_kv_pool_lose(struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t first, uint32_t count)
{
	uint32_t from = first / pool->block_tokens;
	uint32_t to = (first + count) / pool->block_tokens;

	for (uint32_t i = from; i < to; i++)
		pool->blocks[table[i]].lost = true;
}

bool fw_kv_pool_lost(const struct fw_kv_pool *pool, const uint32_t *table,
		     uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		if (pool->blocks[table[i]].lost)
			return true;
	return false;
}

void fw_kv_pool_forget(struct fw_kv_pool *pool, const uint32_t *table,
		       uint32_t first, uint32_t count)
{
	uint32_t from = first / pool->block_tokens;
	uint32_t to = (first + count) / pool->block_tokens;

	for (uint32_t i = to; i-- > from;) {
		struct fw_kv_block *block = &pool->blocks[table[i]];
		uint32_t node = block->node;

		block->lost = false;
		if (node == FW_NODE_NONE)
			continue;
		block->node = FW_NODE_NONE;
		/* The block is not cached any more, so it is not in demand. */
		block->wanted = false;
		fw_index_remove(&pool->index, node);
	}
}
