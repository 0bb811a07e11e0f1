/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_ANALYZE_H
#define TOOLS_ANALYZE_ANALYZE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/node/sim.h"
#include "tools/log/log.h"
#include "tools/node/summary.h"
#include "tools/trace/trace.h"
#include "match.h"
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
#define ANALYZE_MAX_WORST 2.0 /* times the longest one: more is a price */
#define ANALYZE_TIE 0.05 /* medians this close, in their share, are equal */
#define ANALYZE_MIN_TAIL 10 /* requests slower than a p99 that is to be told */

enum {
	ANALYZE_REASON_SIZE = 600, /* bytes of a reason_text() */
	ANALYZE_MAX_RUNS = 8,
	ANALYZE_FCFS = 0, /* the first run is first come, first served */
};

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
	VERDICT_OTHER_NODE, /* the simulation says nothing about the log */
};

enum reason {
	REASON_WIDE, /* nothing stands in the way */
	REASON_SHORT_QUEUE,
	REASON_FEW_HITS,
	REASON_NARROW,
	REASON_TAIL,
	REASON_OTHER_NODE,
};

/* Whether a gain in the p99 means anything. */
enum tail {
	TAIL_HOLDS,
	TAIL_FEW, /* too few requests */
	TAIL_UNCHECKED, /* a log without times to compare it with */
};

/* Shares of the times under the order that the queue had. Losses are < 0. */
struct gain {
	double p50;
	double p99;
	double max;
};

/**
 * struct analysis - all that is known of a queue
 * @path: the file, as the user named it
 * @form: name of the log's form; NULL for a trace
 * @source: how the trace was read; all zeros for a log
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
 * @simulated: the queue of the run @base; the same as @queue where that is
 *	simulated
 * @num: runs, one for each order
 * @names: of the orders
 * @results: of the runs
 * @sums: their figures
 * @gains: what each order saves of @base's times
 * @base: index of the order that the queue had: first come, first served, or
 *	the order that a log's times are closest to
 * @best: index of the order that the verdict is about; never @base
 * @load: busy time of the first-come-first-served run / @span_s; NAN where
 *	that is 0
 * @match: a log beside its simulation; all zeros for a trace
 * @astray: the simulated node is not the logged one
 * @tail: whether gains in the p99 may be told
 * @verdict: the answer
 * @reason: why; the answer may be what it is in spite of it
 */
struct analysis {
	const char *path;
	const char *form;
	struct trace_source source;
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
	unsigned int num;
	const char *names[ANALYZE_MAX_RUNS];
	struct sim_result results[ANALYZE_MAX_RUNS];
	struct summary sums[ANALYZE_MAX_RUNS];
	struct gain gains[ANALYZE_MAX_RUNS];
	unsigned int base;
	unsigned int best;
	double load;
	struct match match;
	bool astray;
	enum tail tail;
	enum verdict verdict;
	enum reason reason;
};

/* A load outside of this is rarely that of a node that somebody runs. */
#define ANALYZE_MAX_LOAD 10.0
#define ANALYZE_MIN_LOAD 0.01

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

/*
 * Fills what follows from the figures: @astray, @tail, @best, @verdict and
 * @reason. Exported for tests.
 */
void analyze_judge(struct analysis *analysis);

const char *verdict_text(enum verdict verdict);

/* Requests slower than the p99. */
static inline uint64_t analyze_slowest(const struct analysis *a)
{
	return a->requests / 100;
}

/* One sentence, with the figures that it rests on. */
void reason_text(const struct analysis *analysis, char *buf, size_t size);

/* What to do where the verdict is VERDICT_OTHER_NODE. */
void advice_text(const struct analysis *analysis, char *buf, size_t size);

/* The order that the gains are measured by. */
const char *analyze_base_text(const struct analysis *analysis);

/* What a log and its simulation are compared by. */
const char *match_times_text(const struct match *match);

/* Whether the change in run @i's p99 may be told. */
bool analyze_tells_p99(const struct analysis *analysis, unsigned int i);

/* Each returns 0 or -errno (-ENOMEM, or what stdio met). */
int analyze_table(const struct analysis *analysis, FILE *to);
int analyze_json(const struct analysis *analysis, FILE *to);

#endif
