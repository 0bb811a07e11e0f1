/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include "lib/base/entry.h"
#include "lib/queue/tenants.h"

/* The cache as what orders get their hits from. */

static struct fw_cache *cache_of(struct fw_hit_source *source)
{
	return (struct fw_cache *)source;
}

/* The engine may hold more than the index knows, as the KV of a request. */
static uint32_t tokens(const struct fw_cache *cache,
		       const struct fw_request *req)
{
	uint32_t blocks = fw_entry_const(req)->blocks, hit;

	blocks -= blocks < cache->dropped ? blocks : cache->dropped;
	/* It fits: blocks * block_tokens < len. */
	hit = blocks * cache->index.block_tokens;
	return hit > req->hit ? hit : req->hit;
}

void fw_cache_on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct fw_cache *cache = ctx;

	(void)blocks;
	cache->moved++;
	fw_queued_set_hit(req, tokens(cache, req));
}

static int watch(struct fw_hit_source *source, struct fw_request *req,
		 uint32_t *hit)
{
	struct fw_cache *cache = cache_of(source);
	uint32_t hint = FW_HINT_NONE, blocks;
	int ret;

	if (fw_hit_watched(req)) {
		/* Mostly a prompt that became longer. */
		hint = fw_entry(req)->blocks;
		fw_index_unwatch(&cache->index, req);
	} else {
		/* Each order may take its last admission back. */
		ret = fw_index_reserve(&cache->index, 1 + source->users);
		if (ret)
			return ret;
	}
	ret = fw_index_watch_hint(&cache->index, req, hint, &blocks);
	fw_hit_set_watched(req, !ret);
	if (!ret)
		*hit = tokens(cache, req);
	return ret;
}

static void unwatch(struct fw_hit_source *source, struct fw_request *req)
{
	fw_index_unwatch(&cache_of(source)->index, req);
	fw_hit_set_watched(req, false);
}

static bool flush(struct fw_hit_source *source)
{
	return fw_index_flush(&cache_of(source)->index, source->max_moved);
}

static bool catch_up(struct fw_hit_source *source, struct fw_request *req)
{
	uint32_t before = fw_entry(req)->blocks;

	fw_index_catch_up(&cache_of(source)->index, req);
	return fw_entry(req)->blocks != before;
}

static uint32_t hit_now(const struct fw_hit_source *source,
			const struct fw_request *req)
{
	return tokens((const struct fw_cache *)source, req);
}

const struct fw_hit_source_ops fw_cache_hits = {
	.watch = watch,
	.unwatch = unwatch,
	.flush = flush,
	.catch_up = catch_up,
	.hit = hit_now,
};
