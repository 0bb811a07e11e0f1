/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "by_hand.h"

/*
 * An engine tells what its cache holds: by counts that replace what was known,
 * in a stream that is sent again, and by snapshots after a part of the stream
 * was lost. Against a list of what the engine holds.
 */

#define BLOCKS 16u
#define DEPTH 5u
#define NONE UINT32_MAX
#define LOG 12u

static uint64_t seed;

/**
 * struct engine_block - one block of the engine's cache
 * @parent: block before it, or NONE
 * @depth: blocks of its prefix
 * @copies: that the engine holds
 */
struct engine_block {
	uint32_t parent;
	uint32_t depth;
	uint32_t copies;
};

struct sent {
	uint32_t block;
	uint32_t copies;
};

static struct engine_block engine[BLOCKS];
static struct sent sent[LOG];
static uint32_t num_sent;
static struct fw_key prompt[DEPTH];

static struct fw_key key_of(uint32_t i)
{
	return fw_key_widen(1000 + i);
}

static void open_engine(struct draw *draw, uint32_t max_rescored)
{
	struct fw_config config = defaults(1);

	config.num_blocks = 0;
	config.admit = on_admit;
	config.max_rescored = max_rescored;
	config.flags = one_in(draw, 2) ? FW_MATCH_AT_SUBMIT : 0;
	open_with(&config, BLOCK);
	num_sent = 0;
	memset(engine, 0, sizeof(engine));
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t parent = i ? draw_below(draw, i) : NONE;

		if (!i || one_in(draw, 5) || engine[parent].depth == DEPTH)
			parent = NONE;
		engine[i].parent = parent;
		engine[i].depth =
			i && parent != NONE ? engine[parent].depth + 1 : 1;
	}
}

static int present(uint32_t i, uint32_t copies)
{
	struct fw_key key = key_of(i), parent;

	if (engine[i].parent == NONE)
		return fw_block_present(fw, &key, NULL, copies);
	parent = key_of(engine[i].parent);
	return fw_block_present(fw, &key, &parent, copies);
}

static void say(uint32_t i)
{
	sent[num_sent++ % LOG] = (struct sent){i, engine[i].copies};
	ck_assert_int_eq(present(i, engine[i].copies), 0);
}

/* The end of the stream comes a second time, in its order. */
static void say_again(uint32_t num)
{
	uint32_t from = num_sent < num ? 0 : num_sent - num;

	for (uint32_t i = from; i < num_sent; i++)
		ck_assert_int_eq(present(sent[i % LOG].block,
					 sent[i % LOG].copies),
				 0);
}

static void change(struct draw *draw, uint32_t i)
{
	if (engine[i].copies && one_in(draw, 2))
		engine[i].copies--;
	else
		engine[i].copies++;
}

/* One block of a snapshot: a number at once, or each copy by itself. */
static void name(struct draw *draw, uint32_t i)
{
	struct fw_key key = key_of(i), parent;
	bool first = engine[i].parent == NONE;

	if (one_in(draw, 2)) {
		if (engine[i].copies)
			ck_assert_int_eq(present(i, engine[i].copies), 0);
		return;
	}
	parent = key_of(first ? i : engine[i].parent);
	for (uint32_t n = 0; n < engine[i].copies; n++)
		ck_assert_int_eq(fw_block_stored(fw, &key,
						 first ? NULL : &parent),
				 0);
}

static void snapshot(struct draw *draw)
{
	uint32_t from = draw_below(draw, BLOCKS);

	ck_assert_int_eq(fw_snapshot_begin(fw), 0);
	if (one_in(draw, 4)) {
		name(draw, from);
		ck_assert_int_eq(fw_snapshot_begin(fw), 0);
	}
	for (uint32_t i = 0; i < BLOCKS; i++) {
		name(draw, (from + i) % BLOCKS);
		if (one_in(draw, 8))
			fw_step(fw);
	}
	ck_assert_int_eq(fw_snapshot_end(fw), 0);
	num_sent = 0;
}

/* Blocks that it holds, from the first on, of the prompt ending with @last. */
static uint32_t held(uint32_t last)
{
	uint32_t path[DEPTH], hit = 0;

	for (uint32_t i = last; i != NONE; i = engine[i].parent)
		path[engine[i].depth - 1] = i;
	while (hit < engine[last].depth && engine[path[hit]].copies)
		hit++;
	return hit;
}

/* A prompt that goes through @last is planned behind what the engine holds. */
static void probe(uint32_t last)
{
	struct fw_request *req = &reqs[0];

	for (uint32_t i = last; i != NONE; i = engine[i].parent)
		prompt[engine[i].depth - 1] = key_of(i);
	req->keys = prompt;
	req->num_keys = engine[last].depth;
	req->len = engine[last].depth * BLOCK + 1;
	ends[0].times = 0;
	submit(0);
	while (!hand.num)
		fw_step(fw);
	ck_assert_uint_eq(hand.plans[0]->entries[0].first, held(last) * BLOCK);
	while (!ends[0].times)
		end_plan(0);
}

/* Some that wait are moved by what comes and goes. */
static void crowd(struct draw *draw)
{
	static struct fw_key paths[REQS][DEPTH];

	for (uint32_t n = 1; n < REQS; n++) {
		uint32_t last = draw_below(draw, BLOCKS);

		for (uint32_t i = last; i != NONE; i = engine[i].parent)
			paths[n][engine[i].depth - 1] = key_of(i);
		reqs[n].keys = paths[n];
		reqs[n].num_keys = engine[last].depth;
		reqs[n].len = engine[last].depth * BLOCK + 1;
		answers[n] = FW_ADMIT_SKIP;
		submit(n);
	}
}

static void sync_or_lose(struct draw *draw)
{
	uint32_t i = draw_below(draw, BLOCKS);

	if (one_in(draw, 12)) {
		/* A part of the stream is lost, and the engine knows. */
		for (int n = 0; n < 6; n++)
			change(draw, draw_below(draw, BLOCKS));
		snapshot(draw);
		return;
	}
	if (engine[i].copies && one_in(draw, 4)) {
		/* It takes one away, so what came before is not sent again. */
		struct fw_key key = key_of(i);

		engine[i].copies--;
		ck_assert_int_eq(fw_block_removed(fw, &key), 0);
		num_sent = 0;
		return;
	}
	change(draw, i);
	say(i);
	if (one_in(draw, 4))
		say_again(1 + draw_below(draw, LOG));
}

START_TEST(test_a_plan_starts_behind_what_the_engine_holds)
{
	for (uint64_t history = 0; history < 20; history++) {
		struct draw draw = {seed + (uint64_t)_i * 100 + history};

		open_engine(&draw, _i % 2 ? 2 : 0);
		crowd(&draw);
		for (int step = 0; step < 200; step++) {
			sync_or_lose(&draw);
			if (one_in(&draw, 2))
				probe(draw_below(&draw, BLOCKS));
		}
		close_all();
	}
}
END_TEST

START_TEST(test_a_stream_sent_again_keeps_no_evicted_block)
{
	struct draw draw = {1};
	struct fw_key key = key_of(0);

	open_engine(&draw, 0);
	for (int times = 0; times < 3; times++)
		ck_assert_int_eq(fw_block_present(fw, &key, NULL, 2), 0);
	engine[0].copies = 2;
	probe(0);
	ck_assert_int_eq(fw_block_removed(fw, &key), 0);
	engine[0].copies = 1;
	probe(0);
	ck_assert_int_eq(fw_block_removed(fw, &key), 0);
	engine[0].copies = 0;
	probe(0);
	ck_assert_int_eq(fw_block_present(fw, &key, NULL, 3), 0);
	ck_assert_int_eq(fw_block_present(fw, &key, NULL, 0), 0);
	probe(0);
	/* An end without a begin changes nothing. */
	ck_assert_int_eq(fw_block_present(fw, &key, NULL, 1), 0);
	ck_assert_int_eq(fw_snapshot_end(fw), 0);
	engine[0].copies = 1;
	probe(0);
	close_all();
}
END_TEST

/* Past the most that a count holds a block stays, with those behind it. */
START_TEST(test_a_copy_more_than_can_be_counted_loses_no_block)
{
	struct draw draw = {1};
	struct fw_key key = key_of(0);

	open_engine(&draw, 0);
	engine[0].copies = UINT32_MAX;
	say(0);
	ck_assert_int_eq(fw_block_stored(fw, &key, NULL), 0);
	/* Whoever ends lets go of blocks that nothing keeps. */
	probe(0);
	probe(0);
	ck_assert_int_eq(fw_block_present(fw, &key, NULL, 0), 0);
	engine[0].copies = 0;
	probe(0);
	close_all();
}
END_TEST

START_TEST(test_a_pool_of_our_own_takes_no_events)
{
	struct fw_key key = key_of(0);

	open_depth(1, BLOCK);
	ck_assert_int_eq(fw_block_present(fw, &key, NULL, 1), -EINVAL);
	ck_assert_int_eq(fw_snapshot_begin(fw), -EINVAL);
	ck_assert_int_eq(fw_snapshot_end(fw), -EINVAL);
	close_all();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_presence");
	TCase *tcase = tcase_create("runtime_presence");

	seed = draw_seed();
	tcase_add_loop_test(tcase,
			    test_a_plan_starts_behind_what_the_engine_holds, 0,
			    4);
	tcase_add_test(tcase, test_a_stream_sent_again_keeps_no_evicted_block);
	tcase_add_test(tcase,
		       test_a_copy_more_than_can_be_counted_loses_no_block);
	tcase_add_test(tcase, test_a_pool_of_our_own_takes_no_events);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
