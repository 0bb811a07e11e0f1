/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_ANALYZE_H
#define TOOLS_ANALYZE_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/node/sim.h"
#include "tools/log/log.h"
#include "tools/node/summary.h"
#include "queue_spread.h"

/*
 * Would another order help this queue? What waits together must differ in the
 * work that is left, and simulated runs must gain by it.
 */

/*
 * When the answer is no, or not much. A queue is short where fewer than two
 * requests wait at most arrivals: there is nothing to choose from.
 */
#define ANALYZE_MIN_TOGETHER 0.5 /* share of the arrivals with two or more */
#define ANALYZE_MIN_HIT_RATE 0.05 /* cached tokens / prompt tokens */
#define ANALYZE_MIN_SPREAD 3.0 /* median of p90/p10 of the work */
#define ANALYZE_MIN_GAIN 0.10 /* less is not worth it; share of the median */
#define ANALYZE_GOOD_GAIN 0.20 /* less is little */
#define ANALYZE_MAX_LOSS 0.25 /* more in the p99 is a price */
#define ANALYZE_MAX_ASTRAY 2.0 /* shares of logged and simulated queue apart */

enum {
	ANALYZE_REASON_SIZE = 400 /* bytes of a reason_text() */
};

enum {
	ANALYZE_FCFS,
	ANALYZE_LPM,
	ANALYZE_FAIRWAY,
	ANALYZE_POLICIES,
};

extern const char *const analyze_policy_names[ANALYZE_POLICIES];

/* Whose queue it is. */
enum queue_from {
	QUEUE_LOGGED,
	QUEUE_FROM_TTFT, /* starts reckoned back from the first tokens */
	QUEUE_SIMULATED, /* first come, first served */
};

enum verdict {
	VERDICT_PAYS,
	VERDICT_LITTLE,
	VERDICT_NO,
};

enum reason {
	REASON_WIDE, /* nothing stands in the way */
	REASON_SHORT_QUEUE,
	REASON_FEW_HITS,
	REASON_NARROW,
	REASON_TAIL,
};

/**
 * struct analysis - all that is known of a queue
 * @path: the file, as the user named it
 * @form: name of the log's form; NULL for a trace
 * @table: file of own prefill times, or NULL
 * @config: the node; its kv_blocks mean nothing for a log
 * @requests: that count
 * @left_out: of the log, that never started
 * @rejected: of the trace, longer than the pool
 * @prompt_tokens: of those that count
 * @cached_tokens: of them; as logged, or as hit under first-come-first-served
 * @hits: requests with any
 * @span_s: from the first arrival to the last
 * @from: whose queue @queue is
 * @queue: what waits together
 * @simulated: the queue of the first-come-first-served run; the same as @queue
 *	where that is simulated
 * @results: of the runs, by enum above
 * @sums: their figures
 * @load: busy time of the first-come-first-served run / @span_s; NAN where
 *	that is 0
 * @gain_p50: share of the first-come-first-served median that fairway saves
 * @gain_p99: the same of the p99; negative for a loss
 * @astray: the simulated queue is far from the logged one: so is its gain
 * @verdict: the answer
 * @reason: why; the answer may be what it is in spite of it
 */
struct analysis {
	const char *path;
	const char *form;
	const char *table;
	const struct sim_config *config;
	uint64_t requests;
	uint64_t left_out;
	uint64_t rejected;
	uint64_t prompt_tokens;
	uint64_t cached_tokens;
	uint64_t hits;
	double span_s;
	enum queue_from from;
	struct queue_spread queue;
	struct queue_spread simulated;
	struct sim_result results[ANALYZE_POLICIES];
	struct summary sums[ANALYZE_POLICIES];
	double load;
	double gain_p50;
	double gain_p99;
	bool astray;
	enum verdict verdict;
	enum reason reason;
};

/**
 * struct analyze_options - what an analysis is asked for
 * @path: as in struct analysis
 * @form: the same
 * @table: the same
 * @config: the node; kept, as the others are
 * @jobs: runs at once
 * @quiet: show no progress
 */
struct analyze_options {
	const char *path;
	const char *form;
	const char *table;
	const struct sim_config *config;
	unsigned int jobs;
	bool quiet;
};

/**
 * analyze_trace() - analyse the requests of a trace
 * @analysis: written only on success
 * @trace: the requests
 *
 * Return: 0 or -errno with @diag set; -EINVAL when none fits the pool.
 */
int analyze_trace(struct analysis *analysis, const struct trace *trace,
		  const struct analyze_options *options, struct diag *diag);

/* The same for a log: prompts keep the hits that they had. */
int analyze_log(struct analysis *analysis, const struct log *log,
		const struct analyze_options *options, struct diag *diag);

/* NAN of nothing. */
static inline double analyze_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : NO_FIGURE;
}

void analysis_destroy(struct analysis *analysis);

/* Fills astray, verdict and reason by the figures; exported for tests. */
void analyze_judge(struct analysis *analysis);

const char *verdict_text(enum verdict verdict);

/* One sentence, with the figures that it rests on. */
void reason_text(const struct analysis *analysis, char *buf, size_t size);

/* Each returns 0 or -errno (-ENOMEM, or what stdio met). */
int analyze_table(const struct analysis *analysis, FILE *to);
int analyze_json(const struct analysis *analysis, FILE *to);

#endif
