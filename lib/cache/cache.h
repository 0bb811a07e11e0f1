/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CACHE_CACHE_H
#define LIB_CACHE_CACHE_H

#include <fairway/cache.h>

#include "lib/index/prefix_index.h"
#include "lib/queue/hit_source.h"

/**
 * struct fw_cache - an index that orders get their hits from
 * @source: what orders see of it; first, since order.c knows nothing else
 * @index: lazy and late: hits move when a pass begins
 * @dropped: blocks at the end of each hit that do not count
 * @moved: hits that changed
 * @allocator: of all
 */
struct fw_cache {
	struct fw_hit_source source;
	struct fw_prefix_index index;
	uint32_t dropped;
	uint64_t moved;
	struct fw_allocator allocator;
};

_Static_assert(offsetof(struct fw_cache, source) == 0, "order.c casts");

/* What orders do with a cache. */
extern const struct fw_hit_source_ops fw_cache_hits;

/* The index tells that the hit of a request changed; @ctx is the cache. */
void fw_cache_on_hit(void *ctx, struct fw_request *req, uint32_t blocks);

#endif
