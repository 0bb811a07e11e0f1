/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_TURNS_H
#define TOOLS_REPLAY_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/node/feed.h"

/*
 * The requests of a closed loop, in real time. The next turn of a session has
 * no time until the one before ended, so which request comes next is known
 * only as the run goes on. Threads ask for it, and the scheduler's thread tells
 * what ended.
 *
 * Any thread. The lock stands around a few steps of a heap, and is held by
 * nobody who submits or sleeps.
 */

/**
 * struct replay_turns - what is to be submitted
 * @feed: requests that have not arrived; @lock
 * @left: requests that nobody took; @lock
 * @stopped: the run failed, nobody waits any more; @lock
 * @begin: real time at which the trace begins, nanoseconds
 * @scale: nanoseconds of real time in one second of the trace
 * @lock: of what says so; taken alone
 * @changed: something ended, or there is nothing to wait for
 */
struct replay_turns {
	struct feed feed;
	size_t left;
	bool stopped;
	int64_t begin;
	double scale;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/**
 * replay_turns_init() - nothing was submitted
 * @turns: written only on success
 * @trace: kept
 * @config: with a closed loop
 * @reqs: arrivals are written here, those of later turns when they are known
 *
 * Return: 0, -ENOMEM.
 */
int replay_turns_init(struct replay_turns *turns, const struct trace *trace,
		      const struct sim_config *config,
		      struct sim_request *reqs);
void replay_turns_destroy(struct replay_turns *turns);

/* The trace begins at @begin; before any thread asks. */
void replay_turns_begin(struct replay_turns *turns, int64_t begin,
			double scale);

/**
 * replay_turns_next() - wait until a request's time has come, and take it
 * @turns: begun
 * @id: written when there is one
 *
 * Return: Whether there is one; not when all were taken, or the run stopped.
 */
bool replay_turns_next(struct replay_turns *turns, size_t *id);

/* Request @id ended, at @at seconds of the trace. */
void replay_turns_ended(struct replay_turns *turns, size_t id, double at);

/* Nobody waits any more. */
void replay_turns_stop(struct replay_turns *turns);

#endif
