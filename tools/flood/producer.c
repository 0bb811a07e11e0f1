/* SPDX-License-Identifier: Apache-2.0 */
#include "producer.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"
#include "lib/base/clock.h"
#include "tools/base/interrupt.h"
#include "tools/base/mem.h"

#define DOCUMENTS 8u
#define DOCUMENT_BLOCKS 4u
#define BLOCK_TOKENS 16u
#define MAX_TAIL 192u
#define MAX_DELAY 16u
#define MAX_WAIT_NS 1000000u

/* One request in so many is of the higher class. */
#define URGENT 8u

/* The clock is looked at once in so many submissions. */
#define LOOK 64u

/* All producers have twice what the queue holds, so its limit is met. */
static uint32_t pool_size(const struct flood_args *args)
{
	uint64_t num = 2ull * args->limit / args->producers + 16;

	return num < args->requests ? (uint32_t)num : (uint32_t)args->requests;
}

int flood_producer_init(struct flood_producer *producer, struct flood *flood,
			uint32_t index)
{
	const struct flood_args *args = &flood->args;
	uint32_t num = pool_size(args);

	producer->flood = flood;
	producer->hostile = index < args->hostile;
	producer->tenant = producer->hostile ? HOSTILE_TENANT : index + 1;
	producer->quota = args->requests / args->producers +
			  (index < args->requests % args->producers);
	rng_seed(&producer->rng, args->seed + index);
	fw_histogram_init(&producer->submit_ns);
	producer->requests = calloc(num, sizeof(*producer->requests));
	producer->free = calloc(num, sizeof(*producer->free));
	producer->drained =
		calloc(producer->quota + 1, sizeof(*producer->drained));
	if (!producer->requests || !producer->free || !producer->drained ||
	    fw_inbox_init(&producer->home, 1, mem_allocator()))
		return -ENOMEM;
	producer->num_requests = num;
	for (uint32_t i = 0; i < num; i++)
		producer->free[producer->num_free++] = &producer->requests[i];
	return 0;
}

void flood_producer_destroy(struct flood_producer *producer)
{
	if (producer->home.shards)
		fw_inbox_destroy(&producer->home);
	free(producer->requests);
	free(producer->free);
	free(producer->drained);
}

void flood_take_home(struct flood_producer *producer)
{
	struct fw_inbox_node *node = fw_inbox_drain(&producer->home, 0);

	while (node) {
		struct flood_request *request =
			container_of(node, struct flood_request, home);

		node = node->next;
		producer->broken +=
			request->told != (request->outcome == FW_CANCELLED);
		request->handle = 0;
		producer->free[producer->num_free++] = request;
	}
}

static struct flood_request *take_one(struct flood_producer *producer)
{
	while (!producer->num_free) {
		flood_take_home(producer);
		if (!producer->num_free)
			sched_yield();
	}
	return producer->free[--producer->num_free];
}

static bool chance(struct flood_producer *producer, double share)
{
	return rng_unit(&producer->rng) < share;
}

/* Half of the prompts begin with one of these documents. */
static const struct fw_key documents[DOCUMENTS][DOCUMENT_BLOCKS] = {
	{{1, 0}, {1, 1}, {1, 2}, {1, 3}}, {{2, 0}, {2, 1}, {2, 2}, {2, 3}},
	{{3, 0}, {3, 1}, {3, 2}, {3, 3}}, {{4, 0}, {4, 1}, {4, 2}, {4, 3}},
	{{5, 0}, {5, 1}, {5, 2}, {5, 3}}, {{6, 0}, {6, 1}, {6, 2}, {6, 3}},
	{{7, 0}, {7, 1}, {7, 2}, {7, 3}}, {{8, 0}, {8, 1}, {8, 2}, {8, 3}},
};

static void draw_prompt(struct flood_producer *producer, struct fw_request *req)
{
	req->len = 1 + (uint32_t)rng_below(&producer->rng, MAX_TAIL);
	if (!rng_below(&producer->rng, 2))
		return;
	req->len += DOCUMENT_BLOCKS * BLOCK_TOKENS;
	req->keys = documents[rng_below(&producer->rng, DOCUMENTS)];
	req->num_keys = DOCUMENT_BLOCKS;
}

static void draw_request(struct flood_producer *producer,
			 struct flood_request *request, uint32_t number)
{
	const struct flood_args *args = &producer->flood->args;
	struct fw_request *req = &request->req;

	memset(req, 0, sizeof(*req));
	req->id = number;
	req->user = producer;
	if (producer->hostile) {
		hostile_prompt(&producer->rng, req);
	} else {
		req->tenant = producer->tenant;
		req->priority = !rng_below(&producer->rng, URGENT);
		draw_prompt(producer, req);
	}
	if (chance(producer, args->expire))
		req->max_wait =
			1 + (int64_t)rng_below(&producer->rng, MAX_WAIT_NS);
	request->number = number;
	request->told = false;
	request->out = true;
}

/* Like an engine that tries again after -EAGAIN. */
static int submit(struct flood_producer *producer,
		  struct flood_request *request)
{
	int64_t begin, took;
	int err;

	for (;;) {
		begin = fw_clock_now();
		err = fw_submit(producer->flood->fw, &request->req,
				&request->handle);
		took = fw_clock_now() - begin;
		if (err != -EAGAIN)
			break;
		producer->refused++;
		sched_yield();
	}
	if (!err)
		fw_histogram_record(&producer->submit_ns, took);
	return err;
}

/*
 * The request of the handle may have ended. Its memory may hold another one by
 * now, with a handle of its own.
 */
static void cancel(struct flood_producer *producer,
		   const struct flood_cancel *due)
{
	if (fw_cancel(producer->flood->fw, due->handle))
		return;
	if (due->request->handle == due->handle)
		due->request->told = true;
	else
		producer->strangers++;
}

/* Make the cancels that are due, or @all that are left. */
static void cancel_due(struct flood_producer *producer, bool all)
{
	uint32_t i = 0;

	while (i < producer->num_pending) {
		struct flood_cancel *due = &producer->pending[i];

		if (due->delay && !all) {
			due->delay--;
			i++;
			continue;
		}
		cancel(producer, due);
		*due = producer->pending[--producer->num_pending];
	}
}

static void maybe_cancel(struct flood_producer *producer,
			 struct flood_request *request)
{
	struct flood_cancel due = {.request = request,
				   .handle = request->handle};

	double share = producer->hostile ? HOSTILE_CANCEL
					 : producer->flood->args.cancel;

	if (!chance(producer, share))
		return;
	/* Half of them at once, most likely before the request has ended. */
	if (rng_below(&producer->rng, 2))
		due.delay = (uint32_t)rng_below(&producer->rng, MAX_DELAY);
	if (!due.delay || producer->num_pending == FLOOD_PENDING)
		cancel(producer, &due);
	else
		producer->pending[producer->num_pending++] = due;
}

static bool time_is_over(const struct flood *flood, uint64_t number)
{
	if (flood->args.seconds <= 0.0 || number % LOOK)
		return false;
	return (double)(fw_clock_now() - flood->begin) / 1e9 >
	       flood->args.seconds;
}

static void submit_all(struct flood_producer *producer)
{
	for (uint64_t i = 0; i < producer->quota; i++) {
		struct flood_request *request;

		if (interrupted() || time_is_over(producer->flood, i))
			return;
		request = take_one(producer);
		draw_request(producer, request, (uint32_t)i);
		producer->error = submit(producer, request);
		if (producer->error) {
			request->out = false;
			return;
		}
		atomic_fetch_add(&producer->submitted, 1);
		maybe_cancel(producer, request);
		cancel_due(producer, false);
	}
}

void *flood_produce(void *arg)
{
	struct flood_producer *producer = arg;
	struct flood *flood = producer->flood;

	fw_thread_attach();
	submit_all(producer);
	cancel_due(producer, true);
	atomic_store(&producer->finished, true);
	if (atomic_fetch_sub(&flood->running, 1) == 1)
		fw_quiesce(flood->fw);
	return NULL;
}
