/* SPDX-License-Identifier: Apache-2.0 */
#include "model_tree.h"

#include <check.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"

struct fail_alloc memory;
struct fw_prefix_index tree;
struct model_block blocks[BLOCKS];
struct model_req reqs[REQS];

/* Calls that told what had not happened. */
static uint32_t strange_calls;

static void on_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	struct model_req *r = container_of(req, struct model_req, req);

	strange_calls += ctx != reqs || !r->watched;
	r->hit_calls++;
	r->told_hit = hit;
}

static void on_demand(void *ctx, uint32_t number, bool wanted)
{
	struct model_block *block = &blocks[number - FIRST_BLOCK];

	strange_calls += ctx != reqs || block->told_wanted == wanted;
	block->told_wanted = wanted;
	block->demand_calls++;
}

void open_tree(uint32_t max_blocks)
{
	ck_assert_int_eq(fw_index_init(&tree, max_blocks, TOKENS,
				       &memory.allocator),
			 0);
	tree.ops.hit = on_hit;
	tree.ops.demand = on_demand;
	tree.ops_ctx = reqs;
}

void setup(void)
{
	fail_alloc_init(&memory);
	memset(blocks, 0, sizeof(blocks));
	memset(reqs, 0, sizeof(reqs));
	strange_calls = 0;
}

void teardown(void)
{
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
	ck_assert_uint_eq(strange_calls, 0);
}

/* Chains and forks: most blocks follow the one before. */
void draw_blocks(struct draw *draw)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t parent = NONE;

		if (i && !one_in(draw, 10))
			parent = one_in(draw, 3) ? draw_below(draw, i) : i - 1;
		if (parent != NONE && blocks[parent].depth + 1 == DEPTH)
			parent = NONE;
		blocks[i] = (struct model_block){
			.key = fw_key_widen(draw_u64(draw)),
			.parent = parent,
			.depth = parent == NONE ? 0 : blocks[parent].depth + 1,
			.node = FW_NODE_NONE,
		};
	}
}

/* A prompt that ends with block @last and @extra tokens behind it. */
void make_req(struct model_req *r, uint32_t last, uint32_t extra)
{
	uint32_t num = last == NONE ? 0 : blocks[last].depth + 1;

	memset(r, 0, sizeof(*r));
	for (uint32_t i = num; i-- > 0; last = blocks[last].parent) {
		r->path[i] = last;
		r->keys[i] = blocks[last].key;
	}
	r->req.keys = r->keys;
	r->req.num_keys = num;
	r->req.len = num * TOKENS + extra;
}

static void draw_req(struct draw *draw, struct model_req *r)
{
	uint32_t last = one_in(draw, 12) ? NONE : draw_below(draw, BLOCKS);
	uint32_t extra = one_in(draw, 3) ? 0 : draw_below(draw, 3 * TOKENS);

	make_req(r, last, last == NONE ? extra + 1 : extra);
}

/* The longest cached prefix, by looking block by block. */
static uint32_t naive_hit(const struct model_req *r)
{
	uint32_t hit = 0;

	while (hit < r->req.num_keys && blocks[r->path[hit]].cached)
		hit++;
	while (hit * TOKENS > r->req.len - 1)
		hit--;
	return hit;
}

/* Who changed was told once and right; nobody else was told at all. */
static bool hits_are_right(void)
{
	for (uint32_t i = 0; i < REQS; i++) {
		struct model_req *r = &reqs[i];
		uint32_t hit = r->watched ? naive_hit(r) : 0;

		if (r->watched && fw_entry(&r->req)->blocks != hit)
			return false;
		if (r->hit_calls != (r->watched && hit != r->hit))
			return false;
		if (r->hit_calls && r->told_hit != hit)
			return false;
		r->hit = hit;
		r->hit_calls = 0;
	}
	return true;
}

/* A block is wanted while it is in the hit of some waiting request. */
static bool demand_is_right(void)
{
	bool wanted[BLOCKS] = {false};

	for (uint32_t i = 0; i < REQS; i++)
		for (uint32_t j = 0; reqs[i].watched && j < reqs[i].hit; j++)
			wanted[reqs[i].path[j]] = true;
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct model_block *block = &blocks[i];

		if (block->demand_calls > 1)
			return false;
		block->demand_calls = 0;
		if (block->cached && block->told_wanted != wanted[i])
			return false;
		if (block->cached &&
		    !fw_index_node(&tree, block->node)->demand == wanted[i])
			return false;
	}
	return true;
}

static bool finds_what_is_cached(void)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t node = fw_index_find(&tree, &blocks[i].key);

		if (node != (blocks[i].cached ? blocks[i].node : FW_NODE_NONE))
			return false;
		if (blocks[i].cached &&
		    fw_index_node(&tree, node)->block != FIRST_BLOCK + i)
			return false;
	}
	return true;
}

void check_all(void)
{
	ck_assert(hits_are_right());
	ck_assert(demand_is_right());
	ck_assert(finds_what_is_cached() && fw_index_valid(&tree));
}

void store(uint32_t i)
{
	uint32_t parent = blocks[i].parent;

	blocks[i].cached = true;
	blocks[i].told_wanted = false;
	blocks[i].node = fw_index_store(&tree, &blocks[i].key,
					parent == NONE ? FW_NODE_NONE
						       : blocks[parent].node,
					FIRST_BLOCK + i);
}

void drop(uint32_t i)
{
	blocks[i].cached = false;
	fw_index_remove(&tree, blocks[i].node);
	blocks[i].node = FW_NODE_NONE;
}

void watch(struct model_req *r)
{
	uint32_t hit = NONE;

	ck_assert_int_eq(fw_index_watch(&tree, &r->req, &hit), 0);
	r->watched = true;
	r->hit = naive_hit(r);
	ck_assert_uint_eq(hit, r->hit);
}

void unwatch(struct model_req *r)
{
	fw_index_unwatch(&tree, &r->req);
	r->watched = false;
}

static bool may_store(uint32_t i)
{
	uint32_t parent = blocks[i].parent;

	return !blocks[i].cached && (parent == NONE || blocks[parent].cached);
}

static bool may_drop(uint32_t i)
{
	for (uint32_t j = 0; j < BLOCKS; j++)
		if (blocks[j].cached && blocks[j].parent == i)
			return false;
	return blocks[i].cached;
}

void random_step(struct draw *draw)
{
	uint32_t i = draw_below(draw, BLOCKS);
	struct model_req *r = &reqs[draw_below(draw, REQS)];

	if (one_in(draw, 3)) {
		if (r->watched) {
			unwatch(r);
		} else {
			draw_req(draw, r);
			watch(r);
		}
	} else if (may_store(i)) {
		store(i);
	} else if (may_drop(i) && one_in(draw, 2)) {
		drop(i);
	}
}
