/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_EXEC_WORKER_H
#define LIB_EXEC_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/executor.h>

/*
 * Worker: a thread that runs plans one after the other, in the order of their
 * submission. The scheduler holds its lock while it notes one plan. Producers
 * never take it.
 *
 *			start	push	stop
 *	push		no	no	no
 *	stop		no	no	no
 */

/**
 * struct fw_work - a plan that waits for the worker
 * @plan: the plan
 * @flight: to report its end by
 * @submitted: when it was pushed, nanoseconds of CLOCK_MONOTONIC
 */
struct fw_work {
	const struct fw_plan *plan;
	struct fw_flight *flight;
	int64_t submitted;
};

/**
 * struct fw_worker - the worker
 * @run: computes a plan; its result is the plan's status
 * @ctx: handed to @run
 * @thread: runs @run, with all signals blocked
 * @lock: protects all fields below
 * @wake: signalled when one of them changed
 * @queue: ring of plans that wait
 * @first: the oldest one's place in @queue
 * @num: how many wait
 * @stop: the thread ends when no plan waits any more
 */
struct fw_worker {
	int (*run)(void *ctx, const struct fw_work *work);
	void *ctx;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct fw_work queue[FW_DEPTH_MAX];
	uint32_t first;
	uint32_t num;
	bool stop;
};

/* Return: 0, -EAGAIN when there is no thread to be had. */
int fw_worker_start(struct fw_worker *worker,
		    int (*run)(void *ctx, const struct fw_work *work),
		    void *ctx);

/* At most FW_DEPTH_MAX may wait. */
void fw_worker_push(struct fw_worker *worker, const struct fw_plan *plan,
		    struct fw_flight *flight);

/* Wait until all was run and reported, and the thread is gone. */
void fw_worker_stop(struct fw_worker *worker);

#endif
