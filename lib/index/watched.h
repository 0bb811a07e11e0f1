/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_WATCHED_H
#define LIB_INDEX_WATCHED_H

#include <stdint.h>

#include "lib/base/entry.h"
#include "lib/base/list.h"

/**
 * struct fw_watched - what the index keeps of a request that waits
 * @hold: hook of the node of its last cached block
 * @lack: hook of the node of its first missing block
 * @hold_node: that node, FW_NODE_NONE without a hit
 * @lack_node: that node, FW_NODE_NONE when nothing is missing, FW_NODE_BLIND
 *	while there is no node for it
 */
struct FW_MAY_ALIAS fw_watched {
	struct fw_list hold;
	struct fw_list lack;
	uint32_t hold_node;
	uint32_t lack_node;
};

_Static_assert(sizeof(struct fw_watched) == FW_ENTRY_WATCHED, "its part");

static inline struct fw_watched *fw_watched(struct fw_request *req)
{
	return (struct fw_watched *)fw_entry(req)->watched;
}

static inline const struct fw_watched *
fw_watched_const(const struct fw_request *req)
{
	return (const struct fw_watched *)fw_entry_const(req)->watched;
}

/* Blocks that are cached now. */
static inline uint32_t fw_watched_blocks(const struct fw_watched *watched)
{
	return container_of(watched, const struct fw_entry, watched)->blocks;
}

static inline struct fw_request *fw_watched_request(struct fw_watched *watched)
{
	struct fw_entry *entry =
		container_of(watched, struct fw_entry, watched);

	return container_of(entry, struct fw_request, priv);
}

#endif
