/* SPDX-License-Identifier: Apache-2.0 */
#include "study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int study_add(struct study *study, const char *setting, uint64_t seed,
	      json_t *report)
{
	struct study_run *runs =
		reallocarray(study->runs, study->num + 1, sizeof(*runs));
	char *copy = strdup(setting);

	if (runs)
		study->runs = runs;
	if (!runs || !copy || !report) {
		free(copy);
		json_decref(report);
		return -ENOMEM;
	}
	runs[study->num++] = (struct study_run){copy, seed, report};
	return 0;
}

void study_destroy(struct study *study)
{
	for (size_t i = 0; i < study->num; i++) {
		free(study->runs[i].setting);
		json_decref(study->runs[i].report);
	}
	free(study->runs);
	*study = (struct study){NULL, 0};
}

/* Is it the first run of its setting? */
static bool is_first(const struct study *study, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (!strcmp(study->runs[i].setting, study->runs[run].setting))
			return false;
	return true;
}

const char *study_setting(const struct study *study, size_t i)
{
	for (size_t run = 0; run < study->num; run++)
		if (is_first(study, run) && !i--)
			return study->runs[run].setting;
	return NULL;
}

/* The @i-th policy of the first run. */
static const json_t *first_policy(const struct study *study, size_t i)
{
	if (!study->num)
		return NULL;
	return json_array_get(json_object_get(study->runs[0].report,
					      "policies"),
			      i);
}

static const char *name_of(const json_t *named)
{
	return json_string_value(json_object_get(named, "name"));
}

const char *study_policy(const struct study *study, size_t i)
{
	return name_of(first_policy(study, i));
}

const char *study_phase(const struct study *study, size_t i)
{
	return name_of(json_array_get(json_object_get(first_policy(study, 0),
						      "phases"),
				      i));
}

/* Behind the times: figures that stand beside them. */
static const char *const others[] = {"hit_rate", "starved", NULL};

const char *study_figure(const struct study *study, size_t i)
{
	json_t *times = json_object_get(first_policy(study, 0), "ttft_s");
	size_t num = json_object_size(times);
	const char *key;
	json_t *value;

	if (i >= num)
		return i - num < 2 ? others[i - num] : NULL;
	json_object_foreach(times, key, value) if (!i--) return key;
	return NULL;
}

bool study_is_time(const char *figure)
{
	return strcmp(figure, others[0]) != 0 && strcmp(figure, others[1]) != 0;
}
