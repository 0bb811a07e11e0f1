/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze.h"

static double together(const struct queue_spread *queue)
{
	return queue->arrivals
		       ? (double)queue->together / (double)queue->arrivals
		       : 0.0;
}

static enum reason first_obstacle(const struct analysis *a)
{
	if (together(&a->queue) < ANALYZE_MIN_TOGETHER)
		return REASON_SHORT_QUEUE;
	if ((double)a->cached_tokens <
	    ANALYZE_MIN_HIT_RATE * (double)a->prompt_tokens)
		return REASON_FEW_HITS;
	if (a->queue.p90_p10.p50 < ANALYZE_MIN_SPREAD)
		return REASON_NARROW;
	return REASON_WIDE;
}

/*
 * The times of log and simulation are compared, and how often two wait. Of two
 * queues that are both short neither is long enough to compare.
 */
static bool is_astray(const struct analysis *a)
{
	double logged = together(&a->queue);
	double simulated = together(&a->simulated);

	if (a->match.times == LOG_NO_TIMES)
		return false;
	if (!node_fits(&a->match.simulated))
		return true;
	return (logged >= ANALYZE_MIN_TOGETHER &&
		logged > MATCH_MAX_APART * simulated) ||
	       (simulated >= ANALYZE_MIN_TOGETHER &&
		simulated > MATCH_MAX_APART * logged);
}

/* A log without times does not tell whether the simulated tail is its own. */
static enum tail tail_of(const struct analysis *a)
{
	if (analyze_slowest(a) < ANALYZE_MIN_TAIL)
		return TAIL_FEW;
	if (a->form && a->match.times == LOG_NO_TIMES)
		return TAIL_UNCHECKED;
	return TAIL_HOLDS;
}

/* A p99 can fall while a few requests starve: so the longest one counts too. */
static bool loses_tail(const struct gain *gain)
{
	return gain->p99 < -ANALYZE_MAX_LOSS ||
	       1.0 - gain->max > ANALYZE_MAX_WORST;
}

/* May the verdict be about this order? */
static bool eligible(const struct analysis *a, unsigned int i, bool any_tail)
{
	return i != a->base && (any_tail || !loses_tail(&a->gains[i]));
}

static bool choose_by_median(struct analysis *a, bool any_tail)
{
	bool found = false;

	for (unsigned int i = 0; i < a->num; i++) {
		if (!eligible(a, i, any_tail))
			continue;
		if (!found || a->gains[i].p50 > a->gains[a->best].p50)
			a->best = i;
		found = true;
	}
	return found && a->gains[a->best].p50 >= ANALYZE_MIN_GAIN;
}

/* Medians that are about equal do not decide. The p99s do, if they hold. */
static void choose_by_tail(struct analysis *a)
{
	double most = a->gains[a->best].p50;

	if (a->tail != TAIL_HOLDS)
		return;
	for (unsigned int i = 0; i < a->num; i++)
		if (eligible(a, i, false) &&
		    a->gains[i].p50 >= most - ANALYZE_TIE &&
		    a->gains[i].p99 > a->gains[a->best].p99)
			a->best = i;
}

/* An order that loses the tail is the best only where no other order gains. */
static void choose(struct analysis *a)
{
	if (!choose_by_median(a, false))
		choose_by_median(a, true);
	choose_by_tail(a);
}

/*
 * The simulated gain decides, for it counts all at once. What stands in its way
 * explains it. There is no gain to tell where the simulated node is not the one
 * that was logged.
 */
void analyze_judge(struct analysis *a)
{
	const struct gain *gain;

	a->reason = first_obstacle(a);
	a->astray = is_astray(a);
	a->tail = tail_of(a);
	choose(a);
	gain = &a->gains[a->best];
	if (a->astray) {
		a->verdict = VERDICT_OTHER_NODE;
		a->reason = REASON_OTHER_NODE;
	} else if (gain->p50 < ANALYZE_MIN_GAIN) {
		a->verdict = VERDICT_NO;
	} else if (loses_tail(gain)) {
		a->verdict = VERDICT_LITTLE;
		a->reason = REASON_TAIL;
	} else {
		a->verdict = gain->p50 < ANALYZE_GOOD_GAIN ? VERDICT_LITTLE
							   : VERDICT_PAYS;
	}
}
