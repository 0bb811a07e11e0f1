/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_POOL_BLOCK_QUEUE_H
#define LIB_POOL_BLOCK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/heap.h"

/*
 * Blocks in the order of their eviction: by key, then by age. Nearly all of
 * them have key 0 and come in rising age. Those stand in a list, whose cost
 * does not depend on its length. The others stand in a heap: blocks with
 * another key, and blocks that are older than the last one of the list.
 *
 * Single owner, takes no lock. Only fw_block_queue_reserve() allocates.
 */

#define FW_BLOCK_NONE UINT32_MAX

/**
 * enum fw_block_place - where a block is queued
 * @FW_BLOCK_OUT: in no queue
 * @FW_BLOCK_LISTED: in the list of a queue
 * @FW_BLOCK_HEAPED: in the heap of a queue
 */
enum fw_block_place {
	FW_BLOCK_OUT,
	FW_BLOCK_LISTED,
	FW_BLOCK_HEAPED,
};

/**
 * struct fw_kv_block - one physical block
 * @age: stamp of its last release; no two blocks have the same
 * @node: its node in the index, FW_NODE_NONE for a private block
 * @refs: running requests that use it
 * @before: while cached, the block before it in its prompt; FW_BLOCK_NONE for
 *	the first one
 * @next: while listed, the next younger block
 * @prev: while listed, the next older block
 * @heaped: while in a heap, its hook
 * @place: one of enum fw_block_place
 * @wanted: would a waiting request hit it? Known only with protection
 * @lost: the plan that was to compute it failed. Set only while the planner
 *	looks for all that falls with that plan
 */
struct fw_kv_block {
	uint64_t age;
	uint32_t node;
	uint32_t refs;
	uint32_t before;
	uint32_t next;
	union {
		uint32_t prev;
		struct fw_heap_node heaped;
	};
	uint8_t place;
	bool wanted;
	bool lost;
};

_Static_assert(sizeof(struct fw_kv_block) == 32, "two a cache line");

/**
 * struct fw_block_queue - some of a pool's blocks in order
 * @blocks: all blocks of the pool; the number of a block is its index here
 * @num: blocks queued
 * @first: oldest block of the list, FW_BLOCK_NONE when the list is empty
 * @last: youngest block of the list, or FW_BLOCK_NONE
 * @others: the heap of the blocks that are not in the list
 */
struct fw_block_queue {
	struct fw_kv_block *blocks;
	size_t num;
	uint32_t first;
	uint32_t last;
	struct fw_heap others;
};

void fw_block_queue_init(struct fw_block_queue *queue,
			 const struct fw_allocator *allocator);
void fw_block_queue_destroy(struct fw_block_queue *queue);

/**
 * fw_block_queue_reserve() - make room for all blocks of a pool
 * @queue: empty
 * @blocks: all of them; they must not be moved
 * @num: number of blocks
 *
 * Return: 0, -ENOMEM.
 */
int fw_block_queue_reserve(struct fw_block_queue *queue,
			   struct fw_kv_block *blocks, uint32_t num);

static inline bool fw_block_queued(const struct fw_kv_block *block)
{
	return block->place != FW_BLOCK_OUT;
}

/* Queue a block. Its age must be set before. */
void fw_block_queue_insert(struct fw_block_queue *queue, uint32_t number,
			   double key);

/* Take a queued block out. */
void fw_block_queue_remove(struct fw_block_queue *queue, uint32_t number);

/* Give a queued block another key. */
void fw_block_queue_update(struct fw_block_queue *queue, uint32_t number,
			   double key);

/* The block with the smallest key, then age. The queue must not be empty. */
uint32_t fw_block_queue_first(const struct fw_block_queue *queue);

/* Is the list in order, and is each count right? For tests. */
bool fw_block_queue_valid(const struct fw_block_queue *queue);

#endif
