/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BENCH_QUEUE_H
#define TOOLS_BENCH_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/queue/lanes.h"
#include "tools/policy/ops.h"
#include "forms.h"
#include "world.h"

/**
 * struct bench_place - one request in the queue by arrival
 * @entry: may have left, and its place may hold another request
 * @seq: whom it was queued for
 */
struct bench_place {
	struct fw_rank *entry;
	uint64_t seq;
};

/**
 * struct bench_queue - waiting requests in one of the forms that are compared
 * @name: of the form
 * @policy: of the command; NULL for the forms of fairway
 * @queue: of @policy
 * @lanes: else the library's, where @order has no ops
 * @order: else by score, in another form
 * @fifo: then by arrival
 * @head: of @fifo; no waiting request stands before it
 * @tail: of @fifo
 * @cap: of @fifo
 * @next_seq: rank of the next request
 *
 * Whatever the form of fairway, releases are those of both lanes merged by
 * work. Another policy has its own.
 */
struct bench_queue {
	const char *name;
	const struct policy *policy;
	void *queue;
	struct fw_lanes lanes;
	struct bench_order order;
	struct bench_place *fifo;
	size_t head;
	size_t tail;
	size_t cap;
	uint64_t next_seq;
};

/**
 * bench_queue_init() - an empty queue
 * @queue: the queue
 * @ops: how to order by score; NULL for the library's lanes
 * @waiting: most requests at once
 * @arrivals: most requests in all
 *
 * Return: 0, -ENOMEM.
 */
int bench_queue_init(struct bench_queue *queue,
		     const struct bench_order_ops *ops, size_t waiting,
		     size_t arrivals);
/**
 * bench_queue_policy() - an empty queue in the order of a policy
 * @queue: the queue
 * @spec: the policy
 * @cost: prefill times, of the world that brings the requests; kept
 *
 * Return: 0, -ENOMEM.
 */
int bench_queue_policy(struct bench_queue *queue,
		       const struct policy_spec *spec,
		       const struct fw_cost *cost);
void bench_queue_destroy(struct bench_queue *queue);

/* Queue one request; by rising arrival. Return: 0, -ENOMEM. */
int bench_queue_add(struct bench_queue *queue,
		    const struct bench_arrival *arrival);

/**
 * bench_queue_serve() - one step: make the order that of @now and release
 * @queue: the queue
 * @now: seconds since open
 * @out: the requests released, in order
 *
 * Return: How many, BENCH_BATCH unless fewer wait.
 */
size_t bench_queue_serve(struct bench_queue *queue, double now,
			 struct fw_request *out[BENCH_BATCH]);

/* Slots that the kinetic heap has looked at so far; 0 in other forms. */
uint64_t bench_queue_touched(const struct bench_queue *queue);

#endif
