/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A request that begins or stops to wait. */
struct start {
	double at;
	double work;
};

/**
 * struct sweep - a walk over all that happens, by time
 * @line: what is filled
 * @arrivals: of those that waited, by time
 * @starts: of those that waited, by time
 * @num_starts: how many
 * @next: the first that is still to come
 * @waiting: requests that wait now
 * @work: their uncached tokens
 * @at: the interval that now is in
 */
struct sweep {
	struct timeline *line;
	struct start *arrivals;
	struct start *starts;
	size_t num_starts;
	size_t next;
	double waiting;
	double work;
	size_t at;
};

static double work_of(const struct trace_req *req,
		      const struct sim_request *ended)
{
	return (double)req->len - (double)ended->cached;
}

/* A request that starts on arrival, or that was rejected, never waits. */
static bool waits(const struct sim_request *ended)
{
	return ended->outcome != SIM_REJECTED &&
	       ended->start_s > ended->arrival_s;
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct start *)a)->at;
	double y = ((const struct start *)b)->at;

	return (x > y) - (x < y);
}

static void note(struct sweep *s)
{
	struct timeline *line = s->line;

	line->waiting[s->at] = fmax(line->waiting[s->at], s->waiting);
	line->work[s->at] = fmax(line->work[s->at], s->work);
}

/*
 * What waits when an interval begins counts in it too, but not who starts right
 * then: a start goes only to intervals that began before it.
 */
static void go_to(struct sweep *s, double now, bool start)
{
	const struct timeline *line = s->line;

	while (s->at + 1 < line->num) {
		double edge = line->from_s + (double)(s->at + 1) * line->step_s;

		if (start ? now <= edge : now < edge)
			break;
		s->at++;
		note(s);
	}
}

static void starts_until(struct sweep *s, double now)
{
	for (; s->next < s->num_starts && s->starts[s->next].at <= now;
	     s->next++) {
		go_to(s, s->starts[s->next].at, true);
		s->waiting -= 1.0;
		s->work -= s->starts[s->next].work;
	}
}

static void sweep(struct sweep *s)
{
	for (size_t i = 0; i < s->num_starts; i++) {
		starts_until(s, s->arrivals[i].at);
		go_to(s, s->arrivals[i].at, false);
		s->waiting += 1.0;
		s->work += s->arrivals[i].work;
		note(s);
	}
	starts_until(s, HUGE_VAL);
}

/* Later turns of a closed loop arrive in an order of their own. */
static bool in_order(const struct start *list, size_t num)
{
	for (size_t i = 1; i < num; i++)
		if (list[i].at < list[i - 1].at)
			return false;
	return true;
}

static void fill_starts(struct sweep *s, const struct trace *trace,
			const struct sim_result *result)
{
	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *ended = &result->reqs[i];
		double work = work_of(&trace->reqs[i], ended);

		if (!waits(ended))
			continue;
		s->arrivals[s->num_starts] =
			(struct start){ended->arrival_s, work};
		s->starts[s->num_starts++] =
			(struct start){ended->start_s, work};
	}
	qsort(s->starts, s->num_starts, sizeof(*s->starts), by_time);
	if (!in_order(s->arrivals, s->num_starts))
		qsort(s->arrivals, s->num_starts, sizeof(*s->arrivals),
		      by_time);
}

int timeline_init(struct timeline *line, const struct trace *trace,
		  const struct sim_result *result, double to_s, size_t num)
{
	double from = result->num_reqs ? result->reqs[0].arrival_s : 0.0;
	struct timeline made = {.num = num, .from_s = from};
	struct sweep s = {.line = &made};

	s.starts = calloc(2 * result->num_reqs + 1, sizeof(*s.starts));
	made.time = calloc(3 * num, sizeof(*made.time));
	if (!s.starts || !made.time) {
		free(made.time);
		free(s.starts);
		return -ENOMEM;
	}
	s.arrivals = s.starts + result->num_reqs;
	made.waiting = made.time + num;
	made.work = made.waiting + num;
	made.step_s = to_s > from ? (to_s - from) / (double)num : 1.0;
	for (size_t i = 0; i < num; i++)
		made.time[i] = from + ((double)i + 0.5) * made.step_s;
	fill_starts(&s, trace, result);
	sweep(&s);
	free(s.starts);
	*line = made;
	return 0;
}

void timeline_destroy(struct timeline *line)
{
	free(line->time);
	line->time = NULL;
	line->num = 0;
}
