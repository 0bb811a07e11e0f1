/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "paper.h"

/*
 * Finding 3: over eleven scenarios Fairway's p99 is under that of the best
 * baseline that starves nobody, or equal to it.
 */

/* Closer than this counts as equal. */
#define EQUAL 0.01

#define WORST_OVER_P99 2.3

/**
 * struct matrix - the scenarios that are run
 * @scenarios: without Mooncake's where there is no trace of it
 * @num: how many
 * @under: in which Fairway is under the best baseline
 * @equal: in which it is equal
 * @only_paper: in which the best is one of those that it is in the paper
 * @worst: largest of Fairway's worst TTFTs over its own p99
 */
struct matrix {
	struct paper *paper;
	struct paper_scenario *scenarios[PAPER_SCENARIOS];
	unsigned int num;
	unsigned int under;
	unsigned int equal;
	unsigned int only_paper;
	double worst;
};

static double p99_of(const struct matrix *m, unsigned int i, const char *policy)
{
	return paper_window(m->paper, m->scenarios[i], policy)->p99;
}

static bool starves(const struct matrix *m, unsigned int i, const char *policy)
{
	return paper_figures(m->paper, m->scenarios[i], policy)->starved > 0;
}

/* The least p99 of a list among those that starve nobody; NULL: all do. */
static const char *best(const struct matrix *m, unsigned int i,
			const char *const *list, const char *than)
{
	const char *name = than;

	for (; *list; list++)
		if (!starves(m, i, *list) &&
		    (!name || p99_of(m, i, *list) < p99_of(m, i, name)))
			name = *list;
	return name;
}

static bool best_in_paper(const char *policy)
{
	return !strcmp(policy, "fcfs") || !strcmp(policy, "klpm:k=4") ||
	       !strcmp(policy, "klpm:k=8");
}

static void add_all(struct matrix *m, struct paper_finding *f)
{
	const char *columns[PAPER_SCENARIOS + 2] = {"policy"};
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);
	struct paper_table *table;

	for (unsigned int i = 0; i < m->num; i++)
		columns[i + 1] = m->scenarios[i]->setting.head;
	table = paper_table(f, columns,
			    "p99 in seconds; * starves somebody: a TTFT over "
			    "three times the run's own p99");
	table->matrix = true;
	for (size_t j = 0; j < num; j++) {
		paper_cell_text(m->paper, table, "%s", policies[j]);
		for (unsigned int i = 0; i < m->num; i++)
			paper_cell_real(m->paper, table,
					p99_of(m, i, policies[j]), 1,
					starves(m, i, policies[j]) ? "*" : "");
	}
}

/* One scenario's row, and what it says of the claims. */
static void add_row(struct matrix *m, struct paper_table *table, unsigned int i)
{
	const struct paper_figures *own =
		paper_figures(m->paper, m->scenarios[i], "fairway");
	const char *name = best(m, i, paper_baselines, NULL);
	const char *any = best(m, i, paper_others, name);
	double ratio = own->ttft.max / own->ttft.p99;
	double here = p99_of(m, i, "fairway");
	double than = name ? p99_of(m, i, name) : NO_FIGURE;
	double any_p99 = any ? p99_of(m, i, any) : NO_FIGURE;

	m->under += here < (1.0 - EQUAL) * than;
	m->equal += fabs(here - than) <= EQUAL * than;
	m->only_paper += name && best_in_paper(name);
	m->worst = fmax(m->worst, ratio);
	paper_cell_text(m->paper, table, "%s", m->scenarios[i]->name);
	paper_cell_text(m->paper, table, "%s", name ? name : "-");
	paper_cell_real(m->paper, table, than, 2, "");
	paper_cell_real(m->paper, table, here, 2, own->starved ? "*" : "");
	paper_cell_real(m->paper, table, 100.0 * (here / than - 1.0), 1, "%");
	paper_cell_real(m->paper, table, ratio, 2, "");
	paper_cell_text(m->paper, table, "%s", any ? any : "-");
	paper_cell_real(m->paper, table, 100.0 * (here / any_p99 - 1.0), 1,
			"%");
}

static void add_best(struct matrix *m, struct paper_finding *f)
{
	static const char *const columns[] = {
		"scenario",    "best of the paper's", "p99",
		"fairway",     "against it",	      "worst/p99",
		"best of all", "against it",	      NULL};
	struct paper_table *table = paper_table(
		f, columns,
		"the best baseline that starves nobody, and Fairway");

	for (unsigned int i = 0; i < m->num; i++)
		add_row(m, table, i);
}

/* The least p99 of a scenario among all orders that starve nobody. */
static double least_p99(const struct matrix *m, unsigned int i,
			const char *const *policies, size_t num)
{
	double least = INFINITY;

	for (size_t j = 0; j < num; j++)
		if (!starves(m, i, policies[j]))
			least = fmin(least, p99_of(m, i, policies[j]));
	return least;
}

/* Who is never far from the best? What an engine that has one order asks. */
static void add_farthest(struct matrix *m, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "farthest",   "in",
					      "mean",	"starves in", NULL};
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);
	struct paper_table *table =
		paper_table(f, columns,
			    "ours: p99 over the least of the scenario among "
			    "all that starve nobody");

	for (size_t j = 0; j < num; j++) {
		double farthest = 0.0, sum = 0.0;
		unsigned int in = 0, starving = 0;

		for (unsigned int i = 0; i < m->num; i++) {
			double ratio = p99_of(m, i, policies[j]) /
				       least_p99(m, i, policies, num);

			if (ratio > farthest)
				in = i;
			farthest = fmax(farthest, ratio);
			sum += ratio;
			starving += starves(m, i, policies[j]);
		}
		paper_cell_text(m->paper, table, "%s", policies[j]);
		paper_cell_real(m->paper, table, farthest, 2, "");
		paper_cell_text(m->paper, table, "%s",
				m->num ? m->scenarios[in]->name : "-");
		paper_cell_real(m->paper, table, sum / m->num, 2, "");
		paper_cell_real(m->paper, table, starving, 0, "");
	}
}

static void judge(const struct matrix *m, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true,
		"Fairway's p99 is under that of the best baseline that starves "
		"nobody",
		"2 to 18% under in 10 of 11, equal in 1",
		"over 1% under in all but one, and within 1% in that one");

	paper_judge(claim,
		    m->under + m->equal == m->num && m->under + 1 >= m->num,
		    "under in %u of %u, equal in %u, above in %u", m->under,
		    m->num, m->equal, m->num - m->under - m->equal);
	claim = paper_claim(f, true, "Fairway's worst TTFT is near its own p99",
			    "at most 2.3 times", "at most 2.3 times in all");
	paper_judge(claim, m->worst <= WORST_OVER_P99, "at most %.2f times",
		    m->worst);
	claim = paper_claim(f, true, "the best baseline is fcfs or k-LPM",
			    "fcfs in 4, k-LPM(4) in 4, k-LPM(8) in 3",
			    "one of these three in every scenario");
	paper_judge(claim, m->only_paper == m->num, "in %u of %u",
		    m->only_paper, m->num);
}

void paper_matrix(struct paper *paper, struct paper_finding *finding)
{
	struct matrix m = {.paper = paper};

	for (unsigned int i = 0; i < PAPER_SCENARIOS; i++) {
		const struct paper_setting *setting = &paper_settings[i];

		if (!setting->workload &&
		    (!paper->args->trace || paper->args->quick))
			continue;
		m.scenarios[m.num] = paper_scenario(paper, setting);
		m.num += m.scenarios[m.num] != NULL;
	}
	add_best(&m, finding);
	add_all(&m, finding);
	add_farthest(&m, finding);
	judge(&m, finding);
}
