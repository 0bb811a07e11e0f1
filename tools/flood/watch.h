/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_WATCH_H
#define TOOLS_FLOOD_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "run.h"

/**
 * struct flood_watch - stops a producer, and ends a run that hangs
 * @flood: the run
 * @thread: the watch's
 * @over: the run is over, and so is the watch
 * @stopped: the victim stood still until all others were through
 * @stuck: nothing ended for 30 seconds, and the run was given up
 */
struct flood_watch {
	struct flood *flood;
	pthread_t thread;
	_Atomic bool over;
	bool stopped;
	bool stuck;
};

/* The watch runs between these two calls. Return: 0 or -errno. */
int flood_watch_start(struct flood_watch *watch, struct flood *flood);
void flood_watch_stop(struct flood_watch *watch);

#endif
