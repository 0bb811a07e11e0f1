/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 2: of six targets for each record (median at most 1.10 times lpm's,
 * p99 at most 1.10 times that of fcfs, in the steady phase, the burst and the
 * spike) Fairway meets all, and no baseline more than four.
 */

#define RECORDS 2
#define TARGETS 6u
#define FACTOR 1.10

static const char *const phases[] = {"steady", "burst", "spike"};

/**
 * struct score - a policy held against the targets of one record
 * @median: of each phase, over lpm's
 * @p99: of each phase, over that of fcfs
 * @met: targets
 */
struct score {
	double median[ARRAY_SIZE(phases)];
	double p99[ARRAY_SIZE(phases)];
	unsigned int met;
};

static struct score score(struct paper *paper, struct paper_scenario *record,
			  const char *policy)
{
	const struct paper_figures *own = paper_figures(paper, record, policy);
	const struct paper_figures *lpm = paper_figures(paper, record, "lpm");
	const struct paper_figures *fcfs = paper_figures(paper, record, "fcfs");
	struct score s = {.met = 0};

	for (size_t i = 0; i < ARRAY_SIZE(phases); i++) {
		const struct quantiles *q = paper_group(own, phases[i]);

		s.median[i] = q->p50 / paper_group(lpm, phases[i])->p50;
		s.p99[i] = q->p99 / paper_group(fcfs, phases[i])->p99;
		s.met += s.median[i] <= FACTOR;
		s.met += s.p99[i] <= FACTOR;
	}
	return s;
}

static void add_ratios(struct paper *paper, struct paper_table *table,
		       const double *ratios)
{
	for (size_t i = 0; i < ARRAY_SIZE(phases); i++)
		paper_cell_real(paper, table, ratios[i], 2,
				ratios[i] <= FACTOR ? "" : "!");
}

static void add_table(struct paper *paper, struct paper_finding *f,
		      struct paper_scenario *record)
{
	static const char *const columns[] = {
		"policy", "met",   "median/lpm: steady",
		"burst",  "spike", "p99/fcfs: steady",
		"burst",  "spike", NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "%s: targets met of six, and what they are "
			    "measured by (! is over 1.10)",
			    record ? record->name : "");
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);

	for (size_t i = 0; i < num; i++) {
		struct score s = score(paper, record, policies[i]);

		paper_cell_text(paper, table, "%s", policies[i]);
		paper_cell_real(paper, table, s.met, 0, "");
		add_ratios(paper, table, s.median);
		add_ratios(paper, table, s.p99);
	}
}

static void judge_fairway(struct paper *paper, struct paper_finding *f,
			  struct paper_scenario *const *records)
{
	struct paper_claim *claim =
		paper_claim(f, true,
			    "Fairway meets all six targets on both records",
			    "6 and 6", "6 and 6");
	unsigned int met[RECORDS];

	for (int r = 0; r < RECORDS; r++)
		met[r] = score(paper, records[r], "fairway").met;
	paper_judge(claim, met[0] == TARGETS && met[1] == TARGETS, "%u and %u",
		    met[0], met[1]);
}

/* The policy of a list that meets the most targets of any record. */
static const char *best(struct paper *paper,
			struct paper_scenario *const *records,
			const char *const *list, unsigned int *most)
{
	const char *name = list[0];

	*most = 0;
	for (; *list; list++)
		for (int r = 0; r < RECORDS; r++) {
			unsigned int met = score(paper, records[r], *list).met;

			if (met > *most) {
				*most = met;
				name = *list;
			}
		}
	return name;
}

static void judge_baselines(struct paper *paper, struct paper_finding *f,
			    struct paper_scenario *const *records)
{
	struct paper_claim *claim =
		paper_claim(f, true, "no baseline meets more than four", "4",
			    "none of the paper's over 4 on any record");
	unsigned int most;
	const char *name = best(paper, records, paper_baselines, &most);

	paper_judge(claim, most <= 4, "%s meets %u", name, most);
	claim = paper_claim(
		f, false, "nor does one that the paper does not compare with",
		"-", "none of hrrn, spf, rsjf, uniboost over 4 on any record");
	name = best(paper, records, paper_others, &most);
	paper_judge(claim, most <= 4, "%s meets %u", name, most);
}

static void add_seeds(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "all six", "five",
					      "fewer",	"mean",	   NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "ours: of records 1 to %u, how many meet so many "
			    "targets",
			    PAPER_SEEDS);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);

	for (size_t i = 0; i < num; i++) {
		unsigned int six = 0, five = 0, sum = 0;

		for (uint32_t n = 0; n < PAPER_SEEDS; n++) {
			char name[32];
			const struct paper_setting setting =
				paper_record(name, sizeof(name), n + 1);
			struct score s =
				score(paper, paper_scenario(paper, &setting),
				      policies[i]);

			six += s.met == TARGETS;
			five += s.met == TARGETS - 1;
			sum += s.met;
		}
		paper_cell_text(paper, table, "%s", policies[i]);
		paper_cell_real(paper, table, six, 0, "");
		paper_cell_real(paper, table, five, 0, "");
		paper_cell_real(paper, table, PAPER_SEEDS - six - five, 0, "");
		paper_cell_real(paper, table, sum / (double)PAPER_SEEDS, 2, "");
	}
}

void paper_targets(struct paper *paper, struct paper_finding *finding)
{
	struct paper_scenario *records[RECORDS];

	for (int r = 0; r < RECORDS; r++) {
		records[r] = paper_scenario(paper, &paper_settings[r]);
		add_table(paper, finding, records[r]);
	}
	if (!paper->args->quick)
		add_seeds(paper, finding);
	judge_fairway(paper, finding, records);
	judge_baselines(paper, finding, records);
}
