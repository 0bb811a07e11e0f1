/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_TIMELINE_H
#define TOOLS_NODE_TIMELINE_H

#include <stddef.h>

#include "tools/trace/trace.h"
#include "sim.h"

/**
 * struct timeline - who waited when, in intervals of equal length
 * @num: intervals
 * @from_s: where the first one begins, on the clock of the arrivals
 * @step_s: length of each
 * @time: middle of each
 * @waiting: most requests that waited at once in it
 * @work: most uncached tokens that waited at once; a request counts with the
 *	tokens that it had to compute when it started
 */
struct timeline {
	size_t num;
	double from_s;
	double step_s;
	double *time;
	double *waiting;
	double *work;
};

/**
 * timeline_init() - compute it from a run
 * @line: written only on success
 * @trace: the requests
 * @result: their run
 * @to_s: where the last interval ends
 * @num: intervals, at least 1
 *
 * A request waits from its arrival to the begin of its first step. A rejected
 * one never waits. O(n log n).
 *
 * Return: 0, -ENOMEM.
 */
int timeline_init(struct timeline *line, const struct trace *trace,
		  const struct sim_result *result, double to_s, size_t num);
void timeline_destroy(struct timeline *line);

#endif
