/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 1: in the spike of two records Fairway has the median of a hit-first
 * order and the p99 of first-come-first-served.
 */

#define RECORDS 2

static const char *const hit_first[] = {"lpm", "ragcache", "preble", "peek"};

/**
 * struct spike - two records
 * @records: the scenarios
 * @decides: they are those of the finding
 */
struct spike {
	struct paper *paper;
	struct paper_scenario *records[RECORDS];
	bool decides;
};

static const struct quantiles *spike_of(const struct spike *s, int record,
					const char *policy)
{
	return paper_window(s->paper, s->records[record], policy);
}

/* What the paper says of a policy's spike, as far as it says anything. */
static const char *paper_says(const char *policy)
{
	if (!strcmp(policy, "fairway"))
		return "0.82 / 7.6, 8.4";
	if (!strcmp(policy, "fcfs"))
		return "5.1 to 5.9 / near";
	for (size_t i = 0; i < ARRAY_SIZE(hit_first); i++)
		if (!strcmp(policy, hit_first[i]))
			return "- / 11 to 50";
	return "";
}

static void add_table(const struct spike *s, struct paper_finding *f,
		      enum paper_lists lists, const char *title)
{
	static const char *const columns[] = {"policy",	 "1: median",
					      "p99",	 "worst",
					      "starved", "2: median",
					      "p99",	 "worst",
					      "starved", "paper",
					      NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "%s, TTFT in seconds; paper: median / p99", title);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, lists);

	for (size_t i = 0; i < num; i++) {
		paper_cell_text(s->paper, table, "%s", policies[i]);
		for (int r = 0; r < RECORDS; r++) {
			const struct quantiles *q = spike_of(s, r, policies[i]);

			paper_cell_real(s->paper, table, q->p50, 2, "");
			paper_cell_real(s->paper, table, q->p99, 2, "");
			paper_cell_real(s->paper, table, q->max, 2, "");
			paper_cell_real(s->paper, table,
					(double)paper_figures(s->paper,
							      s->records[r],
							      policies[i])
						->starved,
					0, "");
		}
		paper_cell_text(s->paper, table, "%s", paper_says(policies[i]));
	}
}

static void judge_median(const struct spike *s, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, s->decides,
			    "Fairway's median is far below that of fcfs",
			    "0.82 s in both records, fcfs 5.1 to 5.9 s",
			    "at most half of that of fcfs in both records");
	double here[RECORDS], fcfs[RECORDS];

	for (int r = 0; r < RECORDS; r++) {
		here[r] = spike_of(s, r, "fairway")->p50;
		fcfs[r] = spike_of(s, r, "fcfs")->p50;
	}
	paper_judge(claim, here[0] <= fcfs[0] / 2 && here[1] <= fcfs[1] / 2,
		    "%.2f and %.2f s, fcfs %.2f and %.2f s", here[0], here[1],
		    fcfs[0], fcfs[1]);
}

static void judge_p99(const struct spike *s, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, s->decides, "Fairway's p99 is near that of fcfs",
			    "7.6 and 8.4 s, near that of fcfs",
			    "at most 1.10 times that of fcfs in both records");
	double here[RECORDS], fcfs[RECORDS];

	for (int r = 0; r < RECORDS; r++) {
		here[r] = spike_of(s, r, "fairway")->p99;
		fcfs[r] = spike_of(s, r, "fcfs")->p99;
	}
	paper_judge(claim, here[0] <= 1.1 * fcfs[0] && here[1] <= 1.1 * fcfs[1],
		    "%.2f and %.2f s, fcfs %.2f and %.2f s", here[0], here[1],
		    fcfs[0], fcfs[1]);
}

/* The least p99 of a hit-first order is the one that tests the sentence. */
static const char *least_p99(const struct spike *s, int record)
{
	const char *best = hit_first[0];

	for (size_t i = 1; i < ARRAY_SIZE(hit_first); i++)
		if (spike_of(s, record, hit_first[i])->p99 <
		    spike_of(s, record, best)->p99)
			best = hit_first[i];
	return best;
}

static void judge_hit_first(const struct spike *s, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, s->decides,
		"the p99 of every hit-first order is above Fairway's",
		"11 to 50 s against 7.6 and 8.4 s",
		"each of lpm, ragcache, preble, peek above it in both records");
	const char *least[RECORDS] = {least_p99(s, 0), least_p99(s, 1)};
	double low[RECORDS], here[RECORDS];

	for (int r = 0; r < RECORDS; r++) {
		low[r] = spike_of(s, r, least[r])->p99;
		here[r] = spike_of(s, r, "fairway")->p99;
	}
	paper_judge(claim, low[0] > here[0] && low[1] > here[1],
		    "the least are %s %.2f and %s %.2f s, Fairway %.2f and "
		    "%.2f s",
		    least[0], low[0], least[1], low[1], here[0], here[1]);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median, least and largest of one figure over the seeds. */
static void add_spread(struct paper *paper, struct paper_table *table,
		       double *values)
{
	qsort(values, PAPER_SEEDS, sizeof(*values), compare);
	paper_cell_real(paper, table, values[(PAPER_SEEDS - 1) / 2], 2, "");
	paper_cell_real(paper, table, values[0], 2, "");
	paper_cell_real(paper, table, values[PAPER_SEEDS - 1], 2, "");
}

/* Are the two records like others that the same generator makes? */
static void add_seeds(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "median", "least",
					      "most",	"p99",	  "least",
					      "most",	NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "ours: spikes of records 1 to %u: median of their "
			    "medians and of their p99, with the extremes",
			    PAPER_SEEDS);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);

	for (size_t i = 0; i < num; i++) {
		double p50[PAPER_SEEDS], p99[PAPER_SEEDS];

		for (uint32_t n = 0; n < PAPER_SEEDS; n++) {
			char name[32];
			const struct paper_setting setting =
				paper_record(name, sizeof(name), n + 1);
			const struct quantiles *q =
				paper_window(paper,
					     paper_scenario(paper, &setting),
					     policies[i]);

			p50[n] = q->p50;
			p99[n] = q->p99;
		}
		paper_cell_text(paper, table, "%s", policies[i]);
		add_spread(paper, table, p50);
		add_spread(paper, table, p99);
	}
}

static void judge(const struct spike *s, struct paper_finding *f)
{
	judge_median(s, f);
	judge_p99(s, f);
	judge_hit_first(s, f);
}

void paper_spike(struct paper *paper, struct paper_finding *finding)
{
	struct spike own = {.paper = paper, .decides = true};
	struct spike mild = {.paper = paper};

	for (int r = 0; r < RECORDS; r++) {
		own.records[r] = paper_scenario(paper, &paper_settings[r]);
		mild.records[r] =
			paper_scenario(paper, &paper_mild_settings[r]);
	}
	add_table(&own, finding, PAPER_WITH_VARIANTS,
		  "spikes of records 1 and 2");
	add_table(&mild, finding, PAPER_ALL,
		  "ours: the same records with spikes of 4/s instead of 4.5");
	if (!paper->args->quick)
		add_seeds(paper, finding);
	judge(&own, finding);
	judge(&mild, finding);
}
