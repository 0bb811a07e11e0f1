/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FLOOD_WATCH_H
#define TOOLS_FLOOD_WATCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "run.h"

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

#endif
