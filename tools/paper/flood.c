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

static const struct quantiles *group(struct paper *paper, uint32_t seed,
				     const char *policy, const char *name)
{
	return paper_ttft(paper, &paper_flood_setting, seed, policy, name);
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

static void add_row(struct paper *paper, struct paper_table *table,
		    const char *policy)
{
	double miss[PAPER_SEEDS], worst[PAPER_SEEDS], starved[PAPER_SEEDS];
	double p50[PAPER_SEEDS], p99[PAPER_SEEDS], max[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		struct paper_scenario *flood =
			paper_scenario(paper, &paper_flood_setting, n + 1);
		const struct paper_figures *own =
			paper_figures(paper, flood, policy);

		miss[n] = paper_group(own, "backlog")->p50;
		worst[n] = paper_group(own, "backlog")->max;
		p50[n] = paper_group(own, "flood")->p50;
		p99[n] = paper_group(own, "flood")->p99;
		max[n] = paper_group(own, "flood")->max;
		starved[n] = (double)own->starved;
	}
	paper_cell_text(paper, table, "%s", policy);
	paper_cell_median(paper, table, miss, 1);
	paper_cell_spread(paper, table, worst, 1);
	paper_cell_median(paper, table, p50, 1);
	paper_cell_median(paper, table, p99, 1);
	paper_cell_median(paper, table, max, 1);
	paper_cell_median(paper, table, starved, 0);
	paper_cell_text(paper, table, "%s", paper_says(policy));
}

static void add_table(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy", "misses", "worst",
					      "least",	"most",	  "flood",
					      "p99",	"worst",  "starved",
					      "paper",	NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "%u floods, TTFT in seconds, medians over them; "
			    "misses and flood: median; paper: worst / flood",
			    paper->seeds);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_WITH_VARIANTS);

	for (size_t i = 0; i < num; i++)
		add_row(paper, table, policies[i]);
}

static void judge_hit_first(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim =
		paper_claim(f, true, "hit-first orders starve the misses",
			    "worst miss 66 to 201 s, 22 s under Fairway",
			    "worst miss of lpm, peek and ragcache each at "
			    "least three times Fairway's");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		double own = group(paper, n + 1, "fairway", "backlog")->max;
		double least = INFINITY;

		for (size_t i = 0; i < ARRAY_SIZE(hit_first); i++)
			least = fmin(least, group(paper, n + 1, hit_first[i],
						  "backlog")
						    ->max);
		pairs[n] = (struct paper_pair){own, least, least >= 3.0 * own};
	}
	paper_judge(paper, claim, pairs, "Fairway", "the least of them", 1);
}

static void judge_price(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true, "the price is the flood's own median",
		"from 1.6 s under lpm to 18 s",
		"at least five times that under lpm, at most that under fcfs");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		double own = group(paper, n + 1, "fairway", "flood")->p50;
		double lpm = group(paper, n + 1, "lpm", "flood")->p50;
		double fcfs = group(paper, n + 1, "fcfs", "flood")->p50;

		pairs[n] = (struct paper_pair){own, lpm,
					       own >= 5.0 * lpm && own <= fcfs};
	}
	paper_judge(paper, claim, pairs, "Fairway", "lpm", 1);
}

void paper_flood(struct paper *paper, struct paper_finding *finding)
{
	add_table(paper, finding);
	judge_hit_first(paper, finding);
	paper_contest(paper,
		      paper_claim(finding, true,
				  "Fairway's worst miss is that of fcfs",
				  "22 s under both",
				  "at most 1.10 times that of fcfs"),
		      &(const struct paper_contest){
			      .setting = &paper_flood_setting,
			      .group = "backlog",
			      .figure = PAPER_WORST,
			      .own = "fairway",
			      .other = "fcfs",
			      .own_name = "Fairway",
			      .other_name = "fcfs",
			      .most = 1.1,
		      });
	judge_price(paper, finding);
}
