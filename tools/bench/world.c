/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "tools/base/mem.h"

/* A batch that arrives, one that left, and some to choose among. */
#define SPARE (8 * BENCH_BATCH)

static void shuffle(struct bench_world *world)
{
	for (size_t i = 0; i < world->num; i++) {
		size_t j = rng_below(&world->rng, i + 1);

		world->free[i] = world->free[j];
		world->free[j] = (uint32_t)i;
	}
	world->num_free = world->num;
}

int bench_world_init(struct bench_world *world, size_t waiting, uint64_t seed)
{
	const struct fw_allocator *mem = mem_allocator();
	int err;

	*world = (struct bench_world){
		.num = waiting + SPARE,
		.next_id = 1,
		.now = (double)waiting / BENCH_BATCH * BENCH_STEP_S,
	};
	err = fw_cost_init(&world->cost, BENCH_DEVICE, NULL, 0, mem);
	if (err)
		return err;
	rng_seed(&world->rng, seed);
	world->reqs = fw_alloc_array(mem, world->num, sizeof(*world->reqs));
	world->free = fw_alloc_array(mem, world->num, sizeof(*world->free));
	if (!world->reqs || !world->free) {
		bench_world_destroy(world);
		return -ENOMEM;
	}
	shuffle(world);
	return 0;
}

void bench_world_destroy(struct bench_world *world)
{
	const struct fw_allocator *mem = mem_allocator();

	fw_free_array(mem, world->reqs, world->num, sizeof(*world->reqs));
	fw_free_array(mem, world->free, world->num, sizeof(*world->free));
	fw_cost_destroy(&world->cost);
	*world = (struct bench_world){0};
}

/* Any free place, not the one that is still warm. */
static struct fw_request *take_place(struct bench_world *world)
{
	size_t i = rng_below(&world->rng, world->num_free);
	uint32_t place = world->free[i];

	world->free[i] = world->free[--world->num_free];
	return &world->reqs[place];
}

void bench_world_draw(struct bench_world *world, double arrival,
		      struct bench_arrival *out)
{
	uint32_t len = 100 + (uint32_t)rng_below(&world->rng, 15901);
	double seconds = fw_cost_prefill(&world->cost, len);

	assert(world->num_free);
	out->req = take_place(world);
	memset(out->req, 0, sizeof(*out->req));
	out->req->id = world->next_id++;
	out->req->len = len;
	out->arrival = arrival;
	out->slo = fw_slo(seconds, 3.0, 1.0);
	out->hit = 0;
	if (rng_below(&world->rng, 2))
		out->hit = (uint32_t)rng_below(&world->rng, len);
}

static void reuse(struct bench_world *world)
{
	for (size_t i = 0; i < world->num_left; i++)
		world->free[world->num_free++] = world->left[i];
	world->num_left = 0;
}

void bench_world_step(struct bench_world *world,
		      struct bench_arrival out[BENCH_BATCH])
{
	for (unsigned int i = 0; i < BENCH_BATCH; i++) {
		double share =
			((double)i + rng_unit(&world->rng)) / BENCH_BATCH;

		bench_world_draw(world, world->now + share * BENCH_STEP_S,
				 &out[i]);
	}
	world->now += BENCH_STEP_S;
	reuse(world);
}

void bench_world_release(struct bench_world *world,
			 const struct fw_request *req)
{
	assert(world->num_left < BENCH_BATCH);
	world->left[world->num_left++] = (uint32_t)(req - world->reqs);
}
