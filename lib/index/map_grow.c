/* SPDX-License-Identifier: Apache-2.0 */
#include "map_cell.h"

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"

/* Buckets that one call zeroes or copies while the map grows. */
#define ZERO_PIECE 8u
#define COPY_PIECE 4u

/* Its buckets hold garbage. */
static struct fw_map_array *new_array(const struct fw_allocator *a,
				      uint64_t buckets)
{
	struct fw_map_array *array = fw_alloc_array(a, 1, sizeof(*array));

	if (!array)
		return NULL;
	array->alone.cur =
		fw_alloc_lines_dirty(a, buckets, sizeof(*array->alone.cur));
	if (!array->alone.cur) {
		fw_free_array(a, array, 1, sizeof(*array));
		return NULL;
	}
	array->alone.mask = buckets - 1;
	return array;
}

static void free_array(const struct fw_allocator *a, struct fw_map_array *array)
{
	if (!array)
		return;
	fw_free_lines(a, array->alone.cur, fw_map_buckets(array),
		      sizeof(*array->alone.cur));
	fw_free_array(a, array, 1, sizeof(*array));
}

static void free_arrays(const struct fw_allocator *a,
			struct fw_map_array *array)
{
	while (array) {
		struct fw_map_array *next = array->next;

		free_array(a, array);
		array = next;
	}
}

int fw_map_init(struct fw_node_map *map, size_t num,
		const struct fw_allocator *allocator)
{
	struct fw_node_map new = {.allocator = allocator};
	uint64_t buckets = MIN_BUCKETS;

	while (buckets < MAX_BUCKETS && buckets / 2 * FW_BUCKET_CELLS < num)
		buckets *= 2;
	new.cur = new_array(allocator, buckets);
	if (!new.cur)
		return -ENOMEM;
	memset(new.cur->alone.cur, 0, buckets * sizeof(*new.cur->alone.cur));
	fw_key_seed(new.seed);
	*map = new;
	/* [X2] Release: the zeros before the view. */
	fw_rcu_publish(&map->view, &map->cur->alone);
	return 0;
}

void fw_map_destroy(struct fw_node_map *map)
{
	free_arrays(map->allocator, map->leaving);
	free_arrays(map->allocator, map->limbo);
	free_array(map->allocator, map->next);
	free_array(map->allocator, map->old);
	free_array(map->allocator, map->cur);
	map->leaving = map->limbo = NULL;
	map->next = map->old = map->cur = NULL;
}

bool fw_map_advance(struct fw_node_map *map)
{
	free_arrays(map->allocator, map->leaving);
	map->leaving = map->limbo;
	map->limbo = NULL;
	return map->leaving != NULL;
}

static int begin_growth(struct fw_node_map *map)
{
	uint64_t buckets = fw_map_buckets(map->cur) * 2;

	if (buckets > MAX_BUCKETS)
		return -ENOMEM;
	map->next = new_array(map->allocator, buckets);
	map->done = 0;
	return map->next ? 0 : -ENOMEM;
}

/* The new array is zeroed. From now on nodes are added there. */
static void publish_next(struct fw_node_map *map)
{
	struct fw_map_view *beside = &map->next->beside;

	*beside = map->next->alone;
	beside->old = map->cur->alone.cur;
	beside->old_mask = map->cur->alone.mask;
	map->old = map->cur;
	map->cur = map->next;
	map->next = NULL;
	map->done = 0;
	map->last = NULL;
	/* [X2] Release: the array, its zeros and the view itself. */
	fw_rcu_publish(&map->view, beside);
}

static void give_up_old(struct fw_node_map *map)
{
	/* [X2] Release: all copies before the view that shows only them. */
	fw_rcu_publish(&map->view, &map->cur->alone);
	map->old->next = map->limbo;
	map->limbo = map->old;
	map->old = NULL;
}

static void zero_piece(struct fw_node_map *map)
{
	struct fw_map_bucket *buckets = map->next->alone.cur;

	/* No reader knows the new array yet. */
	memset(&buckets[map->done], 0, ZERO_PIECE * sizeof(*buckets));
	map->done += ZERO_PIECE;
	if (map->done == fw_map_buckets(map->next))
		publish_next(map);
}

/* The bits of the hash that say the home of @cell, found in bucket @at. */
static uint64_t cell_home(const struct fw_node_arena *arena, uint64_t cell,
			  uint64_t at)
{
	uint64_t past = cell >> PAST_SHIFT & PAST_MAX;

	if (past == PAST_MAX)
		return fw_node_hash(
			fw_arena_node(arena, (uint32_t)(cell & ID_MASK)));
	return (cell >> TAG_SHIFT) << HOME_BITS |
	       ((at - past) & (MIN_BUCKETS - 1));
}

static void copy_bucket(struct fw_node_map *map,
			const struct fw_node_arena *arena, uint64_t at)
{
	const struct fw_map_bucket *from = &map->old->alone.cur[at];

	for (unsigned int i = 0; i < FW_BUCKET_CELLS; i++) {
		uint64_t cell = fw_cell_own(&from->cells[i]);

		if (cell)
			fw_map_insert(map->cur,
				      cell_home(arena, cell, at) &
					      map->cur->alone.mask,
				      cell & ~(PAST_MAX << PAST_SHIFT));
	}
}

static void copy_piece(struct fw_node_map *map,
		       const struct fw_node_arena *arena)
{
	for (unsigned int i = 0; i < COPY_PIECE; i++)
		copy_bucket(map, arena, map->done++);
	if (map->done == fw_map_buckets(map->old))
		give_up_old(map);
}

int fw_map_reserve(struct fw_node_map *map, const struct fw_node_arena *arena,
		   size_t num)
{
	do {
		int ret = 0;

		if (map->old)
			copy_piece(map, arena);
		else if (map->next)
			zero_piece(map);
		else if (!fw_map_fits(map->cur, num))
			ret = begin_growth(map);
		if (ret)
			return ret;
	} while (!fw_map_holds(map->cur, num));
	return 0;
}
