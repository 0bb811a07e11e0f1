/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "thread.h"

#define PERIOD_NS 200000000L

/* Is there a line on the terminal? Read by the handler of a signal. */
static atomic_bool painted;

double progress_clock(void)
{
	return (double)fw_clock_now() * 1e-9;
}

void progress_wipe(void)
{
	static const char wipe[] = "\r\033[K";

	/* Relaxed: only the flag itself is read, nothing stands behind it. */
	if (!atomic_exchange_explicit(&painted, false, memory_order_relaxed))
		return;
	if (write(STDERR_FILENO, wipe, sizeof(wipe) - 1) < 0)
		return; /* the terminal went away: nothing is left to wipe */
}

static void paint(const struct progress *progress)
{
	char text[PROGRESS_TEXT];

	progress->line(progress->ctx, progress_clock() - progress->begin, text,
		       sizeof(text));
	fprintf(stderr, "\r%s\033[K", text);
	fflush(stderr);
	/* Relaxed: as in progress_wipe(). */
	atomic_store_explicit(&painted, true, memory_order_relaxed);
}

static void add_period(struct timespec *when)
{
	when->tv_nsec += PERIOD_NS;
	if (when->tv_nsec >= 1000000000L) {
		when->tv_nsec -= 1000000000L;
		when->tv_sec++;
	}
}

static void *painter(void *arg)
{
	struct progress *progress = arg;
	struct timespec when;

	clock_gettime(CLOCK_MONOTONIC, &when);
	pthread_mutex_lock(&progress->lock);
	while (!progress->stop) {
		add_period(&when);
		while (!progress->stop &&
		       pthread_cond_timedwait(&progress->wake, &progress->lock,
					      &when) != ETIMEDOUT)
			;
		if (!progress->stop)
			paint(progress);
	}
	pthread_mutex_unlock(&progress->lock);
	return NULL;
}

void progress_start(struct progress *progress, bool quiet,
		    void (*line)(const void *ctx, double seconds, char *buf,
				 size_t size),
		    const void *ctx)
{
	pthread_condattr_t attr;

	memset(progress, 0, sizeof(*progress));
	if (quiet || !isatty(STDERR_FILENO))
		return;
	progress->line = line;
	progress->ctx = ctx;
	progress->begin = progress_clock();
	pthread_mutex_init(&progress->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->wake, &attr);
	pthread_condattr_destroy(&attr);
	progress->active = !thread_start(&progress->thread, painter, progress);
}

void progress_stop(struct progress *progress)
{
	if (!progress->active)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->stop = true;
	pthread_cond_signal(&progress->wake);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	pthread_cond_destroy(&progress->wake);
	pthread_mutex_destroy(&progress->lock);
	progress->active = false;
	progress_wipe();
}
