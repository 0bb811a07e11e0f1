/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/mem.h"
#include "paper.h"

/* What the findings ask for: scenarios, and the figures of their runs. */

/* While runs are collected: a second, so that no quotient is without a value. */
static const struct paper_figures nothing = {
	.requests = 1,
	.hit_rate = 1.0,
	.worst_miss = 1.0,
	.worst_hit = 1.0,
	.busy_s = 1.0,
	.ttft = {1, 1.0, 1.0, 1.0, 1.0, 1.0},
};

static void *grow(struct paper *paper, void *array, size_t *cap, size_t need)
{
	void *grown = mem_grow(array, cap, need, sizeof(void *));

	if (!grown)
		paper->err = -ENOMEM;
	return grown;
}

static struct paper_scenario *find_scenario(const struct paper *paper,
					    const char *name)
{
	for (size_t i = 0; i < paper->num_scenarios; i++)
		if (!strcmp(paper->scenarios[i]->name, name))
			return paper->scenarios[i];
	return NULL;
}

static struct paper_run *find_run(const struct paper *paper,
				  const struct paper_scenario *scenario,
				  const char *policy)
{
	for (size_t i = 0; i < paper->num_runs; i++)
		if (paper->runs[i]->scenario == scenario &&
		    !strcmp(paper->runs[i]->policy, policy))
			return paper->runs[i];
	return NULL;
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
	assert(strlen(policy) < sizeof(run->policy));
	snprintf(run->policy, sizeof(run->policy), "%s", policy);
	paper->runs[paper->num_runs++] = run;
}

static struct paper_scenario *add_scenario(struct paper *paper,
					   const struct paper_setting *setting)
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
	paper->err = paper_scenario_init(scenario, setting, paper->args, &diag);
	assert(paper->err != -EINVAL);
	/* It tells the load. */
	add_run(paper, scenario, "fcfs");
	return scenario;
}

struct paper_scenario *paper_scenario(struct paper *paper,
				      const struct paper_setting *setting)
{
	struct paper_scenario *scenario = find_scenario(paper, setting->name);

	if (scenario || paper->err)
		return scenario;
	assert(paper->collecting);
	return add_scenario(paper, setting);
}

const struct paper_figures *paper_figures(struct paper *paper,
					  struct paper_scenario *scenario,
					  const char *policy)
{
	const struct paper_run *run;

	if (paper->err)
		return &nothing;
	run = find_run(paper, scenario, policy);
	if (run)
		return paper->collecting ? &nothing : &run->figures;
	assert(paper->collecting);
	add_run(paper, scenario, policy);
	return &nothing;
}

const struct quantiles *paper_group(const struct paper_figures *figures,
				    const char *name)
{
	static const struct quantiles none = {0,	 NO_FIGURE, NO_FIGURE,
					      NO_FIGURE, NO_FIGURE, NO_FIGURE};

	if (!name || figures == &nothing)
		return &figures->ttft;
	for (unsigned int i = 0; i < figures->num_groups; i++)
		if (!strcmp(figures->groups[i].name, name))
			return &figures->groups[i].ttft;
	return &none;
}

const struct quantiles *paper_window(struct paper *paper,
				     struct paper_scenario *scenario,
				     const char *policy)
{
	return paper_group(paper_figures(paper, scenario, policy),
			   scenario ? scenario->setting.window : NULL);
}
