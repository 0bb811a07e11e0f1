/* SPDX-License-Identifier: Apache-2.0 */
#include "sessions.h"

#include <errno.h>
#include <stdlib.h>

/* A key that requests have in common or name, and one of the requests. */
struct keyed {
	uint64_t key;
	size_t index;
};

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The turns of each session side by side, in their order. */
static struct keyed *by_session(const struct arrival_list *arrivals,
				size_t *num)
{
	struct keyed *list = calloc(arrivals->num + 1, sizeof(*list));

	*num = 0;
	for (size_t i = 0; list && i < arrivals->num; i++)
		if (arrivals->turns[i].session)
			list[(*num)++] =
				(struct keyed){arrivals->turns[i].session, i};
	if (list)
		qsort(list, *num, sizeof(*list), by_key);
	return list;
}

static struct keyed *by_self(const struct arrival_list *arrivals, size_t *num)
{
	struct keyed *list = calloc(arrivals->num + 1, sizeof(*list));

	*num = 0;
	for (size_t i = 0; list && i < arrivals->num; i++)
		if (arrivals->turns[i].self)
			list[(*num)++] =
				(struct keyed){arrivals->turns[i].self, i};
	if (list)
		qsort(list, *num, sizeof(*list), by_key);
	return list;
}

int64_t sessions_fill(struct arrival_list *arrivals)
{
	struct moment *at = arrivals->at;
	struct keyed *list;
	bool *missing;
	size_t num;

	if (!arrivals->turns)
		return (int64_t)arrivals->missing;
	missing = calloc(arrivals->num, sizeof(*missing));
	list = by_session(arrivals, &num);
	if (!missing || !list) {
		free(missing);
		free(list);
		return -ENOMEM;
	}
	for (size_t i = 0; i < arrivals->num; i++)
		missing[i] = at[i].ms == MOMENT_NONE;
	for (size_t i = 1; i < num; i++) {
		size_t before = list[i - 1].index, here = list[i].index;

		if (list[i].key != list[i - 1].key || !missing[here] ||
		    at[before].ms == MOMENT_NONE ||
		    arrivals->turns[here].delay_ms < 0.0)
			continue;
		at[here] = moment_after(at[before],
					arrivals->turns[here].delay_ms);
		arrivals->missing--;
	}
	free(missing);
	free(list);
	return (int64_t)arrivals->missing;
}

static double delay_between(const struct arrival_list *arrivals, size_t before,
			    size_t here)
{
	const struct turn *turn = &arrivals->turns[before];
	double delay = arrivals->turns[here].delay_ms;

	if (delay < 0.0)
		delay = moment_between(turn->has_end ? turn->end
						     : arrivals->at[before],
				       arrivals->at[here]);
	return delay > 0.0 ? delay : 0.0;
}

static void link_turns(const struct arrival_list *arrivals, struct trace *trace,
		       size_t before, size_t here)
{
	trace->has_sessions = true;
	trace->reqs[here].after = (uint32_t)before + 1;
	trace->reqs[here].delay_ms = delay_between(arrivals, before, here);
}

static void link_sessions(const struct arrival_list *arrivals,
			  struct trace *trace, const struct keyed *list,
			  size_t num)
{
	for (size_t i = 1; i < num; i++)
		if (list[i].key == list[i - 1].key)
			link_turns(arrivals, trace, list[i - 1].index,
				   list[i].index);
}

/* A parent that arrives later than its child is none. */
static void link_parents(const struct arrival_list *arrivals,
			 struct trace *trace, const struct keyed *list,
			 size_t num)
{
	for (size_t i = 0; i < arrivals->num; i++) {
		size_t low = 0, high = num;
		uint64_t parent = arrivals->turns[i].parent;

		if (!parent)
			continue;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (list[middle].key < parent)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < num && list[low].key == parent && list[low].index < i)
			link_turns(arrivals, trace, list[low].index, i);
	}
}

int sessions_link(const struct arrival_list *arrivals, struct trace *trace)
{
	struct keyed *sessions, *selves;
	size_t num_sessions, num_selves;
	int ret = -ENOMEM;

	if (!arrivals->turns)
		return 0;
	sessions = by_session(arrivals, &num_sessions);
	selves = by_self(arrivals, &num_selves);
	if (sessions && selves) {
		link_sessions(arrivals, trace, sessions, num_sessions);
		link_parents(arrivals, trace, selves, num_selves);
		ret = 0;
	}
	free(sessions);
	free(selves);
	return ret;
}
