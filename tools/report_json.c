/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_facts.h"

/*
 * Nothing in the file depends on the machine, the time or the number of
 * threads: the same run gives the same bytes.
 *
 * jansson passes a failed json_pack() or json_*() on as NULL, so that only the
 * end needs a check.
 */

/* 17 digits give every double back exactly; JSON has no NAN, so null. */
static json_t *real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* A path need not be UTF-8, JSON must be. */
static json_t *text(const char *value)
{
	json_t *json = json_string(value);
	char *copy;

	if (json)
		return json;
	copy = strdup(value);
	if (!copy)
		return NULL;
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	json = json_string(copy);
	free(copy);
	return json;
}

static json_t *workload(const struct report *report)
{
	const struct trace *trace = report->trace;
	struct facts facts;

	facts_init(&facts, report);
	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "name", text(report->workload), "kind",
			 report->generated ? "workload" : "trace", "seed",
			 report->generated ? count(report->seed) : json_null(),
			 "requests", count(trace->num_reqs), "prompt_tokens",
			 count(facts.tokens), "longest_prompt",
			 count(facts.longest), "block_size",
			 count(trace->block_size), "time_scale",
			 real(report->config->time_scale), "load",
			 real(report->load > 0.0 ? report->load : NO_FIGURE),
			 "span_s", real(facts.span_s));
}

static json_t *device(const struct report *report)
{
	const struct sim_config *config = report->config;

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "name",
			 config->device, "table",
			 report->table ? text(report->table) : json_null(),
			 "budget", count(config->budget), "max_running",
			 count(config->max_running), "kv_blocks",
			 count(config->kv_blocks), "block_size",
			 count(report->trace->block_size));
}

static json_t *quantiles(const struct quantiles *q)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "mean", real(q->mean),
			 "p50", real(q->p50), "p90", real(q->p90), "p99",
			 real(q->p99), "max", real(q->max));
}

/* What a run and one of its phases both have. */
static json_t *figures(const char *name, const struct summary *sum)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, "
			 "s:o}",
			 "name", text(name), "requests", count(sum->requests),
			 "completed", count(sum->completed), "rejected",
			 count(sum->rejected), "worst_ttft_s", "miss",
			 real(sum->worst_miss), "hit", real(sum->worst_hit),
			 "ttft_s", quantiles(&sum->ttft), "hit_rate",
			 real(sum->hit_rate), "starved", count(sum->starved),
			 "worst_over_p99", real(facts_worst_over_p99(sum)));
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
	bool fairway = report->specs[i].kind == POLICY_FAIRWAY;
	json_t *json = figures(report->specs[i].name, &report->sums[i]);
	json_t *own =
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "steps",
			  count(result->steps), "busy_s", real(result->busy_s),
			  "end_s", real(result->end_s), "offered_load",
			  real(facts_load(report, i)), "overtaken",
			  fairway ? count(result->overtaken) : json_null(),
			  "bound_broken",
			  fairway ? count(result->bound_broken) : json_null(),
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

int report_json(const struct report *report, FILE *to)
{
	json_t *json =
		json_pack("{s:s, s:o, s:o, s:o}", "schema", "fairway.sim/1",
			  "workload", workload(report), "device",
			  device(report), "policies", policies(report));
	int err = 0;

	if (!json)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(json, to, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) ||
	    fputc('\n', to) == EOF)
		err = errno ? -errno : -EIO;
	json_decref(json);
	return err;
}
