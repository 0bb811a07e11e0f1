/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PAPER_PAPER_H
#define TOOLS_PAPER_PAPER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/diag.h"
#include "tools/node/sim_input.h"
#include "tools/report/report.h"

/*
 * The source paper's evaluation. Each finding asks for the runs that it needs
 * and makes tables and claims of them. It does so twice: first to tell which
 * runs there are (paper_figures() then answers with figures of nothing, and
 * what is made of them is thrown away), then, when all have been made, for
 * good. So no list of runs is written beside the code that reads them.
 */

enum {
	PAPER_MAX_GROUPS = 10, /* phases of a workload, short and long */
	PAPER_MAX_COLUMNS = 16, /* as a grid has them */
	PAPER_MAX_CLAIMS = 12,
	PAPER_MAX_TABLES = 6,
	PAPER_FINDINGS = 6,
};

/* Prompts up to the first are short, from the second on long, in tokens. */
#define PAPER_SHORT 4000u
#define PAPER_LONG 8000u

/* A part of a run's requests: a phase, or "short" or "long" prompts. */
struct paper_group {
	char name[32];
	struct quantiles ttft;
};

/**
 * struct paper_figures - what is kept of a run
 * @requests: of the trace
 * @rejected: longer than the pool
 * @starved: over three times the run's own p99
 * @steps: of the device
 * @busy_s: seconds that it computed
 * @hit_rate: cached tokens at admission / prompt tokens
 * @worst_miss: seconds
 * @worst_hit: seconds
 * @ttft: of all requests
 * @num_groups: how many
 * @groups: parts of them
 */
struct paper_figures {
	uint64_t requests;
	uint64_t rejected;
	uint64_t starved;
	uint64_t steps;
	double busy_s;
	double hit_rate;
	double worst_miss;
	double worst_hit;
	struct quantiles ttft;
	unsigned int num_groups;
	struct paper_group groups[PAPER_MAX_GROUPS];
};

/**
 * struct paper_setting - a scenario before it is loaded
 * @name: in the tables
 * @head: the same, as the head of a column
 * @workload: spec; NULL for the Mooncake conversation trace at load 1
 * @seed: of the workload
 * @window: phase that the tables are about, or NULL for all requests
 */
struct paper_setting {
	const char *name;
	const char *head;
	const char *workload;
	uint64_t seed;
	const char *window;
};

/**
 * struct paper_scenario - one that some finding asked for
 * @setting: its strings live as long as the scenario
 * @name: of @setting where it was made up
 * @command: what runs it, a policy left out
 * @args: the same, read
 * @input: requests and node; valid once @loaded
 * @loaded: set by the loading thread, read after it was joined
 * @hash: of all that the runs read
 * @tokens: of all prompts
 * @span_s: of the arrivals
 */
struct paper_scenario {
	struct paper_setting setting;
	char name[32];
	char command[256];
	struct sim_args args;
	struct sim_input input;
	bool loaded;
	uint64_t hash;
	uint64_t tokens;
	double span_s;
};

/**
 * struct paper_run - one scenario under one policy
 * @scenario: which
 * @policy: as --policy takes it
 * @figures: valid once the run is made
 * @kept: it was taken from the folder of an earlier run
 */
struct paper_run {
	struct paper_scenario *scenario;
	char policy[64];
	struct paper_figures figures;
	bool kept;
};

/**
 * struct paper_args - the command line
 * @trace: of the Mooncake conversation, or NULL: that scenario is left out
 * @quick: leave out that scenario and the spread over seeds
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
 * struct paper_cell - of a table
 * @text: as it is shown
 * @value: the figure behind it; not finite where it is a text
 */
struct paper_cell {
	char text[48];
	double value;
};

/**
 * struct paper_table - figures beside each other
 * @title: what they are
 * @columns: heads
 * @num_columns: how many
 * @matrix: a figure of one kind in each column, the least is the best
 * @cells: row by row
 * @num_cells: how many
 * @cap_cells: room for
 */
struct paper_table {
	char title[200];
	const char *columns[PAPER_MAX_COLUMNS];
	unsigned int num_columns;
	bool matrix;
	struct paper_cell *cells;
	size_t num_cells;
	size_t cap_cells;
};

/**
 * struct paper_claim - one sentence of the paper, held against our figures
 * @text: the sentence
 * @paper: its figures
 * @rule: what decides
 * @here: our figures
 * @holds: the rule is met
 * @decides: it counts for the finding; others are rows of our own
 */
struct paper_claim {
	char text[200];
	char paper[120];
	char rule[200];
	char here[320];
	bool holds;
	bool decides;
};

/**
 * struct paper_finding - one of the paper's findings
 * @number: from 1
 * @title: what it is about
 * @claims: what it says
 * @num_claims: how many
 * @tables: the figures
 * @num_tables: how many
 */
struct paper_finding {
	unsigned int number;
	const char *title;
	struct paper_claim claims[PAPER_MAX_CLAIMS];
	unsigned int num_claims;
	struct paper_table tables[PAPER_MAX_TABLES];
	unsigned int num_tables;
};

/**
 * struct paper - the whole evaluation
 * @args: the command line
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

/* A scenario by its setting, whose strings need not live on. */
struct paper_scenario *paper_scenario(struct paper *paper,
				      const struct paper_setting *setting);

/* Figures of a run, never NULL; of nothing while runs are collected. */
const struct paper_figures *paper_figures(struct paper *paper,
					  struct paper_scenario *scenario,
					  const char *policy);

/* TTFTs of a group, of all where @name is NULL; of nothing where it is none. */
const struct quantiles *paper_group(const struct paper_figures *figures,
				    const char *name);

/* The scenario's window of a run. */
const struct quantiles *paper_window(struct paper *paper,
				     struct paper_scenario *scenario,
				     const char *policy);

/* paper.c: the findings, one after the other. */

/**
 * paper_evaluate() - make all runs and judge all findings
 * @paper: of zeros but its args; to be destroyed whatever comes back
 *
 * Return: 0 or -errno with @diag set.
 */
int paper_evaluate(struct paper *paper, struct diag *diag);
void paper_destroy(struct paper *paper);

/* settings.c: what is run, and under what. */

#define PAPER_SCENARIOS 11u

/* The scenarios of the third finding; the first two are the records. */
extern const struct paper_setting paper_settings[PAPER_SCENARIOS];
extern const struct paper_setting paper_flood_setting;
extern const struct paper_setting paper_long_setting;
extern const struct paper_setting paper_mild_settings[2];
extern const struct paper_setting paper_reuse_setting;

/* A record under another seed; the buffer holds its name. */
struct paper_setting paper_record(char *name, size_t size, uint64_t seed);

#define PAPER_SEEDS 20u

/* Lists of policies, ended by NULL. */
extern const char *const paper_baselines[]; /* that the paper compares with */
extern const char *const paper_others[]; /* baselines that came later */
extern const char *const paper_variants[]; /* flags of both */
extern const char *const paper_ours[]; /* fairway and our own switches */

#define PAPER_MAX_POLICIES 24u

/* Which of the lists: without paper_others and paper_variants, or with. */
enum paper_lists {
	PAPER_FEW,
	PAPER_ALL,
	PAPER_WITH_VARIANTS,
};

/* All of them behind each other. Return: How many. */
size_t paper_policies(const char **policies, enum paper_lists lists);

/* Command line and requests of a scenario. Return: 0 or -errno with @diag. */
int paper_scenario_init(struct paper_scenario *scenario,
			const struct paper_setting *setting,
			const struct paper_args *args, struct diag *diag);
int paper_scenario_load(struct paper_scenario *scenario, struct diag *diag);
void paper_scenario_destroy(struct paper_scenario *scenario);

/* runs.c: load all scenarios and make all runs, some at once. */
int paper_make(struct paper *paper, struct diag *diag);

/* store.c: finished runs in a folder. */

/* The folder, made where it is not there. Return: 0 or -errno with @diag. */
int paper_store_open(const char *folder, struct diag *diag);
/* Was it taken from @folder? One that is damaged or of other inputs is not. */
bool paper_store_take(struct paper_run *run, const char *folder);
int paper_store_put(const struct paper_run *run, const char *folder,
		    struct diag *diag);

/* What the file holds of a run, for the report too; NULL without memory. */
struct json_t *paper_figures_json(const struct paper_figures *figures);

/* table.c: what a finding is made of. */

struct paper_table *paper_table(struct paper_finding *finding,
				const char *const *columns, const char *fmt,
				...) __attribute__((format(printf, 3, 4)));
void paper_cell_text(struct paper *paper, struct paper_table *table,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void paper_cell_real(struct paper *paper, struct paper_table *table,
		     double value, int decimals, const char *mark);
struct paper_claim *paper_claim(struct paper_finding *finding, bool decides,
				const char *text, const char *paper,
				const char *rule);
/* What is here, and whether that meets the rule. */
void paper_judge(struct paper_claim *claim, bool holds, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Do all claims that decide hold? */
bool paper_reproduced(const struct paper_finding *finding);

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

/* What paper_json() writes, as a new reference, or NULL without memory. */
struct json_t *paper_json_value(struct paper *paper);

/* For the reports: the table of all scenarios. */
int paper_scenario_table(struct paper *paper, struct paper_table *table);

#endif
