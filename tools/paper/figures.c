/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/mem.h"
#include "paper.h"

/* What the findings ask for: scenarios, and the figures of their runs. */

/* While runs are collected: a second, so that each quotient has a value. */
static const struct paper_figures nothing = {
	.requests = 1,
	.hit_rate = 1.0,
	.worst_miss = 1.0,
	.worst_hit = 1.0,
	.busy_s = 1.0,
	.ttft = {.num = 1,
		 .mean = 1.0,
		 .p50 = 1.0,
		 .p90 = 1.0,
		 .p99 = 1.0,
		 .max = 1.0},
};

static void *grow(struct paper *paper, void *array, size_t *cap, size_t need)
{
	void *grown = mem_grow(array, cap, need, sizeof(void *));

	if (!grown)
		paper->err = -ENOMEM;
	return grown;
}

static struct paper_scenario *find_scenario(const struct paper *paper,
					    const struct paper_setting *setting,
					    uint32_t seed)
{
	for (size_t i = 0; i < paper->num_scenarios; i++)
		if (paper->scenarios[i]->setting == setting &&
		    paper->scenarios[i]->seed == seed)
			return paper->scenarios[i];
	return NULL;
}

static struct paper_run *find_run(const struct paper_scenario *scenario,
				  const char *policy)
{
	struct paper_run *run = scenario->runs;

	while (run && strcmp(run->policy, policy))
		run = run->next;
	return run;
}

static void add_run(struct paper *paper, struct paper_scenario *scenario,
		    const char *policy)
{
	struct paper_run **all =
		grow(paper, paper->runs, &paper->cap_runs, paper->num_runs + 1);
	struct paper_run *run;

	if (!all)
		return;
	paper->runs = all;
	run = calloc(1, sizeof(*run));
	if (!run) {
		paper->err = -ENOMEM;
		return;
	}
	run->scenario = scenario;
	run->next = scenario->runs;
	scenario->runs = run;
	assert(strlen(policy) < sizeof(run->policy));
	snprintf(run->policy, sizeof(run->policy), "%s", policy);
	paper->runs[paper->num_runs++] = run;
}

static struct paper_scenario *add_scenario(struct paper *paper,
					   const struct paper_setting *setting,
					   uint32_t seed)
{
	struct paper_scenario **all =
		grow(paper, paper->scenarios, &paper->cap_scenarios,
		     paper->num_scenarios + 1);
	struct paper_scenario *scenario;
	struct diag diag = {.text = ""};

	if (!all)
		return NULL;
	paper->scenarios = all;
	scenario = calloc(1, sizeof(*scenario));
	if (!scenario) {
		paper->err = -ENOMEM;
		return NULL;
	}
	paper->scenarios[paper->num_scenarios++] = scenario;
	paper->err = paper_scenario_init(scenario, setting, seed, paper->args,
					 &diag);
	assert(paper->err != -EINVAL);
	/* It tells the load. */
	add_run(paper, scenario, "fcfs");
	return scenario;
}

struct paper_scenario *paper_scenario(struct paper *paper,
				      const struct paper_setting *setting,
				      uint32_t seed)
{
	struct paper_scenario *scenario;

	/* What was recorded is there once. */
	if (!setting->workload)
		seed = 0;
	scenario = find_scenario(paper, setting, seed);
	if (scenario || paper->err)
		return scenario;
	assert(paper->collecting);
	return add_scenario(paper, setting, seed);
}

const struct paper_figures *paper_figures(struct paper *paper,
					  struct paper_scenario *scenario,
					  const char *policy)
{
	const struct paper_run *run;

	if (paper->err)
		return &nothing;
	run = find_run(scenario, policy);
	if (run)
		return paper->collecting ? &nothing : &run->figures;
	assert(paper->collecting);
	add_run(paper, scenario, policy);
	return &nothing;
}

const struct quantiles *paper_group(const struct paper_figures *figures,
				    const char *name)
{
	static const struct quantiles none = {.num = 0,
					      .mean = NO_FIGURE,
					      .p50 = NO_FIGURE,
					      .p90 = NO_FIGURE,
					      .p99 = NO_FIGURE,
					      .max = NO_FIGURE};

	if (!name || figures == &nothing)
		return &figures->ttft;
	for (unsigned int i = 0; i < figures->num_groups; i++)
		if (!strcmp(figures->groups[i].name, name))
			return &figures->groups[i].ttft;
	return &none;
}

const struct quantiles *paper_ttft(struct paper *paper,
				   const struct paper_setting *setting,
				   uint32_t seed, const char *policy,
				   const char *group)
{
	struct paper_scenario *scenario = paper_scenario(paper, setting, seed);

	return paper_group(paper_figures(paper, scenario, policy), group);
}
