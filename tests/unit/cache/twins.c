/* SPDX-License-Identifier: Apache-2.0 */
#include "twins.h"

#include <check.h>
#include <errno.h>
#include <string.h>

static void draw_blocks(struct twins *t, struct draw *draw)
{
	for (uint32_t i = 0; i < BLOCKS; i++) {
		struct block *b = &t->blocks[i];
		uint32_t parent = NONE;

		if (i && !one_in(draw, 8))
			parent = one_in(draw, 3) ? draw_below(draw, i) : i - 1;
		if (parent != NONE && t->blocks[parent].depth + 1 == DEPTH)
			parent = NONE;
		b->key = fw_key_widen(draw_u64(draw));
		b->parent = parent;
		b->depth = parent == NONE ? 0 : t->blocks[parent].depth + 1;
	}
}

/* A prompt that ends with block @last and some tokens behind it. */
static void make_twin(struct twins *t, struct twin *twin, struct draw *draw)
{
	uint32_t last = draw_below(draw, BLOCKS);
	uint32_t num = t->blocks[last].depth + 1;

	for (uint32_t i = num; i-- > 0; last = t->blocks[last].parent) {
		twin->path[i] = last;
		twin->keys[i] = t->blocks[last].key;
	}
	twin->by_cache.len = num * TOKENS + draw_below(draw, 400);
	twin->by_cache.keys = twin->keys;
	/* Of some prompts only the first part has keys. */
	twin->by_cache.num_keys = one_in(draw, 4) ? draw_below(draw, num) : num;
	twin->by_cache.arrival = draw_below(draw, 1000) * 1000000LL;
	twin->own_hit = one_in(draw, 5) ? draw_below(draw, 300) : 0;
	twin->by_cache.hit = twin->own_hit;
}

void twins_open(struct twins *t, struct draw *draw,
		const struct fw_cache_config *cache,
		const struct fw_order_config *order)
{
	struct fw_order_config config = *order;

	memset(t, 0, sizeof(*t));
	draw_blocks(t, draw);
	t->dropped = cache->dropped;
	ck_assert_int_eq(fw_cache_open(&t->cache, cache), 0);
	ck_assert_int_eq(fw_order_open(&t->by_model, &config), 0);
	config.cache = t->cache;
	ck_assert_int_eq(fw_order_open(&t->by_cache, &config), 0);
}

void twins_close(struct twins *t)
{
	ck_assert_int_eq(fw_cache_close(t->cache), -EBUSY);
	fw_order_close(t->by_cache);
	fw_order_close(t->by_model);
	ck_assert_int_eq(fw_cache_close(t->cache), 0);
}

uint32_t twins_run(const struct twins *t, const struct twin *twin)
{
	const struct fw_request *req = &twin->by_cache;
	uint32_t run = 0;

	/* One token is always left to compute. */
	while (run < req->num_keys && (run + 1) * TOKENS < req->len &&
	       t->blocks[twin->path[run]].copies)
		run++;
	return run;
}

uint32_t twins_hit(const struct twins *t, const struct twin *twin)
{
	uint32_t run = twins_run(t, twin), hit;

	hit = run > t->dropped ? (run - t->dropped) * TOKENS : 0;
	if (hit < twin->own_hit)
		hit = twin->own_hit;
	return hit < twin->by_cache.len ? hit : twin->by_cache.len - 1;
}

bool twins_wanted(const struct twins *t, uint32_t block)
{
	for (uint32_t i = 0; i < TWINS; i++) {
		const struct twin *twin = &t->twins[i];
		uint32_t run = twin->waits ? twins_run(t, twin) : 0;

		for (uint32_t k = 0; k < run; k++)
			if (twin->path[k] == block)
				return true;
	}
	return false;
}

static void queue_both(struct twins *t, struct twin *twin)
{
	struct fw_request *b = &twin->by_model;

	b->len = twin->by_cache.len;
	b->arrival = twin->by_cache.arrival;
	b->hit = twins_hit(t, twin);
	ck_assert_int_eq(fw_order_add(t->by_cache, &twin->by_cache), 0);
	ck_assert_int_eq(fw_order_add(t->by_model, b), 0);
	twin->waits = true;
}

static void store(struct twins *t, struct draw *draw, uint32_t i)
{
	struct block *b = &t->blocks[i];
	struct fw_cache_event event = {
		.kind = FW_CACHE_FIRST,
		.key = b->key,
	};

	if (t->somewhere) {
		event.kind = FW_CACHE_SOMEWHERE;
	} else if (b->parent != NONE) {
		event.kind = FW_CACHE_BEHIND;
		event.parent = t->blocks[b->parent].key;
	}
	b->copies++;
	if (one_in(draw, 10))
		event.copies = b->copies = 1 + draw_below(draw, 3);
	ck_assert_int_eq(fw_cache_apply(t->cache, &event, 1), 0);
}

static void drop(struct twins *t, struct draw *draw, uint32_t i)
{
	struct fw_cache_event event = {
		.kind = one_in(draw, 3) ? FW_CACHE_ABSENT : FW_CACHE_GONE,
		.key = t->blocks[i].key,
	};

	if (event.kind == FW_CACHE_ABSENT)
		t->blocks[i].copies = 0;
	else if (t->blocks[i].copies)
		t->blocks[i].copies--;
	ck_assert_int_eq(fw_cache_apply(t->cache, &event, 1), 0);
}

static void clear(struct twins *t)
{
	const struct fw_cache_event event = {.kind = FW_CACHE_CLEARED};

	for (uint32_t i = 0; i < BLOCKS; i++)
		t->blocks[i].copies = 0;
	ck_assert_int_eq(fw_cache_apply(t->cache, &event, 1), 0);
}

static void take_out(struct twins *t, struct twin *twin)
{
	int ret = twin->waits ? 0 : -ENOENT;

	ck_assert_int_eq(fw_order_remove(t->by_cache, &twin->by_cache), ret);
	ck_assert_int_eq(fw_order_remove(t->by_model, &twin->by_model), ret);
	twin->waits = false;
}

/* The same prompt with more keys, or another one under the same struct. */
static void change(struct twins *t, struct twin *twin, struct draw *draw)
{
	if (!twin->waits || one_in(draw, 2))
		make_twin(t, twin, draw);
	else if (twin->by_cache.num_keys < t->blocks[twin->path[0]].depth + 1)
		twin->by_cache.num_keys++;
	queue_both(t, twin);
}

static void engine_knows(struct twins *t, struct twin *twin, struct draw *draw)
{
	if (!twin->waits)
		return;
	twin->own_hit = draw_below(draw, 300);
	ck_assert_int_eq(fw_order_set_hit(t->by_cache, &twin->by_cache,
					  twin->own_hit),
			 0);
	twin->by_cache.hit = twin->own_hit;
}

void twins_happen(struct twins *t, struct draw *draw)
{
	struct twin *twin = &t->twins[draw_below(draw, TWINS)];
	uint32_t block = draw_below(draw, BLOCKS);

	if (one_in(draw, 200)) {
		clear(t);
		return;
	}
	switch (draw_below(draw, 10)) {
	case 0:
	case 1:
	case 2:
		change(t, twin, draw);
		break;
	case 3:
		take_out(t, twin);
		break;
	case 4:
		engine_knows(t, twin, draw);
		break;
	case 5:
	case 6:
		drop(t, draw, block);
		break;
	default:
		/* Prompts grow from their first block on. */
		while (t->blocks[block].parent != NONE &&
		       !t->blocks[t->blocks[block].parent].copies &&
		       !one_in(draw, 4))
			block = t->blocks[block].parent;
		store(t, draw, block);
	}
}

void twins_tell(struct twins *t)
{
	for (uint32_t i = 0; i < TWINS; i++) {
		struct twin *twin = &t->twins[i];

		if (twin->waits)
			ck_assert_int_eq(fw_order_set_hit(t->by_model,
							  &twin->by_model,
							  twins_hit(t, twin)),
					 0);
	}
}
