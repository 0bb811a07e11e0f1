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
 * Keys to nodes: written by one owner while other threads read.
 *
 * A bucket is a cache line of seven cells and a count. A cell is one word: the
 * number of a node, 32 bits of its key's hash, and whether it is open, that
 * is, whether readers are to see it. So a look-up that fails touches one line
 * as a rule, one that succeeds another for the key itself, and all that the
 * owner ever does to an entry is to write one word.
 *
 * An entry that finds its bucket full goes to the next one; the count of a
 * bucket says how many entries went past it, so that a look-up knows when to
 * stop. The hash is seeded: no one can aim at a bucket.
 *
 * Growth: the owner makes an array of twice the buckets and fills it a piece
 * at a time, at each fw_map_reserve(): first it is zeroed, then published,
 * then entries are copied. They stay in the old one as well, and whatever
 * happens to them is written to both, so that neither a reader who knows of
 * the old one alone nor one who looks into both ever misses an entry. Then the
 * old one is given up. A half of a doubling's worth of additions is enough for
 * all of that, and no call does more than a piece.
 *
 * Who may call what at once:
 *
 *	fw_map_view, fw_view_*	any thread, inside a read lock or as owner
 *	all others			the owner
 *
 * Progress: readers are wait-free: the buckets that they visit are bounded.
 * Memory: arrays given up are freed by fw_map_advance(), when their owner
 * knows that a grace period has passed.
 *
 * Edges: [X1] the word of an entry, release by the owner, acquire by readers:
 * orders the key before it, and the openings and closings of a chain as the
 * owner made them. [X2] the view, the same: orders an array's zeros and the
 * arrays themselves.
 */

#define FW_BUCKET_CELLS 7u

/**
 * struct fw_map_bucket - a cache line of entries
 * @cells: see node_table.c; 0 is empty. Written by the owner
 * @past: entries that found it full and went on. Written by the owner
 */
struct fw_map_bucket {
	_Atomic uint64_t cells[FW_BUCKET_CELLS];
	_Atomic uint64_t past;
};

_Static_assert(sizeof(struct fw_map_bucket) == 64, "one cache line");

/**
 * struct fw_map_view - what one look-up sees
 * @cur: buckets
 * @mask: their number minus one
 * @old: those from before, while entries are copied; else NULL
 * @old_mask: their number minus one
 *
 * Constant once published.
 */
struct fw_map_view {
	struct fw_map_bucket *cur;
	uint64_t mask;
	struct fw_map_bucket *old;
	uint64_t old_mask;
};

/**
 * struct fw_map_array - buckets, and the two views that they appear in
 * @alone: without others
 * @beside: beside those that they replace
 * @memory: as it was allocated
 * @next: on a list of arrays given up
 */
struct fw_map_array {
	struct fw_map_view alone;
	struct fw_map_view beside;
	void *memory;
	struct fw_map_array *next;
};

/**
 * struct fw_node_map - the table
 * @view: for readers
 * @cur: where entries are added
 * @old: copied from, or NULL
 * @next: being zeroed, or NULL
 * @done: buckets zeroed or copied so far
 * @num: entries
 * @last: cell in @cur of the entry that the owner touched last, or NULL
 * @seed: of the hash
 * @limbo: arrays given up; readers may still be there
 * @leaving: the same, given up before the grace period that runs now began
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
 * fw_map_init() - an empty table
 * @map: written only on success
 * @num: entries that there is room for
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
 * @map: the table
 * @arena: of the nodes
 * @num: entries in all
 *
 * Where @num rises by one at a time, a call does a bounded piece of the work;
 * where it jumps, all that is needed at once.
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

/* Add a node, closed, whose key and hash are set and which is not there. */
void fw_map_add(struct fw_node_map *map, uint32_t id, uint64_t hash);

/* Let readers see it, or no more. */
void fw_map_open(struct fw_node_map *map, uint32_t id, uint64_t hash,
		 bool open);

/* Take one out that is closed. */
void fw_map_remove(struct fw_node_map *map, uint32_t id, uint64_t hash);

/* As fw_arena_advance(). */
bool fw_map_advance(struct fw_node_map *map);

/* What a reader looks into, from here until it leaves. */
static inline const struct fw_map_view *
fw_map_view(const struct fw_node_map *map)
{
	/* [X2] Acquire: the arrays before the view. */
	return fw_rcu_read(&map->view);
}

/* Have the bucket of @hash in the cache soon. */
static inline void fw_view_prefetch(const struct fw_map_view *view,
				    uint64_t hash)
{
	__builtin_prefetch(&view->cur[hash & view->mask]);
	if (view->old)
		__builtin_prefetch(&view->old[hash & view->old_mask]);
}

/**
 * fw_view_maybe() - is there an open entry with this hash?
 * @view: the view
 * @hash: all of it
 *
 * Without a look at its key: false is sure, true is not.
 */
bool fw_view_maybe(const struct fw_map_view *view, uint64_t hash);

/* The open entry of @key, or FW_NODE_NONE. */
uint32_t fw_view_find(const struct fw_map_view *view,
		      const struct fw_node_arena *arena,
		      const struct fw_key *key, uint64_t hash);

/* Node of an entry that may be @hash's, to be prefetched, or FW_NODE_NONE. */
uint32_t fw_view_guess(const struct fw_map_view *view, uint64_t hash);

/* Buckets that a look-up of @hash visits. For tests. */
uint64_t fw_map_reach(const struct fw_node_map *map, uint64_t hash);

/* Is each entry found, once, and each count right? For tests. */
bool fw_map_valid(const struct fw_node_map *map,
		  const struct fw_node_arena *arena);

#endif
