/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/pool/kv_pool.h"
#include "lib/base/entry.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"

#define TOKENS 4u
#define KEYS 40u
#define DEPTH 6u
#define POOL 16u
#define NONE UINT32_MAX

/*
 * Another order of eviction than by age: a tree of blocks with priorities of
 * their own, and a plain look at all of them for who must go next.
 */

/**
 * struct node - one block of the tree
 * @parent: NONE for the first of a prompt
 * @prio: smallest goes first
 * @block: where it is cached, NONE while it is not
 * @refs: requests that run and use it
 * @released: count of the last release
 */
struct node {
	uint32_t parent;
	double prio;
	uint32_t block;
	uint32_t refs;
	uint64_t released;
};

/* One prompt at a time: a path of the tree and some tokens of its own. */
struct prompt {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	uint32_t table[POOL];
	uint32_t num;
};

static uint64_t seed;
static struct fw_kv_pool pool;
static struct node nodes[KEYS];
static uint64_t releases;
static uint32_t hits_taken, given, stored;
static uint32_t victims[POOL];
static uint32_t num_victims;

static void on_take(void *ctx, const struct fw_request *req,
		    const uint32_t *table, uint32_t hit)
{
	(void)ctx;
	(void)req;
	for (uint32_t i = 0; i < hit; i++)
		ck_assert_uint_gt(pool.blocks[table[i]].refs, 0);
	hits_taken += hit;
	num_victims = 0;
}

static void on_give(void *ctx, uint32_t block)
{
	(void)ctx;
	ck_assert_uint_eq(pool.blocks[block].node, FW_NODE_NONE);
	given++;
}

static void on_store(void *ctx, uint32_t block)
{
	(void)ctx;
	ck_assert_uint_ne(pool.blocks[block].node, FW_NODE_NONE);
	stored++;
}

static uint32_t node_in(uint32_t block)
{
	for (uint32_t i = 0; i < KEYS; i++)
		if (nodes[i].block == block)
			return i;
	ck_abort_msg("no node is cached in block %u", block);
}

static double prio_of(const void *ctx, uint32_t block)
{
	(void)ctx;
	return nodes[node_in(block)].prio;
}

static bool has_child(uint32_t node)
{
	for (uint32_t i = 0; i < KEYS; i++)
		if (nodes[i].block != NONE && nodes[i].parent == node)
			return true;
	return false;
}

/* Unreferenced, without a cached child, smallest, longest released. */
static uint32_t naive_victim(void)
{
	uint32_t best = NONE;

	for (uint32_t i = 0; i < KEYS; i++) {
		const struct node *node = &nodes[i];

		if (node->block == NONE || node->refs || has_child(i))
			continue;
		if (best == NONE || node->prio < nodes[best].prio ||
		    (node->prio == nodes[best].prio &&
		     node->released < nodes[best].released))
			best = i;
	}
	return best;
}

static void on_evict(void *ctx, uint32_t block)
{
	(void)ctx;
	ck_assert_uint_eq(node_in(block), naive_victim());
	nodes[node_in(block)].block = NONE;
	victims[num_victims++] = block;
}

static const struct fw_evict_ops ops = {on_take, on_give, on_store, prio_of,
					on_evict};

static void setup(void)
{
	ck_assert_int_eq(fw_kv_pool_init(&pool, POOL, TOKENS, 0,
					 &fw_allocator_default),
			 0);
	pool.evict_ops = &ops;
	for (uint32_t i = 0; i < KEYS; i++)
		nodes[i] = (struct node){NONE, 0.0, NONE, 0, 0};
}

static void teardown(void)
{
	fw_kv_pool_destroy(&pool);
}

/* The prompt that ends with @last and @own tokens behind it. */
static void make(struct prompt *p, uint32_t last, uint32_t own)
{
	memset(p, 0, sizeof(*p));
	for (uint32_t i = last; i != NONE; i = nodes[i].parent)
		p->num++;
	for (uint32_t i = p->num; i-- > 0; last = nodes[last].parent) {
		p->path[i] = last;
		p->keys[i] = fw_key_widen(last);
	}
	p->req.keys = p->keys;
	p->req.num_keys = p->num;
	p->req.len = p->num * TOKENS + own;
}

static void start(struct prompt *p)
{
	uint32_t hit;

	ck_assert_int_eq(fw_index_watch(&pool.index, &p->req, &hit), 0);
	for (uint32_t i = 0; i < hit; i++)
		nodes[p->path[i]].refs++;
	ck_assert_int_eq(fw_kv_pool_take(&pool, &p->req, p->table), 0);
	fw_index_unwatch(&pool.index, &p->req);
	/* All of its blocks are its own: own tokens make every hit whole. */
	for (uint32_t i = hit; i < p->num; i++) {
		nodes[p->path[i]].block = p->table[i];
		nodes[p->path[i]].refs = 1;
	}
	fw_kv_pool_plan(&pool, &p->req, p->table, hit * TOKENS,
			p->req.len - hit * TOKENS);
}

static void finish(struct prompt *p)
{
	uint32_t total = fw_kv_pool_need(&pool, p->req.len);

	for (uint32_t i = p->num; i-- > 0;) {
		struct node *node = &nodes[p->path[i]];

		if (!--node->refs)
			node->released = ++releases;
	}
	fw_kv_pool_release(&pool, p->table, total);
	ck_assert(fw_kv_pool_valid(&pool));
}

static void compute(uint32_t last)
{
	struct prompt p;

	make(&p, last, 1);
	start(&p);
	finish(&p);
}

START_TEST(test_smallest_priority_goes_first_but_children_before_it)
{
	struct prompt all;

	/* 0 <- 1 <- 2, and 3 alone: 0 is the least, and goes last of its. */
	for (uint32_t i = 0; i < 4; i++)
		nodes[i].parent = i && i < 3 ? i - 1 : NONE;
	nodes[0].prio = 1.0;
	nodes[1].prio = 5.0;
	nodes[2].prio = 3.0;
	nodes[3].prio = 4.0;
	compute(2);
	compute(3);
	make(&all, NONE, POOL * TOKENS);
	start(&all);
	ck_assert_uint_eq(num_victims, 4);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(nodes[i].block, NONE);
	finish(&all);
}
END_TEST

START_TEST(test_an_owner_is_told_of_every_block)
{
	nodes[1].parent = 0;
	hits_taken = given = stored = 0;
	compute(1);
	ck_assert_uint_eq(hits_taken, 0);
	ck_assert_uint_eq(given, 3); /* one of them is private */
	ck_assert_uint_eq(stored, 2);
	compute(1);
	ck_assert_uint_eq(hits_taken, 2);
	ck_assert_uint_eq(given, 4);
	ck_assert_uint_eq(stored, 2);
}
END_TEST

static uint32_t depth(uint32_t node)
{
	uint32_t num = 0;

	for (; node != NONE; node = nodes[node].parent)
		num++;
	return num;
}

static void draw_tree(struct draw *draw)
{
	for (uint32_t i = 1; i < KEYS; i++) {
		uint32_t parent = one_in(draw, 6) ? NONE : draw_below(draw, i);

		if (depth(parent) < DEPTH)
			nodes[i].parent = parent;
		nodes[i].prio = draw_below(draw, 5);
	}
}

/* Two prompts run at once, so some blocks are in use while others go. */
START_TEST(test_any_history_evicts_as_a_look_at_all_would)
{
	struct draw draw = {seed + (uint64_t)_i};
	struct prompt running[2] = {{.num = 0}, {.num = 0}};
	bool runs[2] = {false, false};

	draw_tree(&draw);
	for (int step = 0; step < 3000; step++) {
		uint32_t i = draw_below(&draw, 2);

		if (runs[i]) {
			finish(&running[i]);
		} else {
			make(&running[i], draw_below(&draw, KEYS), 1);
			start(&running[i]);
		}
		runs[i] = !runs[i];
	}
	ck_assert_uint_gt(pool.evictions, 200);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("evict_order");
	TCase *tcase = tcase_create("evict_order");

	seed = draw_seed();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(
		tcase,
		test_smallest_priority_goes_first_but_children_before_it);
	tcase_add_test(tcase, test_an_owner_is_told_of_every_block);
	tcase_add_loop_test(tcase,
			    test_any_history_evicts_as_a_look_at_all_would, 0,
			    4);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
