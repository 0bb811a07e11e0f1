/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>

#include "tools/base/json_value.h"
#include "report.h"

/* Put @value into @array, or free both. */
static json_t *append(json_t *array, json_t *value)
{
	if (!array || json_array_append_new(array, value)) {
		json_decref(array);
		return NULL;
	}
	return array;
}

static json_t *runs(const struct study *study)
{
	json_t *array = json_array();

	for (size_t i = 0; i < study->num && array; i++) {
		const struct study_run *run = &study->runs[i];

		array = append(array, json_pack("{s:o, s:o, s:O}", "setting",
						json_text(run->setting), "seed",
						json_count(run->seed), "run",
						run->report));
	}
	return array;
}

static json_t *range(const struct study *study, const char *setting,
		     const char *policy, const char *phase, const char *figure)
{
	struct study_range range;

	if (study_range(&range, study, setting, policy, phase, figure))
		return NULL;
	return json_pack("{s:o, s:o, s:o, s:o}", "median",
			 json_finite(range.median), "low",
			 json_finite(range.low), "high",
			 json_finite(range.high), "num", json_count(range.num));
}

static json_t *ranges(const struct study *study, const char *setting,
		      const char *policy, const char *phase)
{
	json_t *json =
		json_pack("{s:o, s:o, s:o}", "setting", json_text(setting),
			  "policy", json_text(policy), "phase",
			  phase ? json_text(phase) : json_null());
	const char *figure;

	for (size_t i = 0; json && (figure = study_figure(study, i)); i++)
		if (json_object_set_new(json, figure,
					range(study, setting, policy, phase,
					      figure))) {
			json_decref(json);
			json = NULL;
		}
	return json;
}

/* Of one policy: the whole run, then each phase where there are several. */
static json_t *add_parts(json_t *array, const struct study *study,
			 const char *setting, const char *policy)
{
	const char *phase;

	array = append(array, ranges(study, setting, policy, NULL));
	for (size_t i = 0;
	     array && study_phase(study, 1) && (phase = study_phase(study, i));
	     i++)
		array = append(array, ranges(study, setting, policy, phase));
	return array;
}

static json_t *spread(const struct study *study)
{
	json_t *array = json_array();
	const char *setting, *policy;

	for (size_t i = 0; (setting = study_setting(study, i)); i++)
		for (size_t k = 0; array && (policy = study_policy(study, k));
		     k++)
			array = add_parts(array, study, setting, policy);
	return array;
}

json_t *study_json_value(const struct study_report *report)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "schema", "fairway.study/1",
			 "workload", json_text(report->workload), "spread",
			 spread(report->study), "runs", runs(report->study));
}

int study_json(const struct study_report *report, FILE *to)
{
	return json_write(study_json_value(report), to);
}
