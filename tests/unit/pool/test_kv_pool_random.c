/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/entry.h"
#include "tests/support/run.h"
#include "model_pool.h"

/* Any history, any keys, and any allocation that fails. */

static uint64_t seed;

static void random_start(struct draw *draw, struct model_req *r)
{
	uint32_t last = one_in(draw, 10) ? NONE : draw_below(draw, KEYS);
	uint32_t extra = one_in(draw, 2) ? 0 : draw_below(draw, 3 * TOKENS);

	make_req(r, last, last == NONE ? extra + 1 : extra);
	wait_for(r);
}

static void random_step(struct draw *draw)
{
	struct model_req *r = &reqs[draw_below(draw, REQS)];
	uint32_t left = r->req.len - r->done;

	if (r->state == IDLE) {
		random_start(draw, r);
	} else if (r->state == WAITING) {
		if (one_in(draw, 8)) {
			fw_index_unwatch(&pool.index, &r->req);
			r->state = IDLE;
		} else if (r->num_blocks <= pool.num_blocks) {
			take(r);
		}
	} else if (left) {
		plan(r, one_in(draw, 2) ? left : 1 + draw_below(draw, left));
	} else {
		release(r);
	}
}

/*
 * Requests are planned chunk by chunk in any order, so that two may compute
 * the same blocks at the same time.
 */
START_TEST(test_any_history_equals_the_naive_pool)
{
	static const uint32_t sizes[] = {4, 14, 24, MAX_POOL};
	struct draw draw = {seed + (uint64_t)_i};

	draw_keys(&draw);
	open_pool(sizes[_i / 2], _i % 2 ? FW_POOL_PROTECT : 0);
	for (int step = 0; step < 4000; step++) {
		random_step(&draw);
		check_all();
	}
	if (_i / 2 < 3)
		ck_assert_uint_gt(pool.evictions, 20);
}
END_TEST

/* A prompt of keys at random: twice in it, or behind others than before. */
static void draw_contradictory(struct draw *draw, struct model_req *r)
{
	memset(r, 0, sizeof(*r));
	r->req.num_keys = 1 + draw_below(draw, DEPTH);
	for (uint32_t i = 0; i < r->req.num_keys; i++)
		r->keys[i] = fw_key_widen(draw_below(draw, 8));
	r->req.keys = r->keys;
	r->req.len = r->req.num_keys * TOKENS + draw_below(draw, TOKENS);
	r->num_blocks = (r->req.len + TOKENS - 1) / TOKENS;
}

static bool no_block_twice(const struct model_req *r)
{
	bool seen[MAX_POOL] = {false};

	for (uint32_t i = 0; i < r->num_blocks; i++) {
		if (r->table[i] >= pool.num_blocks || seen[r->table[i]])
			return false;
		seen[r->table[i]] = true;
	}
	return true;
}

/* The hit by nodes: each block behind the one before it. */
static uint32_t walk_hit(const struct model_req *r)
{
	uint32_t hit = 0, parent = FW_NODE_NONE;
	uint32_t max = (r->req.len - 1) / TOKENS;

	while (hit < r->req.num_keys && hit < max) {
		uint32_t id = fw_index_find(&pool.index, &r->keys[hit]);

		if (id == FW_NODE_NONE ||
		    fw_index_node(&pool.index, id)->parent != parent)
			break;
		parent = id;
		hit++;
	}
	return hit;
}

static void take_contradictory(struct model_req *r)
{
	uint32_t hit = walk_hit(r);

	fw_index_catch_up(&pool.index, &r->req);
	ck_assert_uint_eq(fw_entry(&r->req)->blocks, hit);
	if (fw_kv_pool_take(&pool, &r->req, r->table))
		return;
	ck_assert(no_block_twice(r));
	fw_index_unwatch(&pool.index, &r->req);
	fw_kv_pool_plan(&pool, &r->req, r->table, hit * TOKENS,
			r->req.len - hit * TOKENS);
	r->state = RUNNING;
}

static void step_contradictory(struct draw *draw, struct model_req *r)
{
	uint32_t blocks;

	if (r->state == IDLE) {
		draw_contradictory(draw, r);
		ck_assert_int_eq(fw_index_watch(&pool.index, &r->req, &blocks),
				 0);
		r->state = WAITING;
	} else if (r->state == RUNNING) {
		fw_kv_pool_release(&pool, r->table, r->num_blocks);
		r->state = IDLE;
	} else {
		take_contradictory(r);
	}
}

/* Traces say what they like: equal ids that are no equal prefixes. */
START_TEST(test_keys_that_contradict_each_other_break_nothing)
{
	struct draw draw = {.state = seed + (uint64_t)_i};

	uint32_t flags =
		(_i & 1 ? FW_POOL_PROTECT : 0) | (_i & 8 ? FW_POOL_PAUSING : 0);

	open_pool(_i & 4 ? DEPTH + 4 : MAX_POOL, flags);
	pool.index.lazy = pool.index.late = _i & 2;
	for (uint32_t i = 0; i < 4000; i++) {
		step_contradictory(&draw, &reqs[draw_below(&draw, REQS)]);
		if (one_in(&draw, 4))
			fw_index_flush(&pool.index, 1 + draw_below(&draw, 3));
		ck_assert(fw_kv_pool_valid(&pool));
	}
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].state == WAITING)
			fw_index_unwatch(&pool.index, &reqs[i].req);
}
END_TEST

START_TEST(test_opening_fails_at_any_allocation_and_leaks_nothing)
{
	static unsigned char before[sizeof(pool)];
	size_t num = 0;
	int ret;

	memset(&pool, 0x5a, sizeof(pool));
	memcpy(before, &pool, sizeof(pool));
	do {
		fail_alloc_init(&memory);
		fail_alloc_after(&memory, num++);
		ret = fw_kv_pool_init(&pool, MAX_POOL, TOKENS, (uint32_t)_i,
				      &memory.allocator);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert_mem_eq(&pool, before, sizeof(pool));
		}
	} while (ret);
	fail_alloc_disarm(&memory);
	ck_assert_uint_ge(num, 7);
	ck_assert(fw_kv_pool_valid(&pool));
}
END_TEST

/* Taking, planning and giving back never ask for memory. */
START_TEST(test_nothing_but_opening_and_watching_allocates)
{
	size_t calls;

	make_chain(0, 4);
	open_pool(6, FW_POOL_PROTECT);
	for (uint32_t i = 0; i < 3; i++) {
		make_req(&reqs[i], 3, i * TOKENS);
		wait_for(&reqs[i]);
	}
	calls = memory.calls;
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(fw_kv_pool_take(&pool, &reqs[i].req,
						 reqs[i].table),
				 0);
		fw_index_unwatch(&pool.index, &reqs[i].req);
		fw_kv_pool_plan(&pool, &reqs[i].req, reqs[i].table, 0,
				reqs[i].req.len);
		fw_kv_pool_release(&pool, reqs[i].table, reqs[i].num_blocks);
	}
	ck_assert_uint_eq(memory.calls, calls);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kv_pool_random");
	TCase *tcase = tcase_create("kv_pool_random");

	seed = draw_seed();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_any_history_equals_the_naive_pool, 0,
			    8);
	tcase_add_loop_test(tcase,
			    test_keys_that_contradict_each_other_break_nothing,
			    0, 16);
	tcase_add_loop_test(
		tcase, test_opening_fails_at_any_allocation_and_leaks_nothing,
		0, 4);
	tcase_add_test(tcase, test_nothing_but_opening_and_watching_allocates);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
