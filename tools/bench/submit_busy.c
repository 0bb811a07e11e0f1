/* SPDX-License-Identifier: Apache-2.0 */
#include "submit_busy.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include <fairway/fairway.h>

#include "lib/base/compiler.h"
#include "runtime.h"

/*
 * fw_submit() while a thread on another core calls fw_step() without a pause,
 * which has made some steps between each two submissions. What the one writes
 * must not share a cache line with what the other only reads; where it does,
 * this row shows it and the others do not. Each submission is timed alone, so
 * the figure holds one reading of the clock more than theirs.
 */

#define STEPS_BETWEEN 3u
#define MAX_SAMPLES 20000u

/**
 * struct busy - a runtime, its scheduler, and a batch of requests
 * @fw: the runtime
 * @thread: the scheduler
 * @reqs: BENCH_BATCH of them
 * @not_on: core of the thread that submits, -1 when it has none of its own
 * @stop: the scheduler shall end
 * @done: requests that ended; written by the scheduler
 * @steps: that it made
 */
struct busy {
	struct fw *fw;
	pthread_t thread;
	struct fw_request *reqs;
	int not_on;
	_Atomic bool stop FW_LINE_ALIGNED;
	_Atomic uint64_t done FW_LINE_ALIGNED;
	_Atomic uint64_t steps;
};

/* An executor without a thread: a plan ends when it is submitted. */
static int compute(void *ctx, const struct fw_plan *plan,
		   struct fw_flight *flight)
{
	(void)ctx;
	(void)plan;
	fw_plan_done(flight, 0);
	return 0;
}

static void nothing(void *ctx)
{
	(void)ctx;
}

static const struct fw_executor_ops at_once = {
	.size = sizeof(at_once),
	.submit = compute,
	.destroy = nothing,
};

static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	struct busy *busy = ctx;

	(void)req;
	(void)result;
	/*
	 * [B1] Release: the request is the submitting thread's again. Pairs
	 * with the acquire in take_back().
	 */
	atomic_fetch_add_explicit(&busy->done, 1, memory_order_release);
}

/* Leave the core of the thread that submits. */
static void move_away(int core)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < (int)sysconf(_SC_NPROCESSORS_ONLN); i++)
		if (i != core)
			CPU_SET((size_t)i, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *schedule(void *arg)
{
	struct busy *busy = arg;

	move_away(busy->not_on);
	/* Relaxed: pthread_join() orders what follows. */
	while (!atomic_load_explicit(&busy->stop, memory_order_relaxed)) {
		fw_step(busy->fw);
		/* Relaxed: a figure. */
		atomic_fetch_add_explicit(&busy->steps, 1,
					  memory_order_relaxed);
	}
	return NULL;
}

static int busy_open(struct busy *busy, int not_on)
{
	const struct fw_executor executor = {.ops = &at_once};
	int err;

	*busy = (struct busy){.not_on = not_on};
	busy->reqs = calloc(BENCH_BATCH, sizeof(*busy->reqs));
	if (!busy->reqs)
		return -ENOMEM;
	err = bench_runtime_open(&busy->fw, &executor, done, busy);
	if (err)
		goto err_reqs;
	err = -pthread_create(&busy->thread, NULL, schedule, busy);
	if (err)
		goto err_runtime;
	return 0;

err_runtime:
	fw_close(busy->fw, -1);
err_reqs:
	free(busy->reqs);
	return err;
}

static void busy_close(struct busy *busy)
{
	atomic_store_explicit(&busy->stop, true, memory_order_relaxed);
	pthread_join(busy->thread, NULL);
	fw_close(busy->fw, -1);
	free(busy->reqs);
}

static uint64_t steps_of(struct busy *busy)
{
	return atomic_load_explicit(&busy->steps, memory_order_relaxed);
}

static void let_it_step(struct busy *busy)
{
	uint64_t from = steps_of(busy);

	while (steps_of(busy) - from < STEPS_BETWEEN)
		;
}

/* Wait until the requests are this thread's again. */
static void take_back(struct busy *busy)
{
	/*
	 * [B1] Acquire: all that done() did to each request. Zero is written
	 * while no request is out, so the scheduler does not count meanwhile.
	 */
	while (atomic_load_explicit(&busy->done, memory_order_acquire) <
	       BENCH_BATCH)
		;
	atomic_store_explicit(&busy->done, 0, memory_order_relaxed);
}

/* Nanoseconds of a submission, mean of a batch; -errno below 0. */
static double batch(struct busy *busy)
{
	uint64_t begin, took = 0;
	int err = 0;

	for (size_t i = 0; i < BENCH_BATCH && !err; i++) {
		busy->reqs[i] = (struct fw_request){.id = i, .len = 1};
		let_it_step(busy);
		begin = bench_clock();
		err = fw_submit(busy->fw, &busy->reqs[i], NULL);
		took += bench_clock() - begin;
	}
	if (err)
		return err;
	take_back(busy);
	return (double)took / BENCH_BATCH;
}

static int measure(struct bench *bench, struct busy *busy)
{
	struct bench_row row = {
		.bench = "submit",
		.form = "busy",
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};
	double ns = batch(busy);
	int err = 0;

	bench_begin(bench);
	while (!err && ns >= 0.0 && bench_more(bench, 5, MAX_SAMPLES)) {
		ns = batch(busy);
		if (ns >= 0.0)
			err = bench_sample(bench, ns / 1e3, 0.0);
	}
	if (ns < 0.0)
		return (int)ns;
	return err ? err : bench_end(bench, &row);
}

int bench_submit_busy(struct bench *bench)
{
	static struct busy busy;
	int err;

	if (bench->machine.cores < 2)
		return 0;
	bench_name(bench, "busy", 0);
	err = busy_open(&busy, bench->machine.on_cpu);
	if (err)
		return err;
	err = measure(bench, &busy);
	busy_close(&busy);
	return err;
}
