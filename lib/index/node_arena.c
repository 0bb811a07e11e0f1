/* SPDX-License-Identifier: Apache-2.0 */
#include "node_arena.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"

/* At least a whole page of nodes. */
#define MIN_BASE_BITS 6u
static void list_init(struct fw_node_list *list)
{
	*list = (struct fw_node_list){.first = FW_NODE_NONE};
}

void fw_arena_init(struct fw_node_arena *arena, uint32_t first,
		   const struct fw_allocator *allocator)
{
	uint32_t bits = MIN_BASE_BITS;

	while (bits < FW_NODE_BITS && (1u << bits) < first)
		bits++;
	*arena = (struct fw_node_arena){
		.base_bits = bits,
		.allocator = allocator,
	};
	list_init(&arena->free);
	list_init(&arena->limbo);
	list_init(&arena->leaving);
}

/* Each chunk but the first has as many nodes as all before it together. */
static size_t chunk_nodes(const struct fw_node_arena *arena, uint32_t chunk)
{
	return (size_t)1 << (arena->base_bits + chunk);
}

static void free_chunk(struct fw_node_arena *arena, uint32_t chunk)
{
	const struct fw_allocator *a = arena->allocator;
	size_t num = chunk_nodes(arena, chunk);

	fw_free_lines(a, arena->nodes[chunk], num, sizeof(**arena->nodes));
	fw_free_lines(a, arena->keys[chunk], num, sizeof(**arena->keys));
	arena->nodes[chunk] = NULL;
	arena->keys[chunk] = NULL;
}

void fw_arena_destroy(struct fw_node_arena *arena)
{
	while (arena->num_chunks)
		free_chunk(arena, --arena->num_chunks);
	arena->cap = 0;
}

static int add_chunk(struct fw_node_arena *arena)
{
	const struct fw_allocator *a = arena->allocator;
	uint32_t chunk = arena->num_chunks;
	size_t num;

	if (arena->base_bits + chunk >= FW_NODE_BITS)
		return -ENOMEM;
	num = chunk_nodes(arena, chunk);
	/* Dirty: a node that was never used takes no page. */
	arena->nodes[chunk] =
		fw_alloc_lines_dirty(a, num, sizeof(**arena->nodes));
	arena->keys[chunk] =
		fw_alloc_lines_dirty(a, num, sizeof(**arena->keys));
	if (!arena->nodes[chunk] || !arena->keys[chunk]) {
		free_chunk(arena, chunk);
		return -ENOMEM;
	}
	arena->cap += (uint32_t)num;
	arena->num_chunks++;
	return 0;
}

int fw_arena_reserve(struct fw_node_arena *arena, size_t num)
{
	int ret = 0;

	if (num > FW_ARENA_MAX)
		return -ENOMEM;
	while (!ret && arena->cap < num)
		ret = add_chunk(arena);
	return ret;
}

static void list_push(struct fw_node_arena *arena, struct fw_node_list *list,
		      uint32_t id)
{
	fw_arena_node(arena, id)->parent = list->first;
	if (list->first == FW_NODE_NONE)
		list->last = id;
	list->first = id;
	list->num++;
}

/* Move all of @from to the front of @to. */
static void list_splice(struct fw_node_arena *arena, struct fw_node_list *to,
			struct fw_node_list *from)
{
	if (from->first == FW_NODE_NONE)
		return;
	fw_arena_node(arena, from->last)->parent = to->first;
	if (to->first == FW_NODE_NONE)
		to->last = from->last;
	to->first = from->first;
	to->num += from->num;
	list_init(from);
}

uint32_t fw_arena_get(struct fw_node_arena *arena)
{
	uint32_t id = arena->free.first;

	if (id == FW_NODE_NONE)
		return arena->fresh < arena->cap ? arena->fresh++
						 : FW_NODE_NONE;
	arena->free.first = fw_arena_node(arena, id)->parent;
	arena->free.num--;
	/* The next node is written soon, and may not be in the cache. */
	if (arena->free.first != FW_NODE_NONE)
		__builtin_prefetch(fw_arena_node(arena, arena->free.first), 1);
	return id;
}

void fw_arena_put(struct fw_node_arena *arena, uint32_t id)
{
	list_push(arena, &arena->free, id);
}

void fw_arena_put_later(struct fw_node_arena *arena, uint32_t id)
{
	list_push(arena, &arena->limbo, id);
}

bool fw_arena_advance(struct fw_node_arena *arena)
{
	list_splice(arena, &arena->free, &arena->leaving);
	list_splice(arena, &arena->leaving, &arena->limbo);
	return arena->leaving.num > 0;
}
