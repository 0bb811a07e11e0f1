/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_PGDSF_H
#define TOOLS_POLICY_PGDSF_H

#include "lib/cost/device.h"
#include "lib/pool/kv_pool.h"

/*
 * PGDSF, RAGCache's cache (arXiv 2404.12457): a block's priority is the clock
 * when it was last used plus how often it was used times what a token of it
 * cost to compute; the smallest is evicted, and the clock goes on to its
 * priority. Of the blocks that nobody references only those without a cached
 * child may go; the pool sees to that.
 */

/**
 * struct pgdsf_block - what is known of a block; dies with it
 * @freq: uses since it entered the cache
 * @cost: seconds a token of the request that brought it
 * @prio: smallest goes first
 */
struct pgdsf_block {
	double freq;
	double cost;
	double prio;
};

/**
 * struct pgdsf - the order of a pool; of zeros, one that orders none
 * @blocks: by their number
 * @num_blocks: how many
 * @block_tokens: tokens of one
 * @clock: the largest priority that was evicted
 * @rate: seconds a token of the request that is being admitted
 * @device: what tells seconds
 * @allocator: of @blocks
 */
struct pgdsf {
	struct pgdsf_block *blocks;
	uint32_t num_blocks;
	uint32_t block_tokens;
	double clock;
	double rate;
	const struct fw_device *device;
	const struct fw_allocator *allocator;
};

/**
 * pgdsf_init() - let an empty pool evict by PGDSF
 * @pgdsf: stays where it is, and outlives the pool's use
 *
 * Return: 0, -ENOMEM.
 */
int pgdsf_init(struct pgdsf *pgdsf, struct fw_kv_pool *pool,
	       const struct fw_device *device,
	       const struct fw_allocator *allocator);
void pgdsf_destroy(struct pgdsf *pgdsf);

#endif
