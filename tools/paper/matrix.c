/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "paper.h"

/*
 * Finding 3: over eleven scenarios Fairway's p99 is under that of the best
 * baseline that starves nobody, or equal to it. Each seed makes a set of them.
 */

/* Closer than this counts as equal. */
#define EQUAL 0.01

#define WORST_OVER_P99 2.3

/**
 * struct matrix - the scenarios that are run
 * @settings: without Mooncake's where there is no trace of it
 * @num: how many
 */
struct matrix {
	struct paper *paper;
	const struct paper_setting *settings[PAPER_SCENARIOS];
	unsigned int num;
};

/* One scenario under one seed. */
struct place {
	const struct matrix *m;
	unsigned int i;
	uint32_t seed;
};

static double p99_of(const struct place *at, const char *policy)
{
	const struct paper_setting *setting = at->m->settings[at->i];

	return paper_ttft(at->m->paper, setting, at->seed, policy,
			  setting->window)
		->p99;
}

static const struct paper_figures *figures_of(const struct place *at,
					      const char *policy)
{
	struct paper *paper = at->m->paper;

	return paper_figures(paper,
			     paper_scenario(paper, at->m->settings[at->i],
					    at->seed),
			     policy);
}

static bool starves(const struct place *at, const char *policy)
{
	return figures_of(at, policy)->starved > 0;
}

/* The least p99 of a list among those that starve nobody; NULL: all do. */
static const char *best(const struct place *at, const char *const *list)
{
	const char *name = NULL;

	for (; *list; list++)
		if (!starves(at, *list) &&
		    (!name || p99_of(at, *list) < p99_of(at, name)))
			name = *list;
	return name;
}

enum standing {
	UNDER,
	SAME,
	ABOVE,
	NUM_STANDINGS,
};

/* Fairway against the best baseline; under where all of them starve. */
static enum standing stand(const struct place *at)
{
	const char *name = best(at, paper_baselines);
	double own = p99_of(at, "fairway");
	double than = name ? p99_of(at, name) : HUGE_VAL;

	if (own < (1.0 - EQUAL) * than)
		return UNDER;
	return own <= (1.0 + EQUAL) * than ? SAME : ABOVE;
}

/* Those that are the best ones in the paper. */
static const char *const named[] = {"fcfs", "klpm:k=4", "klpm:k=8"};

enum {
	NUM_NAMED = 3,
};

/* Which of them is the best baseline; NUM_NAMED: another one. */
static unsigned int best_named(const struct place *at)
{
	const char *name = best(at, paper_baselines);

	for (unsigned int i = 0; name && i < NUM_NAMED; i++)
		if (!strcmp(name, named[i]))
			return i;
	return NUM_NAMED;
}

/* How far Fairway is from the best baseline, in percent of it. */
static double against_best(const struct place *at)
{
	const char *name = best(at, paper_baselines);

	return name ? 100.0 * (p99_of(at, "fairway") / p99_of(at, name) - 1.0)
		    : -100.0;
}

/* One scenario over all seeds. */
static void add_row(const struct matrix *m, struct paper_table *table,
		    unsigned int i)
{
	unsigned int stands[NUM_STANDINGS] = {0}, bests[NUM_NAMED + 1] = {0};
	double own[PAPER_SEEDS], percent[PAPER_SEEDS];
	struct paper *paper = m->paper;

	for (uint32_t n = 0; n < paper->seeds; n++) {
		const struct place at = {m, i, n + 1};

		own[n] = p99_of(&at, "fairway");
		percent[n] = against_best(&at);
		stands[stand(&at)]++;
		bests[best_named(&at)]++;
	}
	paper_cell_text(paper, table, "%s", m->settings[i]->name);
	paper_cell_median(paper, table, own, 2);
	for (int k = 0; k < NUM_STANDINGS; k++)
		paper_cell_real(paper, table, stands[k], 0, "");
	paper_cell_spread(paper, table, percent, 1);
	for (int k = 0; k <= NUM_NAMED; k++)
		paper_cell_real(paper, table, bests[k], 0, "");
}

static void add_best(const struct matrix *m, struct paper_finding *f)
{
	static const char *const columns[] = {"scenario", "fairway", "under",
					      "equal",	  "above",   "% off",
					      "least",	  "most",    "fcfs",
					      "k=4",	  "k=8",     "other",
					      NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "Fairway's p99 against the best baseline that "
			    "starves nobody, %u seeds; which baseline that is",
			    m->paper->seeds);

	for (unsigned int i = 0; i < m->num; i++)
		add_row(m, table, i);
}

/* A policy's median p99, with a star where it starves under most seeds. */
static void add_cell(const struct matrix *m, struct paper_table *table,
		     unsigned int i, const char *policy)
{
	struct paper *paper = m->paper;
	unsigned int starving = 0;
	double p99[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		const struct place at = {m, i, n + 1};

		p99[n] = p99_of(&at, policy);
		starving += starves(&at, policy);
	}
	paper_cell_real(paper, table, seeds_median(p99, paper->seeds), 1,
			2 * starving > paper->seeds ? "*" : "");
}

static void add_all(const struct matrix *m, struct paper_finding *f)
{
	const char *columns[PAPER_SCENARIOS + 2] = {"policy"};
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);
	struct paper_table *table;

	for (unsigned int i = 0; i < m->num; i++)
		columns[i + 1] = m->settings[i]->head;
	table = paper_table(f, columns,
			    "p99 in seconds, medians over %u seeds; * starves "
			    "somebody under most of them",
			    m->paper->seeds);
	table->matrix = true;
	for (size_t j = 0; j < num; j++) {
		paper_cell_text(m->paper, table, "%s", policies[j]);
		for (unsigned int i = 0; i < m->num; i++)
			add_cell(m, table, i, policies[j]);
	}
}

/* The least p99 of a scenario among all orders that starve nobody. */
static double least_p99(const struct place *at, const char *const *policies,
			size_t num)
{
	double least = INFINITY;

	for (size_t j = 0; j < num; j++)
		if (!starves(at, policies[j]))
			least = fmin(least, p99_of(at, policies[j]));
	return least;
}

static void add_distance(const struct matrix *m, struct paper_table *table,
			 const char *policy, const char *const *policies,
			 size_t num)
{
	double farthest = 0.0, sum = 0.0;
	unsigned int in = 0, starving = 0, total = m->num * m->paper->seeds;

	for (unsigned int k = 0; k < total; k++) {
		const struct place at = {m, k % m->num, k / m->num + 1};
		double ratio =
			p99_of(&at, policy) / least_p99(&at, policies, num);

		if (ratio > farthest)
			in = at.i;
		farthest = fmax(farthest, ratio);
		sum += ratio;
		starving += starves(&at, policy);
	}
	paper_cell_text(m->paper, table, "%s", policy);
	paper_cell_real(m->paper, table, farthest, 2, "");
	paper_cell_text(m->paper, table, "%s", m->settings[in]->name);
	paper_cell_real(m->paper, table, sum / total, 2, "");
	paper_cell_real(m->paper, table, starving, 0, "");
}

/* Who is never far from the best? What an engine that has one order asks. */
static void add_farthest(const struct matrix *m, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "farthest", "in",
					      "mean",	"starving", NULL};
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);
	struct paper_table *table =
		paper_table(f, columns,
			    "ours: p99 over the least among all that starve "
			    "nobody, in %u scenarios under %u seeds",
			    m->num, m->paper->seeds);

	for (size_t j = 0; j < num; j++)
		add_distance(m, table, policies[j], policies, num);
}

static void judge_under(const struct matrix *m, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true,
		"Fairway's p99 is under that of the best that starves nobody",
		"2 to 18% under in 10 of 11, equal in 1",
		"over 1% under in all but one, and within 1% in that one");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < m->paper->seeds; n++) {
		unsigned int stands[NUM_STANDINGS] = {0};

		for (unsigned int i = 0; i < m->num; i++) {
			const struct place at = {m, i, n + 1};

			stands[stand(&at)]++;
		}
		pairs[n] = (struct paper_pair){stands[UNDER], m->num,
					       !stands[ABOVE] &&
						       stands[SAME] <= 1};
	}
	paper_judge(m->paper, claim, pairs, "under in", "scenarios", 1);
}

static void judge_worst(const struct matrix *m, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, true, "Fairway's worst TTFT is near its own p99",
			    "at most 2.3 times", "at most 2.3 times in all");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < m->paper->seeds; n++) {
		double worst = 0.0;

		for (unsigned int i = 0; i < m->num; i++) {
			const struct place at = {m, i, n + 1};
			const struct quantiles *q =
				&figures_of(&at, "fairway")->ttft;

			worst = fmax(worst, q->max / q->p99);
		}
		pairs[n] = (struct paper_pair){worst, WORST_OVER_P99,
					       worst <= WORST_OVER_P99};
	}
	paper_judge(m->paper, claim, pairs, "the largest", "allowed", 2);
}

static void judge_named(const struct matrix *m, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, true, "the best baseline is fcfs or k-LPM",
			    "fcfs in 4, k-LPM(4) in 4, k-LPM(8) in 3",
			    "one of these three in every scenario");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < m->paper->seeds; n++) {
		unsigned int num = 0;

		for (unsigned int i = 0; i < m->num; i++) {
			const struct place at = {m, i, n + 1};

			num += best_named(&at) < NUM_NAMED;
		}
		pairs[n] = (struct paper_pair){num, m->num, num == m->num};
	}
	paper_judge(m->paper, claim, pairs, "one of them in", "scenarios", 1);
}

void paper_matrix(struct paper *paper, struct paper_finding *finding)
{
	struct matrix m = {.paper = paper};

	for (unsigned int i = 0; i < PAPER_SCENARIOS; i++) {
		const struct paper_setting *setting = &paper_settings[i];

		if (setting->workload ||
		    (paper->args->trace && !paper->args->quick))
			m.settings[m.num++] = setting;
	}
	add_best(&m, finding);
	add_all(&m, finding);
	add_farthest(&m, finding);
	judge_under(&m, finding);
	judge_worst(&m, finding);
	judge_named(&m, finding);
}
