/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "lib/base/compiler.h"
#include "paper.h"

/*
 * Finding 5: what the relative wait and the fair lane are each good for. The
 * other switches stand beside them, to show that nothing hangs on one value.
 */

enum {
	RECORD_1,
	RECORD_2,
	SEC_LONG,
	MIXED_09,
	MIXED_11,
	RETRIEVED,
	MUSIQUE,
	FLOOD,
	NUM_SCENARIOS,
};

static const struct paper_setting *const settings[NUM_SCENARIOS] = {
	[RECORD_1] = &paper_settings[0],  [RECORD_2] = &paper_settings[1],
	[SEC_LONG] = &paper_long_setting, [MIXED_09] = &paper_settings[5],
	[MIXED_11] = &paper_settings[6],  [RETRIEVED] = &paper_settings[7],
	[MUSIQUE] = &paper_settings[8],	  [FLOOD] = &paper_flood_setting,
};

#define RELATIVE "fairway"
#define ABSOLUTE "fairway:wait=absolute"
#define RELATIVE_ALONE "fairway:lane=off"
#define ABSOLUTE_ALONE "fairway:wait=absolute:lane=off"

struct ablation {
	struct paper *paper;
	struct paper_scenario *scenarios[NUM_SCENARIOS];
};

static const struct quantiles *group(const struct ablation *a, int scenario,
				     const char *policy, const char *name)
{
	return paper_group(paper_figures(a->paper, a->scenarios[scenario],
					 policy),
			   name);
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

static void add_forms(const struct ablation *a, struct paper_finding *f)
{
	static const char *const columns[] = {"form",	    "sec short",
					      "sec long",   "m0.9 long",
					      "m1.1 short", "m1.1 long",
					      "retr",	    "musq",
					      "flood",	    NULL};
	struct paper_table *table = paper_table(
		f, columns,
		"wait and fair lane: p99 in seconds, of prompts up to %u "
		"tokens (short) and from %u on (long); flood: its longest miss",
		PAPER_SHORT, PAPER_LONG);
	struct paper *p = a->paper;

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *own = forms[i].policy;
		const double values[] = {
			group(a, SEC_LONG, own, "short")->p99,
			group(a, SEC_LONG, own, "long")->p99,
			group(a, MIXED_09, own, "long")->p99,
			group(a, MIXED_11, own, "short")->p99,
			group(a, MIXED_11, own, "long")->p99,
			group(a, RETRIEVED, own, NULL)->p99,
			group(a, MUSIQUE, own, NULL)->p99,
			group(a, FLOOD, own, "backlog")->max,
		};

		paper_cell_text(p, table, "%s", forms[i].name);
		for (size_t j = 0; j < ARRAY_SIZE(values); j++)
			paper_cell_real(p, table, values[j], 2, "");
	}
}

static double apart(double a, double b)
{
	return fabs(a / b - 1.0);
}

static void judge_alike(const struct ablation *a, struct paper_finding *f)
{
	static const int alike[] = {RETRIEVED, MUSIQUE};
	struct paper_claim *claim = paper_claim(
		f, true, "where lengths are alike the wait's unit is all one",
		"within 3%",
		"median and p99 within 3% of each other in retrieved 0.9 and "
		"musique 1.2");
	double most = 0.0;

	for (size_t i = 0; i < ARRAY_SIZE(alike); i++) {
		const struct quantiles *x = group(a, alike[i], RELATIVE, NULL);
		const struct quantiles *y = group(a, alike[i], ABSOLUTE, NULL);

		most = fmax(most, apart(x->p50, y->p50));
		most = fmax(most, apart(x->p99, y->p99));
	}
	paper_judge(claim, most <= 0.03, "within %.1f%%", 100.0 * most);
}

static void judge_short(const struct ablation *a, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true,
		"among long documents the relative wait helps short prompts",
		"their p99 from 13.6 to 8.6 s",
		"their p99 at most 0.9 times that of the absolute wait in sec "
		"long 1.1");
	double relative = group(a, SEC_LONG, RELATIVE, "short")->p99;
	double absolute = group(a, SEC_LONG, ABSOLUTE, "short")->p99;

	paper_judge(claim, relative <= 0.9 * absolute, "from %.2f to %.2f s",
		    absolute, relative);
}

static void judge_long(const struct ablation *a, struct paper_finding *f)
{
	static const int mixed[] = {MIXED_09, MIXED_11};
	struct paper_claim *claim = paper_claim(
		f, true, "in mixed lengths long prompts pay for it",
		"their p99 up 6 to 31%",
		"their p99 up in mixed 0.9 and 1.1, by half at most");
	double up[ARRAY_SIZE(mixed)];

	for (size_t i = 0; i < ARRAY_SIZE(mixed); i++)
		up[i] = group(a, mixed[i], RELATIVE, "long")->p99 /
				group(a, mixed[i], ABSOLUTE, "long")->p99 -
			1.0;
	paper_judge(claim,
		    up[0] > 0.0 && up[0] <= 0.5 && up[1] > 0.0 && up[1] <= 0.5,
		    "%+.1f%% and %+.1f%%", 100.0 * up[0], 100.0 * up[1]);
}

static void judge_lane(const struct ablation *a, struct paper_finding *f)
{
	struct paper_claim *claim = paper_claim(
		f, true,
		"without the fair lane the relative wait costs long prompts",
		"their tail 20.2 s, 15.1 with the absolute wait",
		"their p99 at least 1.1 times that in mixed 1.1");
	double relative = group(a, MIXED_11, RELATIVE_ALONE, "long")->p99;
	double absolute = group(a, MIXED_11, ABSOLUTE_ALONE, "long")->p99;

	paper_judge(claim, relative >= 1.1 * absolute, "%.2f s, %.2f", relative,
		    absolute);
	claim = paper_claim(f, true, "and the flood's longest wait grows",
			    "59 s, 33 with the absolute wait",
			    "at least 1.1 times that");
	relative = group(a, FLOOD, RELATIVE_ALONE, "backlog")->max;
	absolute = group(a, FLOOD, ABSOLUTE_ALONE, "backlog")->max;
	paper_judge(claim, relative >= 1.1 * absolute, "%.1f s, %.1f", relative,
		    absolute);
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

static void add_switches(const struct ablation *a, struct paper_finding *f,
			 const char *title, const char *const *policies)
{
	static const char *const columns[] = {"policy",	  "rec1 p50",
					      "p99",	  "rec2 p50",
					      "p99",	  "m1.1 p50",
					      "long p99", "flood miss",
					      "hit p50",  NULL};
	struct paper_table *table =
		paper_table(f, columns,
			    "%s: spikes of the records, TTFT in seconds",
			    title);

	for (; *policies; policies++) {
		const struct quantiles *one =
			group(a, RECORD_1, *policies, "spike");
		const struct quantiles *two =
			group(a, RECORD_2, *policies, "spike");
		const double values[] = {
			one->p50,
			one->p99,
			two->p50,
			two->p99,
			group(a, MIXED_11, *policies, NULL)->p50,
			group(a, MIXED_11, *policies, "long")->p99,
			group(a, FLOOD, *policies, "backlog")->max,
			group(a, FLOOD, *policies, "flood")->p50,
		};

		paper_cell_text(a->paper, table, "%s", *policies);
		for (size_t j = 0; j < ARRAY_SIZE(values); j++)
			paper_cell_real(a->paper, table, values[j], 2, "");
	}
}

void paper_ablation(struct paper *paper, struct paper_finding *finding)
{
	struct ablation a = {.paper = paper};

	for (int i = 0; i < NUM_SCENARIOS; i++)
		a.scenarios[i] = paper_scenario(paper, settings[i]);
	add_forms(&a, finding);
	add_switches(&a, finding, "charge of the fast lane, 4 by default",
		     weights);
	add_switches(&a, finding, "prefill times in an SLO, 3 by default",
		     multipliers);
	add_switches(&a, finding, "least SLO, 1 s by default", floors);
	add_switches(&a, finding, "ours, not the paper's", own_switches);
	judge_alike(&a, finding);
	judge_short(&a, finding);
	judge_long(&a, finding);
	judge_lane(&a, finding);
}
