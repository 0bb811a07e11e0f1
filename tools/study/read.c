/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "study.h"

#define ONE "fairway.sim/1"
#define MANY "fairway.study/1"

static int bad(const char *path, const char *expected, struct diag *diag)
{
	return diag_set(diag, -EINVAL,
			"%s: expected %s, as \"fairway sim --json\" writes it",
			path, expected);
}

/* What the figures are looked up in. */
static bool is_report(const json_t *report)
{
	const json_t *policies = json_object_get(report, "policies");
	const char *schema =
		json_string_value(json_object_get(report, "schema"));

	if (!schema || strcmp(schema, ONE) || !json_array_size(policies))
		return false;
	for (size_t i = 0; i < json_array_size(policies); i++) {
		const json_t *one = json_array_get(policies, i);

		if (!json_is_string(json_object_get(one, "name")) ||
		    !json_is_object(json_object_get(one, "ttft_s")))
			return false;
	}
	return true;
}

static uint64_t seed_of(const json_t *report)
{
	const json_t *seed =
		json_object_get(json_object_get(report, "workload"), "seed");

	return (uint64_t)json_integer_value(seed);
}

static int add_run(struct study *study, const json_t *run, const char *path,
		   struct diag *diag)
{
	const char *setting =
		json_string_value(json_object_get(run, "setting"));
	const json_t *seed = json_object_get(run, "seed");
	json_t *report = json_object_get(run, "run");

	if (!setting || !json_is_integer(seed) || !is_report(report))
		return bad(path, "runs with setting, seed and run", diag);
	return study_add(study, setting, (uint64_t)json_integer_value(seed),
			 json_incref(report));
}

static int take(struct study *study, json_t *json, const char *path,
		struct diag *diag)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));
	const json_t *runs = json_object_get(json, "runs");
	int err = 0;

	if (is_report(json))
		return study_add(study, "", seed_of(json), json_incref(json));
	if (!schema || strcmp(schema, MANY) || !json_array_size(runs))
		return bad(path, "a report", diag);
	for (size_t i = 0; i < json_array_size(runs) && !err; i++)
		err = add_run(study, json_array_get(runs, i), path, diag);
	return err;
}

int study_read(struct study *study, const char *path, struct diag *diag)
{
	struct study made = {NULL, 0};
	json_error_t error;
	json_t *json;
	int err;

	json = strcmp(path, "-") ? json_load_file(path, 0, &error)
				 : json_loadf(stdin, 0, &error);
	if (!json && error.line < 0)
		return diag_set(diag, -EIO, "%s: %s", path, error.text);
	if (!json)
		return diag_set(diag, -EINVAL, "%s:%d: %s", path, error.line,
				error.text);
	err = take(&made, json, path, diag);
	json_decref(json);
	if (err == -ENOMEM)
		diag_set(diag, err, "out of memory");
	if (err)
		study_destroy(&made);
	else
		*study = made;
	return err;
}
