/* SPDX-License-Identifier: Apache-2.0 */
#include "paper.h"

double paper_figure_of(const struct quantiles *ttft, enum paper_figure figure)
{
	switch (figure) {
	case PAPER_MEDIAN:
		return ttft->p50;
	case PAPER_P99:
		return ttft->p99;
	default:
		return ttft->max;
	}
}

static double figure_of(struct paper *paper, const struct paper_contest *c,
			uint32_t seed, const char *policy)
{
	return paper_figure_of(paper_ttft(paper, c->setting, seed, policy,
					  c->group),
			       c->figure);
}

void paper_contest(struct paper *paper, struct paper_claim *claim,
		   const struct paper_contest *c)
{
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		double own = figure_of(paper, c, n + 1, c->own);
		double other = figure_of(paper, c, n + 1, c->other);

		pairs[n] = (struct paper_pair){
			.own = own,
			.other = other,
			.holds =
				own > c->over * other && own <= c->most * other,
		};
	}
	paper_judge(paper, claim, pairs, c->own_name, c->other_name, 2);
}
