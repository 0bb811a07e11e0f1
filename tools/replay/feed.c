/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/clock.h"
#include "tools/base/thread.h"

/**
 * struct replay_feeder - one thread
 * @feed: what all share
 * @first: its first request
 * @thread: it
 */
struct replay_feeder {
	struct replay_feed *feed;
	uint32_t first;
	pthread_t thread;
};

static void fill_request(struct replay_feed *feed, size_t i,
			 struct fw_key *keys)
{
	const struct trace_req *from = &feed->trace->reqs[i];

	trace_keys(feed->trace, from, keys);
	feed->reqs[i] = (struct fw_request){
		.id = i,
		.keys = keys,
		.num_keys = from->num_ids,
		.len = from->len,
		.tenant = from->tenant,
	};
}

static size_t count_keys(const struct trace *trace)
{
	size_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++)
		num += trace->reqs[i].num_ids;
	return num;
}

int replay_feed_init(struct replay_feed *feed, const struct trace *trace,
		     struct replay_turns *turns, double time_scale)
{
	struct replay_feed f = {
		.trace = trace,
		.turns = turns,
		.time_scale = time_scale,
	};
	struct fw_key *keys;

	f.reqs = calloc(trace->num_reqs + 1, sizeof(*f.reqs));
	f.keys = calloc(count_keys(trace) + 1, sizeof(*f.keys));
	if (!f.reqs || !f.keys) {
		free(f.keys);
		free(f.reqs);
		return -ENOMEM;
	}
	keys = f.keys;
	for (size_t i = 0; i < trace->num_reqs; i++) {
		fill_request(&f, i, keys);
		keys += trace->reqs[i].num_ids;
	}
	*feed = f;
	return 0;
}

void replay_feed_destroy(struct replay_feed *feed)
{
	free(feed->threads);
	free(feed->keys);
	free(feed->reqs);
}

static void sleep_until(int64_t when)
{
	const struct timespec time = {
		.tv_sec = when / 1000000000,
		.tv_nsec = when % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) ==
	       EINTR)
		;
}

/* This thread's share, each when the trace says. Return: 0 or -errno. */
static int submit_share(struct replay_feed *feed, uint32_t first)
{
	int err = 0;

	for (size_t i = first; !err && i < feed->trace->num_reqs;
	     i += feed->num) {
		double at = trace_arrival_s(&feed->trace->reqs[i],
					    feed->time_scale);

		sleep_until(feed->begin + (int64_t)(at * feed->scale));
		err = fw_submit(feed->fw, &feed->reqs[i], NULL);
	}
	return err;
}

/* Whatever comes next, until all has come. Return: 0 or -errno. */
static int submit_turns(struct replay_feed *feed)
{
	int err = 0;
	size_t i;

	while (!err && replay_turns_next(feed->turns, &i))
		err = fw_submit(feed->fw, &feed->reqs[i], NULL);
	if (err)
		replay_turns_stop(feed->turns);
	return err;
}

static void *produce(void *arg)
{
	const struct replay_feeder *self = arg;
	struct replay_feed *feed = self->feed;
	int none = 0, err;

	fw_thread_attach();
	err = feed->turns ? submit_turns(feed)
			  : submit_share(feed, self->first);
	/* Relaxed: read after the threads were joined. */
	if (err)
		atomic_compare_exchange_strong_explicit(&feed->err, &none, err,
							memory_order_relaxed,
							memory_order_relaxed);
	return NULL;
}

/* Waits for the others, so that all is submitted when the runtime is told. */
static void *produce_and_quiesce(void *arg)
{
	const struct replay_feeder *self = arg;
	struct replay_feed *feed = self->feed;

	produce(arg);
	for (uint32_t i = 0; i < self->first; i++)
		pthread_join(feed->threads[i].thread, NULL);
	fw_quiesce(feed->fw);
	return NULL;
}

static uint32_t start_threads(struct replay_feed *feed)
{
	uint32_t i;

	for (i = 0; i < feed->num; i++) {
		struct replay_feeder *f = &feed->threads[i];
		bool last = i + 1 == feed->num;

		f->feed = feed;
		f->first = i;
		if (thread_start(&f->thread,
				 last ? produce_and_quiesce : produce, f))
			break;
	}
	return i;
}

int replay_feed_start(struct replay_feed *feed, struct fw *fw,
		      uint32_t producers, double speed)
{
	uint32_t started;

	feed->threads = calloc(producers, sizeof(*feed->threads));
	if (!feed->threads)
		return -ENOMEM;
	feed->begin = fw_clock_now();
	feed->scale = 1e9 / speed;
	if (feed->turns)
		replay_turns_begin(feed->turns, feed->begin, feed->scale);
	feed->fw = fw;
	feed->num = producers;
	started = start_threads(feed);
	if (started == producers)
		return 0;
	/* Those that run find that nothing is taken any more. */
	fw_quiesce(fw);
	if (feed->turns)
		replay_turns_stop(feed->turns);
	while (started)
		pthread_join(feed->threads[--started].thread, NULL);
	return -EAGAIN;
}

int replay_feed_join(struct replay_feed *feed)
{
	pthread_join(feed->threads[feed->num - 1].thread, NULL);
	return atomic_load_explicit(&feed->err, memory_order_relaxed);
}
