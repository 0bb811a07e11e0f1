/* SPDX-License-Identifier: Apache-2.0 */
#include "paper.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/mem.h"

/* While runs are collected: a second, so that no quotient is without a value. */
static const struct paper_figures nothing = {
	.requests = 1,
	.hit_rate = 1.0,
	.worst_miss = 1.0,
	.worst_hit = 1.0,
	.busy_s = 1.0,
	.ttft = {1, 1.0, 1.0, 1.0, 1.0, 1.0},
};

static const struct {
	const char *title;
	void (*evaluate)(struct paper *paper, struct paper_finding *finding);
} findings[PAPER_FINDINGS] = {
	{"the spike of two records", paper_spike},
	{"six targets for each record", paper_targets},
	{"p99 over eleven scenarios", paper_matrix},
	{"a flood of cheap hits", paper_flood},
	{"relative wait and fair lane", paper_ablation},
	{"a known loss: hardly any reuse, overload", paper_loss},
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

static void drop_findings(struct paper *paper)
{
	for (unsigned int i = 0; i < paper->num_findings; i++)
		for (unsigned int j = 0; j < paper->findings[i].num_tables; j++)
			free(paper->findings[i].tables[j].cells);
	memset(paper->findings, 0, sizeof(paper->findings));
	paper->num_findings = 0;
}

static void evaluate(struct paper *paper)
{
	drop_findings(paper);
	for (unsigned int i = 0; i < PAPER_FINDINGS; i++) {
		struct paper_finding *f = &paper->findings[paper->num_findings];

		if (paper->args->only && !(paper->args->only & 1u << i))
			continue;
		f->number = i + 1;
		f->title = findings[i].title;
		paper->num_findings++;
		findings[i].evaluate(paper, f);
	}
}

int paper_evaluate(struct paper *paper, struct diag *diag)
{
	int err;

	paper->collecting = true;
	evaluate(paper);
	paper->collecting = false;
	if (paper->err)
		return diag_set(diag, paper->err, "out of memory");
	err = paper_make(paper, diag);
	if (err)
		return err;
	evaluate(paper);
	if (paper->err)
		diag_set(diag, paper->err, "out of memory");
	return paper->err;
}

void paper_destroy(struct paper *paper)
{
	drop_findings(paper);
	for (size_t i = 0; i < paper->num_runs; i++)
		free(paper->runs[i]);
	free(paper->runs);
	for (size_t i = 0; i < paper->num_scenarios; i++) {
		paper_scenario_destroy(paper->scenarios[i]);
		free(paper->scenarios[i]);
	}
	free(paper->scenarios);
}
