/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <jansson.h>

#include "tools/base/json_value.h"
#include "tools/policy/fairway.h"
#include "facts.h"
#include "targets.h"
#include "warnings.h"

/*
 * The same run gives the same bytes. Nothing in the file depends on the
 * machine, the time or the number of threads.
 *
 * Only the end checks for errors: json_pack() returns NULL when one of its
 * values is NULL.
 */

/* How the file was understood; null for what was generated. */
static json_t *source(const struct report *report)
{
	const struct trace_source *from = &report->trace->source;

	if (!from->form)
		return json_null();
	return json_pack("{s:s, s:o, s:b, s:b, s:o, s:o, s:b}", "form",
			 from->form, "time_unit",
			 from->drawn || !from->unit ? json_null()
						    : json_text(from->unit),
			 "time_unit_given", from->unit_asked, "drawn",
			 from->drawn, "sorted", json_count(from->late),
			 "origin_s", json_finite(from->origin_s), "closed_loop",
			 report->config->closed_loop);
}

static json_t *workload(const struct report *report)
{
	const struct trace *trace = report->trace;
	struct facts facts;

	facts_init(&facts, report);
	return json_pack(
		"{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"name", json_text(report->workload), "kind",
		report->generated ? "workload" : "trace", "seed",
		report->generated ? json_count(report->seed) : json_null(),
		"requests", json_count(trace->num_reqs), "prompt_tokens",
		json_count(facts.tokens), "longest_prompt",
		json_count(facts.longest), "block_size",
		json_count(trace->block_size), "time_scale",
		json_finite(report->config->time_scale), "load",
		json_finite(report->load > 0.0 ? report->load : NO_FIGURE),
		"span_s", json_finite(facts.span_s), "source", source(report));
}

static json_t *device(const struct report *report)
{
	const struct sim_config *config = report->config;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name",
			 config->device, "table",
			 report->table ? json_text(report->table) : json_null(),
			 "budget", json_count(config->budget), "max_running",
			 json_count(config->max_running), "kv_blocks",
			 json_count(config->kv_blocks), "block_size",
			 json_count(report->trace->block_size));
}

static json_t *quantiles(const struct quantiles *q)
{
	json_t *json =
		json_pack("{s:o, s:o, s:o, s:o, s:o}", "mean",
			  json_finite(q->mean), "p50", json_finite(q->p50),
			  "p90", json_finite(q->p90), "p99",
			  json_finite(q->p99), "max", json_finite(q->max));
	char name[16];

	/* One that is always there has the same value: it is set again. */
	for (unsigned int i = 0; q->of && i < q->of->shown; i++) {
		percentile_name(name, sizeof(name), q->of->at[i]);
		if (json_object_set_new(json, name, json_finite(q->more[i]))) {
			json_decref(json);
			return NULL;
		}
	}
	return json;
}

/* What a run and one of its phases both have. */
static json_t *figures(const char *name, const struct summary *sum)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, "
			 "s:o}",
			 "name", json_text(name), "requests",
			 json_count(sum->requests), "completed",
			 json_count(sum->completed), "rejected",
			 json_count(sum->rejected), "worst_ttft_s", "miss",
			 json_finite(sum->worst_miss), "hit",
			 json_finite(sum->worst_hit), "ttft_s",
			 quantiles(&sum->ttft), "hit_rate",
			 json_finite(sum->hit_rate), "starved",
			 json_count(sum->starved), "worst_over_p99",
			 json_finite(facts_worst_over_p99(sum)));
}

static json_t *phases(const struct report *report, const struct summary *sum)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < sum->num_phases; i++)
		if (json_array_append_new(array,
					  figures(report->trace->phases[i],
						  &sum->phases[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static json_t *policy(const struct report *report, unsigned int i)
{
	const struct sim_result *result = &report->results[i];
	bool lanes = fairway_args(&report->specs[i]);
	json_t *json = figures(report->specs[i].name, &report->sums[i]);
	json_t *own =
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "steps",
			  json_count(result->steps), "busy_s",
			  json_finite(result->busy_s), "end_s",
			  json_finite(result->end_s), "offered_load",
			  json_finite(facts_load(report, i)), "overtaken",
			  lanes ? json_count(result->overtaken) : json_null(),
			  "bound_broken",
			  lanes ? json_count(result->bound_broken)
				: json_null(),
			  "phases", phases(report, &report->sums[i]));

	if (json && own && !json_object_update(json, own)) {
		json_decref(own);
		return json;
	}
	json_decref(json);
	json_decref(own);
	return NULL;
}

static json_t *policies(const struct report *report)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < report->num; i++)
		if (json_array_append_new(array, policy(report, i))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* Only where there are any. */
static int add_warnings(json_t *json, const struct report *report)
{
	struct warnings warnings;
	json_t *array;

	warnings_init(&warnings, report);
	if (!warnings.num)
		return 0;
	array = json_array();
	for (size_t i = 0; i < warnings.num; i++)
		if (json_array_append_new(array, json_text(warnings.texts[i])))
			goto err_free_array;
	return json_object_set_new(json, "warnings", array);

err_free_array:
	json_decref(array);
	return -1;
}

json_t *report_json_value(const struct report *report)
{
	json_t *json =
		json_pack("{s:s, s:o, s:o, s:o}", "schema", "fairway.sim/1",
			  "workload", workload(report), "device",
			  device(report), "policies", policies(report));

	if (json && add_warnings(json, report)) {
		json_decref(json);
		return NULL;
	}
	if (!json || !report->targets || !report->targets->num)
		return json;
	if (!json_object_set_new(json, "targets", report_targets_json(report)))
		return json;
	json_decref(json);
	return NULL;
}

int report_json(const struct report *report, FILE *to)
{
	return json_write(report_json_value(report), to);
}
