/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_SUMMARY_H
#define TOOLS_NODE_SUMMARY_H

#include <stdint.h>

#include "tools/trace/trace.h"
#include "percentiles.h"
#include "sim.h"

/* A figure that does not exist. A double: NAN of <math.h> is a float. */
#define NO_FIGURE __builtin_nan("")

/**
 * struct quantiles - exact nearest-rank figures of a set of TTFTs, seconds
 * @num: how many; all others are NAN when it is 0
 * @mean: their sum / @num
 * @p50: the median
 * @p90: 90th percentile
 * @p99: 99th percentile
 * @max: the largest
 * @of: which others were asked for; NULL for none
 * @more: those, in the same order
 */
struct quantiles {
	uint64_t num;
	double mean;
	double p50;
	double p90;
	double p99;
	double max;
	const struct percentiles *of;
	double more[PERCENTILES_MAX];
};

/* Exact figures of @num TTFTs; sorts @ttft. */
void quantiles_init(struct quantiles *q, double *ttft, uint64_t num);

/* Any of its percentiles; NAN where nobody asked for that one. */
double quantiles_at(const struct quantiles *q, uint32_t at);

/**
 * struct summary - the figures of one run, or of one phase of it
 * @requests: of the trace, or of the phase
 * @completed: served
 * @rejected: longer than the pool; they count in no other figure
 * @ttft: all of them
 * @worst_miss: largest TTFT without a cached block at admission, NAN if none
 * @worst_hit: largest TTFT with one, NAN if none
 * @hit_rate: cached tokens at admission / prompt tokens, NAN if nothing was
 *	served
 * @starved: requests with a TTFT over three times the whole run's p99
 * @phases: the same for each phase of the trace; NULL in a phase
 * @num_phases: how many
 */
struct summary {
	uint64_t requests;
	uint64_t completed;
	uint64_t rejected;
	struct quantiles ttft;
	double worst_miss;
	double worst_hit;
	double hit_rate;
	uint64_t starved;
	struct summary *phases;
	uint32_t num_phases;
};

/**
 * summary_init() - compute the figures of a run
 * @sum: written only on success
 * @trace: the requests
 * @result: what became of them
 * @percentiles: other ones to reckon, kept; NULL for none
 *
 * Percentiles are exact: the ceil(q * n)-th smallest of the n served.
 *
 * Return: 0, -ENOMEM.
 */
int summary_init(struct summary *sum, const struct trace *trace,
		 const struct sim_result *result,
		 const struct percentiles *percentiles);
void summary_destroy(struct summary *sum);

#endif
