/* SPDX-License-Identifier: Apache-2.0 */
#include "prefix_index.h"

#include <assert.h>
#include <errno.h>

#include "alloc.h"
#include "entry.h"
#include "key.h"

#define CHUNK_BITS 10u
#define CHUNK_NODES (1u << CHUNK_BITS)

struct fw_index_node *fw_index_node(const struct fw_prefix_index *index,
				    uint32_t node)
{
	return &index->chunks[node >> CHUNK_BITS][node & (CHUNK_NODES - 1)];
}

static bool cached(const struct fw_index_node *node)
{
	return node->block != FW_NODE_NONE;
}

/* One more chunk of unused nodes. */
static int add_chunk(struct fw_prefix_index *index)
{
	struct fw_index_node *chunk;
	int ret;

	ret = fw_grow_array(index->allocator, (void **)&index->chunks,
			    &index->cap_chunks, index->num_chunks + 1,
			    sizeof(struct fw_index_node *));
	if (ret)
		return ret;
	chunk = fw_alloc_array(index->allocator, CHUNK_NODES, sizeof(*chunk));
	if (!chunk)
		return -ENOMEM;
	for (uint32_t i = CHUNK_NODES; i-- > 0;) {
		chunk[i].parent = index->free_node;
		index->free_node =
			(uint32_t)(index->num_chunks << CHUNK_BITS) + i;
	}
	index->chunks[index->num_chunks++] = chunk;
	index->num_free += CHUNK_NODES;
	return 0;
}

/* Room for all blocks and for the one that each of @watching lacks. */
static int reserve(struct fw_prefix_index *index, size_t watching)
{
	size_t need = index->max_blocks + watching;
	int ret = 0;

	if (need >= FW_NODE_NONE - CHUNK_NODES)
		return -ENOMEM;
	while (!ret && (index->num_chunks << CHUNK_BITS) < need)
		ret = add_chunk(index);
	return ret ? ret : fw_key_map_reserve(&index->map, need);
}

int fw_index_init(struct fw_prefix_index *index, uint32_t max_blocks,
		  uint32_t block_tokens, const struct fw_allocator *allocator)
{
	struct fw_prefix_index new = {
		.max_blocks = max_blocks,
		.block_tokens = block_tokens,
		.free_node = FW_NODE_NONE,
		.allocator = allocator,
	};
	int ret;

	fw_key_map_init(&new.map, allocator);
	ret = reserve(&new, 0);
	if (ret)
		fw_index_destroy(&new);
	else
		*index = new;
	return ret;
}

void fw_index_destroy(struct fw_prefix_index *index)
{
	for (size_t i = 0; i < index->num_chunks; i++)
		fw_free_array(index->allocator, index->chunks[i], CHUNK_NODES,
			      sizeof(**index->chunks));
	fw_free_array(index->allocator, index->chunks, index->cap_chunks,
		      sizeof(*index->chunks));
	fw_key_map_destroy(&index->map);
	index->chunks = NULL;
	index->num_chunks = index->cap_chunks = 0;
}

uint32_t fw_index_find(const struct fw_prefix_index *index,
		       const struct fw_key *key)
{
	uint32_t id = fw_key_map_get(&index->map, key);

	if (id == FW_NODE_NONE || !cached(fw_index_node(index, id)))
		return FW_NODE_NONE;
	return id;
}

/* The node of @key, made when there is none. Room was kept for it. */
static uint32_t get_node(struct fw_prefix_index *index,
			 const struct fw_key *key)
{
	uint32_t id = fw_key_map_get(&index->map, key);
	struct fw_index_node *node;

	if (id != FW_NODE_NONE)
		return id;
	id = index->free_node;
	assert(id != FW_NODE_NONE);
	node = fw_index_node(index, id);
	index->free_node = node->parent;
	index->num_free--;
	*node = (struct fw_index_node){
		.key = *key,
		.parent = FW_NODE_NONE,
		.block = FW_NODE_NONE,
	};
	fw_list_init(&node->holders);
	fw_list_init(&node->lackers);
	fw_key_map_add(&index->map, key, id);
	return id;
}

/* Nobody stores it and nobody wants it: the node is unused again. */
static void drop_if_unused(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	/* Demand: on its way out, with holders that are yet to be moved. */
	if (cached(node) || node->demand || !fw_list_empty(&node->lackers))
		return;
	fw_key_map_remove(&index->map, &node->key);
	node->parent = index->free_node;
	index->free_node = id;
	index->num_free++;
}

static void tell_demand(const struct fw_prefix_index *index,
			const struct fw_index_node *node, bool wanted)
{
	if (index->ops.demand && cached(node))
		index->ops.demand(index->ops_ctx, node->block, wanted);
}

/* The first demand on a block is a demand on the block before it, too. */
static void demand_more(struct fw_prefix_index *index, uint32_t id)
{
	while (id != FW_NODE_NONE) {
		struct fw_index_node *node = fw_index_node(index, id);

		if (node->demand++)
			break;
		tell_demand(index, node, true);
		id = node->parent;
	}
}

static void demand_less(struct fw_prefix_index *index, uint32_t id)
{
	while (id != FW_NODE_NONE) {
		struct fw_index_node *node = fw_index_node(index, id);

		assert(node->demand);
		if (--node->demand)
			break;
		tell_demand(index, node, false);
		id = node->parent;
	}
}

/* Blocks that may ever count: one token is always left to compute. */
static uint32_t max_hit(const struct fw_prefix_index *index,
			const struct fw_request *req)
{
	uint32_t full = (req->len - 1) / index->block_tokens;

	return req->num_keys < full ? req->num_keys : full;
}

/* Hang @req on the node that it holds last and on the one it lacks. */
static void hang(struct fw_prefix_index *index, struct fw_request *req,
		 uint32_t hold)
{
	struct fw_entry *e = fw_entry(req);

	e->hold_node = hold;
	if (hold != FW_NODE_NONE) {
		fw_list_add_tail(&fw_index_node(index, hold)->holders,
				 &e->hold);
		demand_more(index, hold);
	}
	e->lack_node = FW_NODE_NONE;
	if (e->blocks < max_hit(index, req)) {
		e->lack_node = get_node(index, &req->keys[e->blocks]);
		fw_list_add_tail(&fw_index_node(index, e->lack_node)->lackers,
				 &e->lack);
	}
}

/* Off its lists; the demand stays for the caller to take back. */
static void unhang(struct fw_prefix_index *index, struct fw_request *req)
{
	struct fw_entry *e = fw_entry(req);

	if (e->hold_node != FW_NODE_NONE)
		fw_list_del(&e->hold);
	if (e->lack_node != FW_NODE_NONE) {
		fw_list_del(&e->lack);
		drop_if_unused(index, e->lack_node);
	}
}

/* The new place first: what both need never goes out of demand between. */
static void move(struct fw_prefix_index *index, struct fw_request *req,
		 uint32_t hold)
{
	uint32_t old = fw_entry(req)->hold_node;

	unhang(index, req);
	hang(index, req, hold);
	demand_less(index, old);
	if (index->ops.hit)
		index->ops.hit(index->ops_ctx, req, fw_entry(req)->blocks);
}

/*
 * Follow the prompt's blocks from where its hit ends. A key whose block was
 * stored behind another one contradicts that equal keys are equal prefixes:
 * such callers get fewer hits, not a chain that is shorter than it counts.
 */
static uint32_t extend(struct fw_prefix_index *index, struct fw_request *req,
		       uint32_t hold)
{
	struct fw_entry *e = fw_entry(req);
	uint32_t max = max_hit(index, req);

	while (e->blocks < max) {
		uint32_t next = fw_index_find(index, &req->keys[e->blocks]);

		if (next == FW_NODE_NONE ||
		    fw_index_node(index, next)->parent != hold)
			break;
		hold = next;
		e->blocks++;
	}
	return hold;
}

uint32_t fw_index_store(struct fw_prefix_index *index, const struct fw_key *key,
			uint32_t parent, uint32_t block)
{
	uint32_t id = get_node(index, key);
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_list lackers, *pos, *tmp;

	assert(!cached(node));
	node->block = block;
	node->parent = parent;
	if (parent != FW_NODE_NONE)
		fw_index_node(index, parent)->children++;
	fw_list_take(&lackers, &node->lackers);
	fw_list_for_each_safe (pos, tmp, &lackers) {
		struct fw_entry *e = fw_list_entry(pos, struct fw_entry, lack);
		struct fw_request *req = fw_entry_request(e);

		if (e->hold_node == parent) {
			move(index, req, extend(index, req, parent));
			continue;
		}
		fw_list_del(pos);
		fw_list_add_tail(&node->lackers, pos);
	}
	return id;
}

void fw_index_remove(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_list holders, *pos, *tmp;
	uint32_t parent = node->parent;

	assert(cached(node) && !node->children);
	node->block = FW_NODE_NONE;
	fw_list_take(&holders, &node->holders);
	fw_list_for_each_safe (pos, tmp, &holders) {
		struct fw_entry *e = fw_list_entry(pos, struct fw_entry, hold);

		e->blocks--;
		move(index, fw_entry_request(e), parent);
	}
	assert(!node->demand);
	node->parent = FW_NODE_NONE;
	if (parent != FW_NODE_NONE)
		fw_index_node(index, parent)->children--;
	drop_if_unused(index, id);
}

int fw_index_watch(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t *blocks)
{
	int ret = reserve(index, index->watching + 1);

	if (ret)
		return ret;
	fw_entry(req)->blocks = 0;
	hang(index, req, extend(index, req, FW_NODE_NONE));
	index->watching++;
	*blocks = fw_entry(req)->blocks;
	return 0;
}

void fw_index_unwatch(struct fw_prefix_index *index, struct fw_request *req)
{
	unhang(index, req);
	demand_less(index, fw_entry(req)->hold_node);
	index->watching--;
}

static uint32_t list_length(const struct fw_list *head)
{
	uint32_t num = 0;

	for (const struct fw_list *pos = head->next; pos != head;
	     pos = pos->next)
		num++;
	return num;
}

/* Who lacks a block that is cached holds another than the one before it. */
static bool lackers_valid(const struct fw_index_node *node)
{
	const struct fw_list *pos;

	for (pos = node->lackers.next; pos != &node->lackers; pos = pos->next)
		if (fw_list_entry(pos, const struct fw_entry, lack)
			    ->hold_node == node->parent)
			return false;
	return true;
}

/* Counts of a node that is in use against what its neighbours say. */
static bool node_valid(const struct fw_prefix_index *index, uint32_t id,
		       const uint32_t *children, const uint32_t *wanted)
{
	const struct fw_index_node *node = fw_index_node(index, id);
	uint32_t held = list_length(&node->holders);

	if (fw_key_map_get(&index->map, &node->key) != id)
		return false;
	if (!cached(node))
		return !held && !node->demand && !node->children &&
		       !fw_list_empty(&node->lackers);
	if (!lackers_valid(node))
		return false;
	return node->children == children[id] &&
	       node->demand == held + wanted[id];
}

static bool nodes_valid(const struct fw_prefix_index *index, uint8_t *unused,
			uint32_t *children, uint32_t *wanted)
{
	uint32_t num = (uint32_t)(index->num_chunks << CHUNK_BITS), left = 0;

	for (uint32_t i = index->free_node; i != FW_NODE_NONE;
	     i = fw_index_node(index, i)->parent)
		unused[i] = 1;
	for (uint32_t i = 0; i < num; i++) {
		const struct fw_index_node *node = fw_index_node(index, i);

		left += unused[i];
		if (unused[i] || node->parent == FW_NODE_NONE)
			continue;
		if (!cached(fw_index_node(index, node->parent)))
			return false;
		children[node->parent]++;
		wanted[node->parent] += node->demand > 0;
	}
	for (uint32_t i = 0; i < num; i++)
		if (!unused[i] && !node_valid(index, i, children, wanted))
			return false;
	return left == index->num_free && num - left == index->map.num;
}

bool fw_index_valid(const struct fw_prefix_index *index)
{
	const struct fw_allocator *a = index->allocator;
	size_t num = index->num_chunks << CHUNK_BITS;
	uint32_t *children = fw_alloc_array(a, num, sizeof(*children));
	uint32_t *wanted = fw_alloc_array(a, num, sizeof(*wanted));
	uint8_t *unused = fw_alloc_array(a, num, sizeof(*unused));
	bool valid = false;

	if (children && wanted && unused)
		valid = nodes_valid(index, unused, children, wanted) &&
			fw_key_map_valid(&index->map);
	fw_free_array(a, unused, num, sizeof(*unused));
	fw_free_array(a, wanted, num, sizeof(*wanted));
	fw_free_array(a, children, num, sizeof(*children));
	return valid;
}
