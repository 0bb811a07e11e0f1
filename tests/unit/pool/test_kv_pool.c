/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/pool/kv_pool.h"
#include "lib/queue/entry.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define KEYS 48u
#define DEPTH 10u
#define REQS 24u
#define TOKENS 8u
#define MAX_POOL 40u
#define NONE UINT32_MAX

/*
 * The naive pool: what is cached stands in one list by age of release, which
 * is searched from its front, and demand is worked out anew each time.
 */

/* One full block by name; the parents make a tree of prompts. */
struct model_key {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	bool cached;
	uint32_t block;
	uint32_t refs;
};

enum model_state {
	IDLE,
	WAITING,
	RUNNING,
};

/* One prompt: a path in the tree, then tokens that have no key. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	enum model_state state;
	uint32_t done;
	uint32_t num_blocks;
	uint32_t table[DEPTH + 4];
	bool held[DEPTH + 4];
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_kv_pool pool;
static struct model_key keys[KEYS];
static struct model_req reqs[REQS];
static uint32_t lru[KEYS];
static uint32_t num_lru;
static bool is_free[MAX_POOL];
static uint64_t evictions;

static void setup(void)
{
	fail_alloc_init(&memory);
	memset(keys, 0, sizeof(keys));
	memset(reqs, 0, sizeof(reqs));
	num_lru = 0;
	evictions = 0;
}

static void teardown(void)
{
	fw_kv_pool_destroy(&pool);
	ck_assert(fail_alloc_clean(&memory));
}

static void open_pool(uint32_t num_blocks, bool protect)
{
	ck_assert_int_eq(fw_kv_pool_init(&pool, num_blocks, TOKENS, protect,
					 &memory.allocator),
			 0);
	for (uint32_t i = 0; i < num_blocks; i++)
		is_free[i] = true;
}

static uint32_t count_free(void)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < pool.num_blocks; i++)
		num += is_free[i];
	return num;
}

static void make_key(uint32_t i, uint32_t parent)
{
	keys[i] = (struct model_key){
		.key = fw_key_widen(i),
		.parent = parent,
		.depth = parent == NONE ? 0 : keys[parent].depth + 1,
	};
}

static void make_chain(uint32_t from, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		make_key(from + i, i ? from + i - 1 : NONE);
}

static void draw_keys(struct draw *draw)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t parent = NONE;

		if (i && !one_in(draw, 8))
			parent = one_in(draw, 3) ? draw_below(draw, i) : i - 1;
		if (parent != NONE && keys[parent].depth + 1 == DEPTH)
			parent = NONE;
		make_key(i, parent);
	}
}

/* A prompt that ends with key @last and @extra tokens behind it. */
static void make_req(struct model_req *r, uint32_t last, uint32_t extra)
{
	uint32_t num = last == NONE ? 0 : keys[last].depth + 1;

	memset(r, 0, sizeof(*r));
	for (uint32_t i = num; i-- > 0; last = keys[last].parent) {
		r->path[i] = last;
		r->keys[i] = keys[last].key;
	}
	r->req.keys = r->keys;
	r->req.num_keys = num;
	r->req.len = num * TOKENS + extra;
	r->num_blocks = (r->req.len + TOKENS - 1) / TOKENS;
}

static uint32_t naive_hit(const struct model_req *r)
{
	uint32_t hit = 0;

	while (hit < r->req.num_keys && keys[r->path[hit]].cached)
		hit++;
	while (hit * TOKENS > r->req.len - 1)
		hit--;
	return hit;
}

static void lru_remove(uint32_t at)
{
	memmove(&lru[at], &lru[at + 1], (num_lru - at - 1) * sizeof(lru[0]));
	num_lru--;
}

static uint32_t lru_find(uint32_t key)
{
	for (uint32_t i = 0; i < num_lru; i++)
		if (lru[i] == key)
			return i;
	return NONE;
}

/* Is @key in the hit of some request that waits now? */
static bool wanted(uint32_t key)
{
	for (uint32_t i = 0; i < REQS; i++) {
		if (reqs[i].state != WAITING)
			continue;
		for (uint32_t j = 0; j < naive_hit(&reqs[i]); j++)
			if (reqs[i].path[j] == key)
				return true;
	}
	return false;
}

/* The block that goes next: the oldest, wanted ones only when all are. */
static uint32_t naive_evict(void)
{
	uint32_t at = 0, key;

	while (pool.protect && at < num_lru && wanted(lru[at]))
		at++;
	if (at == num_lru)
		at = 0;
	key = lru[at];
	lru_remove(at);
	keys[key].cached = false;
	evictions++;
	return keys[key].block;
}

static bool naive_fits(const struct model_req *r, uint32_t hit)
{
	uint32_t usable = count_free() + num_lru;

	for (uint32_t i = 0; i < hit; i++)
		usable -= !keys[r->path[i]].refs;
	return usable >= r->num_blocks - hit;
}

/* The model's admission, and whether the table is the one it must be. */
static bool naive_take(struct model_req *r, uint32_t hit)
{
	for (uint32_t i = 0; i < hit; i++) {
		struct model_key *key = &keys[r->path[i]];

		if (!key->refs++)
			lru_remove(lru_find(r->path[i]));
		r->held[i] = true;
		if (r->table[i] != key->block)
			return false;
	}
	for (uint32_t i = hit; i < r->num_blocks; i++) {
		if (!count_free()) {
			if (r->table[i] != naive_evict())
				return false;
		} else {
			if (!is_free[r->table[i]])
				return false;
			is_free[r->table[i]] = false;
		}
	}
	return true;
}

/* A copy of all that a refused admission must leave alone. */
struct snapshot {
	struct fw_kv_block blocks[MAX_POOL];
	uint32_t free_blocks[MAX_POOL];
	struct fw_heap_item spare[MAX_POOL];
	struct fw_heap_item kept[MAX_POOL];
	struct fw_kv_pool pool;
};

static void copy_heap(struct fw_heap_item *to, const struct fw_heap *heap)
{
	if (heap->num)
		memcpy(to, heap->items, heap->num * sizeof(*to));
}

static void take_snapshot(struct snapshot *snap)
{
	memset(snap, 0, sizeof(*snap));
	memcpy(snap->blocks, pool.blocks,
	       pool.num_blocks * sizeof(*pool.blocks));
	memcpy(snap->free_blocks, pool.free_blocks,
	       pool.num_free * sizeof(*pool.free_blocks));
	copy_heap(snap->spare, &pool.spare.others);
	copy_heap(snap->kept, &pool.kept.others);
	snap->pool = pool;
}

static bool refused_for_nothing(const struct snapshot *before)
{
	static struct snapshot now;

	take_snapshot(&now);
	return !memcmp(before, &now, sizeof(now));
}

static bool take(struct model_req *r)
{
	static struct snapshot before;
	uint32_t hit = naive_hit(r);
	bool fits = naive_fits(r, hit);
	int ret;

	take_snapshot(&before);
	ret = fw_kv_pool_take(&pool, &r->req, r->table);
	ck_assert_int_eq(ret, fits ? 0 : -ENOSPC);
	if (ret) {
		ck_assert(refused_for_nothing(&before));
		return false;
	}
	ck_assert(naive_take(r, hit));
	fw_index_unwatch(&pool.index, &r->req);
	r->state = RUNNING;
	r->done = hit * TOKENS;
	return true;
}

/* Blocks that end in the chunk get their names, up to the first taken one. */
static void naive_plan(struct model_req *r, uint32_t count)
{
	for (uint32_t i = 0; i < r->req.num_keys; i++) {
		struct model_key *key = &keys[r->path[i]];
		uint32_t end = (i + 1) * TOKENS;

		if (end <= r->done || end > r->done + count)
			continue;
		if (key->cached || (i && !r->held[i - 1]))
			return;
		key->cached = true;
		key->refs = 1;
		key->block = r->table[i];
		r->held[i] = true;
	}
}

static void plan(struct model_req *r, uint32_t count)
{
	naive_plan(r, count);
	fw_kv_pool_plan(&pool, &r->req, r->table, r->done, count);
	r->done += count;
}

static void release(struct model_req *r)
{
	fw_kv_pool_release(&pool, r->table, r->num_blocks);
	for (uint32_t i = r->num_blocks; i-- > 0;) {
		if (!r->held[i])
			is_free[r->table[i]] = true;
		else if (!--keys[r->path[i]].refs)
			lru[num_lru++] = r->path[i];
	}
	r->state = IDLE;
}

static void wait_for(struct model_req *r)
{
	uint32_t hit = NONE;

	ck_assert_int_eq(fw_index_watch(&pool.index, &r->req, &hit), 0);
	ck_assert_uint_eq(hit, naive_hit(r));
	r->state = WAITING;
}

static bool keys_are_right(void)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t node = fw_index_find(&pool.index, &keys[i].key);
		uint32_t block;

		if ((node != FW_NODE_NONE) != keys[i].cached)
			return false;
		if (node == FW_NODE_NONE)
			continue;
		block = fw_index_node(&pool.index, node)->block;
		if (block != keys[i].block ||
		    pool.blocks[block].refs != keys[i].refs)
			return false;
	}
	return true;
}

static bool hits_are_right(void)
{
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].state == WAITING &&
		    fw_entry(&reqs[i].req)->blocks != naive_hit(&reqs[i]))
			return false;
	return true;
}

static void check_all(void)
{
	ck_assert(keys_are_right());
	ck_assert(hits_are_right());
	ck_assert(pool.num_free == count_free() &&
		  pool.spare.num + pool.kept.num == num_lru &&
		  pool.evictions == evictions);
	ck_assert(fw_kv_pool_valid(&pool));
}

/* All of it at once: waits, is admitted, planned and released. */
static void compute(struct model_req *r)
{
	wait_for(r);
	ck_assert(take(r));
	plan(r, r->req.len - r->done);
	release(r);
	check_all();
}

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
	open_pool(sizes[_i / 2], _i % 2);
	for (int step = 0; step < 4000; step++) {
		random_step(&draw);
		check_all();
	}
	if (_i / 2 < 3)
		ck_assert_uint_gt(pool.evictions, 20);
}
END_TEST

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
	open_pool(4, false);
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
	open_pool(5, false);
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
	open_pool(4, false);
	make_req(&reqs[0], 0, TOKENS - 1);
	compute(&reqs[0]);
	ck_assert_uint_eq(pool.num_free, 3);
	ck_assert_uint_eq(pool.spare.num, 1);
}
END_TEST

START_TEST(test_a_full_block_without_a_key_is_private)
{
	make_chain(0, 1);
	open_pool(4, false);
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
	open_pool(3, false);
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
	open_pool(8, false);
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
	open_pool(4, false);
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
	open_pool(3, true);
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
	open_pool(3, true);
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
	open_pool(3, true);
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
	open_pool(6, false);
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
		ret = fw_kv_pool_init(&pool, MAX_POOL, TOKENS, _i,
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
	open_pool(6, true);
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
	} else if (!fw_kv_pool_take(&pool, &r->req, r->table)) {
		ck_assert(no_block_twice(r));
		blocks = fw_entry(&r->req)->blocks * TOKENS;
		fw_index_unwatch(&pool.index, &r->req);
		fw_kv_pool_plan(&pool, &r->req, r->table, blocks,
				r->req.len - blocks);
		r->state = RUNNING;
	}
}

/* Traces say what they like: equal ids that are no equal prefixes. */
START_TEST(test_keys_that_contradict_each_other_break_nothing)
{
	struct draw draw = {.state = seed + (uint64_t)_i};

	open_pool(MAX_POOL, _i % 2);
	for (uint32_t i = 0; i < 4000; i++) {
		step_contradictory(&draw, &reqs[draw_below(&draw, REQS)]);
		ck_assert(fw_kv_pool_valid(&pool));
	}
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].state == WAITING)
			fw_index_unwatch(&pool.index, &reqs[i].req);
}
END_TEST

static void add_cases(TCase *tcase)
{
	tcase_add_loop_test(tcase, test_any_history_equals_the_naive_pool, 0,
			    8);
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
	tcase_add_loop_test(tcase,
			    test_keys_that_contradict_each_other_break_nothing,
			    0, 4);
	tcase_add_loop_test(
		tcase, test_opening_fails_at_any_allocation_and_leaks_nothing,
		0, 2);
	tcase_add_test(tcase, test_nothing_but_opening_and_watching_allocates);
}

int main(void)
{
	Suite *suite = suite_create("kv_pool");
	TCase *tcase = tcase_create("kv_pool");

	seed = draw_seed();
	tcase_add_checked_fixture(tcase, setup, teardown);
	add_cases(tcase);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
