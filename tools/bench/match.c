/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/index/prefix_index.h"
#include "tools/base/mem.h"
#include "tools/base/rng.h"
#include "bench.h"
#include "lfht.h"

/*
 * The longest match of a prompt, as a producer looks it up while another thread
 * may write the index. Prompts have 400 blocks. Each is drawn from all that are
 * cached, so its part of the index has left the processor's caches.
 */

#define PROMPT 400u
#define MAX_SAMPLES 100000u

/**
 * struct world - what is matched
 * @bench: the run
 * @keys: of all cached blocks, a prompt's one after another
 * @num: prompts
 * @index: of the library
 * @lfht: the same keys
 * @rng: which prompt is next
 */
struct world {
	struct bench *bench;
	struct fw_key *keys;
	size_t num;
	struct fw_prefix_index index;
	struct bench_lfht *lfht;
	struct rng rng;
};

/**
 * struct shape - what a prompt hits
 * @name: of the bench's part
 * @blocks: of the prompt
 * @cached: of them
 */
struct shape {
	const char *name;
	uint32_t blocks;
	uint32_t cached;
};

static const struct shape shapes[] = {
	{"match 375 of 375", 375, 375},
	{"match 375 of 400", 400, 375},
	{"match 0 of 400", 400, 0},
	{"match 1 of 1", 1, 1},
};

static uint32_t by_library(struct world *world, const struct fw_key *keys,
			   uint32_t num)
{
	return fw_index_match(&world->index, keys, num);
}

/* The library's table, one look-up a block from the first on. */
static uint32_t by_block(struct world *world, const struct fw_key *keys,
			 uint32_t num)
{
	const struct fw_node_map *map = &world->index.map;
	uint32_t hit = 0;

	fw_rcu_read_lock();
	while (hit < num &&
	       fw_view_find(fw_map_view(map), &world->index.arena, &keys[hit],
			    fw_map_hash(map, &keys[hit])) != FW_NODE_NONE)
		hit++;
	fw_rcu_read_unlock();
	return hit;
}

/* The library's order of probes in liburcu's table, which cannot prefetch. */
static uint32_t search_lfht(struct bench_lfht *lfht, const struct fw_key *keys,
			    uint32_t num)
{
	uint32_t lo = 0, hi = num, step = 1;

	if (bench_lfht_has(lfht, &keys[num - 1]))
		return num;
	while (step < hi && !bench_lfht_has(lfht, &keys[hi - step - 1])) {
		hi -= step;
		step *= 2;
	}
	if (step < hi)
		lo = hi - step;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (bench_lfht_has(lfht, &keys[mid - 1]))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t by_lfht(struct world *world, const struct fw_key *keys,
			uint32_t num)
{
	uint32_t hit;

	fw_rcu_read_lock();
	hit = search_lfht(world->lfht, keys, num);
	fw_rcu_read_unlock();
	return hit;
}

/**
 * struct form - one way to match
 * @name: in the report
 * @match: longest prefix that is cached, in blocks
 */
struct form {
	const char *name;
	uint32_t (*match)(struct world *world, const struct fw_key *keys,
			  uint32_t num);
};

static const struct form forms[] = {
	{"fairway", by_library},
	{"linear", by_block},
	{"lfht", by_lfht},
};

/* A prompt as its producer has just made it. */
static void draw_prompt(struct world *world, const struct shape *shape,
			struct fw_key *keys)
{
	size_t prompt = rng_below(&world->rng, world->num);

	memcpy(keys, &world->keys[prompt * PROMPT],
	       shape->cached * sizeof(*keys));
	for (uint32_t i = shape->cached; i < shape->blocks; i++)
		keys[i] = fw_key_widen(rng_u64(&world->rng));
}

static int sample(struct world *world, const struct shape *shape,
		  const struct form *form)
{
	struct fw_key keys[PROMPT];
	uint64_t before, after;
	uint32_t hit;

	draw_prompt(world, shape, keys);
	bench_chill(world->bench);
	before = bench_clock();
	hit = form->match(world, keys, shape->blocks);
	after = bench_clock();
	if (hit != shape->cached)
		return -EDOM;
	return bench_sample(world->bench, (double)(after - before) / 1e3, 0.0);
}

static int measure(struct world *world, const struct shape *shape,
		   const struct form *form)
{
	struct bench_row row = {
		.bench = shape->name,
		.form = form->name,
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};
	int err = 0;

	bench_name(world->bench, form->name, 0);
	/* The same prompts for each form, and no keys of fill(). */
	rng_seed(&world->rng, ~world->bench->args.seed);
	bench_begin(world->bench);
	while (!err && bench_more(world->bench, 20, MAX_SAMPLES))
		err = sample(world, shape, form);
	return err ? err : bench_end(world->bench, &row);
}

static void store(struct world *world, size_t at)
{
	struct fw_index_event event = {
		.kind = at % PROMPT ? FW_INDEX_NEXT : FW_INDEX_FIRST,
		.key = world->keys[at],
	};

	if (at % PROMPT)
		event.parent = world->keys[at - 1];
	fw_index_apply(&world->index, &event, 1);
	bench_lfht_add(world->lfht, &world->keys[at]);
}

/* Blocks of different prompts by turns, as an engine stores them. */
static int fill(struct world *world)
{
	struct rng rng;

	rng_seed(&rng, world->bench->args.seed);
	for (size_t i = 0; i < world->num * PROMPT; i++)
		world->keys[i] = fw_key_widen(rng_u64(&rng));
	for (size_t i = 0; i < PROMPT; i++)
		for (size_t p = 0; p < world->num; p++)
			store(world, p * PROMPT + i);
	return world->index.refused ? -EDOM : 0;
}

static int measure_all(struct world *world)
{
	int err = fill(world);

	for (size_t s = 0; s < ARRAY_SIZE(shapes) && !err; s++)
		for (size_t f = 0; f < ARRAY_SIZE(forms) && !err; f++)
			err = measure(world, &shapes[s], &forms[f]);
	return err;
}

static int say(int err, struct diag *diag)
{
	switch (err) {
	case 0:
		return 0;
	case -EDOM:
		return diag_set(diag, err,
				"a form matched other blocks than are cached");
	case -ENOMEM:
		return diag_set(diag, err, "out of memory");
	default:
		return diag_set(diag, err, "match: %s", strerror(-err));
	}
}

int bench_match(struct bench *bench, struct diag *diag)
{
	size_t num = bench->args.blocks / PROMPT + 1;
	struct world world = {.bench = bench, .num = num};
	uint32_t max = (uint32_t)(num * PROMPT);
	int err;

	bench_name(bench, "filling the index", 0);
	err = fw_index_init(&world.index, max, 1, mem_allocator());
	if (err)
		return say(err, diag);
	world.keys = calloc(max, sizeof(*world.keys));
	world.lfht = bench_lfht_open(max);
	if (!world.keys || !world.lfht)
		err = -ENOMEM;
	if (!err)
		err = fw_index_share(&world.index, 0);
	if (!err)
		err = measure_all(&world);
	bench_lfht_close(world.lfht);
	free(world.keys);
	fw_index_destroy(&world.index);
	return say(err, diag);
}
