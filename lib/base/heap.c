/* SPDX-License-Identifier: Apache-2.0 */
#include "heap.h"

#include <assert.h>

#include "alloc.h"

/* Four children: half as deep as two, and they share two cache lines. */
#define ARY 4u

void fw_heap_init(struct fw_heap *heap, const struct fw_allocator *allocator)
{
	*heap = (struct fw_heap){.allocator = allocator};
}

void fw_heap_destroy(struct fw_heap *heap)
{
	fw_free_array(heap->allocator, heap->items, heap->cap,
		      sizeof(*heap->items));
	heap->items = NULL;
	heap->num = heap->cap = 0;
}

int fw_heap_reserve(struct fw_heap *heap, size_t num)
{
	return fw_grow_dirty(heap->allocator, (void **)&heap->items, &heap->cap,
			     heap->num, num, sizeof(*heap->items));
}

static bool before(const struct fw_heap_item *a, const struct fw_heap_item *b)
{
	return a->key < b->key || (a->key == b->key && a->tie < b->tie);
}

static void place(struct fw_heap *heap, size_t at,
		  const struct fw_heap_item *item)
{
	heap->items[at] = *item;
	item->node->position = (uint32_t)at + 1;
}

/* Sifting moves a hole. The item itself is written once, at the end. */
static void sift_up(struct fw_heap *heap, size_t at, struct fw_heap_item item)
{
	while (at) {
		size_t parent = (at - 1) / ARY;

		if (!before(&item, &heap->items[parent]))
			break;
		place(heap, at, &heap->items[parent]);
		at = parent;
	}
	place(heap, at, &item);
}

static size_t first_child(const struct fw_heap *heap, size_t at)
{
	size_t child = at * ARY + 1, end = child + ARY, best = child;

	if (end > heap->num)
		end = heap->num;
	while (++child < end)
		if (before(&heap->items[child], &heap->items[best]))
			best = child;
	return best;
}

static void sift_down(struct fw_heap *heap, size_t at, struct fw_heap_item item)
{
	while (at * ARY + 1 < heap->num) {
		size_t child = first_child(heap, at);

		if (!before(&heap->items[child], &item))
			break;
		place(heap, at, &heap->items[child]);
		at = child;
	}
	place(heap, at, &item);
}

static void sift(struct fw_heap *heap, size_t at, struct fw_heap_item item)
{
	if (at && before(&item, &heap->items[(at - 1) / ARY]))
		sift_up(heap, at, item);
	else
		sift_down(heap, at, item);
}

void fw_heap_insert(struct fw_heap *heap, struct fw_heap_node *node, double key,
		    uint64_t tie)
{
	struct fw_heap_item item = {.key = key, .tie = tie, .node = node};

	assert(!fw_heap_queued(node));
	assert(heap->num < heap->cap);
	sift_up(heap, heap->num++, item);
}

void fw_heap_remove(struct fw_heap *heap, struct fw_heap_node *node)
{
	size_t at = node->position - 1u;
	struct fw_heap_item last;

	assert(at < heap->num && heap->items[at].node == node);
	node->position = 0;
	last = heap->items[--heap->num];
	if (at < heap->num)
		sift(heap, at, last);
}

void fw_heap_update(struct fw_heap *heap, struct fw_heap_node *node, double key)
{
	size_t at = node->position - 1u;
	struct fw_heap_item item;

	assert(at < heap->num && heap->items[at].node == node);
	item = heap->items[at];
	if (item.key == key)
		return;
	item.key = key;
	sift(heap, at, item);
}

bool fw_heap_valid(const struct fw_heap *heap)
{
	for (size_t i = 0; i < heap->num; i++) {
		if (heap->items[i].node->position != i + 1)
			return false;
		if (i && before(&heap->items[i], &heap->items[(i - 1) / ARY]))
			return false;
	}
	return heap->num <= heap->cap;
}
