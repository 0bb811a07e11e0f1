/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/entry.h"
#include "tests/support/run.h"
#include "model_tree.h"

static uint64_t seed;

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

/*
 * Behind a block that many hold, others go whose one holder leaves before its
 * turn. Nobody needs those any more, so they must not take all nodes.
 */
START_TEST(test_blocks_that_nobody_waits_for_any_more_leave_room)
{
	const struct fw_key gone = fw_key_widen(BLOCKS);
	struct fw_request one = {.len = TOKENS + 1, .num_keys = 1};
	uint32_t id, hit;

	open_tree(8);
	tree.lazy = tree.late = true;
	/* The model knows of none of this. */
	tree.ops = (struct fw_index_ops){.hit = NULL};
	id = fw_index_store(&tree, &gone, FW_NODE_NONE, FIRST_BLOCK);
	for (uint32_t i = 0; i < REQS; i++) {
		reqs[i].req = one;
		reqs[i].req.keys = &gone;
		ck_assert_int_eq(fw_index_watch(&tree, &reqs[i].req, &hit), 0);
	}
	fw_index_remove(&tree, id);
	for (uint32_t i = 0; i < 8 * REQS; i++) {
		struct fw_key key = fw_key_widen(BLOCKS + 1 + i);

		one.keys = &key;
		id = fw_index_store(&tree, &key, FW_NODE_NONE, FIRST_BLOCK);
		ck_assert_uint_ne(id, FW_NODE_NONE);
		ck_assert_int_eq(fw_index_watch(&tree, &one, &hit), 0);
		ck_assert_uint_eq(hit, 1);
		fw_index_remove(&tree, id);
		fw_index_unwatch(&tree, &one);
		if (i % 8 == 0)
			fw_index_flush(&tree, 1);
		ck_assert(fw_index_valid(&tree));
	}
	ck_assert_uint_eq(tree.refused, 0);
	for (uint32_t i = 0; i < REQS; i++)
		fw_index_unwatch(&tree, &reqs[i].req);
	fw_index_flush(&tree, 0);
	ck_assert_uint_eq(tree.map.num, 0);
	ck_assert(fw_index_valid(&tree));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("prefix_index");
	TCase *tcase = tcase_create("prefix_index");

	seed = draw_seed();
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
	tcase_add_test(tcase,
		       test_blocks_that_nobody_waits_for_any_more_leave_room);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
