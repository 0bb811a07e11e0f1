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
 * @told: a cancel of it returned 0
 * @outcome: how it ended
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

/* A cancel that is due after @delay more submissions. */
struct flood_cancel {
	struct flood_request *request;
	uint64_t handle;
	uint32_t delay;
};

/**
 * struct flood_producer - one producer and its requests
 * @flood: the run
 * @thread: the producer's
 * @tenant: whose its requests are, where one is hostile
 * @hostile: is it of that one?
 * @rng: of its draws
 * @requests: @num_requests of them; those of all producers exceed max_waiting
 * @free: stack of the @num_free requests that can be submitted
 * @home: requests that ended and were not taken back yet
 * @quota: submissions to make
 * @drained: for each submission its rank in its class (see flood.c)
 * @pending: the @num_pending cancels that it still has to make
 * @submit_ns: cost of each submission that was accepted
 * @broken: requests that did not end as their cancels were told
 * @strangers: cancels of requests that had ended, but returned 0
 * @refused: submissions that got -EAGAIN
 * @error: any other error of a call, 0 for none
 * @submitted: submissions so far
 * @finished: it submits no more
 * @ended: requests of it that ended; written by the scheduler
 */
struct flood_producer {
	struct flood *flood;
	pthread_t thread;
	uint64_t tenant;
	bool hostile;
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

/* What a producer's thread runs. The last one quiesces the runtime. */
void *flood_produce(void *producer);

/*
 * Take back all requests in @home. Context: the producer, or any thread once
 * the producer is joined.
 */
void flood_take_home(struct flood_producer *producer);

#endif
