/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_POOL_BLOCK_QUEUE_H
#define LIB_POOL_BLOCK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/heap.h"

/*
 * Blocks by the order of their eviction: by key, then by age. Nearly all of
 * them have key 0 and come in rising age: these are a list, which costs the
 * same however many there are. The others stand in a heap beside it: those
 * with a key, and those that come back to a place in the middle.
 *
 * Single owner, takes no lock. fw_block_queue_reserve() allocates, nothing
 * else.
 */

#define FW_BLOCK_NONE UINT32_MAX

/**
 * enum fw_block_place - where a block is queued
 * @FW_BLOCK_OUT: nowhere
 * @FW_BLOCK_LISTED: in a queue's list
 * @FW_BLOCK_HEAPED: in its heap
 */
enum fw_block_place {
	FW_BLOCK_OUT,
	FW_BLOCK_LISTED,
	FW_BLOCK_HEAPED,
};

/**
 * struct fw_kv_block - one physical block
 * @age: stamp of its last release; no two are equal
 * @node: its node in the index, FW_NODE_NONE for a private block
 * @refs: running requests that use it
 * @before: while cached, the block before it in its prompt; FW_BLOCK_NONE for
 *	the first
 * @next: while listed, the next younger one
 * @prev: while listed, the next older one
 * @heaped: while in a heap
 * @place: of enum fw_block_place
 * @wanted: would a waiting request hit it? Kept with protection only
 * @lost: the plan that was to compute it failed; only while that is cleared up
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
 * @blocks: all of the pool; a block is named by its place there
 * @num: blocks queued
 * @first: oldest one listed, FW_BLOCK_NONE when none is
 * @last: youngest one listed, the same
 * @others: those that are not listed
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
 * fw_block_queue_reserve() - queue blocks from now on
 * @queue: empty
 * @blocks: stay where they are
 * @num: of them
 *
 * Return: 0, -ENOMEM.
 */
int fw_block_queue_reserve(struct fw_block_queue *queue,
			   struct fw_kv_block *blocks, uint32_t num);

static inline bool fw_block_queued(const struct fw_kv_block *block)
{
	return block->place != FW_BLOCK_OUT;
}

/* Queue a block whose age is set. */
void fw_block_queue_insert(struct fw_block_queue *queue, uint32_t number,
			   double key);

/* Take it out, wherever it stands. */
void fw_block_queue_remove(struct fw_block_queue *queue, uint32_t number);

/* Give a queued block another key. */
void fw_block_queue_update(struct fw_block_queue *queue, uint32_t number,
			   double key);

/* The smallest key, the smallest age among equal ones; some are queued. */
uint32_t fw_block_queue_first(const struct fw_block_queue *queue);

/* Is the list in order, and is each count right? For tests. */
bool fw_block_queue_valid(const struct fw_block_queue *queue);

#endif
