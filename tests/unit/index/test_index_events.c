/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/index/prefix_index.h"
#include "lib/base/entry.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * Events of an engine's own cache, in any order, against a model that knows
 * nothing but the copies of each block and what it was told of parents.
 */

#define BLOCKS 24u
#define DEPTH 6u
#define REQS 12u
#define TOKENS 4u
#define NONE UINT32_MAX
#define UNKNOWN (UINT32_MAX - 1)

/**
 * struct model_block - one block of a tree of prompts
 * @parent: block before it, as the keys say
 * @depth: blocks before it
 * @copies: how often it is cached
 * @told: parent that the index knows: a block, NONE or UNKNOWN
 */
struct model_block {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	uint32_t copies;
	uint32_t told;
};

struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	bool watched;
	uint32_t told_hit;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_prefix_index tree;
static struct model_block blocks[BLOCKS];
static struct model_req reqs[REQS];

static void on_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	(void)ctx;
	container_of(req, struct model_req, req)->told_hit = hit;
}

static void draw_blocks(struct draw *draw)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t parent = NONE;

		if (i && !one_in(draw, 6))
			parent = one_in(draw, 2) ? draw_below(draw, i) : i - 1;
		if (parent != NONE && blocks[parent].depth + 1 == DEPTH)
			parent = NONE;
		blocks[i] = (struct model_block){
			.key = fw_key_widen(draw_u64(draw)),
			.parent = parent,
			.depth = parent == NONE ? 0 : blocks[parent].depth + 1,
			.told = UNKNOWN,
		};
	}
}

static void make_req(struct model_req *r, uint32_t last)
{
	uint32_t num = blocks[last].depth + 1;

	memset(r, 0, sizeof(*r));
	for (uint32_t i = num; i-- > 0; last = blocks[last].parent) {
		r->path[i] = last;
		r->keys[i] = blocks[last].key;
	}
	r->req.keys = r->keys;
	r->req.num_keys = num;
	r->req.len = num * TOKENS + 1;
}

/* Does block @i count: cached, known to follow one that counts? */
static bool counts(uint32_t i)
{
	if (!blocks[i].copies || blocks[i].told == UNKNOWN)
		return false;
	return blocks[i].told == NONE || counts(blocks[i].told);
}

static uint32_t naive_hit(const struct model_req *r)
{
	uint32_t hit = 0;

	while (hit < r->req.num_keys && counts(r->path[hit]))
		hit++;
	return hit;
}

/* A request that holds all before a cached block tells its parent. */
static bool learn_one(void)
{
	for (uint32_t i = 0; i < REQS; i++) {
		uint32_t hit = naive_hit(&reqs[i]);
		struct model_block *next;

		if (!reqs[i].watched || hit == reqs[i].req.num_keys)
			continue;
		next = &blocks[reqs[i].path[hit]];
		if (!next->copies || next->told != UNKNOWN)
			continue;
		next->told = next->parent;
		return true;
	}
	return false;
}

/* What was told of a block's parent goes with its last copy. */
static void model_stored(uint32_t i, enum fw_index_kind kind)
{
	if (!blocks[i].copies++)
		blocks[i].told = UNKNOWN;
	if (kind != FW_INDEX_SOMEWHERE)
		blocks[i].told = blocks[i].parent;
	while (learn_one())
		;
}

static void model_gone(uint32_t i)
{
	if (blocks[i].copies && !--blocks[i].copies)
		blocks[i].told = UNKNOWN;
}

static bool all_right(void)
{
	for (uint32_t i = 0; i < REQS; i++) {
		uint32_t hit = naive_hit(&reqs[i]);

		if (!reqs[i].watched)
			continue;
		if (fw_entry(&reqs[i].req)->blocks != hit ||
		    reqs[i].told_hit != hit)
			return false;
	}
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct model_req r;

		make_req(&r, i);
		if (fw_index_match(&tree, r.keys, r.req.num_keys) !=
		    naive_hit(&r))
			return false;
	}
	return true;
}

static struct fw_index_event stored_event(struct draw *draw, uint32_t i)
{
	struct fw_index_event event = {.key = blocks[i].key};

	if (one_in(draw, 3)) {
		event.kind = FW_INDEX_SOMEWHERE;
	} else if (blocks[i].parent == NONE) {
		event.kind = FW_INDEX_FIRST;
	} else {
		event.kind = FW_INDEX_NEXT;
		event.parent = blocks[blocks[i].parent].key;
	}
	return event;
}

/* One event, known to the model as well. */
static struct fw_index_event draw_event(struct draw *draw)
{
	uint32_t i = draw_below(draw, BLOCKS);
	struct fw_index_event event;

	if (one_in(draw, 60)) {
		for (i = 0; i < BLOCKS; i++) {
			blocks[i].copies = 0;
			blocks[i].told = UNKNOWN;
		}
		return (struct fw_index_event){.kind = FW_INDEX_CLEARED};
	}
	if (one_in(draw, 2)) {
		event = stored_event(draw, i);
		model_stored(i, event.kind);
		return event;
	}
	model_gone(i);
	return (struct fw_index_event){.kind = FW_INDEX_GONE,
				       .key = blocks[i].key};
}

static void toggle_request(struct draw *draw, struct model_req *r)
{
	uint32_t hint = FW_HINT_NONE, hit;

	if (r->watched) {
		fw_index_unwatch(&tree, &r->req);
		r->watched = false;
		return;
	}
	make_req(r, draw_below(draw, BLOCKS));
	/* A hint may be right, old, or nonsense. */
	if (one_in(draw, 3))
		hint = draw_below(draw, DEPTH + 2);
	else if (one_in(draw, 2))
		hint = fw_index_match(&tree, r->keys, r->req.num_keys);
	ck_assert_int_eq(fw_index_watch_hint(&tree, &r->req, hint, &hit), 0);
	r->watched = true;
	r->told_hit = hit;
	while (learn_one())
		;
	ck_assert_uint_eq(hit, naive_hit(r));
}

static void open_tree(uint32_t max_blocks)
{
	fail_alloc_init(&memory);
	memset(reqs, 0, sizeof(reqs));
	ck_assert_int_eq(fw_index_init(&tree, max_blocks, TOKENS,
				       &memory.allocator),
			 0);
	tree.ops.hit = on_hit;
}

static void close_tree(void)
{
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
}

static void unwatch_all(void)
{
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].watched)
			fw_index_unwatch(&tree, &reqs[i].req);
}

START_TEST(test_any_order_of_events_equals_a_naive_map)
{
	for (uint64_t history = 0; history < 300; history++) {
		struct draw draw = {seed + (uint64_t)_i * 1000 + history};

		draw_blocks(&draw);
		open_tree(BLOCKS);
		for (int step = 0; step < 150; step++) {
			struct fw_index_event event;

			if (one_in(&draw, 4)) {
				toggle_request(&draw,
					       &reqs[draw_below(&draw, REQS)]);
			} else {
				event = draw_event(&draw);
				fw_index_apply(&tree, &event, 1);
			}
			ck_assert(all_right());
			ck_assert(step % 8 || fw_index_valid(&tree));
		}
		unwatch_all();
		ck_assert(fw_index_valid(&tree));
		close_tree();
	}
}
END_TEST

/* Batches see the same as events one by one, whoever is told when. */
START_TEST(test_a_batch_of_events_equals_its_events)
{
	struct fw_index_event batch[48];

	for (uint64_t history = 0; history < 200; history++) {
		struct draw draw = {seed + 77 + history};

		draw_blocks(&draw);
		open_tree(BLOCKS);
		for (int step = 0; step < 20; step++) {
			uint32_t num = draw_below(&draw, 48);

			for (uint32_t i = 0; i < num; i++)
				batch[i] = draw_event(&draw);
			fw_index_apply(&tree, batch, num);
			ck_assert(all_right());
			ck_assert(fw_index_valid(&tree));
		}
		close_tree();
	}
}
END_TEST

/* The first blocks of many requests, a few a step, and nobody is forgotten. */
START_TEST(test_a_bound_spreads_the_moves_and_loses_none)
{
	struct draw draw = {seed};
	uint32_t moved = 0;

	draw_blocks(&draw);
	blocks[0].parent = NONE;
	open_tree(BLOCKS);
	tree.lazy = true;
	for (uint32_t i = 0; i < REQS; i++) {
		uint32_t hit;

		make_req(&reqs[i], 0);
		ck_assert_int_eq(fw_index_watch(&tree, &reqs[i].req, &hit), 0);
		reqs[i].watched = true;
	}
	fw_index_apply(&tree,
		       &(struct fw_index_event){.kind = FW_INDEX_FIRST,
						.key = blocks[0].key},
		       1);
	/* One ends meanwhile, and one is admitted with its real hit. */
	fw_index_unwatch(&tree, &reqs[3].req);
	reqs[3].watched = false;
	fw_index_catch_up(&tree, &reqs[5].req);
	ck_assert_uint_eq(reqs[5].told_hit, 1);
	ck_assert(!fw_index_flush(&tree, 4));
	for (uint32_t i = 0; i < REQS; i++)
		moved += reqs[i].told_hit;
	/* Those that waited longest first. */
	ck_assert_uint_eq(moved, 5);
	ck_assert(reqs[0].told_hit && reqs[1].told_hit && reqs[2].told_hit &&
		  reqs[4].told_hit);
	ck_assert(fw_index_valid(&tree));
	while (!fw_index_flush(&tree, 4))
		ck_assert(fw_index_valid(&tree));
	for (uint32_t i = 0; i < REQS; i++)
		ck_assert_uint_eq(reqs[i].told_hit, reqs[i].watched);
	unwatch_all();
	close_tree();
}
END_TEST

/* Removed again before all were moved: nobody counts it. */
START_TEST(test_a_block_removed_meanwhile_is_nobodys_hit)
{
	struct fw_index_event event = {.kind = FW_INDEX_FIRST};
	struct draw draw = {seed};

	draw_blocks(&draw);
	open_tree(BLOCKS);
	tree.lazy = true;
	event.key = blocks[0].key;
	for (uint32_t i = 0; i < REQS; i++) {
		uint32_t hit;

		make_req(&reqs[i], 0);
		ck_assert_int_eq(fw_index_watch(&tree, &reqs[i].req, &hit), 0);
		reqs[i].watched = true;
	}
	for (int round = 0; round < 3; round++) {
		event.kind = FW_INDEX_FIRST;
		fw_index_apply(&tree, &event, 1);
		fw_index_flush(&tree, 5);
		event.kind = FW_INDEX_GONE;
		fw_index_apply(&tree, &event, 1);
		ck_assert(fw_index_valid(&tree));
		while (!fw_index_flush(&tree, 5))
			;
		for (uint32_t i = 0; i < REQS; i++)
			ck_assert_uint_eq(reqs[i].told_hit, 0);
	}
	ck_assert(fw_index_valid(&tree));
	unwatch_all();
	close_tree();
}
END_TEST

/* The block that a request still holds is gone; the one behind it comes. */
START_TEST(test_a_block_behind_one_that_is_gone_is_counted_once)
{
	struct fw_index_event event = {.kind = FW_INDEX_FIRST};
	struct fw_key keys[2] = {fw_key_widen(1), fw_key_widen(2)};
	struct fw_request *req = &reqs[0].req;
	uint32_t hit;

	open_tree(BLOCKS);
	tree.lazy = true;
	tree.late = true;
	event.key = keys[0];
	fw_index_apply(&tree, &event, 1);
	req->keys = keys;
	req->num_keys = 2;
	req->len = 2 * TOKENS + 1;
	ck_assert_int_eq(fw_index_watch(&tree, req, &hit), 0);
	ck_assert_uint_eq(hit, 1);
	event.kind = FW_INDEX_ABSENT;
	fw_index_apply(&tree, &event, 1);
	event.kind = FW_INDEX_SOMEWHERE;
	event.key = keys[1];
	fw_index_apply(&tree, &event, 1);
	ck_assert(fw_index_valid(&tree));
	/* It knows its parent, so both count when that comes back. */
	event.kind = FW_INDEX_FIRST;
	event.key = keys[0];
	fw_index_apply(&tree, &event, 1);
	fw_index_flush(&tree, 0);
	ck_assert_uint_eq(reqs[0].told_hit, 2);
	ck_assert(fw_index_valid(&tree));
	fw_index_unwatch(&tree, req);
	close_tree();
}
END_TEST

/* A parent that is named takes a place too; what does not enter is counted. */
START_TEST(test_blocks_over_the_limit_do_not_enter)
{
	struct fw_index_event event;

	open_tree(4);
	for (uint64_t i = 0; i < 10; i++) {
		event = (struct fw_index_event){
			.kind = FW_INDEX_NEXT,
			.key = fw_key_widen(2 * i),
			.parent = fw_key_widen(2 * i + 1),
		};
		fw_index_apply(&tree, &event, 1);
		ck_assert_uint_le(tree.placed, 4);
		ck_assert(fw_index_valid(&tree));
	}
	ck_assert_uint_gt(tree.refused, 0);
	for (uint64_t i = 0; i < 10; i++) {
		event = (struct fw_index_event){.kind = FW_INDEX_GONE,
						.key = fw_key_widen(2 * i)};
		fw_index_apply(&tree, &event, 1);
	}
	ck_assert_uint_eq(tree.placed, 0);
	ck_assert_uint_eq(tree.map.num, 0);
	close_tree();
}
END_TEST

/* Blocks that name each other as parents neither count nor stay for ever. */
START_TEST(test_a_circle_of_parents_ends_nowhere)
{
	struct fw_index_event event = {.kind = FW_INDEX_NEXT};

	open_tree(8);
	for (uint64_t i = 0; i < 4; i++) {
		event.key = fw_key_widen(i);
		event.parent = fw_key_widen((i + 1) % 3);
		fw_index_apply(&tree, &event, 1);
	}
	event.key = event.parent = fw_key_widen(5);
	fw_index_apply(&tree, &event, 1);
	ck_assert(fw_index_valid(&tree));
	for (uint64_t i = 0; i < 6; i++) {
		event = (struct fw_index_event){.kind = FW_INDEX_GONE,
						.key = fw_key_widen(i)};
		ck_assert_uint_eq(fw_index_match(&tree, &event.key, 1), 0);
		fw_index_apply(&tree, &event, 1);
		ck_assert(fw_index_valid(&tree));
	}
	ck_assert_uint_eq(tree.map.num, 0);
	close_tree();
}
END_TEST

/* In the child of a process with readers: 0 when all is as promised. */
static int in_child(void)
{
	struct fw_index_event event = {.kind = FW_INDEX_FIRST,
				       .key = fw_key_widen(1)};
	struct fw_prefix_index own;

	if (fw_index_init(&own, 8, TOKENS, &memory.allocator))
		return 1;
	if (fw_index_share(&own, 0) != -ECHILD || own.shared)
		return 2;
	/* One thread's own index needs nothing that fork() takes away. */
	fw_index_apply(&own, &event, 1);
	if (fw_index_match(&own, &event.key, 1) != 1)
		return 3;
	fw_index_destroy(&own);
	/* What the parent shares is freed without waiting for its readers. */
	fw_index_destroy(&tree);
	return fail_alloc_clean(&memory) ? 0 : 4;
}

START_TEST(test_a_child_of_fork_goes_without_readers)
{
	int status = -1;
	pid_t child;

	open_tree(BLOCKS);
	ck_assert_int_eq(fw_index_share(&tree, 0), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child)
		_exit(in_child());
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	close_tree();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("index_events");
	TCase *tcase = tcase_create("index_events");

	seed = draw_seed();
	tcase_add_loop_test(tcase, test_any_order_of_events_equals_a_naive_map,
			    0, 8);
	tcase_add_test(tcase, test_a_batch_of_events_equals_its_events);
	tcase_add_test(tcase, test_a_bound_spreads_the_moves_and_loses_none);
	tcase_add_test(tcase, test_a_block_removed_meanwhile_is_nobodys_hit);
	tcase_add_test(tcase,
		       test_a_block_behind_one_that_is_gone_is_counted_once);
	tcase_add_test(tcase, test_blocks_over_the_limit_do_not_enter);
	tcase_add_test(tcase, test_a_circle_of_parents_ends_nowhere);
	tcase_add_test(tcase, test_a_child_of_fork_goes_without_readers);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
