/* SPDX-License-Identifier: Apache-2.0 */
#include "paper.h"

/*
 * Finding 6: where hardly anything is reused and the node is overloaded for
 * long, Fairway loses to lpm's median and wins little of the p99.
 */

#define MUSIQUE 8u /* of paper_settings */

static void add_table(struct paper *paper, struct paper_finding *f,
		      struct paper_scenario *scenario, const char *title)
{
	static const char *const columns[] = {"policy",	 "median", "p90",
					      "p99",	 "worst",  "hit rate",
					      "starved", NULL};
	struct paper_table *table = paper_table(f, columns, "%s", title);
	const char *policies[PAPER_MAX_POLICIES];
	size_t num = paper_policies(policies, PAPER_ALL);

	for (size_t i = 0; i < num; i++) {
		const struct paper_figures *own =
			paper_figures(paper, scenario, policies[i]);

		paper_cell_text(paper, table, "%s", policies[i]);
		paper_cell_real(paper, table, own->ttft.p50, 2, "");
		paper_cell_real(paper, table, own->ttft.p90, 2, "");
		paper_cell_real(paper, table, own->ttft.p99, 2, "");
		paper_cell_real(paper, table, own->ttft.max, 2, "");
		paper_cell_real(paper, table, own->hit_rate, 3, "");
		paper_cell_real(paper, table, (double)own->starved, 0, "");
	}
}

static void judge(struct paper *paper, struct paper_finding *f,
		  struct paper_scenario *scenario, bool decides)
{
	const struct quantiles *here = paper_window(paper, scenario, "fairway");
	const struct quantiles *lpm = paper_window(paper, scenario, "lpm");
	struct paper_claim *claim =
		paper_claim(f, decides, "Fairway's median is above lpm's",
			    "3.0 s against 0.9", "at least 1.5 times lpm's");

	paper_judge(claim, here->p50 >= 1.5 * lpm->p50, "%.2f s against %.2f",
		    here->p50, lpm->p50);
	claim = paper_claim(f, decides, "its p99 is under lpm's",
			    "12.6 s against 14.2", "over 1% under lpm's");
	paper_judge(claim, here->p99 < 0.99 * lpm->p99, "%.2f s against %.2f",
		    here->p99, lpm->p99);
}

void paper_loss(struct paper *paper, struct paper_finding *finding)
{
	struct paper_scenario *musique =
		paper_scenario(paper, &paper_settings[MUSIQUE]);
	struct paper_scenario *reuse =
		paper_scenario(paper, &paper_reuse_setting);

	add_table(paper, finding, musique,
		  "MuSiQue at load 1.2, TTFT in seconds; paper: lpm 0.9 / "
		  "14.2, Fairway 3.0 / 12.6");
	add_table(paper, finding, reuse,
		  "ours: its paragraphs with reuse (retrieved), at the same "
		  "load");
	judge(paper, finding, musique, true);
	judge(paper, finding, reuse, false);
}
