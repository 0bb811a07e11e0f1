/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PAPER_PAPER_H
#define TOOLS_PAPER_PAPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/diag.h"
#include "runs.h"
#include "table.h"

/*
 * The source paper's evaluation. Each finding asks for the runs that it needs
 * and makes tables and claims of them. It does so twice: first to tell which
 * runs there are (paper_figures() then answers with figures of nothing, and
 * what is made of them is thrown away), then, when all have been made, for
 * good. So no list of runs is written beside the code that reads them.
 */

/**
 * struct paper_args - the command line
 * @trace: of the Mooncake conversation, or NULL: that scenario is left out
 * @quick: leave out that scenario, and all but PAPER_QUICK_SEEDS seeds
 * @only: findings to evaluate, a bit for each; 0: all
 * @jobs: runs at once
 * @resume: folder of finished runs, or NULL
 * @json: path or NULL
 * @html: path or NULL
 * @quiet: no report, no progress
 * @argc: words of the command line
 * @argv: the words
 */
struct paper_args {
	const char *trace;
	bool quick;
	uint32_t only;
	uint32_t jobs;
	const char *resume;
	const char *json;
	const char *html;
	bool quiet;
	int argc;
	char **argv;
};

/**
 * struct paper - the whole evaluation
 * @args: the command line
 * @seeds: how many
 * @collecting: no run is made yet
 * @loaded: the inputs were sound: what fails from then on is the run
 * @scenarios: asked for so far
 * @num_scenarios: how many
 * @cap_scenarios: room for
 * @runs: asked for so far
 * @num_runs: how many
 * @cap_runs: room for
 * @findings: those that were evaluated
 * @num_findings: how many
 * @err: the first that an addition met; later ones do nothing
 */
struct paper {
	const struct paper_args *args;
	uint32_t seeds;
	bool collecting;
	bool loaded;
	struct paper_scenario **scenarios;
	size_t num_scenarios;
	size_t cap_scenarios;
	struct paper_run **runs;
	size_t num_runs;
	size_t cap_runs;
	struct paper_finding findings[PAPER_FINDINGS];
	unsigned int num_findings;
	int err;
};

/* figures.c: what the findings ask for. */

/* A setting under one of the evaluation's seeds, from 1 to paper->seeds. */
struct paper_scenario *paper_scenario(struct paper *paper,
				      const struct paper_setting *setting,
				      uint32_t seed);

/* Figures of a run, never NULL; of nothing while runs are collected. */
const struct paper_figures *paper_figures(struct paper *paper,
					  struct paper_scenario *scenario,
					  const char *policy);

/* TTFTs of a group, of all where @name is NULL; of nothing where it is none. */
const struct quantiles *paper_group(const struct paper_figures *figures,
				    const char *name);

/* A group of a run of a setting under a seed. */
const struct quantiles *paper_ttft(struct paper *paper,
				   const struct paper_setting *setting,
				   uint32_t seed, const char *policy,
				   const char *group);

/* contest.c: two policies in one setting. */

enum paper_figure {
	PAPER_MEDIAN,
	PAPER_P99,
	PAPER_WORST,
};

double paper_figure_of(const struct quantiles *ttft, enum paper_figure figure);

/**
 * struct paper_contest - a claim about a figure of two policies
 * @setting: where
 * @group: of the requests, NULL for all
 * @figure: of their TTFTs
 * @own: the policy that the claim is about
 * @other: the one that it is compared with
 * @own_name: of @own, in the report
 * @other_name: of @other
 * @over: the claim holds where own / other is over this
 * @most: and at most this
 */
struct paper_contest {
	const struct paper_setting *setting;
	const char *group;
	enum paper_figure figure;
	const char *own;
	const char *other;
	const char *own_name;
	const char *other_name;
	double over;
	double most;
};

/* Judge a claim under each seed. */
void paper_contest(struct paper *paper, struct paper_claim *claim,
		   const struct paper_contest *contest);

/* paper.c: the findings, one after the other. */

/**
 * paper_evaluate() - make all runs and judge all findings
 * @paper: of zeros but its args; to be destroyed whatever comes back
 *
 * Return: 0 or -errno with @diag set.
 */
int paper_evaluate(struct paper *paper, struct diag *diag);
void paper_destroy(struct paper *paper);

/* runs.c: load all scenarios and make all runs, some at once. */
int paper_make(struct paper *paper, struct diag *diag);

/* One file a finding. */
void paper_spike(struct paper *paper, struct paper_finding *finding);
void paper_targets(struct paper *paper, struct paper_finding *finding);
void paper_matrix(struct paper *paper, struct paper_finding *finding);
void paper_flood(struct paper *paper, struct paper_finding *finding);
void paper_ablation(struct paper *paper, struct paper_finding *finding);
void paper_loss(struct paper *paper, struct paper_finding *finding);

/* Reports; each returns 0 or -errno. */
int paper_print(struct paper *paper, FILE *to);
int paper_json(struct paper *paper, FILE *to);
int paper_html(struct paper *paper, FILE *to, struct diag *diag);

/**
 * paper_json_value() - what paper_json() writes
 * @runs: with the figures of each run; a page leaves them out
 *
 * Return: A new reference, or NULL without memory.
 */
struct json_t *paper_json_value(struct paper *paper, bool runs);

/* For the reports: the table of all settings. */
int paper_setting_table(struct paper *paper, struct paper_table *table);

#endif
