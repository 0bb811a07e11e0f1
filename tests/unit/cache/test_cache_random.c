/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stddef.h>

#include "lib/base/compiler.h"
#include "lib/cache/cache.h"
#include "lib/queue/lanes.h"
#include "tests/support/run.h"
#include "twins.h"

/* Hits that a cache finds, held to a model that counts blocks one by one. */

#define HISTORIES 300
#define STEPS 60

static uint64_t seed;
static struct twins t;

static uint32_t name_a(const struct fw_request *req)
{
	if (!req)
		return NONE;
	return (uint32_t)(container_of(req, const struct twin, by_cache) -
			  t.twins);
}

static uint32_t name_b(const struct fw_request *req)
{
	if (!req)
		return NONE;
	return (uint32_t)(container_of(req, const struct twin, by_model) -
			  t.twins);
}

static void check_demand(struct draw *draw)
{
	struct fw_key keys[BLOCKS];
	uint32_t order[BLOCKS], want[BLOCKS], ids[BLOCKS], num, first = 0;

	num = draw_below(draw, BLOCKS);
	for (uint32_t i = 0; i < num; i++) {
		ids[i] = draw_below(draw, BLOCKS);
		keys[i] = t.blocks[ids[i]].key;
	}
	for (int wanted = 0; wanted < 2; wanted++)
		for (uint32_t i = 0; i < num; i++)
			if (twins_wanted(&t, ids[i]) == wanted) {
				ck_assert_int_eq(fw_cache_wanted(t.cache,
								 &keys[i]),
						 wanted);
				want[first++] = i;
			}
	ck_assert_uint_le(fw_cache_unwanted(t.cache, keys, num, order), num);
	ck_assert_mem_eq(order, want, num * sizeof(*order));
}

/* The two orders decide the same on what they give next. */
static void decide(struct draw *draw, uint32_t who)
{
	uint32_t what = draw_below(draw, 8);

	if (what == 0) {
		ck_assert_int_eq(fw_pass_skip(t.by_cache), 0);
		ck_assert_int_eq(fw_pass_skip(t.by_model), 0);
		return;
	}
	ck_assert_int_eq(fw_pass_admit(t.by_cache, 7), 0);
	ck_assert_int_eq(fw_pass_admit(t.by_model, 7), 0);
	t.twins[who].waits = false;
	if (what > 1)
		return;
	ck_assert_int_eq(fw_pass_skip(t.by_cache), 0);
	ck_assert_int_eq(fw_pass_skip(t.by_model), 0);
	t.twins[who].waits = true;
}

static void one_pass(struct draw *draw, int64_t now)
{
	uint32_t left = draw_below(draw, TWINS);

	twins_tell(&t);
	ck_assert_int_eq(fw_pass_begin(t.by_model, now, 1000), 0);
	ck_assert_int_eq(fw_pass_begin(t.by_cache, now, 1000), 0);
	ck_assert(fw_lanes_valid((struct fw_lanes *)t.by_cache));
	ck_assert(fw_index_valid(&t.cache->index));
	check_demand(draw);
	for (uint32_t i = 0; i < left; i++) {
		uint32_t a = name_a(fw_pass_peek(t.by_cache)), hit[2], cost[2];

		ck_assert_uint_eq(a, name_b(fw_pass_peek(t.by_model)));
		if (a == NONE)
			break;
		fw_pass_hit(t.by_cache, &hit[0], &cost[0]);
		fw_pass_hit(t.by_model, &hit[1], &cost[1]);
		ck_assert_uint_eq(hit[0], hit[1]);
		ck_assert_uint_eq(cost[0], cost[1]);
		while (one_in(draw, 2))
			twins_happen(&t, draw);
		/* What happened may have taken away what was offered. */
		if (!t.twins[a].waits || name_a(fw_pass_peek(t.by_cache)) != a)
			continue;
		decide(draw, a);
	}
	ck_assert_int_eq(fw_pass_end(t.by_cache), 0);
	ck_assert_int_eq(fw_pass_end(t.by_model), 0);
}

static void check_hits(void)
{
	for (uint32_t i = 0; i < TWINS; i++) {
		struct twin *twin = &t.twins[i];
		uint32_t hit = 12345;

		if (!twin->waits) {
			ck_assert_int_eq(fw_order_hit(t.by_cache,
						      &twin->by_cache, &hit),
					 -ENOENT);
			continue;
		}
		ck_assert_int_eq(fw_order_hit(t.by_cache, &twin->by_cache,
					      &hit),
				 0);
		ck_assert_uint_eq(hit, twins_hit(&t, twin));
	}
}

static void check_match(void)
{
	for (uint32_t i = 0; i < TWINS && !t.somewhere; i++) {
		const struct twin *twin = &t.twins[i];
		uint32_t run = 0;

		while (run < twin->by_cache.num_keys &&
		       t.blocks[twin->path[run]].copies)
			run++;
		ck_assert_uint_eq(fw_cache_match(t.cache, twin->keys,
						 twin->by_cache.num_keys),
				  run);
	}
}

static void one_history(uint64_t number)
{
	struct draw draw = {seed + number};
	struct fw_cache_config cache = {
		.size = sizeof(cache),
		.block_tokens = TOKENS,
		.max_blocks = BLOCKS,
		.dropped = draw_below(&draw, 3) / 2,
		.demand = 1,
	};
	struct fw_order_config order = {
		.size = sizeof(order),
		.budget = 1000,
		.carry = draw_below(&draw, 3),
		.fast = draw_below(&draw, 2),
		.guard = draw_below(&draw, 2) * 500,
	};

	twins_open(&t, &draw, &cache, &order);
	t.somewhere = one_in(&draw, 3);
	for (int step = 0; step < STEPS; step++) {
		uint32_t num = draw_below(&draw, 30);

		while (num--)
			twins_happen(&t, &draw);
		one_pass(&draw, 1000000000LL + step * 50000000LL);
		check_hits();
		check_match();
	}
	twins_close(&t);
}

START_TEST(test_hits_are_those_of_a_model_and_so_is_the_order)
{
	for (uint64_t i = 0; i < HISTORIES; i++)
		one_history(i * 1000003);
}
END_TEST

static void check_head(uint32_t who)
{
	uint32_t hit;

	ck_assert_int_eq(fw_pass_hit(t.by_cache, &hit, NULL), 0);
	ck_assert_uint_eq(hit, twins_hit(&t, &t.twins[who]));
}

/* Bounded moves: what a pass offers is true, and no hit stays old for good. */
START_TEST(test_a_bound_on_moves_delays_hits_but_loses_none)
{
	struct draw draw = {seed};
	struct fw_cache_config cache = {
		.size = sizeof(cache),
		.block_tokens = TOKENS,
		.max_moved = 3,
	};
	const struct fw_order_config order = {.size = sizeof(order)};

	twins_open(&t, &draw, &cache, &order);
	for (int round = 0; round < 400; round++) {
		for (int i = 0; i < 60; i++)
			twins_happen(&t, &draw);
		for (uint32_t pass = 0; pass < 2 * TWINS; pass++) {
			const struct fw_request *req;

			fw_pass_begin(t.by_cache, 2000000000, 1000);
			req = fw_pass_peek(t.by_cache);
			if (req && pass > TWINS)
				check_head(name_a(req));
			fw_pass_end(t.by_cache);
		}
		/* What the lanes count, not what would count if they asked. */
		for (uint32_t i = 0; i < TWINS; i++)
			if (t.twins[i].waits)
				ck_assert_uint_eq(fw_queued(
							  &t.twins[i].by_cache)
							  ->rank.hit,
						  twins_hit(&t, &t.twins[i]));
	}
	twins_close(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("random caches");
	TCase *tcase = tcase_create("random");

	seed = draw_seed();
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase,
		       test_hits_are_those_of_a_model_and_so_is_the_order);
	tcase_add_test(tcase, test_a_bound_on_moves_delays_hits_but_loses_none);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
