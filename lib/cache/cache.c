/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/settings.h"

#define DEFAULT_TOKENS 16u
#define DEFAULT_BLOCKS (1u << 20)
/* Node numbers are 32 bits, and waiting requests need some of them too. */
#define MAX_BLOCKS (1u << 30)

static int read_config(struct fw_cache_config *to,
		       const struct fw_cache_config *from)
{
	int ret = fw_settings_read(to, sizeof(*to), from,
				   offsetof(struct fw_cache_config,
					    block_tokens));

	if (ret)
		return ret;
	if (!to->block_tokens)
		to->block_tokens = DEFAULT_TOKENS;
	if (!to->max_blocks)
		to->max_blocks = DEFAULT_BLOCKS;
	if (!to->allocator)
		to->allocator = &fw_allocator_default;
	if (to->max_blocks > MAX_BLOCKS || to->demand > 1 || to->reserved)
		return -EINVAL;
	if (!to->allocator->alloc || !to->allocator->free)
		return -EINVAL;
	return 0;
}

/* Demand is asked for by key: there is nobody to tell. */
static void on_demand(void *ctx, uint32_t block, bool wanted)
{
	(void)ctx;
	(void)block;
	(void)wanted;
}

static void set_up(struct fw_cache *cache, const struct fw_cache_config *config)
{
	struct fw_prefix_index *index = &cache->index;

	cache->source.ops = &fw_cache_hits;
	cache->source.max_moved = config->max_moved;
	cache->dropped = config->dropped;
	index->lazy = true;
	index->late = true;
	index->ops.hit = fw_cache_on_hit;
	if (config->demand)
		index->ops.demand = on_demand;
	index->ops_ctx = cache;
}

int fw_cache_open(struct fw_cache **out, const struct fw_cache_config *given)
{
	struct fw_cache_config config;
	struct fw_cache *cache;
	int ret = read_config(&config, given);

	if (ret)
		return ret;
	cache = fw_alloc_array(config.allocator, 1, sizeof(*cache));
	if (!cache)
		return -ENOMEM;
	*cache = (struct fw_cache){.allocator = *config.allocator};
	ret = fw_index_init(&cache->index, config.max_blocks,
			    config.block_tokens, &cache->allocator);
	if (ret) {
		fw_free_array(config.allocator, cache, 1, sizeof(*cache));
		return ret;
	}
	set_up(cache, &config);
	*out = cache;
	return 0;
}

int fw_cache_close(struct fw_cache *cache)
{
	struct fw_allocator allocator;

	if (!cache)
		return 0;
	if (cache->source.users)
		return -EBUSY;
	fw_index_destroy(&cache->index);
	allocator = cache->allocator;
	fw_free_array(&allocator, cache, 1, sizeof(*cache));
	return 0;
}

uint32_t fw_cache_match(const struct fw_cache *cache, const struct fw_key *keys,
			uint32_t num)
{
	return fw_index_match(&cache->index, keys, num);
}

int fw_cache_wanted(const struct fw_cache *cache, const struct fw_key *key)
{
	uint32_t id = fw_index_find(&cache->index, key);

	return id != FW_NODE_NONE && fw_index_node(&cache->index, id)->demand;
}

uint32_t fw_cache_unwanted(const struct fw_cache *cache,
			   const struct fw_key *keys, uint32_t num,
			   uint32_t *order)
{
	uint32_t first = 0, last = num;

	/* The wanted ones from the end back, which turns them round. */
	for (uint32_t i = 0; i < num; i++) {
		if (fw_cache_wanted(cache, &keys[i]))
			order[--last] = i;
		else
			order[first++] = i;
	}
	for (uint32_t i = last, j = num; i + 1 < j; i++) {
		uint32_t other = order[--j];

		order[j] = order[i];
		order[i] = other;
	}
	return first;
}

int fw_cache_read_stats(const struct fw_cache *cache,
			struct fw_cache_stats *stats)
{
	const struct fw_cache_stats all = {
		.size = stats->size,
		.blocks = cache->index.placed,
		.watched = cache->index.watching,
		.moved = cache->moved,
		.refused = cache->index.refused,
	};
	size_t size = stats->size;

	if (!size)
		return -EINVAL;
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}
