/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 2: of six targets for a record (median at most 1.10 times lpm's, p99
 * at most 1.10 times that of fcfs, in the steady phase, the burst and the
 * spike) Fairway meets all, and no baseline more than four.
 */

#define TARGETS 6u
#define FACTOR 1.10

static const char *const phases[] = {"steady", "burst", "spike"};

enum {
	NUM_PHASES = ARRAY_SIZE(phases),
};

/**
 * struct score - a policy held against the targets of one record
 * @median: of each phase, over lpm's
 * @p99: of each phase, over that of fcfs
 * @met: targets
 */
struct score {
	double median[NUM_PHASES];
	double p99[NUM_PHASES];
	unsigned int met;
};

static struct score score(struct paper *paper, uint32_t seed,
			  const char *policy)
{
	struct paper_scenario *record =
		paper_scenario(paper, &paper_settings[PAPER_RECORD], seed);
	const struct paper_figures *own = paper_figures(paper, record, policy);
	const struct paper_figures *lpm = paper_figures(paper, record, "lpm");
	const struct paper_figures *fcfs = paper_figures(paper, record, "fcfs");
	struct score s = {.met = 0};

	for (size_t i = 0; i < NUM_PHASES; i++) {
		const struct quantiles *q = paper_group(own, phases[i]);

		s.median[i] = q->p50 / paper_group(lpm, phases[i])->p50;
		s.p99[i] = q->p99 / paper_group(fcfs, phases[i])->p99;
		s.met += s.median[i] <= FACTOR;
		s.met += s.p99[i] <= FACTOR;
	}
	return s;
}

/**
 * struct tally - a policy under all seeds
 * @six: records of which it meets all targets
 * @five: of which it misses one
 * @sum: of the targets that it meets
 * @median: of each phase and seed, over lpm's
 * @p99: of each phase and seed, over that of fcfs
 */
struct tally {
	unsigned int six;
	unsigned int five;
	unsigned int sum;
	double median[NUM_PHASES][PAPER_SEEDS];
	double p99[NUM_PHASES][PAPER_SEEDS];
};

static void count(struct paper *paper, const char *policy, struct tally *t)
{
	*t = (struct tally){.sum = 0};
	for (uint32_t n = 0; n < paper->seeds; n++) {
		struct score s = score(paper, n + 1, policy);

		t->six += s.met == TARGETS;
		t->five += s.met == TARGETS - 1;
		t->sum += s.met;
		for (size_t i = 0; i < NUM_PHASES; i++) {
			t->median[i][n] = s.median[i];
			t->p99[i][n] = s.p99[i];
		}
	}
}

static void add_table(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "all six", "five",
					      "fewer",	"mean",	   "steady",
					      "burst",	"spike",   "steady",
					      "burst",	"spike",   NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "%u records: how many meet so many targets; then "
			    "median / lpm's and p99 / that of fcfs, by phase",
			    paper->seeds);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);
	struct tally t;

	for (size_t i = 0; i < num; i++) {
		count(paper, policies[i], &t);
		paper_cell_text(paper, table, "%s", policies[i]);
		paper_cell_real(paper, table, t.six, 0, "");
		paper_cell_real(paper, table, t.five, 0, "");
		paper_cell_real(paper, table, paper->seeds - t.six - t.five, 0,
				"");
		paper_cell_real(paper, table, t.sum / (double)paper->seeds, 2,
				"");
		for (size_t k = 0; k < NUM_PHASES; k++)
			paper_cell_median(paper, table, t.median[k], 2);
		for (size_t k = 0; k < NUM_PHASES; k++)
			paper_cell_median(paper, table, t.p99[k], 2);
	}
}

static void judge_fairway(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, true, "Fairway meets all six targets", "6 and 6",
			    "6 of 6");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		unsigned int met = score(paper, n + 1, "fairway").met;

		pairs[n] = (struct paper_pair){met, TARGETS, met == TARGETS};
	}
	paper_judge(paper, claim, pairs, "Fairway", "targets", 1);
}

/* Targets that the best of a list meets. */
static unsigned int most_met(struct paper *paper, uint32_t seed,
			     const char *const *list)
{
	unsigned int most = 0;

	for (; *list; list++) {
		unsigned int met = score(paper, seed, *list).met;

		most = met > most ? met : most;
	}
	return most;
}

static void judge_list(struct paper *paper, struct paper_claim *claim,
		       const char *const *list)
{
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		unsigned int most = most_met(paper, n + 1, list);

		pairs[n] = (struct paper_pair){most, 4.0, most <= 4};
	}
	paper_judge(paper, claim, pairs, "the best of them", "allowed", 1);
}

static void judge_ahead(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, false,
			    "Fairway meets more targets than any baseline",
			    "6 against 4", "more than each of the paper's");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		unsigned int met = score(paper, n + 1, "fairway").met;
		unsigned int most = most_met(paper, n + 1, paper_baselines);

		pairs[n] = (struct paper_pair){met, most, met > most};
	}
	paper_judge(paper, claim, pairs, "Fairway", "the best of them", 1);
}

void paper_targets(struct paper *paper, struct paper_finding *finding)
{
	add_table(paper, finding);
	judge_fairway(paper, finding);
	judge_list(paper,
		   paper_claim(finding, true,
			       "no baseline meets more than four", "4",
			       "none of the paper's over 4"),
		   paper_baselines);
	judge_list(paper,
		   paper_claim(finding, false,
			       "nor does one that the paper does not compare "
			       "with",
			       "-", "none of hrrn, spf, rsjf, uniboost over 4"),
		   paper_others);
	judge_ahead(paper, finding);
}
