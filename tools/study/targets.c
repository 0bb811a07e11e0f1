/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "report.h"

/* In one target of one run: a result for each policy and phase. */
static void count(const json_t *results, const char *policy, unsigned int *met,
		  unsigned int *judged)
{
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *one = json_array_get(results, i);
		const json_t *is = json_object_get(one, "met");
		const char *name =
			json_string_value(json_object_get(one, "policy"));

		if (!name || strcmp(name, policy) || !json_is_boolean(is))
			continue;
		*met += json_is_true(is);
		(*judged)++;
	}
}

void study_targets(const struct study *study, const char *setting,
		   const char *policy, unsigned int *met, unsigned int *judged)
{
	*met = *judged = 0;
	for (size_t i = 0; i < study->num; i++) {
		const json_t *targets =
			json_object_get(study->runs[i].report, "targets");

		if (strcmp(study->runs[i].setting, setting) != 0)
			continue;
		for (size_t t = 0; t < json_array_size(targets); t++)
			count(json_object_get(json_array_get(targets, t),
					      "results"),
			      policy, met, judged);
	}
}
