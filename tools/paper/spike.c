/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 1: in the spike of a record Fairway has the median of a hit-first
 * order and the p99 of first-come-first-served.
 */

static const char *const hit_first[] = {"lpm", "ragcache", "preble", "peek"};

static const struct quantiles *spike_of(struct paper *paper, uint32_t seed,
					const char *policy)
{
	const struct paper_setting *record = &paper_settings[PAPER_RECORD];

	return paper_ttft(paper, record, seed, policy, record->window);
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

static void add_row(struct paper *paper, struct paper_table *table,
		    const char *policy)
{
	double p50[PAPER_SEEDS], p99[PAPER_SEEDS], worst[PAPER_SEEDS];
	unsigned int starving = 0;

	for (uint32_t n = 0; n < paper->seeds; n++) {
		const struct quantiles *q = spike_of(paper, n + 1, policy);
		struct paper_scenario *record =
			paper_scenario(paper, &paper_settings[PAPER_RECORD],
				       n + 1);

		p50[n] = q->p50;
		p99[n] = q->p99;
		worst[n] = q->max;
		starving += paper_figures(paper, record, policy)->starved > 0;
	}
	paper_cell_text(paper, table, "%s", policy);
	paper_cell_spread(paper, table, p50, 2);
	paper_cell_spread(paper, table, p99, 2);
	paper_cell_median(paper, table, worst, 2);
	paper_cell_real(paper, table, starving, 0, "");
	paper_cell_text(paper, table, "%s", paper_says(policy));
}

static void add_table(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "median", "least",
					      "most",	"p99",	  "least",
					      "most",	"worst",  "starving",
					      "paper",	NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "spikes of %u records, TTFT in seconds: medians "
			    "over them, with extremes; starving: records",
			    paper->seeds);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_WITH_VARIANTS);

	for (size_t i = 0; i < num; i++)
		add_row(paper, table, policies[i]);
}

/* Fairway against another order in the spike of a record. */
static void judge(struct paper *paper, struct paper_claim *claim,
		  enum paper_figure figure, const char *other, double most)
{
	const struct paper_setting *record = &paper_settings[PAPER_RECORD];

	paper_contest(paper, claim,
		      &(const struct paper_contest){
			      .setting = record,
			      .group = record->window,
			      .figure = figure,
			      .own = "fairway",
			      .other = other,
			      .own_name = "Fairway",
			      .other_name = other,
			      .most = most,
		      });
}

/* The least p99 of a hit-first order is the one that tests the sentence. */
static void judge_hit_first(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true, "the p99 of every hit-first order is above Fairway's",
		"11 to 50 s against 7.6 and 8.4 s",
		"each of lpm, ragcache, preble, peek is above it");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		double own = spike_of(paper, n + 1, "fairway")->p99;
		double least = spike_of(paper, n + 1, hit_first[0])->p99;

		for (size_t i = 1; i < ARRAY_SIZE(hit_first); i++) {
			double p99 = spike_of(paper, n + 1, hit_first[i])->p99;

			least = p99 < least ? p99 : least;
		}
		pairs[n] = (struct paper_pair){own, least, least > own};
	}
	paper_judge(paper, claim, pairs, "Fairway", "the least of them", 2);
}

void paper_spike(struct paper *paper, struct paper_finding *finding)
{
	add_table(paper, finding);
	judge(paper,
	      paper_claim(finding, true,
			  "Fairway's median is far below that of fcfs",
			  "0.82 s in both records, fcfs 5.1 to 5.9 s",
			  "at most half of that of fcfs"),
	      PAPER_MEDIAN, "fcfs", 0.5);
	judge(paper,
	      paper_claim(finding, true, "Fairway's p99 is near that of fcfs",
			  "7.6 and 8.4 s, near that of fcfs",
			  "at most 1.10 times that of fcfs"),
	      PAPER_P99, "fcfs", 1.1);
	judge_hit_first(paper, finding);
	/* Near is a word of the finding, and a target of the second one. */
	judge(paper,
	      paper_claim(finding, false, "Fairway's median is near lpm's", "-",
			  "at most 1.10 times lpm's"),
	      PAPER_MEDIAN, "lpm", 1.1);
}
