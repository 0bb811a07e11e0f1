/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/compiler.h"
#include "lib/cost/cost.h"
#include "lib/cost/score.h"
#include "lib/index/prefix_index.h"
#include "lib/base/entry.h"
#include "lib/queue/lanes.h"
#include "tools/base/mem.h"
#include "tools/base/rng.h"
#include "bench.h"

/*
 * What 64 events of an engine's cache add to a step. Each event concerns the
 * last block of a prompt: it removes the block if it is cached, else it stores
 * it. There are so many prompts that the drawn one is in no cache. In the forms
 * that watch, a waiting request has or lacks exactly that block, and the next
 * step scores it again. The index has readers on other threads, so a removed
 * block waits for a grace period.
 */

#define EVENTS 64u
/* Blocks before the one of a prompt that comes and goes. */
#define SHARED 4u
#define MOST_WAITING 100000u
#define BLOCK 16u
#define STEP_S 0.03
#define MAX_SAMPLES 20000u

/**
 * struct prompt - a prompt whose last block comes and goes
 * @req: waits, while it is watched
 * @keys: shared ones and its own
 * @cached: is its own?
 */
struct prompt {
	struct fw_request req;
	struct fw_key keys[SHARED + 1];
	bool cached;
};

/**
 * struct world - what the events concern
 * @bench: the run
 * @index: blocks
 * @lanes: where the prompts wait
 * @prompts: all of them
 * @num: of them
 * @rng: which is next
 * @now: time of the step
 */
struct world {
	struct bench *bench;
	struct fw_prefix_index index;
	struct fw_lanes lanes;
	struct prompt *prompts;
	size_t num;
	struct rng rng;
	double now;
};

static void on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct world *world = ctx;

	fw_lanes_set_hit(&world->lanes, req, blocks * BLOCK);
}

static struct fw_index_event stored(const struct fw_key *keys, uint32_t at)
{
	struct fw_index_event event = {
		.kind = at ? FW_INDEX_NEXT : FW_INDEX_FIRST,
		.key = keys[at],
	};

	if (at)
		event.parent = keys[at - 1];
	return event;
}

/* Chains of shared blocks; each prompt follows one of them. */
static void fill(struct world *world)
{
	size_t chains = (world->bench->args.blocks - world->num) / SHARED;
	uint64_t seed = world->bench->args.seed;

	for (size_t i = 0; i < chains; i++) {
		struct fw_key keys[SHARED];
		struct prompt *p = &world->prompts[i % world->num];

		for (uint32_t k = 0; k < SHARED; k++) {
			struct fw_index_event event;

			keys[k] = fw_key_widen(seed + i * SHARED + k);
			event = stored(keys, k);
			fw_index_apply(&world->index, &event, 1);
		}
		memcpy(p->keys, keys, sizeof(keys));
		p->keys[SHARED] = fw_key_widen(~(i % world->num));
	}
}

static void draw_request(struct world *world, struct prompt *p)
{
	p->req.keys = p->keys;
	p->req.num_keys = SHARED + 1;
	p->req.len = (SHARED + 1) * BLOCK + 1 +
		     (uint32_t)rng_below(&world->rng, 16000);
}

/* All wait, each for its own block. */
static int watch_all(struct world *world, const struct fw_cost *cost)
{
	int err = 0;

	for (size_t i = 0; i < world->num && !err; i++) {
		struct prompt *p = &world->prompts[i];
		uint32_t hit = 0;
		double slo;

		draw_request(world, p);
		slo = fw_slo(fw_cost_prefill(cost, p->req.len), 3.0, 1.0);
		err = fw_index_watch(&world->index, &p->req, &hit);
		if (!err)
			err = fw_lanes_add(&world->lanes, &p->req, world->now,
					   slo, hit * BLOCK);
		world->now += 1e-4;
	}
	return err;
}

/* No prompt twice, so that each event is what it says. */
static void draw_events(struct world *world, struct fw_index_event *events)
{
	size_t stride = world->num / EVENTS;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct prompt *p =
			&world->prompts[i * stride +
					rng_below(&world->rng, stride)];

		if (p->cached)
			events[i] = (struct fw_index_event){
				.kind = FW_INDEX_GONE,
				.key = p->keys[SHARED],
			};
		else
			events[i] = stored(p->keys, SHARED);
		p->cached = !p->cached;
	}
}

/**
 * struct form - one part of it
 * @name: in the report
 * @events: are there any?
 * @watched: does anybody wait?
 */
struct form {
	const char *name;
	bool events;
	bool watched;
};

/* In this order: those without requests first. */
static const struct form forms[] = {
	{"unwatched", true, false},
	{"step alone", false, true},
	{"watched", true, true},
};

static int sample(struct world *world, const struct form *form)
{
	struct fw_index_event events[EVENTS];
	uint64_t before, after;

	if (form->events)
		draw_events(world, events);
	bench_chill(world->bench);
	world->now += STEP_S;
	before = bench_clock();
	if (form->events) {
		fw_index_apply(&world->index, events, EVENTS);
		fw_index_flush(&world->index, 0);
	}
	if (form->watched) {
		fw_lanes_begin(&world->lanes, world->now, 2048);
		fw_lanes_peek(&world->lanes);
		fw_lanes_end(&world->lanes);
	}
	after = bench_clock();
	return bench_sample(world->bench, (double)(after - before) / 1e3, 0.0);
}

static int measure(struct world *world, const struct form *form)
{
	struct bench_row row = {
		.bench = "events",
		.form = form->name,
		.waiting = form->watched ? world->num : 0,
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};
	int err = 0;

	bench_name(world->bench, form->name, row.waiting);
	rng_seed(&world->rng, world->bench->args.seed);
	bench_begin(world->bench);
	while (!err && bench_more(world->bench, 20, MAX_SAMPLES))
		err = sample(world, form);
	return err ? err : bench_end(world->bench, &row);
}

static int measure_all(struct world *world)
{
	struct fw_cost cost;
	int err = fw_cost_init(&cost, "a6000", NULL, 0, mem_allocator());

	if (err)
		return err;
	bench_name(world->bench, "filling the index", 0);
	fill(world);
	for (size_t i = 0; i < ARRAY_SIZE(forms) && !err; i++) {
		if (forms[i].watched && !world->lanes.waiting)
			err = watch_all(world, &cost);
		if (!err)
			err = measure(world, &forms[i]);
	}
	fw_cost_destroy(&cost);
	return err;
}

/* As many prompts as the longest queue asked for, but enough to draw from. */
static size_t num_prompts(const struct bench_args *args)
{
	size_t num = EVENTS;

	for (unsigned int i = 0; i < args->num_waiting; i++)
		if (args->waiting[i] > num && args->waiting[i] <= MOST_WAITING)
			num = args->waiting[i];
	return num;
}

int bench_events(struct bench *bench, struct diag *diag)
{
	const struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 2048,
		.fair_lane = true,
	};
	struct world world = {.bench = bench, .num = num_prompts(&bench->args)};
	int err;

	if (bench->args.blocks < world.num * (SHARED + 1))
		return diag_set(diag, -EINVAL,
				"--blocks: events need %zu or more",
				world.num * (SHARED + 1));
	err = fw_index_init(&world.index, bench->args.blocks, BLOCK,
			    mem_allocator());
	if (err)
		return diag_set(diag, err, "out of memory");
	world.index.lazy = true;
	world.index.ops.hit = on_hit;
	world.index.ops_ctx = &world;
	fw_lanes_init(&world.lanes, &config, mem_allocator());
	world.prompts = fw_alloc_array(mem_allocator(), world.num,
				       sizeof(*world.prompts));
	err = world.prompts ? fw_index_share(&world.index, 0) : -ENOMEM;
	if (!err)
		err = measure_all(&world);
	fw_lanes_destroy(&world.lanes);
	fw_index_destroy(&world.index);
	fw_free_array(mem_allocator(), world.prompts, world.num,
		      sizeof(*world.prompts));
	return err ? diag_set(diag, err, "events: %s", strerror(-err)) : 0;
}
