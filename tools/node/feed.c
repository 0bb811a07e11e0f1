/* SPDX-License-Identifier: Apache-2.0 */
#include "feed.h"

#include <errno.h>
#include <stdlib.h>

static int close_loop(struct feed *feed)
{
	size_t num = feed->trace->num_reqs;

	feed->child = calloc(num + 1, sizeof(*feed->child));
	feed->sibling = calloc(num + 1, sizeof(*feed->sibling));
	feed->due = calloc(num + 1, sizeof(*feed->due));
	if (!feed->child || !feed->sibling || !feed->due) {
		feed_destroy(feed);
		return -ENOMEM;
	}
	for (size_t i = 0; i < num; i++) {
		uint32_t after = feed->trace->reqs[i].after;

		if (!after)
			continue;
		feed->sibling[i] = feed->child[after - 1];
		feed->child[after - 1] = (uint32_t)i + 1;
	}
	return 0;
}

/* Those that wait for another one to end do not come by their own time. */
static void skip_later_turns(struct feed *feed)
{
	const struct trace *trace = feed->trace;

	while (feed->child && feed->next < trace->num_reqs &&
	       trace->reqs[feed->next].after)
		feed->next++;
}

int feed_init(struct feed *feed, const struct trace *trace,
	      const struct sim_config *config, struct sim_request *reqs)
{
	*feed = (struct feed){
		.trace = trace,
		.reqs = reqs,
		.scale = config->time_scale,
	};
	for (size_t i = 0; i < trace->num_reqs; i++)
		reqs[i].arrival_s =
			trace_arrival_s(&trace->reqs[i], feed->scale);
	if (config->closed_loop && close_loop(feed))
		return -ENOMEM;
	skip_later_turns(feed);
	return 0;
}

void feed_destroy(struct feed *feed)
{
	free(feed->child);
	free(feed->sibling);
	free(feed->due);
	feed->child = NULL;
	feed->sibling = NULL;
	feed->due = NULL;
}

static bool is_before(const struct feed *feed, size_t a, size_t b)
{
	double x = feed->reqs[a].arrival_s, y = feed->reqs[b].arrival_s;

	if (x < y || x > y)
		return x < y;
	return a < b;
}

bool feed_peek(const struct feed *feed, size_t *id)
{
	bool more = feed->next < feed->trace->num_reqs;

	if (!more && !feed->num_due)
		return false;
	*id = feed->next;
	if (feed->num_due && (!more || is_before(feed, feed->due[0], *id)))
		*id = feed->due[0];
	return true;
}

/* The last one sinks from the top, where the first one was. */
static void drop_first(struct feed *feed)
{
	uint32_t last = feed->due[--feed->num_due];
	size_t at = 0;

	for (;;) {
		size_t below = 2 * at + 1;

		if (below >= feed->num_due)
			break;
		if (below + 1 < feed->num_due &&
		    is_before(feed, feed->due[below + 1], feed->due[below]))
			below++;
		if (!is_before(feed, feed->due[below], last))
			break;
		feed->due[at] = feed->due[below];
		at = below;
	}
	feed->due[at] = last;
}

void feed_take(struct feed *feed, size_t id)
{
	if (feed->num_due && feed->due[0] == id) {
		drop_first(feed);
		return;
	}
	feed->next++;
	skip_later_turns(feed);
}

static void add_due(struct feed *feed, uint32_t id)
{
	size_t at = feed->num_due++;

	while (at && is_before(feed, id, feed->due[(at - 1) / 2])) {
		feed->due[at] = feed->due[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	feed->due[at] = id;
}

void feed_ended(struct feed *feed, size_t id, double at)
{
	uint32_t child = feed->child ? feed->child[id] : 0;

	for (; child; child = feed->sibling[child - 1]) {
		double delay_ms = feed->trace->reqs[child - 1].delay_ms;

		feed->reqs[child - 1].arrival_s =
			at + delay_ms / 1000.0 * feed->scale;
		add_due(feed, child - 1);
	}
}
