/* SPDX-License-Identifier: Apache-2.0 */
#include "arrivals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/mem.h"
#include "tools/base/rng.h"
#include "sessions.h"

/* A clock that began with the file shows less at its first request. */
#define HOUR_MS 3600e3

static int no_memory(const struct lines *lines, struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "%s:%llu: not enough memory",
			lines->path, (unsigned long long)lines->number);
}

static bool is_turn(const struct arrival *arrival)
{
	return arrival->session || arrival->self || arrival->parent;
}

/* The first turn brings room for all that came before it. */
static int add_turn(struct arrival_list *a, const struct arrival *arrival)
{
	struct turn *turns;

	if (!a->turns && !is_turn(arrival))
		return 0;
	turns = mem_grow(a->turns, &a->cap_turns, a->num + 1, sizeof(*turns));
	if (!turns)
		return -ENOMEM;
	if (!a->turns)
		memset(turns, 0, a->num * sizeof(*turns));
	a->turns = turns;
	turns[a->num] = (struct turn){
		.session = arrival->session,
		.self = arrival->self,
		.parent = arrival->parent,
		.delay_ms = arrival->delay_ms,
		.end = arrival->end,
		.has_end = arrival->has_end,
	};
	return 0;
}

static int check_order(struct arrival_list *a, const struct arrival *arrival,
		       const char *field, bool strict,
		       const struct lines *lines, struct diag *diag)
{
	if (!arrival->has_time)
		return 0;
	if (a->num == a->missing || moment_compare(arrival->at, a->last) >= 0) {
		a->last = arrival->at;
		return 0;
	}
	a->late++;
	if (!strict)
		return 0;
	return lines_bad(lines, diag, field,
			 "expected no time before that of the request before "
			 "(%.9g ms earlier)",
			 moment_between(arrival->at, a->last));
}

/* Either all requests have a time or none has; later turns may do without. */
static int check_missing(const struct arrival_list *a,
			 const struct arrival *arrival, const char *field,
			 const struct lines *lines, struct diag *diag)
{
	bool none = a->missing == a->num;

	if (arrival->has_time ? !a->num || !none : !a->num || none)
		return 0;
	if (is_turn(arrival) || a->turns)
		return 0;
	return lines_bad(lines, diag, field,
			 none ? "expected no time, as the requests before "
				"have none (a time)"
			      : "expected a time, as the requests before have "
				"one (none)");
}

int arrival_add(struct arrival_list *a, const struct arrival *arrival,
		const char *field, bool strict, const struct lines *lines,
		struct diag *diag)
{
	struct moment *at;
	int ret = check_missing(a, arrival, field, lines, diag);

	if (!ret)
		ret = check_order(a, arrival, field, strict, lines, diag);
	if (ret)
		return ret;
	at = mem_grow(a->at, &a->cap, a->num + 1, sizeof(*at));
	if (!at)
		return no_memory(lines, diag);
	a->at = at;
	if (add_turn(a, arrival))
		return no_memory(lines, diag);
	at[a->num] = arrival->has_time ? arrival->at
				       : (struct moment){.ms = MOMENT_NONE};
	a->missing += !arrival->has_time;
	a->num++;
	return 0;
}

/* Whole milliseconds, as everywhere where arrivals are drawn. */
static void draw(struct arrival_list *a, const struct arrival_rate *rate)
{
	double shape = rate->shape > 0.0 ? rate->shape : 1.0;
	double now = 0.0;
	struct rng rng;

	rng_seed(&rng, rate->seed);
	for (size_t i = 0; i < a->num; i++) {
		now += rng_gamma(&rng, shape, 1.0 / rate->rate);
		a->at[i] = (struct moment){
			.ms = (int64_t)floor(now * 1000.0 + 0.5)};
	}
	a->missing = 0;
}

static int fill_missing(struct arrival_list *a, const struct arrival_rate *rate,
			const char *field, const char *path, struct diag *diag)
{
	int64_t left;

	if (a->missing == a->num && rate->rate > 0.0) {
		draw(a, rate);
		return 0;
	}
	if (rate->rate > 0.0)
		return diag_set(diag, -EINVAL,
				"--rate: expected requests without arrival "
				"times (those in %s have them; --time-scale "
				"and --load change them)",
				path);
	if (!a->missing)
		return 0;
	left = sessions_fill(a);
	if (left < 0)
		return diag_set(diag, (int)left, "%s: not enough memory", path);
	if (!left)
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: %s: expected times, or --rate R to draw them "
			"(%lld of %zu requests have none)",
			path, field, (long long)left, a->num);
}

/* Where a request of the file goes, equal times in the order of the file. */
struct rank {
	struct moment at;
	size_t index;
};

static int by_time(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	int order = moment_compare(a->at, b->at);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

static bool in_order(const struct arrival_list *a)
{
	for (size_t i = 1; i < a->num; i++)
		if (moment_compare(a->at[i], a->at[i - 1]) < 0)
			return false;
	return true;
}

static int permute_turns(struct arrival_list *a, const struct rank *ranks)
{
	struct turn *turns;

	if (!a->turns)
		return 0;
	turns = malloc(a->num * sizeof(*turns));
	if (!turns)
		return -ENOMEM;
	for (size_t i = 0; i < a->num; i++)
		turns[i] = a->turns[ranks[i].index];
	free(a->turns);
	a->turns = turns;
	a->cap_turns = a->num;
	return 0;
}

static int sort(struct arrival_list *a, struct trace *trace)
{
	struct rank *ranks = malloc((a->num + 1) * sizeof(*ranks));
	size_t *order = malloc((a->num + 1) * sizeof(*order));
	int ret = -ENOMEM;

	if (!ranks || !order)
		goto out;
	for (size_t i = 0; i < a->num; i++)
		ranks[i] = (struct rank){a->at[i], i};
	qsort(ranks, a->num, sizeof(*ranks), by_time);
	for (size_t i = 0; i < a->num; i++) {
		order[i] = ranks[i].index;
		a->at[i] = ranks[i].at;
	}
	ret = permute_turns(a, ranks);
	if (!ret)
		ret = trace_reorder(trace, order);
out:
	free(ranks);
	free(order);
	return ret;
}

static struct moment origin(const struct arrival_list *a)
{
	struct moment zero = {0, 0};
	double first = moment_between(zero, a->at[0]);

	if (first > HOUR_MS &&
	    first > moment_between(a->at[0], a->at[a->num - 1]))
		return a->at[0];
	return zero;
}

int arrival_settle(struct arrival_list *a, struct trace *trace,
		   const struct arrival_rate *rate, const char *field,
		   const char *path, struct diag *diag)
{
	struct moment zero;
	int ret;

	trace->source.drawn = a->missing == a->num && rate->rate > 0.0;
	trace->source.late = a->late;
	ret = fill_missing(a, rate, field, path, diag);
	if (ret)
		return ret;
	if (!in_order(a))
		ret = sort(a, trace);
	if (!ret)
		ret = sessions_link(a, trace);
	if (ret)
		return diag_set(diag, ret, "%s: not enough memory", path);
	zero = origin(a);
	trace->source.origin_s =
		moment_between((struct moment){0, 0}, zero) / 1000.0;
	for (size_t i = 0; i < a->num; i++)
		trace->reqs[i].arrival_ms = moment_between(zero, a->at[i]);
	return 0;
}

void arrival_destroy(struct arrival_list *a)
{
	free(a->at);
	free(a->turns);
	*a = (struct arrival_list){.num = 0};
}
