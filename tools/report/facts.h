/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_FACTS_H
#define TOOLS_REPORT_FACTS_H

#include <stdbool.h>

#include "report.h"

/**
 * struct facts - what the reports say about a trace
 * @tokens: of all prompts
 * @longest: tokens of the longest prompt
 * @span_s: from the first arrival to the last, scaled
 */
struct facts {
	uint64_t tokens;
	uint32_t longest;
	double span_s;
};

void facts_init(struct facts *facts, const struct report *report);

/**
 * facts_source() - how a trace's times were understood, in words
 * @buf: "" for a generated workload
 *
 * Who takes seconds for milliseconds sees it by the mean rate.
 */
void facts_source(char *buf, size_t size, const struct report *report);

/* Busy time of a run / span of the arrivals; NAN where the span is 0. */
double facts_load(const struct report *report, unsigned int policy);

/**
 * facts_load_policy() - the run whose busy time says how much work was offered
 * @policy: that of fcfs, else the first
 *
 * Return: Whether it is fcfs, in which loads are given.
 */
bool facts_load_policy(const struct report *report, unsigned int *policy);

/* The worst TTFT in units of its run's p99; NAN where nothing was served. */
double facts_worst_over_p99(const struct summary *sum);

/**
 * struct floor_fact - how often a policy's SLO floor decides
 * @policy: the first one whose floor binds for most prompts
 * @prompts: prompts of the trace for which it does
 * @tokens: the longest prompt for which it would on this device
 */
struct floor_fact {
	unsigned int policy;
	uint64_t prompts;
	uint32_t tokens;
};

/* Return: 1 when there is such a policy, 0 when not, -errno. */
int facts_floor(struct floor_fact *fact, const struct report *report);

#endif
