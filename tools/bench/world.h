/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_WORLD_H
#define TOOLS_BENCH_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/request.h>

#include "lib/cost/cost.h"
#include "tools/base/rng.h"

/*
 * The requests that a bench serves. A seed gives the same history to every
 * form of the queue. The requests lie at random addresses, like those of an
 * engine that has run for a while. A place is used again when its request has
 * left.
 */

/* Arrivals and releases of a step, and its length in seconds. */
#define BENCH_BATCH 8u
#define BENCH_STEP_S 0.03
#define BENCH_DEVICE "a6000"
#define BENCH_BUDGET 2048u

/**
 * struct bench_arrival - a request that is about to be queued
 * @req: zeroed but for id and len
 * @arrival: seconds since open
 * @slo: seconds
 * @hit: cached tokens
 */
struct bench_arrival {
	struct fw_request *req;
	double arrival;
	double slo;
	uint32_t hit;
};

/**
 * struct bench_world - the requests, and what comes next
 * @reqs: places for requests
 * @num: of them
 * @free: places without a request
 * @num_free: of them
 * @left: released in the last step: a form may still hold a stale pointer
 * @num_left: of them
 * @cost: of the SLOs
 * @rng: chances
 * @next_id: of the next request; ids count from 1 by arrival
 * @now: time of the last step
 */
struct bench_world {
	struct fw_request *reqs;
	size_t num;
	uint32_t *free;
	size_t num_free;
	uint32_t left[BENCH_BATCH];
	size_t num_left;
	struct fw_cost cost;
	struct rng rng;
	uint64_t next_id;
	double now;
};

/**
 * bench_world_init() - places for @waiting requests and a batch or two
 * @world: the world
 * @waiting: requests that will wait at once
 * @seed: of the history
 *
 * The clock starts so late that @waiting requests can have arrived at the
 * pace of the steps.
 *
 * Return: 0, -ENOMEM.
 */
int bench_world_init(struct bench_world *world, size_t waiting, uint64_t seed);
void bench_world_destroy(struct bench_world *world);

/* The next request, which arrives at @arrival; later than the one before. */
void bench_world_draw(struct bench_world *world, double arrival,
		      struct bench_arrival *out);

/* The next step: its arrivals by time, and the clock behind them. */
void bench_world_step(struct bench_world *world,
		      struct bench_arrival out[BENCH_BATCH]);

/* @req was released; its place is used again after the next step. */
void bench_world_release(struct bench_world *world,
			 const struct fw_request *req);

#endif
