/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/paper/paper.h"

/* How a claim is judged by the figures of each seed. */

#define SEEDS 4u

static const struct paper_setting setting = {.name = "s", .workload = "sec"};

/**
 * struct made - an evaluation whose runs are made up
 * @paper: of SEEDS seeds
 * @scenarios: of @setting, one for each
 * @runs: "own" and "other" of each
 */
struct made {
	struct paper paper;
	struct paper_scenario scenarios[SEEDS];
	struct paper_scenario *pointers[SEEDS];
	struct paper_run runs[SEEDS][2];
};

static void fill(struct paper_run *run, const char *policy, double p50,
		 double p99, double max)
{
	snprintf(run->policy, sizeof(run->policy), "%s", policy);
	/* All requests are far from what the group has. */
	run->figures.ttft = (struct quantiles){.num = 9,
					       .mean = 900,
					       .p50 = 900,
					       .p90 = 900,
					       .p99 = 900,
					       .max = 900};
	run->figures.num_groups = 1;
	snprintf(run->figures.groups[0].name,
		 sizeof(run->figures.groups[0].name), "spike");
	run->figures.groups[0].ttft = (struct quantiles){.num = 9,
							 .mean = NAN,
							 .p50 = p50,
							 .p90 = NAN,
							 .p99 = p99,
							 .max = max};
}

/* Under seed n own has n, 10 n and 100 n, and other 2, 20 and 200. */
static void make(struct made *made)
{
	memset(made, 0, sizeof(*made));
	made->paper.seeds = SEEDS;
	made->paper.scenarios = made->pointers;
	made->paper.num_scenarios = SEEDS;
	for (uint32_t n = 0; n < SEEDS; n++) {
		struct paper_run *runs = made->runs[n];

		fill(&runs[0], "own", n + 1, 10 * (n + 1), 100 * (n + 1));
		fill(&runs[1], "other", 2, 20, 200);
		runs[0].next = &runs[1];
		made->scenarios[n].setting = &setting;
		made->scenarios[n].seed = n + 1;
		made->scenarios[n].runs = &runs[0];
		made->pointers[n] = &made->scenarios[n];
	}
}

static void contest(struct made *made, struct paper_claim *claim,
		    enum paper_figure figure, double over, double most)
{
	memset(claim, 0, sizeof(*claim));
	paper_contest(&made->paper, claim,
		      &(const struct paper_contest){
			      .setting = &setting,
			      .group = "spike",
			      .figure = figure,
			      .own = "own",
			      .other = "other",
			      .own_name = "a",
			      .other_name = "b",
			      .over = over,
			      .most = most,
		      });
}

START_TEST(test_each_seed_is_judged_by_its_own_pair)
{
	static const struct {
		double over;
		double most;
		unsigned int held;
	} rules[] = {
		/* Ratios are 0.5, 1, 1.5 and 2. */
		{0.0, 0.4, 0}, {0.0, 0.5, 1},	   {0.0, 1.1, 2},
		{0.5, 1.5, 2}, {0.9, HUGE_VAL, 3}, {0.0, HUGE_VAL, 4},
	};
	struct paper_claim claim;
	struct made made;

	make(&made);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		for (int figure = PAPER_MEDIAN; figure <= PAPER_WORST;
		     figure++) {
			double unit = pow(10, figure);

			contest(&made, &claim, (enum paper_figure)figure,
				rules[i].over, rules[i].most);
			ck_assert_uint_eq(claim.held, rules[i].held);
			ck_assert_uint_eq(claim.seeds, SEEDS);
			ck_assert(claim.own == 2.5 * unit);
			ck_assert(claim.other == 2.0 * unit);
			ck_assert(fabs(claim.difference.mean - 0.5 * unit) <
				  1e-9 * unit);
			ck_assert(claim.difference.low >= -1.0 * unit);
			ck_assert(claim.difference.high <= 2.0 * unit);
		}
}
END_TEST

/* Half of the seeds are not most of them. */
START_TEST(test_claim_holds_where_most_seeds_do)
{
	struct paper_finding finding = {.num_claims = 2};
	struct paper_claim *decides = &finding.claims[0];

	decides->decides = true;
	decides->seeds = finding.claims[1].seeds = SEEDS;
	for (unsigned int held = 0; held <= SEEDS; held++) {
		decides->held = held;
		ck_assert_int_eq(paper_holds(decides), held > 2);
		/* The other claim, which is ours, holds under no seed. */
		ck_assert_int_eq(paper_reproduced(&finding), held > 2);
	}
}
END_TEST

START_TEST(test_figures_are_one_line)
{
	struct paper_claim claim;
	struct made made;
	char here[256];

	make(&made);
	contest(&made, &claim, PAPER_MEDIAN, 0.0, 1.0);
	claim.difference = (struct interval){0.5, -0.5, 1.25};
	paper_here(&claim, here, sizeof(here));
	ck_assert_str_eq(here, "a 2.50, b 2.00; difference +0.50 (-0.50 to "
			       "+1.25)");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("claims");
	TCase *tcase = tcase_create("claims");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_each_seed_is_judged_by_its_own_pair);
	tcase_add_test(tcase, test_claim_holds_where_most_seeds_do);
	tcase_add_test(tcase, test_figures_are_one_line);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
