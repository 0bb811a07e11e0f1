/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <math.h>

#include <fairway/fairway.h>

#include "tools/base/json_value.h"
#include "paper.h"

/*
 * Nothing in the file depends on the machine, the time, the number of threads
 * or what was resumed: the same evaluation gives the same bytes.
 *
 * jansson passes a failed json_*() on as NULL, so that only the end needs a
 * check.
 */

/* An array of @num values; NULL where one of them is. */
static json_t *array(size_t num, json_t *(*item)(void *from, size_t i),
		     void *from)
{
	json_t *all = json_array();

	for (size_t i = 0; i < num; i++)
		if (json_array_append_new(all, item(from, i))) {
			json_decref(all);
			return NULL;
		}
	return all;
}

static json_t *scenario(void *from, size_t i)
{
	struct paper *paper = from;
	struct paper_scenario *s = paper->scenarios[i];
	const struct paper_setting *set = s->setting;
	const struct paper_figures *fcfs = paper_figures(paper, s, "fcfs");
	const struct sim_config *config = &s->input.config;

	return json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, "
		"s:o}",
		"name", s->name, "command", json_text(s->command), "workload",
		set->workload ? json_text(set->workload) : json_null(), "seed",
		set->workload ? json_count(set->after + s->seed) : json_null(),
		"requests", json_count(s->input.trace.num_reqs),
		"prompt_tokens", json_count(s->tokens), "span_s",
		json_finite(s->span_s), "load",
		json_finite(fcfs->busy_s / s->span_s), "time_scale",
		json_finite(config->time_scale), "kv_blocks",
		json_count(config->kv_blocks), "block_size",
		json_count(s->input.trace.block_size), "device", config->device,
		"window", set->window ? json_text(set->window) : json_null());
}

static json_t *run(void *from, size_t i)
{
	const struct paper_run *r = ((struct paper *)from)->runs[i];

	return json_pack("{s:s, s:s, s:o}", "scenario", r->scenario->name,
			 "policy", r->policy, "figures",
			 paper_figures_json(&r->figures));
}

static json_t *column(void *from, size_t i)
{
	return json_text(((const struct paper_table *)from)->columns[i]);
}

/* A figure as the number that it is, anything else as its text. */
static json_t *cell(void *from, size_t i)
{
	const struct paper_cell *c = (const struct paper_cell *)from + i;

	return isfinite(c->value) ? json_finite(c->value) : json_text(c->text);
}

static json_t *row(void *from, size_t i)
{
	struct paper_table *t = from;

	return array(t->num_columns, cell, t->cells + i * t->num_columns);
}

static json_t *table(void *from, size_t i)
{
	struct paper_table *t = &((struct paper_finding *)from)->tables[i];

	return json_pack("{s:o, s:o, s:o}", "title", json_text(t->title),
			 "columns", array(t->num_columns, column, t), "rows",
			 array(t->num_cells / t->num_columns, row, t));
}

static json_t *claim(void *from, size_t i)
{
	const struct paper_claim *c =
		&((struct paper_finding *)from)->claims[i];

	char here[256];

	paper_here(c, here, sizeof(here));
	return json_pack("{s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, "
			 "s:{s:o, s:o, s:o}}",
			 "claim", json_text(c->text), "paper",
			 json_text(c->paper), "here", json_text(here), "rule",
			 json_text(c->rule), "holds", paper_holds(c), "decides",
			 c->decides, "held", json_count(c->held), "seeds",
			 json_count(c->seeds), "own", json_finite(c->own),
			 "other", json_finite(c->other), "difference", "mean",
			 json_finite(c->difference.mean), "low",
			 json_finite(c->difference.low), "high",
			 json_finite(c->difference.high));
}

static json_t *finding(void *from, size_t i)
{
	struct paper_finding *f = &((struct paper *)from)->findings[i];

	return json_pack("{s:i, s:s, s:s, s:o, s:o}", "number", (int)f->number,
			 "title", f->title, "verdict",
			 paper_reproduced(f) ? "reproduced" : "not reproduced",
			 "claims", array(f->num_claims, claim, f), "tables",
			 array(f->num_tables, table, f));
}

struct json_t *paper_json_value(struct paper *paper, bool runs)
{
	bool trace = paper->args->trace && !paper->args->quick;
	json_t *value =
		json_pack("{s:s, s:s, s:b, s:b, s:o, s:o, s:o}", "schema",
			  "fairway.paper/2", "version", fw_version(), "quick",
			  paper->args->quick, "mooncake", trace, "seeds",
			  json_count(paper->seeds), "findings",
			  array(paper->num_findings, finding, paper),
			  "scenarios",
			  array(paper->num_scenarios, scenario, paper));

	if (value && runs &&
	    json_object_set_new(value, "runs",
				array(paper->num_runs, run, paper))) {
		json_decref(value);
		return NULL;
	}
	return value;
}

int paper_json(struct paper *paper, FILE *to)
{
	return json_write(paper_json_value(paper, true), to);
}
