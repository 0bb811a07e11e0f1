/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 4: a flood of cheap hits starves the misses before it under hit-first
 * orders, not under Fairway; what that costs is the flood's own median.
 */

static const char *const hit_first[] = {"lpm", "peek", "ragcache"};

static double worst_miss(struct paper *paper, struct paper_scenario *flood,
			 const char *policy)
{
	return paper_group(paper_figures(paper, flood, policy), "backlog")->max;
}

static const char *paper_says(const char *policy)
{
	if (!strcmp(policy, "fairway"))
		return "22 / 18";
	if (!strcmp(policy, "fcfs"))
		return "22 / -";
	if (!strcmp(policy, "lpm"))
		return "66 to 201 / 1.6";
	for (size_t i = 0; i < ARRAY_SIZE(hit_first); i++)
		if (!strcmp(policy, hit_first[i]))
			return "66 to 201 / -";
	return "";
}

static void add_table(struct paper *paper, struct paper_finding *f,
		      struct paper_scenario *flood)
{
	static const char *const columns[] = {"policy",	 "24 misses: median",
					      "worst",	 "flood: median",
					      "p99",	 "worst",
					      "starved", "paper",
					      NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "flood, TTFT in seconds; paper: worst miss / the "
			    "flood's median");
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_WITH_VARIANTS);

	for (size_t i = 0; i < num; i++) {
		const struct paper_figures *own =
			paper_figures(paper, flood, policies[i]);
		const struct quantiles *miss = paper_group(own, "backlog");
		const struct quantiles *hit = paper_group(own, "flood");

		paper_cell_text(paper, table, "%s", policies[i]);
		paper_cell_real(paper, table, miss->p50, 1, "");
		paper_cell_real(paper, table, miss->max, 1, "");
		paper_cell_real(paper, table, hit->p50, 1, "");
		paper_cell_real(paper, table, hit->p99, 1, "");
		paper_cell_real(paper, table, hit->max, 1, "");
		paper_cell_real(paper, table, (double)own->starved, 0, "");
		paper_cell_text(paper, table, "%s", paper_says(policies[i]));
	}
}

static void judge_hit_first(struct paper *paper, struct paper_finding *f,
			    struct paper_scenario *flood)
{
	struct paper_claim *claim =
		paper_claim(f, true, "hit-first orders starve the misses",
			    "worst miss 66 to 201 s, 22 s under Fairway",
			    "worst miss of lpm, peek and ragcache each at "
			    "least three times "
			    "Fairway's");
	double here = worst_miss(paper, flood, "fairway");
	double least = INFINITY;

	for (size_t i = 0; i < ARRAY_SIZE(hit_first); i++)
		least = fmin(least, worst_miss(paper, flood, hit_first[i]));
	paper_judge(claim, least >= 3.0 * here,
		    "at least %.0f s, %.1f s under Fairway", least, here);
}

static void judge_fairway(struct paper *paper, struct paper_finding *f,
			  struct paper_scenario *flood)
{
	struct paper_claim *claim =
		paper_claim(f, true, "Fairway's worst miss is that of fcfs",
			    "22 s under both",
			    "at most 1.10 times that of fcfs");
	double here = worst_miss(paper, flood, "fairway");
	double fcfs = worst_miss(paper, flood, "fcfs");

	paper_judge(claim, here <= 1.1 * fcfs, "%.1f s, fcfs %.1f s", here,
		    fcfs);
}

static void judge_price(struct paper *paper, struct paper_finding *f,
			struct paper_scenario *flood)
{
	struct paper_claim *claim = paper_claim(
		f, true, "the price is the flood's own median",
		"from 1.6 s under lpm to 18 s",
		"at least five times that under lpm, at most that under fcfs");
	double here = paper_window(paper, flood, "fairway")->p50;
	double lpm = paper_window(paper, flood, "lpm")->p50;
	double fcfs = paper_window(paper, flood, "fcfs")->p50;

	paper_judge(claim, here >= 5.0 * lpm && here <= fcfs,
		    "from %.1f to %.1f s, fcfs %.1f s", lpm, here, fcfs);
}

void paper_flood(struct paper *paper, struct paper_finding *finding)
{
	struct paper_scenario *flood =
		paper_scenario(paper, &paper_flood_setting);

	add_table(paper, finding, flood);
	judge_hit_first(paper, finding, flood);
	judge_fairway(paper, finding, flood);
	judge_price(paper, finding, flood);
}
