/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "bench.h"
#include "queue.h"

/*
 * The cost of a scheduling step: eight requests arrive, 30 ms pass, eight are
 * released. Every form serves the same history. The bench fails unless all
 * release the same requests in the same order.
 */

/* The most steps of a row, and of a warm-up; a slow form does fewer. */
#define MAX_STEPS 20000u
#define WARM_STEPS 200u
#define WARM_SECONDS 0.1
#define MIN_STEPS 5u
/* Runs of a hard case: each needs a world of its own. */
#define MIN_RUNS 3u
#define MAX_RUNS 100u

static const struct bench_order_ops *const forms[] = {
	NULL, /* the library's lanes: what the others are compared with */
	&bench_kinetic, &bench_best,   &bench_rekey, &bench_radix,
	&bench_merge,	&bench_resort, &bench_sort,
};

/**
 * struct log - what the first form released
 * @ids: BENCH_BATCH a step
 * @steps: in @ids
 */
struct log {
	uint64_t *ids;
	size_t steps;
};

/**
 * struct run - one form on its way through the history
 * @world: the requests
 * @queue: those that wait
 * @steps: done
 * @us: time of the last one
 * @touched: slots of the heap that it looked at
 */
struct run {
	struct bench_world world;
	struct bench_queue queue;
	size_t steps;
	double us;
	double touched;
};

static int out_of_memory(struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "out of memory");
}

/**
 * struct form - what a row measures
 * @ops: how fairway orders by score; NULL for the library's lanes
 * @policy: or another policy, NULL for none
 */
struct form {
	const struct bench_order_ops *ops;
	const struct policy_spec *policy;
};

static int open_run(struct run *run, const struct form *form, uint32_t waiting,
		    uint64_t seed)
{
	size_t all = waiting + (size_t)BENCH_BATCH * (MAX_STEPS + WARM_STEPS);
	int err;

	memset(run, 0, sizeof(*run));
	err = bench_world_init(&run->world, waiting, seed);
	if (err)
		return err;
	if (form->policy)
		err = bench_queue_policy(&run->queue, form->policy,
					 &run->world.cost);
	else
		err = bench_queue_init(&run->queue, form->ops,
				       waiting + BENCH_BATCH, all);
	if (err)
		bench_world_destroy(&run->world);
	return err;
}

static void close_run(struct run *run)
{
	bench_queue_destroy(&run->queue);
	bench_world_destroy(&run->world);
}

/* Arrivals at the pace of the steps, up to now. */
static int fill(struct run *run, uint32_t waiting)
{
	double pace = BENCH_STEP_S / BENCH_BATCH;
	int err = 0;

	for (uint32_t i = 0; i < waiting && !err; i++) {
		struct bench_arrival next;

		bench_world_draw(&run->world, i * pace, &next);
		err = bench_queue_add(&run->queue, &next);
	}
	return err;
}

static int check(const struct run *run, struct log *log,
		 struct fw_request *const *out, size_t num, struct diag *diag)
{
	uint64_t *ids = &log->ids[run->steps * BENCH_BATCH];
	bool first = !run->queue.order.ops;

	if (run->queue.policy)
		return 0;
	if (first)
		log->steps = run->steps + 1;
	if (!first && run->steps >= log->steps)
		return 0;
	for (size_t i = 0; i < BENCH_BATCH; i++) {
		uint64_t id = i < num ? out[i]->id : 0;

		if (first)
			ids[i] = id;
		else if (ids[i] != id)
			return diag_set(diag, -EIO,
					"%s released request %" PRIu64
					" in step %zu where fairway released "
					"%" PRIu64 "; please report this",
					run->queue.name, id, run->steps,
					ids[i]);
	}
	return 0;
}

static int step(const struct bench *bench, struct run *run, struct log *log,
		struct diag *diag)
{
	struct bench_arrival arrivals[BENCH_BATCH];
	struct fw_request *out[BENCH_BATCH];
	uint64_t before, seen = bench_queue_touched(&run->queue);
	size_t num;
	int err = 0;

	bench_world_step(&run->world, arrivals);
	bench_chill(bench);
	before = bench_clock();
	for (unsigned int i = 0; i < BENCH_BATCH; i++)
		err |= bench_queue_add(&run->queue, &arrivals[i]);
	num = bench_queue_serve(&run->queue, run->world.now, out);
	run->us = (double)(bench_clock() - before) / 1e3;
	run->touched = (double)(bench_queue_touched(&run->queue) - seen);
	if (err)
		return out_of_memory(diag);
	err = check(run, log, out, num, diag);
	for (size_t i = 0; i < num; i++)
		bench_world_release(&run->world, out[i]);
	run->steps++;
	return err;
}

/* The first step takes in all that waits; it is no step like the others. */
static int warm_up(struct bench *bench, struct run *run, struct log *log,
		   struct diag *diag)
{
	uint64_t begin = bench_clock();
	int err = 0;

	for (unsigned int i = 0; i < WARM_STEPS && !err; i++) {
		if (i && (double)(bench_clock() - begin) > WARM_SECONDS * 1e9)
			break;
		err = step(bench, run, log, diag);
	}
	return err;
}

static int measure(struct bench *bench, struct run *run, struct log *log,
		   uint32_t waiting, struct diag *diag)
{
	const struct bench_order_ops *ops = run->queue.order.ops;
	bool counts = !run->queue.policy && (!ops || ops == &bench_kinetic);
	struct bench_row row = {
		.bench = "step",
		.form = run->queue.name,
		.waiting = waiting,
		.touched = counts ? 0.0 : (double)NAN,
		.touched_max = counts ? 0.0 : (double)NAN,
	};
	int err = warm_up(bench, run, log, diag);

	bench_begin(bench);
	while (!err && bench_more(bench, MIN_STEPS, MAX_STEPS)) {
		err = step(bench, run, log, diag);
		if (!err && bench_sample(bench, run->us, run->touched))
			err = out_of_memory(diag);
	}
	if (!err && bench_end(bench, &row))
		err = out_of_memory(diag);
	return err;
}

static int run_form(struct bench *bench, const struct form *form,
		    uint32_t waiting, struct log *log, struct diag *diag)
{
	struct run run;
	int err = open_run(&run, form, waiting, bench->args.seed);

	if (err == -ECANCELED)
		return diag_set(diag, err, "%s: " POLICY_REFUSED,
				form->policy->name);
	if (err)
		return out_of_memory(diag);
	bench_name(bench, run.queue.name, waiting);
	err = fill(&run, waiting);
	if (err)
		out_of_memory(diag);
	else
		err = measure(bench, &run, log, waiting, diag);
	if (!err && run.queue.policy)
		err = policy_broke(run.queue.policy, run.queue.queue, diag);
	close_run(&run);
	return err;
}

static int run_forms(struct bench *bench, uint32_t waiting, struct diag *diag)
{
	size_t room = (size_t)BENCH_BATCH * (MAX_STEPS + WARM_STEPS);
	struct log log = {.ids = calloc(room, sizeof(*log.ids))};
	const struct policy_list *others = bench->args.policies;
	unsigned int num = others->num ? others->num + 1 : ARRAY_SIZE(forms);
	int err = 0;

	if (!log.ids)
		return out_of_memory(diag);
	/* The library's lanes first, then other policies or other forms. */
	for (unsigned int i = 0; i < num && !err; i++) {
		struct form form = {NULL, NULL};

		if (i && others->num)
			form.policy = &others->specs[i - 1];
		else
			form.ops = forms[i];
		err = run_form(bench, &form, waiting, &log, diag);
	}
	free(log.ids);
	return err;
}

/**
 * struct hard - a step that is made to be slow
 * @name: its bench in the report
 * @prepare: queue @waiting requests and bring the order to before the step
 * @strike: what comes before the clock starts; returns the step's time
 */
struct hard {
	const char *name;
	int (*prepare)(struct run *run, uint32_t waiting);
	double (*strike)(struct run *run, uint32_t waiting);
};

static void settle(struct run *run, double now)
{
	fw_lanes_begin(&run->queue.lanes, now, 0);
	fw_lanes_end(&run->queue.lanes);
}

static int prepare_mixed(struct run *run, uint32_t waiting)
{
	int err = fill(run, waiting);

	if (!err)
		settle(run, run->world.now);
	return err;
}

/*
 * Two groups of parallel lines, t - a and 1 + (t - a) / 2, with arrivals a
 * within 5 ms: each line of one crosses each of the other between 1.995 and
 * 2.01 s.
 */
static int prepare_storm(struct run *run, uint32_t waiting)
{
	int err = 0;

	for (uint32_t i = 0; i < waiting && !err; i++) {
		struct bench_arrival next;

		bench_world_draw(&run->world, 0.005 * i / waiting, &next);
		next.req->len = 200;
		next.hit = i % 2 ? 100 : 0;
		next.slo = i % 2 ? 2.0 : 1.0;
		err = bench_queue_add(&run->queue, &next);
	}
	if (!err)
		settle(run, 1.99);
	return err;
}

static double strike_storm(struct run *run, uint32_t waiting)
{
	(void)run;
	(void)waiting;
	return 2.02;
}

static double strike_jump(struct run *run, uint32_t waiting)
{
	(void)waiting;
	return run->world.now + 3600.0;
}

/* Every request's hit changes, as when a block that all share is stored. */
static double strike_rescore(struct run *run, uint32_t waiting)
{
	struct fw_lanes *lanes = &run->queue.lanes;

	for (size_t i = 0; i < waiting + 8u * BENCH_BATCH; i++) {
		struct fw_request *req = &run->world.reqs[i];

		if (fw_lanes_holds(lanes, req))
			fw_lanes_set_hit(lanes, req,
					 (uint32_t)rng_below(&run->world.rng,
							     req->len));
	}
	return run->world.now + BENCH_STEP_S;
}

static const struct hard hards[] = {
	{"storm", prepare_storm, strike_storm},
	{"jump", prepare_mixed, strike_jump},
	{"rescore", prepare_mixed, strike_rescore},
};

static int hard_sample(struct bench *bench, const struct hard *hard,
		       uint32_t waiting, struct diag *diag)
{
	struct fw_request *out[BENCH_BATCH];
	struct run run;
	uint64_t before, seen;
	struct form lanes = {NULL, NULL};
	double now, us;
	int err;

	if (open_run(&run, &lanes, waiting, bench->args.seed))
		return out_of_memory(diag);
	err = hard->prepare(&run, waiting);
	if (!err) {
		now = hard->strike(&run, waiting);
		seen = bench_queue_touched(&run.queue);
		bench_chill(bench);
		before = bench_clock();
		bench_queue_serve(&run.queue, now, out);
		us = (double)(bench_clock() - before) / 1e3;
		seen = bench_queue_touched(&run.queue) - seen;
		err = bench_sample(bench, us, (double)seen);
	}
	close_run(&run);
	return err ? out_of_memory(diag) : 0;
}

static int run_hard(struct bench *bench, const struct hard *hard,
		    uint32_t waiting, struct diag *diag)
{
	struct bench_row row = {
		.bench = hard->name,
		.form = "fairway",
		.waiting = waiting,
	};
	int err = 0;

	bench_name(bench, hard->name, waiting);
	bench_begin(bench);
	while (!err && bench_more(bench, MIN_RUNS, MAX_RUNS))
		err = hard_sample(bench, hard, waiting, diag);
	if (!err && bench_end(bench, &row))
		err = out_of_memory(diag);
	return err;
}

int bench_step(struct bench *bench, struct diag *diag)
{
	const struct bench_args *args = &bench->args;
	int err = 0;

	for (unsigned int i = 0; i < args->num_waiting && !err; i++)
		err = run_forms(bench, args->waiting[i], diag);
	for (size_t k = 0;
	     k < ARRAY_SIZE(hards) && !args->policies->num && !err; k++)
		for (unsigned int i = 0; i < args->num_waiting && !err; i++)
			err = run_hard(bench, &hards[k], args->waiting[i],
				       diag);
	return err;
}
