/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_PROGRESS_H
#define TOOLS_BASE_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the text of a progress line may take, its end included. */
#define PROGRESS_TEXT 80u

/**
 * struct progress - one line on a terminal while something long goes on
 * @line: writes what is done so far into @buf; runs on the line's own thread,
 *	so it may read nothing but atomics and what does not change
 * @ctx: handed to @line
 * @begin: when it started, seconds of a monotonic clock
 * @thread: paints the line five times a second
 * @lock: protects @stop
 * @wake: signalled when @stop is set
 * @stop: paint no more
 * @active: whether @thread runs
 *
 * Used by one thread.
 */
struct progress {
	void (*line)(const void *ctx, double seconds, char *buf, size_t size);
	const void *ctx;
	double begin;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop;
	bool active;
};

/**
 * progress_start() - begin to show progress
 * @progress: the line
 * @quiet: show nothing
 * @line: what it says
 * @ctx: lives until progress_stop()
 *
 * Shows nothing where standard error is no terminal, nor where no thread can
 * be had: progress is never worth a failure.
 */
void progress_start(struct progress *progress, bool quiet,
		    void (*line)(const void *ctx, double seconds, char *buf,
				 size_t size),
		    const void *ctx);

/* Stop and wipe the line. */
void progress_stop(struct progress *progress);

/* Wipe a line that may be there; async-signal-safe, for who is about to end. */
void progress_wipe(void);

/* Seconds of a monotonic clock. */
double progress_clock(void);

#endif
