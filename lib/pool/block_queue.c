/* SPDX-License-Identifier: Apache-2.0 */
#include "block_queue.h"

#include <assert.h>

#include "lib/base/compiler.h"

void fw_block_queue_init(struct fw_block_queue *queue,
			 const struct fw_allocator *allocator)
{
	*queue = (struct fw_block_queue){
		.first = FW_BLOCK_NONE,
		.last = FW_BLOCK_NONE,
	};
	fw_heap_init(&queue->others, allocator);
}

void fw_block_queue_destroy(struct fw_block_queue *queue)
{
	fw_heap_destroy(&queue->others);
}

int fw_block_queue_reserve(struct fw_block_queue *queue,
			   struct fw_kv_block *blocks, uint32_t num)
{
	queue->blocks = blocks;
	/* All blocks may be in the heap. Unused pages of it are not touched. */
	return fw_heap_reserve(&queue->others, num);
}

static uint32_t number_of(const struct fw_block_queue *queue,
			  const struct fw_heap_node *node)
{
	const struct fw_kv_block *block =
		container_of(node, const struct fw_kv_block, heaped);

	return (uint32_t)(block - queue->blocks);
}

static void list_insert(struct fw_block_queue *queue, uint32_t number)
{
	struct fw_kv_block *block = &queue->blocks[number];

	block->place = FW_BLOCK_LISTED;
	block->next = FW_BLOCK_NONE;
	block->prev = queue->last;
	if (queue->last == FW_BLOCK_NONE)
		queue->first = number;
	else
		queue->blocks[queue->last].next = number;
	queue->last = number;
}

static void list_remove(struct fw_block_queue *queue,
			const struct fw_kv_block *block)
{
	if (block->prev == FW_BLOCK_NONE)
		queue->first = block->next;
	else
		queue->blocks[block->prev].next = block->next;
	if (block->next == FW_BLOCK_NONE)
		queue->last = block->prev;
	else
		queue->blocks[block->next].prev = block->prev;
}

static void heap_insert(struct fw_block_queue *queue, struct fw_kv_block *block,
			double key)
{
	block->place = FW_BLOCK_HEAPED;
	block->heaped.position = 0;
	fw_heap_insert(&queue->others, &block->heaped, key, block->age);
}

void fw_block_queue_insert(struct fw_block_queue *queue, uint32_t number,
			   double key)
{
	struct fw_kv_block *block = &queue->blocks[number];
	uint32_t last = queue->last;

	assert(!fw_block_queued(block));
	queue->num++;
	if (key == 0.0 &&
	    (last == FW_BLOCK_NONE || queue->blocks[last].age < block->age))
		list_insert(queue, number);
	else
		heap_insert(queue, block, key);
}

void fw_block_queue_remove(struct fw_block_queue *queue, uint32_t number)
{
	struct fw_kv_block *block = &queue->blocks[number];

	assert(fw_block_queued(block));
	if (block->place == FW_BLOCK_LISTED)
		list_remove(queue, block);
	else
		fw_heap_remove(&queue->others, &block->heaped);
	block->place = FW_BLOCK_OUT;
	queue->num--;
}

void fw_block_queue_update(struct fw_block_queue *queue, uint32_t number,
			   double key)
{
	struct fw_kv_block *block = &queue->blocks[number];

	if (block->place == FW_BLOCK_HEAPED) {
		fw_heap_update(&queue->others, &block->heaped, key);
	} else if (key != 0.0) {
		list_remove(queue, block);
		heap_insert(queue, block, key);
	}
}

uint32_t fw_block_queue_first(const struct fw_block_queue *queue)
{
	const struct fw_heap_item *other = queue->others.items;

	assert(queue->num);
	if (!queue->others.num)
		return queue->first;
	if (queue->first == FW_BLOCK_NONE || other->key < 0.0 ||
	    (other->key == 0.0 && other->tie < queue->blocks[queue->first].age))
		return number_of(queue, other->node);
	return queue->first;
}

bool fw_block_queue_valid(const struct fw_block_queue *queue)
{
	uint32_t before = FW_BLOCK_NONE;
	size_t listed = 0;

	for (uint32_t at = queue->first; at != FW_BLOCK_NONE;
	     at = queue->blocks[at].next) {
		const struct fw_kv_block *block = &queue->blocks[at];

		if (block->place != FW_BLOCK_LISTED || block->prev != before ||
		    (before != FW_BLOCK_NONE &&
		     queue->blocks[before].age >= block->age))
			return false;
		before = at;
		listed++;
	}
	return before == queue->last &&
	       listed + queue->others.num == queue->num &&
	       fw_heap_valid(&queue->others);
}
