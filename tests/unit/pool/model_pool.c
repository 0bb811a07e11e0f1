/* SPDX-License-Identifier: Apache-2.0 */
#include "model_pool.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/entry.h"

struct fail_alloc memory;
struct fw_kv_pool pool;
struct model_key keys[KEYS];
struct model_req reqs[REQS];
static uint32_t lru[KEYS];
static uint32_t num_lru;
static bool is_free[MAX_POOL];
static uint64_t evictions;

void setup(void)
{
	fail_alloc_init(&memory);
	memset(keys, 0, sizeof(keys));
	memset(reqs, 0, sizeof(reqs));
	num_lru = 0;
	evictions = 0;
}

void teardown(void)
{
	fw_kv_pool_destroy(&pool);
	ck_assert(fail_alloc_clean(&memory));
}

void open_pool(uint32_t num_blocks, uint32_t flags)
{
	ck_assert_int_eq(fw_kv_pool_init(&pool, num_blocks, TOKENS, flags,
					 &memory.allocator),
			 0);
	for (uint32_t i = 0; i < num_blocks; i++)
		is_free[i] = true;
}

uint32_t count_free(void)
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

void make_chain(uint32_t from, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		make_key(from + i, i ? from + i - 1 : NONE);
}

void draw_keys(struct draw *draw)
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
void make_req(struct model_req *r, uint32_t last, uint32_t extra)
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

bool take(struct model_req *r)
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

void plan(struct model_req *r, uint32_t count)
{
	naive_plan(r, count);
	fw_kv_pool_plan(&pool, &r->req, r->table, r->done, count);
	r->done += count;
}

void release(struct model_req *r)
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

void wait_for(struct model_req *r)
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

void check_all(void)
{
	ck_assert(keys_are_right());
	ck_assert(hits_are_right());
	ck_assert(pool.num_free == count_free() &&
		  pool.spare.num + pool.kept.num == num_lru &&
		  pool.evictions == evictions);
	ck_assert(fw_kv_pool_valid(&pool));
}

/* All of it at once: waits, is admitted, planned and released. */
void compute(struct model_req *r)
{
	wait_for(r);
	ck_assert(take(r));
	plan(r, r->req.len - r->done);
	release(r);
	check_all();
}
