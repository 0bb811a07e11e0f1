/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/fairway.h>

/*
 * Inlined, as who cares for nanoseconds would have them. A sanitizer objects to
 * what stands there: the address of a member of the null head.
 */
#ifndef WITH_SANITIZER
#define _LGPL_SOURCE
#endif
#include <urcu/lfstack.h>
#include <urcu/wfcqueue.h>

#include "lib/base/compiler.h"
#include "bench.h"
#include "runtime.h"
#include "submit_busy.h"

/*
 * What one submission costs its thread, without matching, while the scheduler
 * is busy. fw_submit() stands beside other ways to hand over a request. Each of
 * these also takes the time stamp and counts in the two counters that a bounded
 * queue needs. A sample is a batch. Its requests are filled in before the clock
 * starts, as a caller does, and taken after it stops.
 */

#define MAX_SAMPLES 20000u
#define WAIT_NS 1000000

/**
 * struct item - what is submitted, in every form as large
 * @req: the request
 * @stack: hook of the form lfstack
 * @queue: hook of the form wfcqueue
 * @next: hook of the form mutex
 */
struct item {
	struct fw_request req;
	struct cds_lfs_node stack;
	struct cds_wfcq_node queue;
	struct item *next;
};

/**
 * struct world - all forms
 * @items: a batch
 * @fw: the runtime
 * @stack: of the form lfstack
 * @head: of the form wfcqueue
 * @tail: the same
 * @lock: of the form mutex; protects the next three
 * @first: its list
 * @locked_waiting: under the lock, what @waiting is to the other forms
 * @locked_bytes: the same for @bytes
 * @waiting: requests that wait, of the forms lfstack and wfcqueue
 * @bytes: of these
 * @done: requests of this batch that the runtime ended
 */
struct world {
	struct item *items;
	struct fw *fw;
	struct cds_lfs_stack stack;
	struct cds_wfcq_head head;
	struct cds_wfcq_tail tail FW_LINE_ALIGNED;
	pthread_mutex_t lock FW_LINE_ALIGNED;
	struct item *first;
	uint64_t locked_waiting;
	uint64_t locked_bytes;
	_Atomic uint64_t waiting FW_LINE_ALIGNED;
	_Atomic uint64_t bytes FW_LINE_ALIGNED;
	uint64_t done;
};

/**
 * struct form - one way to submit
 * @name: in the report
 * @submit: one item; returns 0 or -errno
 * @take: all of them, not timed; returns how many
 */
struct form {
	const char *name;
	int (*submit)(struct world *world, struct item *item);
	size_t (*take)(struct world *world);
};

/* What each of the other forms does besides handing over. */
static void account(struct world *world, struct item *item)
{
	item->req.arrival = (int64_t)bench_clock();
	atomic_fetch_add_explicit(&world->waiting, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&world->bytes, sizeof(item->req),
				  memory_order_relaxed);
}

static size_t forget(struct world *world, size_t num)
{
	atomic_store(&world->waiting, 0);
	atomic_store(&world->bytes, 0);
	return num;
}

static int submit_fairway(struct world *world, struct item *item)
{
	return fw_submit(world->fw, &item->req, NULL);
}

static size_t take_fairway(struct world *world)
{
	size_t num;

	while (world->done < BENCH_BATCH && fw_step(world->fw) >= 0)
		fw_wait(world->fw, WAIT_NS);
	num = world->done;
	world->done = 0;
	return num;
}

static int submit_lfstack(struct world *world, struct item *item)
{
	account(world, item);
	cds_lfs_push(&world->stack, &item->stack);
	return 0;
}

static size_t take_lfstack(struct world *world)
{
	struct cds_lfs_head *head = __cds_lfs_pop_all(&world->stack);
	struct cds_lfs_node *node;
	size_t num = 0;

	cds_lfs_for_each(head, node) num++;
	return forget(world, num);
}

static int submit_wfcqueue(struct world *world, struct item *item)
{
	account(world, item);
	cds_wfcq_node_init(&item->queue);
	cds_wfcq_enqueue(&world->head, &world->tail, &item->queue);
	return 0;
}

static size_t take_wfcqueue(struct world *world)
{
	size_t num = 0;

	while (__cds_wfcq_dequeue_blocking(&world->head, &world->tail))
		num++;
	return forget(world, num);
}

static int submit_mutex(struct world *world, struct item *item)
{
	int64_t now = (int64_t)bench_clock();

	pthread_mutex_lock(&world->lock);
	item->req.arrival = now;
	item->next = world->first;
	world->first = item;
	world->locked_waiting++;
	world->locked_bytes += sizeof(item->req);
	pthread_mutex_unlock(&world->lock);
	return 0;
}

static size_t take_mutex(struct world *world)
{
	size_t num = 0;

	for (; world->first; world->first = world->first->next)
		num++;
	return forget(world, num);
}

static const struct form forms[] = {
	{"fairway", submit_fairway, take_fairway},
	{"lfstack", submit_lfstack, take_lfstack},
	{"wfcqueue", submit_wfcqueue, take_wfcqueue},
	{"mutex", submit_mutex, take_mutex},
};

static int compute(void *ctx, const struct fw_plan *plan)
{
	(void)ctx;
	(void)plan;
	return 0;
}

static void done(void *ctx, struct fw_request *req,
		 const struct fw_result *result)
{
	struct world *world = ctx;

	(void)req;
	(void)result;
	world->done++;
}

static int open_runtime(struct world *world)
{
	struct fw_host_config host = {.size = sizeof(host), .compute = compute};
	struct fw_executor executor;
	int err = fw_executor_host(&executor, &host);

	if (err)
		return err;
	err = bench_runtime_open(&world->fw, &executor, done, world);
	if (err)
		fw_executor_destroy(&executor);
	return err;
}

static int world_open(struct world *world)
{
	world->items = calloc(BENCH_BATCH, sizeof(*world->items));
	if (!world->items)
		return -ENOMEM;
	cds_lfs_init(&world->stack);
	cds_wfcq_init(&world->head, &world->tail);
	pthread_mutex_init(&world->lock, NULL);
	return open_runtime(world);
}

static void world_close(struct world *world)
{
	if (world->fw)
		fw_close(world->fw, -1);
	free(world->items);
}

static void fill_in(struct world *world)
{
	for (size_t i = 0; i < BENCH_BATCH; i++)
		world->items[i].req = (struct fw_request){.id = i, .len = 1};
}

/* Nanoseconds of a submission, mean of a batch; -errno below 0. */
static double batch(struct bench *bench, struct world *world,
		    const struct form *form)
{
	uint64_t begin, took;
	int err = 0;

	fill_in(world);
	bench_chill(bench);
	begin = bench_clock();
	for (size_t i = 0; i < BENCH_BATCH && !err; i++)
		err = form->submit(world, &world->items[i]);
	took = bench_clock() - begin;
	if (form->take(world) != BENCH_BATCH && !err)
		err = -EIO;
	return err ? err : (double)took / BENCH_BATCH;
}

static int measure(struct bench *bench, struct world *world,
		   const struct form *form)
{
	struct bench_row row = {
		.bench = "submit",
		.form = form->name,
		.touched = (double)NAN,
		.touched_max = (double)NAN,
	};
	double ns = batch(bench, world, form);
	int err = 0;

	bench_begin(bench);
	while (!err && ns >= 0.0 && bench_more(bench, 5, MAX_SAMPLES)) {
		ns = batch(bench, world, form);
		if (ns >= 0.0)
			err = bench_sample(bench, ns / 1e3, 0.0);
	}
	if (ns < 0.0)
		return (int)ns;
	return err ? err : bench_end(bench, &row);
}

int bench_submit(struct bench *bench, struct diag *diag)
{
	static struct world world;
	int err;

	bench_name(bench, "submit", 0);
	err = world_open(&world);
	for (size_t i = 0; i < ARRAY_SIZE(forms) && !err; i++) {
		bench_name(bench, forms[i].name, 0);
		err = measure(bench, &world, &forms[i]);
	}
	world_close(&world);
	if (!err)
		err = bench_submit_busy(bench);
	if (err)
		diag_set(diag, err, "bench submit: %s", strerror(-err));
	return err;
}
