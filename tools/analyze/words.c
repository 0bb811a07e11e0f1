/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze.h"

const char *verdict_text(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PAYS:
		return "reordering pays";
	case VERDICT_LITTLE:
		return "pays little";
	case VERDICT_NO:
		return "not worth it";
	default:
		return "this is not the node that was logged";
	}
}

const char *analyze_base_text(const struct analysis *a)
{
	return a->base == ANALYZE_FCFS ? "first-come-first-served"
				       : a->names[a->base];
}

const char *match_times_text(const struct match *match)
{
	return match->times == LOG_STARTS ? "time to start"
					  : "time to first token";
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

/* A loss in the p99 is a warning and is always told. A gain has to hold. */
bool analyze_tells_p99(const struct analysis *a, unsigned int i)
{
	return a->tail == TAIL_HOLDS || lround(100.0 * a->gains[i].p99) <= 0;
}

static const char *change_p99(const struct analysis *a, char *buf, size_t size)
{
	char text[32];

	if (analyze_tells_p99(a, a->best))
		snprintf(buf, size, ", its p99 %s",
			 change(a->gains[a->best].p99, text, sizeof(text)));
	else if (a->tail == TAIL_FEW)
		snprintf(buf, size,
			 "; %" PRIu64 " requests are too few to tell what its "
			 "p99 gains",
			 a->requests);
	else
		snprintf(buf, size,
			 "; a log without times does not tell what its p99 "
			 "gains");
	return buf;
}

/* The longest one is told where it is a price. */
static const char *change_max(const struct analysis *a, char *buf, size_t size)
{
	double times = 1.0 - a->gains[a->best].max;

	*buf = '\0';
	if (times > ANALYZE_MAX_WORST)
		snprintf(buf, size, ", its longest %.1f times", times);
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

static void queues_apart(const struct analysis *a, char *buf, size_t size)
{
	const struct queue_spread *q = &a->queue, *s = &a->simulated;

	snprintf(buf, size,
		 "two or more wait at %.1f%% of the arrivals in the log and at "
		 "%.1f%% in the simulation on %s, over %.0f times apart; so "
		 "what is gained there says nothing about this log",
		 100.0 * analyze_share(q->together, q->arrivals),
		 100.0 * analyze_share(s->together, s->arrivals),
		 a->config->device, MATCH_MAX_APART);
}

static void times_apart(const struct analysis *a, char *buf, size_t size)
{
	const struct match *match = &a->match;

	snprintf(
		buf, size,
		"the %s has a median of %.3f s and a p99 of %.3f s in the log, "
		"of %.3f s and %.3f s in the simulation on %s, over %.0f "
		"times apart; so what is gained there says nothing about "
		"this log",
		match_times_text(match), match->logged.p50, match->logged.p99,
		match->simulated.p50, match->simulated.p99, a->config->device,
		MATCH_MAX_APART);
}

static void gain_text(const struct analysis *a, char *buf, size_t size)
{
	bool for_it = a->reason == REASON_WIDE || a->reason == REASON_TAIL;
	bool although = for_it != (a->verdict == VERDICT_PAYS) &&
			a->reason != REASON_TAIL;
	double gain = a->gains[a->best].p50;
	char why[128], p50[32], p99[96], max[48];

	snprintf(buf, size, "%s%s%s %s's simulated median is %s%s %s's%s%s",
		 although ? "although " : "", cause(a, why, sizeof(why)),
		 although ? "," : ";", a->names[a->best],
		 change(gain, p50, sizeof(p50)),
		 lround(100.0 * gain) ? " than" : " as", analyze_base_text(a),
		 change_p99(a, p99, sizeof(p99)),
		 change_max(a, max, sizeof(max)));
}

void reason_text(const struct analysis *a, char *buf, size_t size)
{
	if (a->verdict != VERDICT_OTHER_NODE)
		gain_text(a, buf, size);
	else if (node_fits(&a->match.simulated))
		queues_apart(a, buf, size);
	else
		times_apart(a, buf, size);
}

static unsigned int num_fits(const struct match *match)
{
	unsigned int num = 0;

	for (unsigned int i = 0; i < match->num_devices; i++)
		num += node_fits(&match->devices[i]);
	return num;
}

static const char *device_advice(const struct match *match, char *buf,
				 size_t size)
{
	const struct node_times *best = match_best(match);

	if (!match->num_devices)
		*buf = '\0';
	else if (best)
		snprintf(buf, size, "--device %s fits the log%s. ",
			 best->device, num_fits(match) > 1 ? " best" : "");
	else
		snprintf(buf, size, "No built-in device has such times. ");
	return buf;
}

/* What holds requests up beside prefill makes the logged times longer. */
static bool waits_longer(const struct match *match)
{
	return match->logged.p50 > match->simulated.p50 ||
	       match->logged.p99 > match->simulated.p99;
}

void advice_text(const struct analysis *a, char *buf, size_t size)
{
	char device[64];

	snprintf(buf, size,
		 "%s\"fairway calibrate\" makes a table of a node's own step "
		 "times, for --table.%s",
		 device_advice(&a->match, device, sizeof(device)),
		 waits_longer(&a->match)
			 ? " If the device is right, requests wait for more "
			   "than prefill: for decode in the same steps, for "
			   "memory, or for a limit on how many run. An order "
			   "of prefill does not shorten that."
			 : "");
}
