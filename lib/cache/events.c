/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include <errno.h>

/* Events are handed to the index by so many, as it fetches them together. */
#define BATCH 64u

static const enum fw_index_kind kinds[] = {
	[FW_CACHE_FIRST] = FW_INDEX_FIRST,
	[FW_CACHE_BEHIND] = FW_INDEX_NEXT,
	[FW_CACHE_SOMEWHERE] = FW_INDEX_SOMEWHERE,
	[FW_CACHE_GONE] = FW_INDEX_GONE,
	[FW_CACHE_ABSENT] = FW_INDEX_ABSENT,
	[FW_CACHE_CLEARED] = FW_INDEX_CLEARED,
};

static void apply_some(struct fw_cache *cache,
		       const struct fw_cache_event *events, uint32_t num)
{
	struct fw_index_event batch[BATCH];

	for (uint32_t i = 0; i < num; i++)
		batch[i] = (struct fw_index_event){
			.kind = kinds[events[i].kind],
			.copies = events[i].copies,
			.key = events[i].key,
			.parent = events[i].parent,
		};
	fw_index_apply(&cache->index, batch, num);
}

int fw_cache_apply(struct fw_cache *cache, const struct fw_cache_event *events,
		   size_t num)
{
	for (size_t i = 0; i < num; i++)
		if ((unsigned int)events[i].kind > FW_CACHE_CLEARED)
			return -EINVAL;
	while (num) {
		uint32_t some = num < BATCH ? (uint32_t)num : BATCH;

		apply_some(cache, events, some);
		events += some;
		num -= some;
	}
	return 0;
}
