/* SPDX-License-Identifier: Apache-2.0 */
#include "pgdsf.h"

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"

/* The hit's blocks count as used before anything is evicted for the rest. */
static void take(void *ctx, const struct fw_request *req, const uint32_t *table,
		 uint32_t hit)
{
	struct pgdsf *p = ctx;
	uint32_t first = hit * p->block_tokens;

	p->rate = fw_device_prefill(p->device, first, req->len, FW_COST_CHUNK) /
		  (req->len - first);
	for (uint32_t i = 0; i < hit; i++) {
		struct pgdsf_block *block = &p->blocks[table[i]];

		block->freq += 1.0;
		block->prio = p->clock + block->freq * block->cost;
	}
}

static void give(void *ctx, uint32_t number)
{
	struct pgdsf *p = ctx;

	p->blocks[number] = (struct pgdsf_block){.cost = p->rate};
}

static void store(void *ctx, uint32_t number)
{
	struct pgdsf *p = ctx;
	struct pgdsf_block *block = &p->blocks[number];

	block->freq = 1.0;
	block->prio = p->clock + block->cost;
}

static double prio(const void *ctx, uint32_t number)
{
	return ((const struct pgdsf *)ctx)->blocks[number].prio;
}

static void evict(void *ctx, uint32_t number)
{
	struct pgdsf *p = ctx;

	if (p->blocks[number].prio > p->clock)
		p->clock = p->blocks[number].prio;
}

int pgdsf_init(struct pgdsf *pgdsf, struct fw_kv_pool *pool,
	       const struct fw_device *device,
	       const struct fw_allocator *allocator)
{
	static const struct fw_evict_ops ops = {take, give, store, prio, evict};
	struct pgdsf_block *blocks =
		fw_alloc_array(allocator, pool->num_blocks, sizeof(*blocks));

	if (!blocks)
		return -ENOMEM;
	*pgdsf = (struct pgdsf){
		.blocks = blocks,
		.num_blocks = pool->num_blocks,
		.block_tokens = pool->block_tokens,
		.device = device,
		.allocator = allocator,
	};
	pool->evict_ops = &ops;
	pool->evict_ctx = pgdsf;
	return 0;
}

void pgdsf_destroy(struct pgdsf *pgdsf)
{
	if (!pgdsf->blocks)
		return;
	fw_free_array(pgdsf->allocator, pgdsf->blocks, pgdsf->num_blocks,
		      sizeof(*pgdsf->blocks));
	pgdsf->blocks = NULL;
}
