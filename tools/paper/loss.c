/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "paper.h"

/*
 * Finding 6: where hits are hardly cheaper than misses and the node is
 * overloaded for long, Fairway loses to lpm's median and wins little of the
 * p99.
 */

static void add_row(struct paper *paper, struct paper_table *table,
		    const char *policy)
{
	double p50[PAPER_SEEDS], p99[PAPER_SEEDS], worst[PAPER_SEEDS];
	double rate[PAPER_SEEDS];
	unsigned int starving = 0;

	for (uint32_t n = 0; n < paper->seeds; n++) {
		struct paper_scenario *scenario =
			paper_scenario(paper, &paper_settings[PAPER_MUSIQUE_12],
				       n + 1);
		const struct paper_figures *own =
			paper_figures(paper, scenario, policy);

		p50[n] = own->ttft.p50;
		p99[n] = own->ttft.p99;
		worst[n] = own->ttft.max;
		rate[n] = own->hit_rate;
		starving += own->starved > 0;
	}
	paper_cell_text(paper, table, "%s", policy);
	paper_cell_spread(paper, table, p50, 2);
	paper_cell_spread(paper, table, p99, 2);
	paper_cell_median(paper, table, worst, 2);
	paper_cell_median(paper, table, rate, 3);
	paper_cell_real(paper, table, starving, 0, "");
}

static void add_table(struct paper *paper, struct paper_finding *f)
{
	static const char *const columns[] = {"policy",	  "median", "least",
					      "most",	  "p99",    "least",
					      "most",	  "worst",  "hit rate",
					      "starving", NULL};
	struct paper_table *table = paper_table(
		f, columns,
		"TTFT in seconds, medians over %u seeds, with extremes; paper: "
		"lpm 0.9 / 14.2, Fairway 3.0 / 12.6",
		paper->seeds);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);

	for (size_t i = 0; i < num; i++)
		add_row(paper, table, policies[i]);
}

static void judge(struct paper *paper, struct paper_claim *claim,
		  enum paper_figure figure, double over, double most)
{
	paper_contest(paper, claim,
		      &(const struct paper_contest){
			      .setting = &paper_settings[PAPER_MUSIQUE_12],
			      .figure = figure,
			      .own = "fairway",
			      .other = "lpm",
			      .own_name = "Fairway",
			      .other_name = "lpm",
			      .over = over,
			      .most = most,
		      });
}

void paper_loss(struct paper *paper, struct paper_finding *finding)
{
	add_table(paper, finding);
	judge(paper,
	      paper_claim(finding, true, "Fairway's median is above lpm's",
			  "3.0 s against 0.9", "over 1.5 times lpm's"),
	      PAPER_MEDIAN, 1.5, HUGE_VAL);
	judge(paper,
	      paper_claim(finding, true, "its p99 is under lpm's",
			  "12.6 s against 14.2", "at most 0.99 times lpm's"),
	      PAPER_P99, 0.0, 0.99);
}
