/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_HEAP_H
#define LIB_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "compiler.h"

/*
 * Intrusive min-heap by (key, tie). The keys stand in the heap's own array, so
 * sifting touches only the nodes that move. A node knows its position, so any
 * node leaves in O(log n).
 *
 * Single owner, takes no lock. Only fw_heap_reserve() allocates.
 */

/**
 * struct fw_heap_node - hook embedded in anything that a heap orders
 * @position: in the heap's array, plus 1; 0 while not queued. So a node of
 *	zeros is a valid node
 */
struct FW_MAY_ALIAS fw_heap_node {
	uint32_t position;
};

/**
 * struct fw_heap_item - a queued node with what orders it
 * @key: smallest first
 * @tie: smallest first among equal keys; no two are equal
 * @node: its position is kept up to date
 */
struct fw_heap_item {
	double key;
	uint64_t tie;
	struct fw_heap_node *node;
};

/**
 * struct fw_heap - the heap
 * @items: in heap order
 * @num: nodes queued
 * @cap: items that there is room for
 * @allocator: of @items
 */
struct fw_heap {
	struct fw_heap_item *items;
	size_t num;
	size_t cap;
	const struct fw_allocator *allocator;
};

void fw_heap_init(struct fw_heap *heap, const struct fw_allocator *allocator);
void fw_heap_destroy(struct fw_heap *heap);

/* Make room for @num nodes in all. Return: 0, -ENOMEM. */
int fw_heap_reserve(struct fw_heap *heap, size_t num);

/* Queue @node. There must be room for it. */
void fw_heap_insert(struct fw_heap *heap, struct fw_heap_node *node, double key,
		    uint64_t tie);

/* Take a queued node out. */
void fw_heap_remove(struct fw_heap *heap, struct fw_heap_node *node);

/* Give @node another key. */
void fw_heap_update(struct fw_heap *heap, struct fw_heap_node *node,
		    double key);

/* Does every parent come before its children, and is every position right? */
bool fw_heap_valid(const struct fw_heap *heap);

static inline struct fw_heap_node *fw_heap_first(const struct fw_heap *heap)
{
	return heap->num ? heap->items[0].node : NULL;
}

static inline bool fw_heap_queued(const struct fw_heap_node *node)
{
	return node->position != 0;
}

#endif
