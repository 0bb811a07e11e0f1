/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "analyze.h"

const char *const analyze_policy_names[ANALYZE_POLICIES] = {
	[ANALYZE_FCFS] = "fcfs",
	[ANALYZE_LPM] = "lpm",
	[ANALYZE_FAIRWAY] = "fairway",
};

const char *verdict_text(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PAYS:
		return "reordering pays";
	case VERDICT_LITTLE:
		return "pays little";
	default:
		return "not worth it";
	}
}

/* "59% shorter", "7% longer", "the same". */
static const char *change(double gain, char *buf, size_t size)
{
	long percent = lround(100.0 * gain);

	if (percent)
		snprintf(buf, size, "%ld%% %s", labs(percent),
			 percent > 0 ? "shorter" : "longer");
	else
		snprintf(buf, size, "the same");
	return buf;
}

static const char *cause(const struct analysis *a, char *buf, size_t size)
{
	const struct queue_spread *queue = &a->queue;
	uint64_t alone = queue->arrivals - queue->together;

	switch (a->reason) {
	case REASON_SHORT_QUEUE:
		snprintf(buf, size,
			 "fewer than two requests wait at %.1f%% of the "
			 "arrivals",
			 100.0 * analyze_share(alone, queue->arrivals));
		break;
	case REASON_FEW_HITS:
		snprintf(buf, size,
			 "only %.1f%% of the prompt tokens are cached",
			 100.0 * analyze_share(a->cached_tokens,
					       a->prompt_tokens));
		break;
	case REASON_TAIL:
		snprintf(buf, size, "the tail pays for the median");
		break;
	default:
		snprintf(buf, size,
			 "the work of requests that wait together is spread "
			 "%s%.1f times (p90/p10)",
			 a->reason == REASON_NARROW ? "only " : "",
			 queue->p90_p10.p50);
	}
	return buf;
}

void reason_text(const struct analysis *a, char *buf, size_t size)
{
	bool for_it = a->reason == REASON_WIDE;
	bool although = for_it != (a->verdict == VERDICT_PAYS);
	char why[128], p50[32], p99[32];

	if (a->reason == REASON_TAIL)
		although = false;
	snprintf(buf, size,
		 "%s%s%s fairway's simulated median is %s%s "
		 "first-come-first-served's, its p99 %s%s",
		 although ? "although " : "", cause(a, why, sizeof(why)),
		 although ? "," : ";", change(a->gain_p50, p50, sizeof(p50)),
		 lround(100.0 * a->gain_p50) ? " than" : " as",
		 change(a->gain_p99, p99, sizeof(p99)),
		 a->astray ? "; but the simulated queue is far from the logged "
			     "one: --device or --table should name the node"
			   : "");
}
