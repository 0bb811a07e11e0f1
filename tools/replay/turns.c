/* SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

#include <errno.h>
#include <time.h>

#include "lib/base/clock.h"

int replay_turns_init(struct replay_turns *turns, const struct trace *trace,
		      const struct sim_config *config, struct sim_request *reqs)
{
	struct replay_turns t = {.left = trace->num_reqs};
	pthread_condattr_t monotonic;
	int ret = feed_init(&t.feed, trace, config, reqs);

	if (ret)
		return ret;
	*turns = t;
	pthread_mutex_init(&turns->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&turns->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	return 0;
}

void replay_turns_destroy(struct replay_turns *turns)
{
	pthread_cond_destroy(&turns->changed);
	pthread_mutex_destroy(&turns->lock);
	feed_destroy(&turns->feed);
}

void replay_turns_begin(struct replay_turns *turns, int64_t begin, double scale)
{
	turns->begin = begin;
	turns->scale = scale;
}

/* Wait for a change, or until the arrival of @id. */
static void wait_for(struct replay_turns *turns, size_t id)
{
	double at = turns->feed.reqs[id].arrival_s;
	int64_t when = turns->begin + (int64_t)(at * turns->scale);
	const struct timespec time = {
		.tv_sec = when / 1000000000,
		.tv_nsec = when % 1000000000,
	};

	pthread_cond_timedwait(&turns->changed, &turns->lock, &time);
}

static bool has_come(const struct replay_turns *turns, size_t id)
{
	double at = turns->feed.reqs[id].arrival_s;

	return fw_clock_now() >= turns->begin + (int64_t)(at * turns->scale);
}

bool replay_turns_next(struct replay_turns *turns, size_t *id)
{
	bool found = false;
	size_t next;

	pthread_mutex_lock(&turns->lock);
	while (turns->left && !turns->stopped && !found) {
		if (!feed_peek(&turns->feed, &next))
			pthread_cond_wait(&turns->changed, &turns->lock);
		else if (!has_come(turns, next))
			wait_for(turns, next);
		else
			found = true;
	}
	if (found) {
		feed_take(&turns->feed, next);
		*id = next;
		/* Others that wait look again: there may be nothing left. */
		if (!--turns->left)
			pthread_cond_broadcast(&turns->changed);
	}
	pthread_mutex_unlock(&turns->lock);
	return found;
}

void replay_turns_ended(struct replay_turns *turns, size_t id, double at)
{
	pthread_mutex_lock(&turns->lock);
	feed_ended(&turns->feed, id, at);
	pthread_cond_broadcast(&turns->changed);
	pthread_mutex_unlock(&turns->lock);
}

void replay_turns_stop(struct replay_turns *turns)
{
	pthread_mutex_lock(&turns->lock);
	turns->stopped = true;
	pthread_cond_broadcast(&turns->changed);
	pthread_mutex_unlock(&turns->lock);
}
