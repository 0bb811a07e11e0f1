/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_chain.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"

/* Room for one more; the root is there before the first. */
static int reserve(struct chain *chain)
{
	struct chain_node *nodes;

	if (chain->num + 2 >= FW_KEY_MAP_NONE)
		return -ENOMEM;
	nodes = mem_grow(chain->nodes, &chain->cap, chain->num + 2,
			 sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	chain->nodes = nodes;
	if (!chain->num) {
		fw_key_map_init(&chain->index, &fw_allocator_default);
		nodes[chain->num++] = (struct chain_node){0};
	}
	return fw_key_map_reserve(&chain->index, chain->num);
}

uint32_t chain_next(struct chain *chain, struct build *build, uint32_t node,
		    uint32_t doc, uint32_t len)
{
	const struct fw_key key = {.hi = node, .lo = doc};
	uint32_t before, next;

	if (!build_check(build, reserve(chain)))
		return CHAIN_ROOT;
	before = chain->nodes[node].len;
	next = fw_key_map_get(&chain->index, &key);
	if (next == FW_KEY_MAP_NONE) {
		uint32_t blocks = (before + len) / WORKLOAD_BLOCK -
				  before / WORKLOAD_BLOCK;

		next = (uint32_t)chain->num++;
		chain->nodes[next] = (struct chain_node){
			.first_id = build_ids(build, blocks),
			.len = before + len,
		};
		fw_key_map_add(&chain->index, &key, next);
	}
	prompt_extend(build, len, chain->nodes[next].first_id);
	return next;
}

void chain_destroy(struct chain *chain)
{
	/* A chain of zeros has no map yet. */
	if (chain->num)
		fw_key_map_destroy(&chain->index);
	free(chain->nodes);
}
