/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PAPER_RUNS_H
#define TOOLS_PAPER_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/node/sim_input.h"
#include "tools/report/report.h"

/* What is run: scenarios under seeds and policies, and what is kept of it. */

struct json_t;
struct paper_args;

enum {
	PAPER_MAX_GROUPS = 10, /* phases of a workload, short and long */
	PAPER_SCENARIOS = 11, /* of the third finding */
	PAPER_SEEDS = 20,
	PAPER_QUICK_SEEDS = 4,
	PAPER_MAX_POLICIES = 24,
};

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
 * @groups: parts of them. Short is the quarter of the shortest prompts, long
 *	that of the longest ones
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
 * struct paper_setting - a scenario before it has a seed
 * @name: in the tables
 * @head: the same, as the head of a column
 * @workload: spec; NULL for the Mooncake conversation trace
 * @share: of the blocks that can be hit, for --kv-fraction; NULL where the
 *	workload has a pool of its own
 * @after: the workload's seed is this and that of the evaluation
 * @window: phase that the tables are about, or NULL for all requests
 */
struct paper_setting {
	const char *name;
	const char *head;
	const char *workload;
	const char *share;
	uint64_t after;
	const char *window;
};

/**
 * struct paper_scenario - a setting under one seed
 * @setting: which
 * @seed: of the evaluation, from 1; 0 for a recorded trace, which has none
 * @name: of the setting and the seed
 * @command: what runs it, a policy left out
 * @args: the same, read
 * @input: requests and node; valid once @loaded
 * @loaded: set by the loading thread, read after it was joined
 * @hash: of all that the runs read
 * @tokens: of all prompts
 * @span_s: of the arrivals
 * @runs: the first of them
 */
struct paper_scenario {
	const struct paper_setting *setting;
	uint32_t seed;
	char name[40];
	char command[256];
	struct sim_args args;
	struct sim_input input;
	bool loaded;
	uint64_t hash;
	uint64_t tokens;
	double span_s;
	struct paper_run *runs;
};

/**
 * struct paper_run - one scenario under one policy
 * @scenario: which
 * @next: run of the same scenario
 * @policy: as --policy takes it
 * @figures: valid once the run is made
 * @kept: it was taken from the folder of an earlier run
 */
struct paper_run {
	struct paper_scenario *scenario;
	struct paper_run *next;
	char policy[64];
	struct paper_figures figures;
	bool kept;
};

/* settings.c: what is run, and under what. */

/* The scenarios of the third finding; the first two are records. */
extern const struct paper_setting paper_settings[PAPER_SCENARIOS];
extern const struct paper_setting paper_flood_setting;

/* Places in paper_settings. */
enum {
	PAPER_RECORD,
	PAPER_SECOND_RECORD,
	PAPER_SEC_09,
	PAPER_SEC_10,
	PAPER_SEC_11,
	PAPER_LONG_10,
	PAPER_MIXED_09,
	PAPER_MIXED_11,
	PAPER_MUSIQUE_11,
	PAPER_MUSIQUE_12,
	PAPER_MOONCAKE_09,
};

/* Lists of policies, ended by NULL. */
extern const char *const paper_baselines[]; /* that the paper compares with */
extern const char *const paper_others[]; /* baselines that came later */
extern const char *const paper_variants[]; /* flags of both */
extern const char *const paper_ours[]; /* fairway, our own switches, and srpf */

/* Which of the lists: without paper_variants, or with. */
enum paper_lists {
	PAPER_ALL,
	PAPER_WITH_VARIANTS,
};

/* All of them behind each other. Return: How many. */
size_t paper_policies(const char **policies, enum paper_lists lists);

/* Command line and requests of a scenario. Return: 0 or -errno with @diag. */
int paper_scenario_init(struct paper_scenario *scenario,
			const struct paper_setting *setting, uint32_t seed,
			const struct paper_args *args, struct diag *diag);
int paper_scenario_load(struct paper_scenario *scenario, struct diag *diag);
void paper_scenario_destroy(struct paper_scenario *scenario);

/* store.c: finished runs in a folder. */

/* The folder, made where it is not there. Return: 0 or -errno with @diag. */
int paper_store_open(const char *folder, struct diag *diag);
/* Was it taken from @folder? One that is damaged or of other inputs is not. */
bool paper_store_take(struct paper_run *run, const char *folder);
int paper_store_put(const struct paper_run *run, const char *folder,
		    struct diag *diag);

/* What the file holds of a run, for the report too; NULL without memory. */
struct json_t *paper_figures_json(const struct paper_figures *figures);

#endif
