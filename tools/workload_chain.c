/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_chain.h"

#include <errno.h>
#include <stdlib.h>

/* Spreads pairs that differ in few bits over the table. */
static size_t hash(uint32_t parent, uint32_t doc)
{
	uint64_t x = ((uint64_t)parent << 32 | doc) * 0x9e3779b97f4a7c15u;

	return (size_t)(x ^ x >> 32);
}

/* The slot of a prefix, or the empty one where it belongs. */
static uint32_t *find_slot(const struct chain *chain, uint32_t parent,
			   uint32_t doc)
{
	size_t i = hash(parent, doc);

	for (;; i++) {
		uint32_t *slot = &chain->slots[i & (chain->num_slots - 1)];
		const struct chain_node *node = &chain->nodes[*slot];

		if (!*slot || (node->parent == parent && node->doc == doc))
			return slot;
	}
}

static int grow_slots(struct chain *chain)
{
	size_t num = chain->num_slots ? 2 * chain->num_slots : 1024;
	uint32_t *slots = calloc(num, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	free(chain->slots);
	chain->slots = slots;
	chain->num_slots = num;
	for (uint32_t i = 1; i < chain->num; i++) {
		const struct chain_node *node = &chain->nodes[i];

		*find_slot(chain, node->parent, node->doc) = i;
	}
	return 0;
}

static int grow_nodes(struct chain *chain)
{
	size_t cap = chain->cap ? 2 * chain->cap : 512;
	struct chain_node *nodes;

	if (cap > UINT32_MAX)
		return -ENOMEM;
	nodes = realloc(chain->nodes, cap * sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	if (!chain->num)
		nodes[chain->num++] = (struct chain_node){0};
	chain->nodes = nodes;
	chain->cap = cap;
	return 0;
}

/* Room for one more, with at least half of the slots empty. */
static int reserve(struct chain *chain)
{
	int err = 0;

	if (chain->num == chain->cap)
		err = grow_nodes(chain);
	if (!err && 2 * chain->num >= chain->num_slots)
		err = grow_slots(chain);
	return err;
}

uint32_t chain_next(struct chain *chain, struct build *build, uint32_t node,
		    uint32_t doc, uint32_t len)
{
	uint32_t before;
	uint32_t *slot;

	if (!build_check(build, reserve(chain)))
		return CHAIN_ROOT;
	before = chain->nodes[node].len;
	slot = find_slot(chain, node, doc);
	if (!*slot) {
		uint32_t blocks = (before + len) / WORKLOAD_BLOCK -
				  before / WORKLOAD_BLOCK;

		chain->nodes[chain->num] = (struct chain_node){
			.first_id = build_ids(build, blocks),
			.parent = node,
			.doc = doc,
			.len = before + len,
		};
		*slot = (uint32_t)chain->num++;
	}
	prompt_extend(build, len, chain->nodes[*slot].first_id);
	return *slot;
}

void chain_destroy(struct chain *chain)
{
	free(chain->nodes);
	free(chain->slots);
}
