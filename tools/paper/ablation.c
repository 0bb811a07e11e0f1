/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 5: what the relative wait and the fair lane are each good for. The
 * other switches stand beside them, to show that nothing hangs on one value.
 */

#define RELATIVE "fairway"
#define ABSOLUTE "fairway:wait=absolute"
#define RELATIVE_ALONE "fairway:lane=off"
#define ABSOLUTE_ALONE "fairway:wait=absolute:lane=off"

/**
 * struct column - a figure of a setting, for a table
 * @setting: which
 * @group: of its requests
 * @figure: of their TTFTs
 */
struct column {
	const struct paper_setting *setting;
	const char *group;
	enum paper_figure figure;
};

/* The median over the seeds of each column. */
static void add_row(struct paper *paper, struct paper_table *table,
		    const char *policy, const struct column *columns,
		    size_t num)
{
	for (size_t i = 0; i < num; i++) {
		const struct column *c = &columns[i];
		double values[PAPER_SEEDS];

		for (uint32_t n = 0; n < paper->seeds; n++)
			values[n] =
				paper_figure_of(paper_ttft(paper, c->setting,
							   n + 1, policy,
							   c->group),
						c->figure);
		paper_cell_median(paper, table, values, 2);
	}
}

/* --- relative or absolute, with and without the fair lane --- */

static const struct {
	const char *policy;
	const char *name;
} forms[] = {
	{RELATIVE, "relative, both lanes"},
	{ABSOLUTE, "absolute, both lanes"},
	{RELATIVE_ALONE, "relative, lane off"},
	{ABSOLUTE_ALONE, "absolute, lane off"},
};

static void add_forms(struct paper *paper, struct paper_finding *f)
{
	static const char *const heads[] = {"form",	  "l1.0 short",
					    "l1.0 long",  "m0.9 long",
					    "m1.1 short", "m1.1 long",
					    "q1.1",	  "q1.2",
					    "flood",	  NULL};
	static const struct column columns[] = {
		{&paper_settings[PAPER_LONG_10], "short", PAPER_P99},
		{&paper_settings[PAPER_LONG_10], "long", PAPER_P99},
		{&paper_settings[PAPER_MIXED_09], "long", PAPER_P99},
		{&paper_settings[PAPER_MIXED_11], "short", PAPER_P99},
		{&paper_settings[PAPER_MIXED_11], "long", PAPER_P99},
		{&paper_settings[PAPER_MUSIQUE_11], NULL, PAPER_P99},
		{&paper_settings[PAPER_MUSIQUE_12], NULL, PAPER_P99},
		{&paper_flood_setting, "backlog", PAPER_WORST},
	};
	struct paper_table *table =
		paper_table(f, heads,
			    "p99 in seconds, medians over %u seeds; short, "
			    "long: the quarter of such prompts; flood: worst",
			    paper->seeds);

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		paper_cell_text(paper, table, "%s", forms[i].name);
		add_row(paper, table, forms[i].policy, columns,
			ARRAY_SIZE(columns));
	}
}

static double apart(double a, double b)
{
	return 100.0 * fabs(a / b - 1.0);
}

/* Percent, of median and p99 of both settings. */
static double most_apart(struct paper *paper, uint32_t seed)
{
	static const int alike[] = {PAPER_MUSIQUE_11, PAPER_MUSIQUE_12};
	double most = 0.0;

	for (size_t i = 0; i < ARRAY_SIZE(alike); i++) {
		const struct paper_setting *s = &paper_settings[alike[i]];
		const struct quantiles *x =
			paper_ttft(paper, s, seed, RELATIVE, NULL);
		const struct quantiles *y =
			paper_ttft(paper, s, seed, ABSOLUTE, NULL);

		most = fmax(most, apart(x->p50, y->p50));
		most = fmax(most, apart(x->p99, y->p99));
	}
	return most;
}

static void judge_alike(struct paper *paper, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true, "where lengths are alike the wait's unit is all one",
		"within 3%",
		"median and p99 within 3% of each other in musique 1.1 and "
		"1.2");
	struct paper_pair pairs[PAPER_SEEDS];

	for (uint32_t n = 0; n < paper->seeds; n++) {
		double most = most_apart(paper, n + 1);

		pairs[n] = (struct paper_pair){most, 3.0, most <= 3.0};
	}
	paper_judge(paper, claim, pairs, "percent apart", "allowed", 1);
}

/* The relative wait against the absolute one. */
static void judge(struct paper *paper, struct paper_claim *claim,
		  const struct column *at, bool lanes, double over, double most)
{
	paper_contest(paper, claim,
		      &(const struct paper_contest){
			      .setting = at->setting,
			      .group = at->group,
			      .figure = at->figure,
			      .own = lanes ? RELATIVE : RELATIVE_ALONE,
			      .other = lanes ? ABSOLUTE : ABSOLUTE_ALONE,
			      .own_name = "relative",
			      .other_name = "absolute",
			      .over = over,
			      .most = most,
		      });
}

static void judge_wait(struct paper *paper, struct paper_finding *f)
{
	static const struct column at[] = {
		{&paper_settings[PAPER_LONG_10], "short", PAPER_P99},
		{&paper_settings[PAPER_MIXED_09], "long", PAPER_P99},
		{&paper_settings[PAPER_MIXED_11], "long", PAPER_P99},
	};

	judge(paper,
	      paper_claim(f, true,
			  "among long documents the relative wait helps short "
			  "prompts",
			  "their p99 from 13.6 to 8.6 s",
			  "in long 1.0 their p99 at most 0.9 times that of the "
			  "absolute wait"),
	      &at[0], true, 0.0, 0.9);
	judge(paper,
	      paper_claim(f, true, "in mixed lengths long prompts pay for it",
			  "their p99 up 6 to 31%",
			  "in mixed 0.9 their p99 up, by half at most"),
	      &at[1], true, 1.0, 1.5);
	judge(paper,
	      paper_claim(f, true, "and in overload too",
			  "their p99 up 6 to 31%",
			  "in mixed 1.1 their p99 up, by half at most"),
	      &at[2], true, 1.0, 1.5);
}

static void judge_lane(struct paper *paper, struct paper_finding *f)
{
	static const struct column at[] = {
		{&paper_settings[PAPER_MIXED_11], "long", PAPER_P99},
		{&paper_flood_setting, "backlog", PAPER_WORST},
	};

	judge(paper,
	      paper_claim(f, true,
			  "without the fair lane the relative wait costs long "
			  "prompts",
			  "their tail 20.2 s, 15.1 with the absolute wait",
			  "in mixed 1.1 their p99 over 1.1 times that"),
	      &at[0], false, 1.1, HUGE_VAL);
	judge(paper,
	      paper_claim(f, true, "and the flood's longest wait grows",
			  "59 s, 33 with the absolute wait",
			  "the worst miss over 1.1 times that"),
	      &at[1], false, 1.1, HUGE_VAL);
}

/* --- the other switches --- */

static const char *const weights[] = {
	"fairway:weight=1", "fairway:weight=2",	 "fairway",
	"fairway:weight=8", "fairway:weight=16", NULL,
};

static const char *const multipliers[] = {
	"fairway:multiplier=1",
	"fairway:multiplier=2",
	"fairway",
	"fairway:multiplier=4",
	"fairway:multiplier=5",
	"fairway:multiplier=6",
	NULL,
};

static const char *const floors[] = {
	"fairway:floor=0.25", "fairway:floor=0.5", "fairway",
	"fairway:floor=2",    "fairway:floor=4",   NULL,
};

static const char *const own_switches[] = {
	"fairway",	   "fairway:carry",	    "fairway:carry=long",
	"fairway:protect", "fairway:carry:protect", NULL,
};

static void add_switches(struct paper *paper, struct paper_finding *f,
			 const char *title, const char *const *policies)
{
	static const char *const heads[] = {"policy",	"rec1 p50",
					    "p99",	"m1.1 p50",
					    "long p99", "flood miss",
					    "hit p50",	NULL};
	static const struct column columns[] = {
		{&paper_settings[PAPER_RECORD], "spike", PAPER_MEDIAN},
		{&paper_settings[PAPER_RECORD], "spike", PAPER_P99},
		{&paper_settings[PAPER_MIXED_11], NULL, PAPER_MEDIAN},
		{&paper_settings[PAPER_MIXED_11], "long", PAPER_P99},
		{&paper_flood_setting, "backlog", PAPER_WORST},
		{&paper_flood_setting, "flood", PAPER_MEDIAN},
	};
	struct paper_table *table =
		paper_table(f, heads,
			    "%s: spikes of the records, TTFT in seconds, "
			    "medians over %u seeds",
			    title, paper->seeds);

	for (; *policies; policies++) {
		paper_cell_text(paper, table, "%s", *policies);
		add_row(paper, table, *policies, columns, ARRAY_SIZE(columns));
	}
}

void paper_ablation(struct paper *paper, struct paper_finding *finding)
{
	add_forms(paper, finding);
	add_switches(paper, finding, "charge of the fast lane, 4 by default",
		     weights);
	add_switches(paper, finding, "prefill times in an SLO, 3 by default",
		     multipliers);
	add_switches(paper, finding, "least SLO, 1 s by default", floors);
	add_switches(paper, finding, "ours, not the paper's", own_switches);
	judge_alike(paper, finding);
	judge_wait(paper, finding);
	judge_lane(paper, finding);
}
