/* SPDX-License-Identifier: Apache-2.0 */
#include "flood.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/clock.h"
#include "lib/queue/queued.h"
#include "tools/base/mem.h"
#include "producer.h"
#include "watch.h"

#define MAX_RUNNING 4096u
#define BUDGET 65536u
#define BLOCKS_EACH 16u
#define CLASSES 2u
#define CLOSE_NS INT64_C(10000000000)

/* A device that takes no time. */
static int compute(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

/*
 * The request's place in the queue of its class: the rank that the lanes gave
 * it, with the class in the lowest bit. 0 when it never came to the queue.
 */
static uint32_t drained_as(const struct fw_request *req)
{
	return (uint32_t)fw_queued_const(req)->rank.seq << 1 | req->priority;
}

static void note_wait(struct flood *flood, const struct fw_request *req,
		      const struct fw_result *result)
{
	const struct flood_producer *producer = req->user;

	if (result->admitted)
		fw_histogram_record(&flood->wait_ns[!producer->hostile],
				    result->admitted - req->arrival);
}

/* On the scheduler's thread. The push gives the request to its producer. */
static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	struct flood_request *request =
		container_of(req, struct flood_request, req);
	struct flood_producer *producer = req->user;
	struct flood *flood = ctx;

	if (!request->out) {
		flood->twice++;
		return;
	}
	note_wait(flood, req, result);
	request->out = false;
	request->outcome = result->outcome;
	producer->drained[request->number] = drained_as(req);
	flood->outcomes[result->outcome]++;
	fw_inbox_push(&producer->home, &request->home);
	atomic_fetch_add(&producer->ended, 1);
	atomic_fetch_add_explicit(&flood->ended, 1, memory_order_relaxed);
}

static int open_runtime(struct flood *flood)
{
	struct fw_order_config order = {
		.size = sizeof(order),
		.budget = BUDGET,
		.allocator = mem_allocator(),
		.fast = flood->args.pausing ? FW_FAST_REST : FW_FAST_SCORE,
		.by_tenant = flood->args.hostile > 0,
	};
	struct fw_host_config host = {
		.size = sizeof(host),
		.compute = compute,
		.allocator = mem_allocator(),
	};
	struct fw_executor executor;
	struct fw_config config = {
		.size = sizeof(config),
		.order = &order,
		.executor = &executor,
		.done = done,
		.ctx = flood,
		.num_blocks = MAX_RUNNING * BLOCKS_EACH,
		.max_running = MAX_RUNNING,
		.max_waiting = flood->args.limit,
		.tenant_max_waiting =
			flood->args.hostile ? flood->args.limit / 2 + 1 : 0,
		.num_classes = CLASSES,
		.flags = FW_MATCH_AT_SUBMIT,
		.pausing = flood->args.pausing,
	};
	int err = fw_executor_host(&executor, &host);

	if (err)
		return err;
	err = fw_open(&flood->fw, &config);
	if (err)
		fw_executor_destroy(&executor);
	return err;
}

static int init_producers(struct flood *flood)
{
	int err = 0;

	flood->producers =
		fw_alloc_lines(mem_allocator(), flood->args.producers,
			       sizeof(*flood->producers));
	if (!flood->producers)
		return -ENOMEM;
	for (uint32_t i = 0; i < flood->args.producers && !err; i++)
		err = flood_producer_init(&flood->producers[i], flood, i);
	return err;
}

static void destroy_producers(struct flood *flood)
{
	if (!flood->producers)
		return;
	for (uint32_t i = 0; i < flood->args.producers; i++)
		flood_producer_destroy(&flood->producers[i]);
	fw_free_lines(mem_allocator(), flood->producers, flood->args.producers,
		      sizeof(*flood->producers));
}

/* Return: How many were started. Nobody submits for the others. */
static uint32_t start_producers(struct flood *flood)
{
	uint32_t num = 0;

	while (num < flood->args.producers &&
	       !pthread_create(&flood->producers[num].thread, NULL,
			       flood_produce, &flood->producers[num]))
		num++;
	return num;
}

/* Requests that came to the queue of their class before an earlier one. */
static uint64_t count_disorder(const struct flood_producer *producer)
{
	uint32_t last[CLASSES] = {0};
	uint64_t num = 0;

	for (uint64_t i = 0; i < producer->quota; i++) {
		uint32_t class = producer->drained[i] & 1;
		uint32_t rank = producer->drained[i] >> 1;

		if (!rank)
			continue;
		num += rank < last[class];
		last[class] = rank;
	}
	return num;
}

/* All threads are joined. */
static void settle(struct flood *flood, struct flood_result *result)
{
	for (uint32_t i = 0; i < flood->args.producers; i++) {
		struct flood_producer *producer = &flood->producers[i];

		flood_take_home(producer);
		for (uint32_t j = 0; j < producer->num_requests; j++)
			result->lost += producer->requests[j].out;
		result->submitted += atomic_load(&producer->submitted);
		result->out_of_order += count_disorder(producer);
		result->broken += producer->broken + producer->strangers;
		result->refused += producer->refused;
		fw_histogram_read(&producer->submit_ns, &result->submit_ns);
	}
	result->twice = flood->twice;
	memcpy(result->outcomes, flood->outcomes, sizeof(flood->outcomes));
	for (int i = 0; i < 2; i++)
		fw_histogram_read(&flood->wait_ns[i], &result->wait_ns[i]);
	result->seconds = (double)(fw_clock_now() - flood->begin) / 1e9;
	result->peak_rss = mem_peak_rss();
}

static int read_runtime(struct flood *flood, struct flood_result *result)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	result->step_ns.size = sizeof(result->step_ns);
	fw_read_distribution(flood->fw, FW_METRIC_STEP, &result->step_ns);
	fw_read_stats(flood->fw, &stats);
	result->bound_broken = stats.bound_broken;
	return 0;
}

static int first_error(const struct flood *flood)
{
	for (uint32_t i = 0; i < flood->args.producers; i++)
		if (flood->producers[i].error)
			return flood->producers[i].error;
	return 0;
}

static int join_all(struct flood *flood, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		pthread_join(flood->producers[i].thread, NULL);
	return first_error(flood);
}

/* This thread is the scheduler. */
static int run(struct flood *flood, struct flood_result *result,
	       struct diag *diag)
{
	struct flood_watch watch;
	uint32_t started;
	int err;

	flood->begin = fw_clock_now();
	for (int i = 0; i < 2; i++)
		fw_histogram_init(&flood->wait_ns[i]);
	atomic_store(&flood->running, flood->args.producers);
	err = flood_watch_start(&watch, flood);
	if (err)
		return diag_set(diag, err, "no thread: %s", strerror(-err));
	started = start_producers(flood);
	if (started < flood->args.producers &&
	    atomic_fetch_sub(&flood->running,
			     flood->args.producers - started) ==
		    flood->args.producers - started)
		fw_quiesce(flood->fw);
	err = fw_run(flood->fw);
	flood_watch_stop(&watch);
	if (watch.stuck)
		return diag_set(diag, -ETIME,
				"no request ended for 30 seconds");
	if (err)
		return diag_set(diag, err, "the scheduler: %s", strerror(-err));
	err = join_all(flood, started);
	if (err)
		return diag_set(diag, err, "a call failed: %s", strerror(-err));
	if (started < flood->args.producers)
		return diag_set(diag, -EAGAIN, "only %u threads", started);
	result->stopped = watch.stopped;
	return 0;
}

int flood_run(struct flood *flood, struct flood_result *result,
	      struct diag *diag)
{
	struct flood_result made = {0};
	int err = init_producers(flood);

	if (!err)
		err = open_runtime(flood);
	if (err) {
		destroy_producers(flood);
		return diag_set(diag, err, "cannot open the runtime: %s",
				strerror(-err));
	}
	err = run(flood, &made, diag);
	/* Given up: threads are still inside calls, so nothing may be freed. */
	if (err == -ETIME)
		return err;
	read_runtime(flood, &made);
	settle(flood, &made);
	if (fw_close(flood->fw, CLOSE_NS) && !err)
		err = diag_set(diag, -EBUSY, "the runtime does not close");
	destroy_producers(flood);
	if (!err)
		*result = made;
	return err;
}
