/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/index/prefix_index.h"
#include "lib/queue/entry.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define BLOCKS 64u
#define DEPTH 12u
#define REQS 48u
#define TOKENS 16u
#define NONE UINT32_MAX
/* Physical numbers start here, so that they are nobody's node number. */
#define FIRST_BLOCK 5000u

/* One block of a tree of prompts, and what the model knows of it. */
struct model_block {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	bool cached;
	uint32_t node;
	bool told_wanted;
	uint32_t demand_calls;
};

/* One prompt: a path in the tree. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	bool watched;
	uint32_t hit;
	uint32_t hit_calls;
	uint32_t told_hit;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_prefix_index tree;
static struct model_block blocks[BLOCKS];
static struct model_req reqs[REQS];
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

static void open_tree(uint32_t max_blocks)
{
	ck_assert_int_eq(fw_index_init(&tree, max_blocks, TOKENS,
				       &memory.allocator),
			 0);
	tree.ops.hit = on_hit;
	tree.ops.demand = on_demand;
	tree.ops_ctx = reqs;
}

static void setup(void)
{
	fail_alloc_init(&memory);
	memset(blocks, 0, sizeof(blocks));
	memset(reqs, 0, sizeof(reqs));
	strange_calls = 0;
}

static void teardown(void)
{
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
	ck_assert_uint_eq(strange_calls, 0);
}

/* Chains and forks: most blocks follow the one before. */
static void draw_blocks(struct draw *draw)
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
static void make_req(struct model_req *r, uint32_t last, uint32_t extra)
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

static void check_all(void)
{
	ck_assert(hits_are_right());
	ck_assert(demand_is_right());
	ck_assert(finds_what_is_cached() && fw_index_valid(&tree));
}

static void store(uint32_t i)
{
	uint32_t parent = blocks[i].parent;

	blocks[i].cached = true;
	blocks[i].told_wanted = false;
	blocks[i].node = fw_index_store(&tree, &blocks[i].key,
					parent == NONE ? FW_NODE_NONE
						       : blocks[parent].node,
					FIRST_BLOCK + i);
}

static void drop(uint32_t i)
{
	blocks[i].cached = false;
	fw_index_remove(&tree, blocks[i].node);
	blocks[i].node = FW_NODE_NONE;
}

static void watch(struct model_req *r)
{
	uint32_t hit = NONE;

	ck_assert_int_eq(fw_index_watch(&tree, &r->req, &hit), 0);
	r->watched = true;
	r->hit = naive_hit(r);
	ck_assert_uint_eq(hit, r->hit);
}

static void unwatch(struct model_req *r)
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

static void random_step(struct draw *draw)
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

START_TEST(test_any_history_tells_the_hits_of_a_naive_search)
{
	struct draw draw = {seed + (uint64_t)_i};

	draw_blocks(&draw);
	open_tree(BLOCKS);
	for (int step = 0; step < 4000; step++) {
		random_step(&draw);
		check_all();
	}
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].watched)
			unwatch(&reqs[i]);
	check_all();
	ck_assert_uint_eq(tree.watching, 0);
}
END_TEST

/* A chain of @num blocks from block 0 on. */
static void make_chain(uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		blocks[i] = (struct model_block){
			.key = fw_key_widen(i),
			.parent = i ? i - 1 : NONE,
			.depth = i,
			.node = FW_NODE_NONE,
		};
}

static uint32_t sum_of_calls(void)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < REQS; i++)
		sum += reqs[i].hit_calls;
	return sum;
}

/* Of the requests that wait on a chain only three lack the block stored. */
START_TEST(test_a_stored_block_touches_only_those_that_lack_exactly_it)
{
	make_chain(DEPTH);
	open_tree(BLOCKS);
	store(0);
	for (uint32_t i = 0; i < REQS; i++) {
		/* Three want the whole chain, the others only what is there. */
		make_req(&reqs[i], i < 3 ? DEPTH - 1 : 0, 1);
		watch(&reqs[i]);
	}
	store(1);
	ck_assert_uint_eq(sum_of_calls(), 3);
	check_all();
	/* What they lack now is the next one. */
	store(2);
	ck_assert_uint_eq(sum_of_calls(), 3);
	check_all();
	drop(2);
	ck_assert_uint_eq(sum_of_calls(), 3);
	check_all();
}
END_TEST

START_TEST(test_a_full_hit_gives_its_last_block_back)
{
	make_chain(4);
	open_tree(BLOCKS);
	for (uint32_t i = 0; i < 4; i++)
		store(i);
	make_req(&reqs[0], 3, 0);
	watch(&reqs[0]);
	ck_assert_uint_eq(reqs[0].hit, 3);
	make_req(&reqs[1], 3, 1);
	watch(&reqs[1]);
	ck_assert_uint_eq(reqs[1].hit, 4);
	/* The block that it may not hit is none of its business. */
	drop(3);
	ck_assert_uint_eq(reqs[0].hit_calls, 0);
	check_all();
}
END_TEST

START_TEST(test_a_prompt_within_a_block_waits_for_nothing)
{
	open_tree(BLOCKS);
	make_req(&reqs[0], NONE, 1);
	watch(&reqs[0]);
	ck_assert_uint_eq(reqs[0].hit, 0);
	ck_assert_uint_eq(tree.map.num, 0);
	check_all();
	unwatch(&reqs[0]);
	check_all();
}
END_TEST

START_TEST(test_demand_reaches_up_to_the_first_block_and_back)
{
	make_chain(3);
	open_tree(BLOCKS);
	for (uint32_t i = 0; i < 3; i++)
		store(i);
	make_req(&reqs[0], 2, 1);
	watch(&reqs[0]);
	ck_assert(blocks[0].told_wanted && blocks[1].told_wanted &&
		  blocks[2].told_wanted);
	check_all();
	unwatch(&reqs[0]);
	ck_assert(!blocks[0].told_wanted && !blocks[1].told_wanted &&
		  !blocks[2].told_wanted);
	check_all();
}
END_TEST

/* As many nodes as blocks and watchers need, and no more, stay in use. */
START_TEST(test_a_full_index_and_many_watchers_find_room)
{
	make_chain(DEPTH);
	open_tree(DEPTH);
	for (uint32_t i = 0; i < DEPTH; i++)
		store(i);
	for (uint32_t i = 0; i < REQS; i++) {
		make_req(&reqs[i], DEPTH - 1, 1);
		reqs[i].keys[DEPTH - 1] = fw_key_widen(1000 + i);
		reqs[i].req.num_keys = DEPTH;
		ck_assert_int_eq(fw_index_watch(&tree, &reqs[i].req,
						&reqs[i].told_hit),
				 0);
		ck_assert_uint_eq(reqs[i].told_hit, DEPTH - 1);
	}
	ck_assert_uint_eq(tree.map.num, DEPTH + REQS);
	ck_assert(fw_index_valid(&tree));
	for (uint32_t i = 0; i < REQS; i++)
		fw_index_unwatch(&tree, &reqs[i].req);
	ck_assert_uint_eq(tree.map.num, DEPTH);
	ck_assert(fw_index_valid(&tree));
}
END_TEST

/* The nodes, their keys, the table and its buckets. */
START_TEST(test_opening_fails_at_any_allocation_and_leaks_nothing)
{
	static unsigned char before[sizeof(tree)];
	size_t num = 0;
	int ret;

	memset(&tree, 0x5a, sizeof(tree));
	memcpy(before, &tree, sizeof(tree));
	do {
		fail_alloc_init(&memory);
		fail_alloc_after(&memory, num++);
		ret = fw_index_init(&tree, 20000, TOKENS, &memory.allocator);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert_mem_eq(&tree, before, sizeof(tree));
		}
	} while (ret);
	fail_alloc_disarm(&memory);
	ck_assert_uint_eq(num, 5);
	ck_assert(fw_index_valid(&tree));
}
END_TEST

/* The first watcher of an index whose nodes just hold its blocks. */
START_TEST(test_watching_fails_at_any_allocation_and_changes_nothing)
{
	size_t num = 0;
	int ret;

	make_chain(DEPTH);
	open_tree(1024);
	store(0);
	make_req(&reqs[0], DEPTH - 1, 1);
	do {
		uint32_t hit = NONE;

		fail_alloc_after(&memory, num++);
		ret = fw_index_watch(&tree, &reqs[0].req, &hit);
		fail_alloc_disarm(&memory);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert_uint_eq(hit, NONE);
			ck_assert_uint_eq(tree.watching, 0);
			check_all();
		}
	} while (ret);
	ck_assert_uint_eq(num, 3);
	reqs[0].watched = true;
	reqs[0].hit = 1;
	check_all();
	store(1);
	check_all();
}
END_TEST

static Suite *index_suite(void)
{
	Suite *suite = suite_create("prefix_index");
	TCase *tcase = tcase_create("prefix_index");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase,
			    test_any_history_tells_the_hits_of_a_naive_search,
			    0, 4);
	tcase_add_test(
		tcase,
		test_a_stored_block_touches_only_those_that_lack_exactly_it);
	tcase_add_test(tcase, test_a_full_hit_gives_its_last_block_back);
	tcase_add_test(tcase, test_a_prompt_within_a_block_waits_for_nothing);
	tcase_add_test(tcase,
		       test_demand_reaches_up_to_the_first_block_and_back);
	tcase_add_test(tcase, test_a_full_index_and_many_watchers_find_room);
	tcase_add_test(tcase,
		       test_opening_fails_at_any_allocation_and_leaks_nothing);
	tcase_add_test(
		tcase,
		test_watching_fails_at_any_allocation_and_changes_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(index_suite());
}
