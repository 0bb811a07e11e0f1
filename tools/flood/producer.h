/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_PRODUCER_H
#define TOOLS_FLOOD_PRODUCER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/fairway.h>

#include "lib/base/histogram.h"
#include "lib/sync/inbox.h"
#include "tools/base/rng.h"
#include "run.h"

/* Cancels that a producer still has to make, at most. */
#define FLOOD_PENDING 8u

/**
 * struct flood_request - one request, used over and over by its producer
 * @req: what is submitted; its user is the producer
 * @home: hook in the producer's inbox of requests that ended
 * @handle: of its last submission, 0 once it was taken back
 * @number: which of its producer's submissions this is
 * @out: submitted and not ended; written by the scheduler when it ends
 * @told: a cancel returned 0
 * @outcome: as what it ended
 */
struct flood_request {
	struct fw_request req;
	struct fw_inbox_node home;
	uint64_t handle;
	uint32_t number;
	bool out;
	bool told;
	enum fw_outcome outcome;
};

/* A cancel that is due after so many more submissions. */
struct flood_cancel {
	struct flood_request *request;
	uint64_t handle;
	uint32_t delay;
};

/**
 * struct flood_producer - one producer and its requests
 * @flood: the run
 * @thread: its own
 * @rng: its draws
 * @requests: @num_requests of them; more than fit max_waiting in all
 * @free: stack of those at home, @num_free
 * @home: those that ended and were not taken back yet
 * @quota: submissions to make
 * @drained: for each submission its rank in its class (see flood.c)
 * @pending: cancels in mind, @num_pending
 * @submit_ns: cost of the submissions that were taken
 * @broken: requests that did not end as their cancels were told
 * @strangers: cancels by the handle of a request that ended, yet returned 0
 * @refused: submissions that got -EAGAIN
 * @error: what else a call returned, 0 for nothing
 * @submitted: by this producer
 * @finished: submits no more
 * @ended: of them; written by the scheduler
 */
struct flood_producer {
	struct flood *flood;
	pthread_t thread;
	struct rng rng;
	struct flood_request *requests;
	struct flood_request **free;
	uint32_t num_requests;
	uint32_t num_free;
	struct fw_inbox home;
	uint64_t quota;
	uint32_t *drained;
	struct flood_cancel pending[FLOOD_PENDING];
	uint32_t num_pending;
	struct fw_histogram submit_ns;
	uint64_t broken;
	uint64_t strangers;
	uint64_t refused;
	int error;
	_Atomic uint64_t submitted;
	_Atomic bool finished;
	_Atomic uint64_t ended FW_LINE_ALIGNED;
};

/**
 * flood_producer_init() - a producer and the requests that it uses
 * @producer: zeros; to be destroyed, also after an error
 * @flood: the run
 * @index: which of its producers
 *
 * Return: 0, -ENOMEM.
 */
int flood_producer_init(struct flood_producer *producer, struct flood *flood,
			uint32_t index);
void flood_producer_destroy(struct flood_producer *producer);

/* The producer's thread. The last one that is through quiesces the runtime. */
void *flood_produce(void *producer);

/* Take back all that is home. The producer, or anybody once it is joined. */
void flood_take_home(struct flood_producer *producer);

#endif
