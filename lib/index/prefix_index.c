/* SPDX-License-Identifier: Apache-2.0 */
#include "prefix_index.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

#include "hang.h"

int fw_index_init(struct fw_prefix_index *index, uint32_t max_blocks,
		  uint32_t block_tokens, const struct fw_allocator *allocator)
{
	struct fw_prefix_index new = {
		.max_blocks = max_blocks,
		.block_tokens = block_tokens,
		.due = FW_NODE_NONE,
		.allocator = allocator,
	};
	int ret;

	fw_arena_init(&new.arena, max_blocks, allocator);
	ret = fw_arena_reserve(&new.arena, max_blocks);
	if (!ret)
		ret = fw_map_init(&new.map, max_blocks, allocator);
	if (ret)
		fw_arena_destroy(&new.arena);
	else
		*index = new;
	return ret;
}

int fw_index_share(struct fw_prefix_index *index, uint32_t spare)
{
	size_t need;
	int ret;

	assert(!index->shared && !index->placed && !index->watching);
	if (!spare)
		spare = index->max_blocks / 4 + 1024;
	need = (size_t)index->max_blocks + spare;
	ret = fw_arena_reserve(&index->arena, need);
	if (!ret)
		ret = fw_map_reserve(&index->map, &index->arena, need);
	if (!ret)
		ret = fw_rcu_open();
	if (ret)
		return ret;
	index->spare = spare;
	index->shared = true;
	return 0;
}

bool fw_index_settled(struct fw_prefix_index *index)
{
	if (!index->shared || fw_rcu_forked())
		return true;
	if (!fw_rcu_grace_over(&index->grace))
		return false;
	if (index->closing)
		return true;
	/* One that began earlier does not wait for readers that came later. */
	index->closing = true;
	fw_rcu_grace_start(&index->grace);
	return false;
}

void fw_index_destroy(struct fw_prefix_index *index)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	while (!fw_index_settled(index))
		nanosleep(&pause, NULL);
	fw_map_destroy(&index->map);
	fw_arena_destroy(&index->arena);
}

uint32_t fw_index_find(const struct fw_prefix_index *index,
		       const struct fw_key *key)
{
	uint32_t id = fw_node_find(index, key);

	if (id == FW_NODE_NONE || !fw_node_cached(fw_index_node(index, id)))
		return FW_NODE_NONE;
	return id;
}

/*
 * The node of a key that is not cached; FW_NODE_NONE where it is, or none is
 * free.
 */
static uint32_t get_uncached(struct fw_prefix_index *index,
			     const struct fw_key *key)
{
	uint32_t id = fw_node_get(index, key);

	if (id == FW_NODE_NONE) {
		/* Only while a grace period does not end. */
		assert(index->shared);
		index->refused++;
		return FW_NODE_NONE;
	}
	return fw_node_cached(fw_index_node(index, id)) ? FW_NODE_NONE : id;
}

static void place(struct fw_prefix_index *index, uint32_t id)
{
	bool placed = fw_node_place(index, id);

	assert(placed);
	(void)placed;
}

/*
 * Does @parent stand behind @id? Then keys contradict each other. Whoever is
 * open stands behind nothing that is not cached, as @id.
 */
static bool is_behind(const struct fw_prefix_index *index, uint32_t parent,
		      uint32_t id)
{
	if (fw_index_node(index, id)->child == FW_NODE_NONE)
		return parent == id;
	while (fw_node_is(parent) && parent != id &&
	       !fw_node_open(fw_index_node(index, parent)))
		parent = fw_index_node(index, parent)->parent;
	return parent == id;
}

static uint32_t store(struct fw_prefix_index *index, uint32_t id,
		      uint32_t parent, uint32_t block)
{
	struct fw_index_node *node = fw_index_node(index, id);

	if (is_behind(index, parent, id)) {
		fw_node_drop_unused(index, id);
		return FW_NODE_NONE;
	}
	place(index, id);
	if (fw_node_is(parent))
		place(index, parent);
	node->copies = 1;
	node->block = block;
	fw_index_attach(index, id, parent);
	if (!index->lazy)
		fw_index_flush(index, 0);
	return id;
}

uint32_t fw_index_store(struct fw_prefix_index *index, const struct fw_key *key,
			uint32_t parent, uint32_t block)
{
	uint32_t id = get_uncached(index, key);

	return id == FW_NODE_NONE ? id : store(index, id, parent, block);
}

uint32_t fw_index_store_behind(struct fw_prefix_index *index,
			       const struct fw_key *key,
			       const struct fw_key *parent, uint32_t block)
{
	uint32_t id = get_uncached(index, key), before;

	if (id == FW_NODE_NONE)
		return FW_NODE_NONE;
	/* Nobody needs it yet: it must not be dropped to make room. */
	fw_index_node(index, id)->flags |= FW_NODE_BUSY;
	before = fw_node_get(index, parent);
	fw_node_clear(fw_index_node(index, id), FW_NODE_BUSY);
	if (before == FW_NODE_NONE) {
		index->refused++;
		fw_node_drop_unused(index, id);
		return FW_NODE_NONE;
	}
	return store(index, id, before, block);
}

void fw_index_remove(struct fw_prefix_index *index, uint32_t id)
{
	fw_node_uncache(index, id);
	if (index->shared)
		fw_index_reclaim(index);
	if (!index->lazy)
		fw_index_flush(index, 0);
}
