/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_FLOOD_H
#define TOOLS_FLOOD_FLOOD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <fairway/fairway.h>

#include "lib/base/histogram.h"
#include "lib/sync/inbox.h"
#include "tools/base/diag.h"
#include "tools/base/rng.h"

/*
 * Stress of the runtime: producers submit, cancel and take back requests as
 * fast as they can; a device that takes no time computes them; at the end
 * every request must have ended exactly once, as its cancels were told.
 */

/* Cancels that a producer has in mind. */
#define FLOOD_PENDING 8u

/**
 * struct flood_args - what the user asked for
 * @producers: threads that submit
 * @requests: submitted by all of them together
 * @cancel: share that is cancelled at some moment after its submission
 * @expire: share that may wait a millisecond at most
 * @limit: max_waiting of the runtime
 * @seconds: submit no longer than this; 0 for no end
 * @seed: of all draws
 * @stop_producer: stop one for good until all others are through
 */
struct flood_args {
	uint32_t producers;
	uint64_t requests;
	double cancel;
	double expire;
	uint32_t limit;
	double seconds;
	uint64_t seed;
	bool stop_producer;
};

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
 * @drained: for each submission where it came in its class (see flood.c)
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
 * struct flood_result - what came of it
 * @submitted: requests that the runtime took
 * @outcomes: how they ended, by enum fw_outcome
 * @lost: requests that did not end
 * @twice: ends of requests that had ended
 * @out_of_order: requests that came to the queue before one that their
 *	producer had submitted earlier in the same class
 * @broken: requests that did not end as their cancels were told
 * @bound_broken: releases that broke the bound on overtaking
 * @refused: submissions that got -EAGAIN and were made again
 * @submit_ns: cost of a submission with its prefix match, clock included
 * @step_ns: cost of a scheduling step
 * @seconds: of the whole run
 * @peak_rss: most memory of this process, bytes
 * @stopped: a producer stood still while all others went on
 */
struct flood_result {
	uint64_t submitted;
	uint64_t outcomes[5];
	uint64_t lost;
	uint64_t twice;
	uint64_t out_of_order;
	uint64_t broken;
	uint64_t bound_broken;
	uint64_t refused;
	struct fw_histogram_view submit_ns;
	struct fw_distribution step_ns;
	double seconds;
	uint64_t peak_rss;
	bool stopped;
};

/**
 * struct flood - the run
 * @args: what the user asked for
 * @fw: the runtime
 * @producers: args.producers of them
 * @outcomes: counted by the scheduler's thread
 * @twice: the same
 * @begin: of the run, nanoseconds
 * @running: producers that still submit
 * @ended: requests that ended; written by the scheduler, read by all
 */
struct flood {
	struct flood_args args;
	struct fw *fw;
	struct flood_producer *producers;
	uint64_t outcomes[5];
	uint64_t twice;
	int64_t begin;
	_Atomic uint32_t running;
	_Atomic uint64_t ended FW_LINE_ALIGNED;
};

/* Nanoseconds of CLOCK_MONOTONIC. */
int64_t flood_clock(void);

/**
 * flood_run() - flood a runtime and count what came of it
 * @flood: zeros but for its args
 * @result: written on success
 * @diag: says what went wrong
 *
 * Return: 0 or -errno with @diag set; -ETIME when nothing went on any more.
 */
int flood_run(struct flood *flood, struct flood_result *result,
	      struct diag *diag);

/* A producer: its requests, then its thread, then what is left of them. */
int flood_producer_init(struct flood_producer *producer, struct flood *flood,
			uint32_t index);
void flood_producer_destroy(struct flood_producer *producer);
void *flood_produce(void *producer);

/* Take back all that is home. The producer, or anybody once it is joined. */
void flood_take_home(struct flood_producer *producer);

/**
 * struct flood_watch - who stops a producer, and sees to it that all goes on
 * @flood: the run
 * @thread: its own
 * @over: the run is
 * @stopped: the victim stood still until all others were through
 * @stuck: nothing ended for so long that the run was given up
 */
struct flood_watch {
	struct flood *flood;
	pthread_t thread;
	_Atomic bool over;
	bool stopped;
	bool stuck;
};

/* Return: 0 or -errno. Between these two the watch runs. */
int flood_watch_start(struct flood_watch *watch, struct flood *flood);
void flood_watch_stop(struct flood_watch *watch);

/* Is the result one that a scheduler may give? */
bool flood_clean(const struct flood_result *result);

/* Return: 0, -ENOMEM, or what stdio met. */
int flood_table(const struct flood *flood, const struct flood_result *result,
		FILE *to);
int flood_json(const struct flood_result *result, FILE *to);

#endif
