/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_SPREAD_H
#define TOOLS_NODE_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/trace.h"
#include "sim.h"

/**
 * struct spread - the TTFTs of one run, or of one phase of it, sorted
 * @ttft: seconds, rising
 * @num: how many were served
 */
struct spread {
	double *ttft;
	size_t num;
};

/**
 * spread_init() - collect and sort the TTFTs of a run
 * @spread: written only on success
 * @phase: of the trace, or below 0 for all
 *
 * Return: 0, -ENOMEM.
 */
int spread_init(struct spread *spread, const struct trace *trace,
		const struct sim_result *result, int64_t phase);
void spread_destroy(struct spread *spread);

/* Nearest rank, @percent from 0 to 100; NAN of nothing. */
double spread_at(const struct spread *spread, double percent);

/* TTFTs of the requests in one bin. */
struct bin {
	uint64_t num;
	double p50;
	double p99;
};

enum {
	SPREAD_MAX_BINS = 10
};

/**
 * struct bins - requests by a property of theirs
 * @num: bins
 * @from: least value in each
 * @to: largest value in each
 * @at: the value at which a plot shows it
 */
struct bins {
	size_t num;
	double from[SPREAD_MAX_BINS];
	double to[SPREAD_MAX_BINS];
	double at[SPREAD_MAX_BINS];
};

/* By tokens of the prompt, about as many requests in each. 0 or -ENOMEM. */
int bins_by_length(struct bins *bins, const struct trace *trace);

/* By the share of the prompt that was cached at admission, in percent. */
void bins_by_share(struct bins *bins);

/**
 * bins_fill() - the TTFTs in each bin
 * @share: bins of bins_by_share(), else of bins_by_length()
 * @out: one for each bin
 *
 * Return: 0, -ENOMEM.
 */
int bins_fill(const struct bins *bins, bool share, const struct trace *trace,
	      const struct sim_result *result, struct bin *out);

#endif
