/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include "lib/base/entry.h"
#include "lib/index/prefix_index.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * Keys that name a block by its tokens alone, as unchained hashes do: one key
 * stands behind many prefixes. A hit counts only behind the blocks that it was
 * cached behind, whatever the keys say.
 */

#define KEYS 7u
#define DEPTH 6u
#define REQS 10u
#define TOKENS 4u
#define NONE UINT32_MAX

/**
 * struct model_block - what the engine holds under a key
 * @copies: how often it is cached
 * @parent: the key that it was cached behind first, or NONE
 */
struct model_block {
	uint32_t copies;
	uint32_t parent;
};

struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	bool watched;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_prefix_index tree;
static struct model_block blocks[KEYS];
static struct model_req reqs[REQS];
static uint32_t told;

static void on_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	(void)ctx;
	ck_assert_uint_eq(fw_entry(req)->blocks, hit);
	told++;
}

static void make_req(struct model_req *r, const uint32_t *path, uint32_t num)
{
	memset(r, 0, sizeof(*r));
	for (uint32_t i = 0; i < num; i++) {
		r->path[i] = path[i];
		r->keys[i] = fw_key_widen(path[i]);
	}
	r->req.keys = r->keys;
	r->req.num_keys = num;
	r->req.len = num * TOKENS + 1;
}

static uint32_t naive_hit(const struct model_req *r)
{
	uint32_t hit = 0;

	while (hit < r->req.num_keys) {
		const struct model_block *b = &blocks[r->path[hit]];

		if (!b->copies || b->parent != (hit ? r->path[hit - 1] : NONE))
			break;
		hit++;
	}
	return hit;
}

static struct fw_index_event stored(uint32_t key, uint32_t parent)
{
	if (!blocks[key].copies++)
		blocks[key].parent = parent;
	if (parent == NONE)
		return (struct fw_index_event){.kind = FW_INDEX_FIRST,
					       .key = fw_key_widen(key)};
	return (struct fw_index_event){.kind = FW_INDEX_NEXT,
				       .key = fw_key_widen(key),
				       .parent = fw_key_widen(parent)};
}

static void apply(struct fw_index_event event)
{
	fw_index_apply(&tree, &event, 1);
}

static void open_tree(void)
{
	fail_alloc_init(&memory);
	memset(reqs, 0, sizeof(reqs));
	memset(blocks, 0, sizeof(blocks));
	ck_assert_int_eq(fw_index_init(&tree, 2 * KEYS, TOKENS,
				       &memory.allocator),
			 0);
	tree.ops.hit = on_hit;
}

static void close_tree(void)
{
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].watched)
			fw_index_unwatch(&tree, &reqs[i].req);
	ck_assert(fw_index_valid(&tree));
	fw_index_destroy(&tree);
	ck_assert(fail_alloc_clean(&memory));
}

static uint32_t watch(struct model_req *r, uint32_t hint)
{
	uint32_t hit;

	ck_assert_int_eq(fw_index_watch_hint(&tree, &r->req, hint, &hit), 0);
	r->watched = true;
	return hit;
}

/* A, X, Y are cached; B, X, Y and A, B, Y end with the same key, as deep. */
START_TEST(test_a_key_behind_another_prefix_is_no_hit)
{
	enum {
		A,
		B,
		X,
		Y
	};
	const uint32_t cached[] = {A, X, Y}, head[] = {B, X, Y},
		       inside[] = {A, B, Y};

	open_tree();
	apply(stored(A, NONE));
	apply(stored(X, A));
	apply(stored(Y, X));
	make_req(&reqs[0], cached, 3);
	make_req(&reqs[1], head, 3);
	make_req(&reqs[2], inside, 3);
	ck_assert_uint_eq(watch(&reqs[0], FW_HINT_NONE), 3);
	ck_assert_uint_eq(watch(&reqs[1], FW_HINT_NONE), 0);
	ck_assert_uint_eq(watch(&reqs[2], FW_HINT_NONE), 1);
	fw_index_unwatch(&tree, &reqs[1].req);
	fw_index_unwatch(&tree, &reqs[2].req);
	ck_assert_uint_eq(watch(&reqs[1], 3), 0);
	ck_assert_uint_eq(watch(&reqs[2], 3), 1);
	close_tree();
}
END_TEST

static void toggle_request(struct draw *draw, struct model_req *r)
{
	uint32_t path[DEPTH], num = draw_below(draw, DEPTH + 1);
	uint32_t hint = one_in(draw, 2) ? FW_HINT_NONE : draw_below(draw, 8);

	if (r->watched) {
		fw_index_unwatch(&tree, &r->req);
		r->watched = false;
		return;
	}
	for (uint32_t i = 0; i < num; i++)
		path[i] = draw_below(draw, KEYS);
	make_req(r, path, num);
	ck_assert_uint_eq(watch(r, hint), naive_hit(r));
}

/* Blocks come behind any other, and mostly behind one that counts. */
static void toggle_block(struct draw *draw)
{
	uint32_t key = draw_below(draw, KEYS);
	uint32_t parent = draw_below(draw, KEYS);

	if (one_in(draw, 3) && blocks[key].copies) {
		blocks[key].copies--;
		apply((struct fw_index_event){.kind = FW_INDEX_GONE,
					      .key = fw_key_widen(key)});
		return;
	}
	apply(stored(key, parent == key || one_in(draw, 3) ? NONE : parent));
}

START_TEST(test_unchained_keys_equal_a_naive_map)
{
	for (uint64_t history = 0; history < 300; history++) {
		struct draw draw = {seed + (uint64_t)_i * 1000 + history};

		open_tree();
		for (int step = 0; step < 200; step++) {
			if (one_in(&draw, 2))
				toggle_request(&draw,
					       &reqs[draw_below(&draw, REQS)]);
			else
				toggle_block(&draw);
			for (uint32_t i = 0; i < REQS; i++)
				ck_assert(!reqs[i].watched ||
					  fw_entry(&reqs[i].req)->blocks ==
						  naive_hit(&reqs[i]));
			ck_assert(step % 8 || fw_index_valid(&tree));
		}
		close_tree();
	}
}
END_TEST

/* Steps of an index that moves a few at a time, and what it may then say. */
static void step_late(struct draw *draw)
{
	struct model_req *r = &reqs[draw_below(draw, REQS)];
	uint32_t max = 1 + draw_below(draw, 3), before = told;

	switch (draw_below(draw, 6)) {
	case 0:
	case 1:
		toggle_request(draw, r);
		break;
	case 2:
		if (r->watched) {
			fw_index_catch_up(&tree, &r->req);
			ck_assert_uint_eq(fw_entry(&r->req)->blocks,
					  naive_hit(r));
		}
		break;
	case 3:
		fw_index_flush(&tree, max);
		ck_assert_uint_le(told - before, max);
		break;
	default:
		toggle_block(draw);
	}
}

/* Whoever is admitted gets its true hit, and in the end everybody has it. */
START_TEST(test_late_moves_end_where_a_naive_map_is)
{
	for (uint64_t history = 0; history < 300; history++) {
		struct draw draw = {seed + (uint64_t)_i * 1000 + history};

		open_tree();
		tree.lazy = tree.late = true;
		for (int step = 0; step < 200; step++) {
			step_late(&draw);
			ck_assert(fw_index_valid(&tree));
		}
		while (!fw_index_flush(&tree, 2))
			;
		for (uint32_t i = 0; i < REQS; i++)
			ck_assert(!reqs[i].watched ||
				  fw_entry(&reqs[i].req)->blocks ==
					  naive_hit(&reqs[i]));
		close_tree();
	}
}
END_TEST

#define CROWD 60000u

/* A block goes for which 60,000 wait: no call moves more than it may. */
START_TEST(test_a_removed_block_moves_no_more_than_a_bound)
{
	static struct model_req crowd[CROWD];
	const uint32_t path[] = {0, 1};
	uint32_t calls = 0;
	bool all;

	open_tree();
	tree.lazy = tree.late = true;
	apply(stored(0, NONE));
	apply(stored(1, 0));
	for (uint32_t i = 0; i < CROWD; i++) {
		make_req(&crowd[i], path, 2);
		ck_assert_uint_eq(watch(&crowd[i], FW_HINT_NONE), 2);
	}
	told = 0;
	apply((struct fw_index_event){.kind = FW_INDEX_GONE,
				      .key = fw_key_widen(0)});
	ck_assert_uint_eq(told, 0);
	fw_index_catch_up(&tree, &crowd[CROWD / 2].req);
	ck_assert_uint_eq(fw_entry(&crowd[CROWD / 2].req)->blocks, 0);
	do {
		uint32_t before = told;

		all = fw_index_flush(&tree, 1000);
		ck_assert_uint_le(told - before, 1000);
		calls++;
	} while (!all);
	ck_assert_uint_eq(told, CROWD);
	ck_assert_uint_ge(calls, CROWD / 1000);
	ck_assert(fw_index_valid(&tree));
	for (uint32_t i = 0; i < CROWD; i++)
		fw_index_unwatch(&tree, &crowd[i].req);
	close_tree();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("contradicting_keys");
	TCase *tcase = tcase_create("contradicting_keys");

	seed = draw_seed();
	tcase_add_test(tcase, test_a_key_behind_another_prefix_is_no_hit);
	tcase_add_loop_test(tcase, test_unchained_keys_equal_a_naive_map, 0, 4);
	tcase_add_loop_test(tcase, test_late_moves_end_where_a_naive_map_is, 0,
			    4);
	tcase_add_test(tcase, test_a_removed_block_moves_no_more_than_a_bound);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
