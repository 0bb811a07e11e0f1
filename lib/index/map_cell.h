/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_MAP_CELL_H
#define LIB_INDEX_MAP_CELL_H

#include "node_map.h"

/* For node_table.c, which looks up, and table_grow.c, which grows, alone. */

/*
 * A cell: number of the node, open, used, how many buckets past its home the
 * entry lies (3 is: three or more, ask the node), and bits 8 to 39 of the hash.
 * The home bucket gives the low 8 bits, so that entries are copied into a
 * larger array without a look at their nodes.
 */
#define ID_MASK ((1ull << FW_NODE_BITS) - 1)
#define OPEN (1ull << 28)
#define USED (1ull << 29)
#define PAST_SHIFT 30u
#define PAST_MAX 3ull
#define TAG_SHIFT 32u
#define TAG_MASK (~0ull << TAG_SHIFT)
#define HOME_BITS 8u

#define MIN_BUCKETS (1ull << HOME_BITS)
#define MAX_BUCKETS (1ull << FW_NODE_BITS)
#define LINE 64u

_Static_assert(FW_NODE_BITS == 28, "numbers end where the flags begin");

static inline uint64_t fw_cell_tag(uint64_t hash)
{
	return (hash >> HOME_BITS) << TAG_SHIFT;
}

static inline uint64_t fw_map_buckets(const struct fw_map_array *array)
{
	return array->alone.mask + 1;
}

/* Half full: here a larger one is begun. */
static inline bool fw_map_fits(const struct fw_map_array *array, size_t num)
{
	return num <= fw_map_buckets(array) / 2 * FW_BUCKET_CELLS;
}

/* Two thirds: no more than that, whatever it takes. */
static inline bool fw_map_holds(const struct fw_map_array *array, size_t num)
{
	return num <= fw_map_buckets(array) / 3 * 2 * FW_BUCKET_CELLS;
}

/* Relaxed throughout: the owner reads what it wrote itself. */
static inline uint64_t fw_cell_own(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

/*
 * Add @cell, how far it lies from home aside, to an array with room. Return:
 * where it is now.
 */
_Atomic uint64_t *fw_map_insert(const struct fw_map_array *array, uint64_t home,
				uint64_t cell);

#endif
