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
 * struct progress - one line on a terminal during long work
 * @line: writes what is done so far into @buf; it runs on @thread, so it may
 *	read only atomics and what does not change
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
 * Shows nothing where standard error is no terminal. The same holds where no
 * thread can be started: that is no failure of the command.
 */
void progress_start(struct progress *progress, bool quiet,
		    void (*line)(const void *ctx, double seconds, char *buf,
				 size_t size),
		    const void *ctx);

/* Stop and wipe the line. */
void progress_stop(struct progress *progress);

/*
 * Wipe the line if there is one. Async-signal-safe: a signal's handler calls
 * it just before the process ends.
 */
void progress_wipe(void);

/* Seconds of a monotonic clock. */
double progress_clock(void);

#endif
