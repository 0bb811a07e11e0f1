/* SPDX-License-Identifier: Apache-2.0 */
#include "node_arena.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"

/* A whole page of nodes. */
#define MIN_BASE_BITS 6u
#define LINE 64u

static void list_init(struct fw_node_list *list)
{
	*list = (struct fw_node_list){.first = FW_NODE_NONE};
}

void fw_pool_init(struct fw_node_pool *pool, uint32_t first,
		  const struct fw_allocator *allocator)
{
	uint32_t bits = MIN_BASE_BITS;

	while (bits < FW_NODE_BITS && (1u << bits) < first)
		bits++;
	*pool = (struct fw_node_pool){
		.base_bits = bits,
		.allocator = allocator,
	};
	list_init(&pool->free);
	list_init(&pool->limbo);
	list_init(&pool->leaving);
}

/* The first chunk has a base of nodes, each other as many as all before. */
static size_t chunk_nodes(const struct fw_node_pool *pool, uint32_t chunk)
{
	return (size_t)1 << (pool->base_bits + chunk);
}

static size_t chunk_bytes(const struct fw_node_pool *pool, uint32_t chunk,
			  size_t size)
{
	return chunk_nodes(pool, chunk) * size + LINE;
}

/* Not fw_alloc_array(): that would touch all of it. */
static void *alloc_chunk(struct fw_node_pool *pool, uint32_t chunk, size_t size,
			 void **memory)
{
	*memory = pool->allocator->alloc(pool->allocator->ctx,
					 chunk_bytes(pool, chunk, size));
	return fw_align(*memory, LINE);
}

static void free_chunk(struct fw_node_pool *pool, uint32_t chunk)
{
	const struct fw_allocator *a = pool->allocator;

	if (pool->memory[0][chunk])
		a->free(a->ctx, pool->memory[0][chunk],
			chunk_bytes(pool, chunk, sizeof(**pool->nodes)));
	if (pool->memory[1][chunk])
		a->free(a->ctx, pool->memory[1][chunk],
			chunk_bytes(pool, chunk, sizeof(**pool->keys)));
	pool->memory[0][chunk] = NULL;
	pool->memory[1][chunk] = NULL;
}

void fw_pool_destroy(struct fw_node_pool *pool)
{
	while (pool->num_chunks)
		free_chunk(pool, --pool->num_chunks);
	pool->cap = 0;
}

static int add_chunk(struct fw_node_pool *pool)
{
	uint32_t chunk = pool->num_chunks;

	if (pool->base_bits + chunk >= FW_NODE_BITS)
		return -ENOMEM;
	pool->nodes[chunk] = alloc_chunk(pool, chunk, sizeof(**pool->nodes),
					 &pool->memory[0][chunk]);
	pool->keys[chunk] = alloc_chunk(pool, chunk, sizeof(**pool->keys),
					&pool->memory[1][chunk]);
	if (!pool->memory[0][chunk] || !pool->memory[1][chunk]) {
		free_chunk(pool, chunk);
		return -ENOMEM;
	}
	pool->cap += (uint32_t)chunk_nodes(pool, chunk);
	pool->num_chunks++;
	return 0;
}

int fw_pool_reserve(struct fw_node_pool *pool, size_t num)
{
	int ret = 0;

	if (num > FW_POOL_MAX)
		return -ENOMEM;
	while (!ret && pool->cap < num)
		ret = add_chunk(pool);
	return ret;
}

static void list_push(struct fw_node_pool *pool, struct fw_node_list *list,
		      uint32_t id)
{
	fw_pool_node(pool, id)->parent = list->first;
	if (list->first == FW_NODE_NONE)
		list->last = id;
	list->first = id;
	list->num++;
}

/* All of @from, which is emptied, in front of @to. */
static void list_splice(struct fw_node_pool *pool, struct fw_node_list *to,
			struct fw_node_list *from)
{
	if (from->first == FW_NODE_NONE)
		return;
	fw_pool_node(pool, from->last)->parent = to->first;
	if (to->first == FW_NODE_NONE)
		to->last = from->last;
	to->first = from->first;
	to->num += from->num;
	list_init(from);
}

uint32_t fw_pool_get(struct fw_node_pool *pool)
{
	uint32_t id = pool->free.first;

	if (id == FW_NODE_NONE)
		return pool->fresh < pool->cap ? pool->fresh++ : FW_NODE_NONE;
	pool->free.first = fw_pool_node(pool, id)->parent;
	pool->free.num--;
	/* The next one may have been cold for long; it is written soon. */
	if (pool->free.first != FW_NODE_NONE)
		__builtin_prefetch(fw_pool_node(pool, pool->free.first), 1);
	return id;
}

void fw_pool_put(struct fw_node_pool *pool, uint32_t id)
{
	list_push(pool, &pool->free, id);
}

void fw_pool_put_later(struct fw_node_pool *pool, uint32_t id)
{
	list_push(pool, &pool->limbo, id);
}

bool fw_pool_advance(struct fw_node_pool *pool)
{
	list_splice(pool, &pool->free, &pool->leaving);
	list_splice(pool, &pool->leaving, &pool->limbo);
	return pool->leaving.num > 0;
}
