/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_NODE_MAP_H
#define LIB_INDEX_NODE_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

#include "lib/base/key.h"
#include "lib/sync/rcu.h"
#include "node_arena.h"

/*
 * The map from keys to nodes. One owner writes it while other threads read.
 *
 * A bucket is a cache line of seven cells and a count. A cell is one word. It
 * holds the number of a node, 32 bits of the hash of its key, and whether the
 * node is open: readers see open nodes only. So a look-up that fails touches
 * one cache line as a rule. One that succeeds touches a second line, for the
 * key. The owner changes a cell by writing one word.
 *
 * A cell that finds its bucket full goes to the next bucket. The count of a
 * bucket says how many cells went past it, so a look-up knows when to stop.
 * The hash is seeded, so nobody can aim at a bucket.
 *
 * Growth: the owner makes an array of twice the buckets. Each call of
 * fw_map_reserve() does a piece of the work. First the new array is zeroed,
 * then it is published, then the cells are copied to it. The old array keeps
 * its cells meanwhile, and each change is written to both arrays. So a reader
 * misses nothing, whether it knows the old array alone or looks into both. At
 * the end the old array is given up. All of that takes half as many calls as
 * the old array has buckets, and no call does more than one piece.
 *
 * Who may call what at once:
 *
 *	fw_map_view, fw_view_*	any thread, inside a read lock or as owner
 *	all others			the owner
 *
 * Progress: readers are wait-free, since the buckets that they visit are
 * bounded. Memory: fw_map_advance() frees arrays that were given up. The owner
 * calls it when it knows that a grace period has passed.
 *
 * Edges: [X1] goes from the owner's release of a cell to a reader's acquire of
 * it. It carries the key, and it keeps the openings and closings of a chain in
 * their order. [X2] goes from the release of the view to a reader's acquire of
 * it. It carries the arrays and their zeros.
 */

#define FW_BUCKET_CELLS 7u

/**
 * struct fw_map_bucket - a cache line of cells
 * @cells: see map_cell.h; 0 is an empty one. Written by the owner
 * @past: cells that found the bucket full and went on. Written by the owner
 */
struct fw_map_bucket {
	_Atomic uint64_t cells[FW_BUCKET_CELLS];
	_Atomic uint64_t past;
};

_Static_assert(sizeof(struct fw_map_bucket) == 64, "one cache line");

/**
 * struct fw_map_view - what one look-up sees
 * @cur: buckets
 * @mask: number of them minus one
 * @old: buckets of the smaller array while cells are copied, else NULL
 * @old_mask: number of those minus one
 *
 * Never changes once it is published.
 */
struct fw_map_view {
	struct fw_map_bucket *cur;
	uint64_t mask;
	struct fw_map_bucket *old;
	uint64_t old_mask;
};

/**
 * struct fw_map_array - buckets, and the two views that show them
 * @alone: shows these buckets and no others
 * @beside: shows them and the smaller array that they replace
 * @next: next one on a list of arrays that were given up
 */
struct fw_map_array {
	struct fw_map_view alone;
	struct fw_map_view beside;
	struct fw_map_array *next;
};

/**
 * struct fw_node_map - the map
 * @view: what readers see
 * @cur: array to which cells are added
 * @old: array that is being copied, or NULL
 * @next: array that is being zeroed, or NULL
 * @done: buckets that are zeroed or copied so far
 * @num: nodes in the map
 * @last: cell in @cur that the owner touched last, or NULL
 * @seed: of the hash
 * @limbo: arrays given up that readers may still look into
 * @leaving: the same; they were given up before the grace period that runs now
 *	began
 * @allocator: of the arrays
 */
struct fw_node_map {
	_Atomic(const struct fw_map_view *) view;
	struct fw_map_array *cur;
	struct fw_map_array *old;
	struct fw_map_array *next;
	uint64_t done;
	size_t num;
	_Atomic uint64_t *last;
	uint64_t seed[2];
	struct fw_map_array *limbo;
	struct fw_map_array *leaving;
	const struct fw_allocator *allocator;
};

/**
 * fw_map_init() - an empty map
 * @map: written only on success
 * @num: nodes that there is room for
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_map_init(struct fw_node_map *map, size_t num,
		const struct fw_allocator *allocator);

/* No reader may be left. */
void fw_map_destroy(struct fw_node_map *map);

/**
 * fw_map_reserve() - make room
 * @map: the map
 * @arena: the nodes
 * @num: nodes in all
 *
 * While @num rises by one at a time, a call does a bounded piece of the work.
 * When it jumps, the call does all the work that is needed.
 *
 * Return: 0, -ENOMEM.
 */
int fw_map_reserve(struct fw_node_map *map, const struct fw_node_arena *arena,
		   size_t num);

static inline uint64_t fw_map_hash(const struct fw_node_map *map,
				   const struct fw_key *key)
{
	return fw_key_hash(key, map->seed);
}

/* The node of @key, open or not, or FW_NODE_NONE. */
uint32_t fw_map_find(const struct fw_node_map *map,
		     const struct fw_node_arena *arena,
		     const struct fw_key *key, uint64_t hash);

/* Add a node, closed. Its key and hash are set, and it is not in the map. */
void fw_map_add(struct fw_node_map *map, uint32_t id, uint64_t hash);

/* Open a node, so that readers see it, or close it. */
void fw_map_open(struct fw_node_map *map, uint32_t id, uint64_t hash,
		 bool open);

/* Remove a closed node. */
void fw_map_remove(struct fw_node_map *map, uint32_t id, uint64_t hash);

/* The same for arrays as fw_arena_advance() for nodes. */
bool fw_map_advance(struct fw_node_map *map);

/* What a reader looks into. Valid until it leaves its read lock. */
static inline const struct fw_map_view *
fw_map_view(const struct fw_node_map *map)
{
	/* [X2] Acquire: the arrays were made before the view was seen. */
	return fw_rcu_read(&map->view);
}

/* Begin to fetch the bucket of @hash into the cache. */
static inline void fw_view_prefetch(const struct fw_map_view *view,
				    uint64_t hash)
{
	__builtin_prefetch(&view->cur[hash & view->mask]);
	if (view->old)
		__builtin_prefetch(&view->old[hash & view->old_mask]);
}

/**
 * fw_view_maybe() - may there be an open node with this hash?
 * @view: the view
 * @hash: all 64 bits of it
 *
 * Looks at no key. False is sure; true is wrong once in many millions.
 */
bool fw_view_maybe(const struct fw_map_view *view, uint64_t hash);

/* The open node of @key, or FW_NODE_NONE. */
uint32_t fw_view_find(const struct fw_map_view *view,
		      const struct fw_node_arena *arena,
		      const struct fw_key *key, uint64_t hash);

/* A node that may have @hash, to be prefetched; FW_NODE_NONE: no node has. */
uint32_t fw_view_guess(const struct fw_map_view *view, uint64_t hash);

/* How many buckets a look-up of @hash visits. For tests. */
uint64_t fw_map_reach(const struct fw_node_map *map, uint64_t hash);

/* Is each node found, once, and each count right? For tests. */
bool fw_map_valid(const struct fw_node_map *map,
		  const struct fw_node_arena *arena);

#endif
