/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "lib/base/entry.h"
#include "tests/support/run.h"
#include "model_pool.h"

/* What the pool keeps, shares, evicts and protects, one promise a case. */

/* Make room block by block and see who goes. */
static void evict_and_expect(const uint32_t *order, uint32_t num)
{
	struct model_req *r = &reqs[REQS - 1];

	for (uint32_t i = 0; i < num; i++) {
		make_req(r, NONE, (count_free() + 1) * TOKENS);
		wait_for(r);
		ck_assert(take(r));
		ck_assert(!keys[order[i]].cached);
		ck_assert_uint_eq(fw_index_find(&pool.index,
						&keys[order[i]].key),
				  FW_NODE_NONE);
		check_all();
		/* Not released: what it took stays taken. */
		r->state = IDLE;
		r = &reqs[REQS - 2 - i];
	}
}

START_TEST(test_blocks_are_evicted_tail_first)
{
	static const uint32_t order[] = {3, 2, 1, 0};

	make_chain(0, 4);
	open_pool(4, 0);
	make_req(&reqs[0], 3, 0);
	compute(&reqs[0]);
	evict_and_expect(order, 4);
}
END_TEST

START_TEST(test_least_recently_released_goes_first)
{
	static const uint32_t order[] = {3, 2, 1, 0};

	make_chain(0, 2);
	make_chain(2, 2);
	open_pool(5, 0);
	make_req(&reqs[0], 1, 1);
	make_req(&reqs[1], 3, 1);
	compute(&reqs[0]);
	compute(&reqs[1]);
	/* The first prompt once more: its hit is young again. */
	make_req(&reqs[0], 1, 1);
	compute(&reqs[0]);
	evict_and_expect(order, 4);
}
END_TEST

START_TEST(test_a_partial_block_is_private_and_free_at_once)
{
	make_chain(0, 1);
	open_pool(4, 0);
	make_req(&reqs[0], 0, TOKENS - 1);
	compute(&reqs[0]);
	ck_assert_uint_eq(pool.num_free, 3);
	ck_assert_uint_eq(pool.spare.num, 1);
}
END_TEST

START_TEST(test_a_full_block_without_a_key_is_private)
{
	make_chain(0, 1);
	open_pool(4, 0);
	make_req(&reqs[0], 0, 2 * TOKENS);
	compute(&reqs[0]);
	ck_assert_uint_eq(pool.num_free, 3);
	ck_assert_uint_eq(pool.spare.num, 1);
}
END_TEST

/* The cached copy keeps its age meanwhile, and may go. */
START_TEST(test_last_block_of_a_full_hit_is_computed_again_in_private)
{
	static const uint32_t order[] = {1};

	make_chain(0, 2);
	open_pool(3, 0);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 1, 0);
	wait_for(&reqs[1]);
	ck_assert(take(&reqs[1]));
	ck_assert_uint_eq(reqs[1].done, TOKENS);
	plan(&reqs[1], TOKENS);
	check_all();
	ck_assert_uint_eq(pool.blocks[reqs[1].table[1]].node, FW_NODE_NONE);
	ck_assert_uint_eq(pool.spare.num, 1);
	evict_and_expect(order, 1);
	release(&reqs[1]);
	check_all();
	ck_assert_uint_eq(pool.num_free, 1);
}
END_TEST

/* A block counts from the moment that its chunk is planned. */
START_TEST(test_a_block_is_a_hit_once_its_last_token_is_planned)
{
	make_chain(0, 3);
	open_pool(8, 0);
	make_req(&reqs[0], 2, 0);
	make_req(&reqs[1], 2, 1);
	wait_for(&reqs[0]);
	wait_for(&reqs[1]);
	ck_assert(take(&reqs[0]));
	plan(&reqs[0], TOKENS - 1);
	ck_assert_uint_eq(fw_entry(&reqs[1].req)->blocks, 0);
	plan(&reqs[0], 1);
	ck_assert_uint_eq(fw_entry(&reqs[1].req)->blocks, 1);
	plan(&reqs[0], 2 * TOKENS);
	ck_assert_uint_eq(fw_entry(&reqs[1].req)->blocks, 3);
	check_all();
}
END_TEST

/* Its own hit is the oldest in the cache and must not make room for it. */
START_TEST(test_the_hit_leaves_the_list_before_room_is_made)
{
	make_chain(0, 2);
	make_chain(2, 2);
	open_pool(4, 0);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 3, 0);
	compute(&reqs[1]);
	make_req(&reqs[2], 1, 2 * TOKENS);
	wait_for(&reqs[2]);
	ck_assert(take(&reqs[2]));
	ck_assert(keys[0].cached && keys[1].cached);
	ck_assert(!keys[2].cached && !keys[3].cached);
	check_all();
}
END_TEST

/* Its hit blocks are no room for it: two and two are not five. */
START_TEST(test_a_refused_admission_changes_nothing)
{
	make_chain(0, 2);
	make_chain(2, 2);
	open_pool(4, _i);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 3, 0);
	compute(&reqs[1]);
	make_req(&reqs[2], 1, 3 * TOKENS);
	wait_for(&reqs[2]);
	ck_assert(!take(&reqs[2]));
	check_all();
	ck_assert_uint_eq(pool.evictions, 0);
}
END_TEST

START_TEST(test_protection_passes_over_what_is_waited_for)
{
	static const uint32_t order[] = {2, 1, 0};

	make_chain(0, 2);
	make_chain(2, 1);
	open_pool(3, FW_POOL_PROTECT);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 2, 0);
	compute(&reqs[1]);
	make_req(&reqs[2], 1, 1);
	wait_for(&reqs[2]);
	check_all();
	ck_assert_uint_eq(pool.kept.num, 2);
	/* Then nothing else is left: the oldest goes all the same. */
	evict_and_expect(order, 3);
	ck_assert_uint_eq(fw_entry(&reqs[2].req)->blocks, 0);
}
END_TEST

START_TEST(test_protected_blocks_count_as_room)
{
	make_chain(0, 2);
	make_chain(2, 3);
	open_pool(3, FW_POOL_PROTECT);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 1, 1);
	wait_for(&reqs[1]);
	make_req(&reqs[2], 4, 0);
	wait_for(&reqs[2]);
	ck_assert(take(&reqs[2]));
	check_all();
	ck_assert_uint_eq(pool.evictions, 2);
}
END_TEST

START_TEST(test_protection_ends_with_the_wait)
{
	static const uint32_t order[] = {1, 0, 2};

	make_chain(0, 2);
	make_chain(2, 1);
	open_pool(3, FW_POOL_PROTECT);
	make_req(&reqs[0], 1, 0);
	compute(&reqs[0]);
	make_req(&reqs[1], 2, 0);
	compute(&reqs[1]);
	make_req(&reqs[2], 1, 1);
	wait_for(&reqs[2]);
	fw_index_unwatch(&pool.index, &reqs[2].req);
	reqs[2].state = IDLE;
	evict_and_expect(order, 3);
}
END_TEST

/*
 * Two compute one prompt at the same time, in chunks. The later one's second
 * chunk once hung on the first one's block, which it does not reference: that
 * block went on the list alone and was evicted with a cached child.
 */
START_TEST(test_no_block_hangs_on_one_that_its_request_does_not_hold)
{
	make_chain(0, 3);
	open_pool(6, 0);
	make_req(&reqs[0], 0, 0);
	make_req(&reqs[1], 2, 0);
	wait_for(&reqs[0]);
	wait_for(&reqs[1]);
	ck_assert(take(&reqs[1]));
	ck_assert(take(&reqs[0]));
	plan(&reqs[0], TOKENS);
	plan(&reqs[1], TOKENS);
	plan(&reqs[1], TOKENS);
	plan(&reqs[1], TOKENS);
	check_all();
	release(&reqs[0]);
	make_req(&reqs[2], NONE, 3 * TOKENS);
	wait_for(&reqs[2]);
	ck_assert(take(&reqs[2]));
	check_all();
	ck_assert_uint_eq(pool.evictions, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kv_pool");
	TCase *tcase = tcase_create("kv_pool");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_blocks_are_evicted_tail_first);
	tcase_add_test(tcase, test_least_recently_released_goes_first);
	tcase_add_test(tcase, test_a_partial_block_is_private_and_free_at_once);
	tcase_add_test(tcase, test_a_full_block_without_a_key_is_private);
	tcase_add_test(
		tcase,
		test_last_block_of_a_full_hit_is_computed_again_in_private);
	tcase_add_test(tcase,
		       test_a_block_is_a_hit_once_its_last_token_is_planned);
	tcase_add_test(tcase, test_the_hit_leaves_the_list_before_room_is_made);
	tcase_add_loop_test(tcase, test_a_refused_admission_changes_nothing, 0,
			    2);
	tcase_add_test(tcase, test_protection_passes_over_what_is_waited_for);
	tcase_add_test(tcase, test_protected_blocks_count_as_room);
	tcase_add_test(tcase, test_protection_ends_with_the_wait);
	tcase_add_test(
		tcase,
		test_no_block_hangs_on_one_that_its_request_does_not_hold);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
