/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include <fairway/fairway.h>

#include "tools/cuda/load.h"
#include "bench.h"

/*
 * What an executor costs the host for each plan, when the plan itself takes no
 * time: in submit, on the scheduler's thread, and in all threads together. For
 * a CUDA device also how long it waits between plans of 5 ms. The CUDA executor
 * is measured where its library and a device are, else it is left out.
 */

#define MAX_SAMPLES 20000u
#define BATCH 100u
#define TOKENS 64u
#define PLAN_S 5e-3

/**
 * struct probe - an executor with a clock in front of it
 * @inner: takes the plans
 * @bench: gets the samples, or NULL
 * @err: of a sample
 */
struct probe {
	struct fw_executor inner;
	struct bench *bench;
	int err;
};

/**
 * struct world - a runtime whose plans have one request each
 * @probe: in front of the executor
 * @fw: the runtime
 * @reqs: used in turn
 * @ended: of them
 * @failed: a request was not computed
 */
struct world {
	struct probe probe;
	struct fw *fw;
	struct fw_request reqs[BATCH];
	uint32_t ended;
	bool failed;
};

/**
 * struct form - one executor
 * @name: in the report
 * @library: NULL for the host's
 * @busy: of the CUDA device, NULL for plans of no time
 * @timed: see struct fw_cuda_config
 * @ctx: of @timed
 */
struct form {
	const char *name;
	const struct cuda_library *library;
	const struct fw_cuda_busy *busy;
	void (*timed)(void *ctx, const struct fw_cuda_time *time);
	void *ctx;
};

static int submit(void *ctx, const struct fw_plan *plan,
		  struct fw_flight *flight)
{
	struct probe *probe = ctx;
	uint64_t begin = bench_clock();
	int ret = probe->inner.ops->submit(probe->inner.ctx, plan, flight);
	uint64_t end = bench_clock();

	if (probe->bench && !probe->err)
		probe->err = bench_sample(probe->bench,
					  (double)(end - begin) / 1e3, 0.0);
	return ret;
}

static void destroy(void *ctx)
{
	struct probe *probe = ctx;

	fw_executor_destroy(&probe->inner);
}

static const struct fw_executor_ops probe_ops = {
	.size = sizeof(probe_ops),
	.submit = submit,
	.destroy = destroy,
};

static int compute(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

static int launch(void *ctx, struct CUstream_st *stream,
		  const struct fw_cuda_plan *device, const struct fw_plan *host)
{
	const struct form *form = ctx;

	if (!form->busy)
		return 0;
	return form->library->busy((void *)form->busy, stream, device, host);
}

static void on_time(void *ctx, const struct fw_cuda_time *time)
{
	const struct form *form = ctx;

	if (form->timed)
		form->timed(form->ctx, time);
}

/* The executor's threads are not for the processor that this one is kept on. */
static int open_inner(struct fw_executor *out, const struct form *form)
{
	const struct fw_host_config host = {
		.size = sizeof(host),
		.compute = compute,
	};
	const struct fw_cuda_config cuda = {
		.size = sizeof(cuda),
		.launch = launch,
		.ctx = (void *)form,
		.max_sequences = 2 * BATCH,
		.max_blocks = TOKENS,
		.timed = on_time,
	};
	cpu_set_t pinned, all;
	int ret;

	sched_getaffinity(0, sizeof(pinned), &pinned);
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
	ret = form->library ? form->library->open(out, &cuda)
			    : fw_executor_host(out, &host);
	sched_setaffinity(0, sizeof(pinned), &pinned);
	return ret;
}

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *result)
{
	struct world *world = ctx;

	(void)req;
	world->ended++;
	if (result->outcome != FW_DONE)
		world->failed = true;
}

static int open_world(struct world *world, const struct form *form)
{
	const struct fw_order_config order = {.size = sizeof(order),
					      .budget = TOKENS};
	const struct fw_executor executor = {.ops = &probe_ops,
					     .ctx = &world->probe,
					     .depth = 2};
	const struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = on_done,
		.ctx = world,
		.num_blocks = 64 * BATCH,
		.max_running = BATCH,
	};
	int ret;

	memset(world, 0, sizeof(*world));
	ret = open_inner(&world->probe.inner, form);
	if (ret)
		return ret;
	ret = fw_open(&world->fw, &config);
	if (ret)
		fw_executor_destroy(&world->probe.inner);
	return ret;
}

/* A batch of requests, each of them a plan. */
static int serve(struct world *world)
{
	int ret = 0;

	world->ended = 0;
	memset(world->reqs, 0, sizeof(world->reqs));
	for (uint32_t i = 0; i < BATCH && !ret; i++) {
		world->reqs[i].len = TOKENS;
		ret = fw_submit(world->fw, &world->reqs[i], NULL);
	}
	while (!ret && world->ended < BATCH) {
		ret = fw_step(world->fw);
		if (!ret)
			ret = fw_wait(world->fw, -1);
		ret = ret < 0 ? ret : 0;
	}
	if (!ret && world->failed)
		ret = -EIO;
	return ret ? ret : world->probe.err;
}

static double process_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int end_row(struct bench *bench, const char *name, const char *form)
{
	const struct bench_row row = {
		.bench = name,
		.form = form,
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};

	return bench->num_samples ? bench_end(bench, &row) : -EIO;
}

static int measure_submit(struct bench *bench, struct world *world,
			  const struct form *form)
{
	int err = serve(world);

	bench_begin(bench);
	world->probe.bench = bench;
	while (!err && bench_more(bench, 5 * BATCH, MAX_SAMPLES))
		err = serve(world);
	world->probe.bench = NULL;
	return err ? err : end_row(bench, "executor-submit", form->name);
}

/* Processor time of all threads, the runtime's step included. */
static int measure_plan(struct bench *bench, struct world *world,
			const struct form *form)
{
	int err = 0;

	bench_begin(bench);
	while (!err && bench_more(bench, 5, MAX_SAMPLES)) {
		double begin = process_us();

		err = serve(world);
		if (!err)
			err = bench_sample(bench,
					   (process_us() - begin) / BATCH, 0.0);
	}
	return err ? err : end_row(bench, "executor-plan", form->name);
}

static int measure(struct bench *bench, const struct form *form,
		   int (*what)(struct bench *bench, struct world *world,
			       const struct form *form))
{
	struct world world;
	int err;

	bench_name(bench, form->name, 0);
	err = open_world(&world, form);
	if (err)
		return err;
	err = what(bench, &world, form);
	fw_close(world.fw, -1);
	return err;
}

/**
 * struct idle - the times between plans of a device
 * @bench: gets them
 * @err: of a sample
 */
struct idle {
	struct bench *bench;
	int err;
};

/* The first one comes after whatever was before. */
static void add_idle(void *ctx, const struct fw_cuda_time *time)
{
	struct idle *idle = ctx;

	if (time->plan > 1 && time->plan <= BATCH && !idle->err)
		idle->err = bench_sample(idle->bench,
					 (double)time->idle_ns / 1e3, 0.0);
}

/* One batch of half a second; the last times come when it is closed. */
static int measure_idle(struct bench *bench, const struct cuda_library *library)
{
	const struct fw_cuda_busy busy = {.step = {PLAN_S, 0.0, 0.0, 0.0}};
	struct idle idle = {.bench = bench};
	const struct form form = {"cuda", library, &busy, add_idle, &idle};
	struct world world;
	int err = open_world(&world, &form);

	if (err)
		return err;
	bench_begin(bench);
	err = serve(&world);
	fw_close(world.fw, -1);
	if (!err)
		err = idle.err;
	return err ? err : end_row(bench, "executor-idle-5ms", form.name);
}

/* No library and no device are no failure of the others. */
static bool have_cuda(struct cuda_library *library)
{
	const struct form form = {.name = "cuda", .library = library};
	struct fw_executor executor;
	struct diag none = {0};

	if (cuda_library_load(library, &none) || open_inner(&executor, &form))
		return false;
	fw_executor_destroy(&executor);
	return true;
}

static int measure_all(struct bench *bench)
{
	struct cuda_library library;
	const struct form host = {.name = "host"};
	const struct form cuda = {.name = "cuda", .library = &library};
	bool both = have_cuda(&library);
	int err = measure(bench, &host, measure_submit);

	if (!err && both)
		err = measure(bench, &cuda, measure_submit);
	if (!err)
		err = measure(bench, &host, measure_plan);
	if (!err && both)
		err = measure(bench, &cuda, measure_plan);
	return !err && both ? measure_idle(bench, &library) : err;
}

int bench_executor(struct bench *bench, struct diag *diag)
{
	int err = measure_all(bench);

	if (err)
		return diag_set(diag, err, "executor: %s", strerror(-err));
	return 0;
}
