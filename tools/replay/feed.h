/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_FEED_H
#define TOOLS_REPLAY_FEED_H

#include <pthread.h>
#include <stdint.h>

#include <fairway/runtime.h>

#include "tools/trace/trace.h"
#include "turns.h"

/*
 * Threads that submit the requests of a trace, each when its time has come.
 * Request i is submitted by thread i modulo their number; in a closed loop by
 * whoever asks when it comes.
 */

/**
 * struct replay_feed - the threads and what they submit
 * @fw: where to
 * @trace: the requests
 * @turns: which request comes next in a closed loop; NULL in an open one
 * @reqs: ready to be submitted, by the trace's index
 * @keys: of all of them
 * @begin: real time at which the trace begins, nanoseconds
 * @scale: nanoseconds of real time in one second of the trace
 * @time_scale: as in struct sim_config
 * @threads: the threads
 * @num: how many
 * @err: of the first submission that failed
 */
struct replay_feed {
	struct fw *fw;
	const struct trace *trace;
	struct replay_turns *turns;
	struct fw_request *reqs;
	struct fw_key *keys;
	int64_t begin;
	double scale;
	double time_scale;
	struct replay_feeder *threads;
	uint32_t num;
	_Atomic int err;
};

/**
 * replay_feed_init() - make all requests ready
 * @feed: written only on success
 * @trace: kept
 * @turns: kept; NULL in an open loop
 * @time_scale: multiplies the arrivals
 *
 * Return: 0, -ENOMEM.
 */
int replay_feed_init(struct replay_feed *feed, const struct trace *trace,
		     struct replay_turns *turns, double time_scale);
void replay_feed_destroy(struct replay_feed *feed);

/**
 * replay_feed_start() - the trace begins now
 * @feed: the requests
 * @fw: stays until replay_feed_join()
 * @producers: threads
 * @speed: seconds of the trace in one of real time
 *
 * The last thread quiesces the runtime once everything was submitted.
 *
 * Return: 0, -ENOMEM, -EAGAIN when no thread can be had; then none runs.
 */
int replay_feed_start(struct replay_feed *feed, struct fw *fw,
		      uint32_t producers, double speed);

/* Return: 0, or -errno of the first submission that failed. */
int replay_feed_join(struct replay_feed *feed);

#endif
