/* SPDX-License-Identifier: Apache-2.0 */
#include "node_map.h"

#include <assert.h>

#include "map_cell.h"

/**
 * struct cursor - a walk over the cells in which a hash may be
 * @buckets: of one array
 * @mask: number of them minus one
 * @at: current bucket
 * @cell: next cell of that bucket
 */
struct cursor {
	const struct fw_map_bucket *buckets;
	uint64_t mask;
	uint64_t at;
	unsigned int cell;
};

static struct cursor cursor_at(const struct fw_map_bucket *buckets,
			       uint64_t mask, uint64_t hash)
{
	return (struct cursor){buckets, mask, hash & mask, 0};
}

/* The next cell whose bits @care are @want; 0 at the end. @want is not 0. */
static uint64_t next_cell(struct cursor *c, uint64_t want, uint64_t care)
{
	for (;;) {
		const struct fw_map_bucket *bucket = &c->buckets[c->at];

		while (c->cell < FW_BUCKET_CELLS) {
			/* [X1] Acquire: the key, and what opened before. */
			uint64_t cell =
				atomic_load_explicit(&bucket->cells[c->cell++],
						     memory_order_acquire);

			if ((cell & care) == want)
				return cell;
		}
		/*
		 * Relaxed: the count rises before the cell appears. So who
		 * sees 0 looked at a moment when no cell had gone past.
		 */
		if (!atomic_load_explicit(&bucket->past, memory_order_relaxed))
			return 0;
		c->at = (c->at + 1) & c->mask;
		c->cell = 0;
	}
}

static uint32_t find_in(const struct fw_map_bucket *buckets, uint64_t mask,
			const struct fw_node_arena *arena,
			const struct fw_key *key, uint64_t hash, uint64_t flag)
{
	struct cursor c = cursor_at(buckets, mask, hash);
	uint64_t cell;

	while ((cell = next_cell(&c, fw_cell_tag(hash) | flag,
				 TAG_MASK | flag))) {
		uint32_t id = (uint32_t)(cell & ID_MASK);

		if (fw_key_equal(fw_arena_key(arena, id), key))
			return id;
	}
	return FW_NODE_NONE;
}

static uint32_t find_any(const struct fw_map_view *view,
			 const struct fw_node_arena *arena,
			 const struct fw_key *key, uint64_t hash, uint64_t flag)
{
	uint32_t id = find_in(view->cur, view->mask, arena, key, hash, flag);

	/* What is not copied yet is in the old array alone. */
	if (id == FW_NODE_NONE && view->old)
		id = find_in(view->old, view->old_mask, arena, key, hash, flag);
	return id;
}

uint32_t fw_view_find(const struct fw_map_view *view,
		      const struct fw_node_arena *arena,
		      const struct fw_key *key, uint64_t hash)
{
	return find_any(view, arena, key, hash, OPEN);
}

static const struct fw_map_view *owner_view(const struct fw_node_map *map)
{
	return map->old ? &map->cur->beside : &map->cur->alone;
}

uint32_t fw_map_find(const struct fw_node_map *map,
		     const struct fw_node_arena *arena,
		     const struct fw_key *key, uint64_t hash)
{
	return find_any(owner_view(map), arena, key, hash, USED);
}

static uint64_t first_cell(const struct fw_map_view *view, uint64_t hash,
			   uint64_t flag)
{
	struct cursor c = cursor_at(view->cur, view->mask, hash);
	uint64_t want = fw_cell_tag(hash) | flag;
	uint64_t cell = next_cell(&c, want, TAG_MASK | flag);

	if (cell || !view->old)
		return cell;
	c = cursor_at(view->old, view->old_mask, hash);
	return next_cell(&c, want, TAG_MASK | flag);
}

bool fw_view_maybe(const struct fw_map_view *view, uint64_t hash)
{
	return first_cell(view, hash, OPEN) != 0;
}

uint32_t fw_view_guess(const struct fw_map_view *view, uint64_t hash)
{
	uint64_t cell = first_cell(view, hash, USED);

	return cell ? (uint32_t)(cell & ID_MASK) : FW_NODE_NONE;
}

/* The cell of node @id in an array, or NULL. */
static _Atomic uint64_t *locate(const struct fw_map_array *array, uint32_t id,
				uint64_t hash)
{
	struct cursor c = cursor_at(array->alone.cur, array->alone.mask, hash);

	if (!next_cell(&c, USED | id, USED | ID_MASK))
		return NULL;
	return &array->alone.cur[c.at].cells[c.cell - 1];
}

/*
 * The same in the current array. A node is often opened right after it was
 * added, and removed right after it was closed: then the cell is known.
 */
static _Atomic uint64_t *locate_cur(struct fw_node_map *map, uint32_t id,
				    uint64_t hash)
{
	_Atomic uint64_t *last = map->last;

	if (last && (fw_cell_own(last) & (USED | ID_MASK)) == (USED | id))
		return last;
	return map->last = locate(map->cur, id, hash);
}

static _Atomic uint64_t *empty_cell(struct fw_map_bucket *bucket)
{
	for (unsigned int i = 0; i < FW_BUCKET_CELLS; i++)
		if (!fw_cell_own(&bucket->cells[i]))
			return &bucket->cells[i];
	return NULL;
}

_Atomic uint64_t *fw_map_insert(const struct fw_map_array *array, uint64_t home,
				uint64_t cell)
{
	struct fw_map_bucket *bucket = &array->alone.cur[home];
	_Atomic uint64_t *to;
	uint64_t past = 0;

	while (!(to = empty_cell(bucket))) {
		/* Relaxed: [X1] below releases it, see next_cell(). */
		atomic_store_explicit(&bucket->past,
				      fw_cell_own(&bucket->past) + 1,
				      memory_order_relaxed);
		past++;
		bucket = &array->alone.cur[(home + past) & array->alone.mask];
	}
	past = past < PAST_MAX ? past : PAST_MAX;
	/* [X1] Release: the key before its cell. */
	atomic_store_explicit(to, cell | past << PAST_SHIFT,
			      memory_order_release);
	return to;
}

void fw_map_add(struct fw_node_map *map, uint32_t id, uint64_t hash)
{
	assert(fw_map_holds(map->cur, map->num + 1));
	map->last = fw_map_insert(map->cur, hash & map->cur->alone.mask,
				  fw_cell_tag(hash) | USED | id);
	map->num++;
}

static void open_cell(_Atomic uint64_t *cell, bool open)
{
	/*
	 * [X1] Release: every reader sees a chain open from its first block on
	 * and close from its last block on.
	 */
	if (cell)
		atomic_store_explicit(cell,
				      open ? fw_cell_own(cell) | OPEN
					   : fw_cell_own(cell) & ~OPEN,
				      memory_order_release);
}

void fw_map_open(struct fw_node_map *map, uint32_t id, uint64_t hash, bool open)
{
	open_cell(locate_cur(map, id, hash), open);
	if (map->old)
		open_cell(locate(map->old, id, hash), open);
}

/* Empty @cell, which is NULL if the node is not there. Return: Was it? */
static bool remove_from(const struct fw_map_array *array,
			_Atomic uint64_t *cell, uint64_t hash)
{
	uint64_t at = hash & array->alone.mask;
	struct fw_map_bucket *bucket = &array->alone.cur[at];

	if (!cell)
		return false;
	/*
	 * [X1] Release: a reader may see this word and never the one that
	 * closed the node. So this one carries the same.
	 */
	atomic_store_explicit(cell, 0, memory_order_release);
	while (cell < bucket->cells ||
	       cell >= bucket->cells + FW_BUCKET_CELLS) {
		/* Relaxed: whoever sees too many only looks further. */
		atomic_store_explicit(&bucket->past,
				      fw_cell_own(&bucket->past) - 1,
				      memory_order_relaxed);
		at = (at + 1) & array->alone.mask;
		bucket = &array->alone.cur[at];
	}
	return true;
}

void fw_map_remove(struct fw_node_map *map, uint32_t id, uint64_t hash)
{
	bool was = remove_from(map->cur, locate_cur(map, id, hash), hash);

	if (map->old)
		was |= remove_from(map->old, locate(map->old, id, hash), hash);
	assert(was);
	(void)was;
	map->num--;
}

uint64_t fw_map_reach(const struct fw_node_map *map, uint64_t hash)
{
	const struct fw_map_view *view = owner_view(map);
	struct cursor c = cursor_at(view->cur, view->mask, hash);

	/* No cell is USED and nothing else, so this goes as far as a miss. */
	while (next_cell(&c, USED, ~0ull))
		;
	return ((c.at - hash) & view->mask) + 1;
}

/**
 * struct tally - what fw_map_valid() counts
 * @cells: those in use
 * @past: sum of the buckets that each of them went past
 */
struct tally {
	size_t cells;
	uint64_t past;
};

static bool cell_valid(const struct fw_node_map *map,
		       const struct fw_node_arena *arena, uint64_t at,
		       const _Atomic uint64_t *cell, struct tally *tally)
{
	uint32_t id = (uint32_t)(fw_cell_own(cell) & ID_MASK);
	uint64_t hash;

	if (!fw_cell_own(cell))
		return true;
	hash = fw_node_hash(fw_arena_node(arena, id));
	tally->cells++;
	tally->past += (at - hash) & map->cur->alone.mask;
	return (fw_cell_own(cell) & TAG_MASK) == fw_cell_tag(hash) &&
	       locate(map->cur, id, hash) == cell &&
	       fw_map_find(map, arena, fw_arena_key(arena, id), hash) == id;
}

bool fw_map_valid(const struct fw_node_map *map,
		  const struct fw_node_arena *arena)
{
	struct tally tally = {0, 0};
	uint64_t past = 0;

	for (uint64_t at = 0; at < fw_map_buckets(map->cur); at++) {
		struct fw_map_bucket *bucket = &map->cur->alone.cur[at];

		for (unsigned int i = 0; i < FW_BUCKET_CELLS; i++)
			if (!cell_valid(map, arena, at, &bucket->cells[i],
					&tally))
				return false;
		past += fw_cell_own(&bucket->past);
	}
	/* While the old array is copied, it alone has the other cells. */
	return tally.past == past &&
	       (map->old ? tally.cells <= map->num : tally.cells == map->num);
}
