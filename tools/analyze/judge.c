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

static bool is_astray(const struct analysis *a)
{
	double logged = together(&a->queue);
	double simulated = together(&a->simulated);

	return logged > ANALYZE_MAX_ASTRAY * simulated ||
	       simulated > ANALYZE_MAX_ASTRAY * logged;
}

/*
 * The simulated gain decides, for it counts all at once; what stands in its
 * way explains it. But where the logged queue is short and the simulated one
 * is not, there is a gain in the simulation only.
 */
void analyze_judge(struct analysis *a)
{
	a->reason = first_obstacle(a);
	a->astray = is_astray(a);
	if (a->gain_p50 < ANALYZE_MIN_GAIN ||
	    (a->astray && a->reason == REASON_SHORT_QUEUE)) {
		a->verdict = VERDICT_NO;
		return;
	}
	a->verdict =
		a->gain_p50 < ANALYZE_GOOD_GAIN ? VERDICT_LITTLE : VERDICT_PAYS;
	if (a->gain_p99 < -ANALYZE_MAX_LOSS) {
		a->verdict = VERDICT_LITTLE;
		a->reason = REASON_TAIL;
	}
}
