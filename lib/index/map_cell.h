/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_MAP_CELL_H
#define LIB_INDEX_MAP_CELL_H

#include "node_map.h"

/* Inside of the map: only node_map.c and map_grow.c include this. */

/*
 * A cell is one word:
 *
 *	bits 0 to 27	number of the node
 *	bit 28		OPEN
 *	bit 29		USED
 *	bits 30 and 31	how many buckets behind its home bucket the cell lies;
 *			3 means three or more, and the node is asked
 *	bits 32 to 63	bits 8 to 39 of the hash
 *
 * The home bucket gives the low 8 bits of the hash. So cells are copied into
 * a larger array without a look at their nodes.
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

_Static_assert(HOME_BITS + 64u - TAG_SHIFT == FW_HASH_BITS,
	       "a cell and its place say all that a node keeps of a hash");
_Static_assert(FW_NODE_BITS == 28, "the flags begin where a number ends");

static inline uint64_t fw_cell_tag(uint64_t hash)
{
	return (hash >> HOME_BITS) << TAG_SHIFT;
}

static inline uint64_t fw_map_buckets(const struct fw_map_array *array)
{
	return array->alone.mask + 1;
}

/* With more than half of the cells in use a larger array is begun. */
static inline bool fw_map_fits(const struct fw_map_array *array, size_t num)
{
	return num <= fw_map_buckets(array) / 2 * FW_BUCKET_CELLS;
}

/* No array ever has more than two thirds of its cells in use. */
static inline bool fw_map_holds(const struct fw_map_array *array, size_t num)
{
	return num <= fw_map_buckets(array) / 3 * 2 * FW_BUCKET_CELLS;
}

/* For the owner. Relaxed, since it reads what it wrote itself. */
static inline uint64_t fw_cell_own(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

/**
 * fw_map_insert() - put a cell into an array with room
 * @array: the array
 * @home: its home bucket
 * @cell: the word, without the distance from home, which is added here
 *
 * Return: Where the cell is now.
 */
_Atomic uint64_t *fw_map_insert(const struct fw_map_array *array, uint64_t home,
				uint64_t cell);

#endif
