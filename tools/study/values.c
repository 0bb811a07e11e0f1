/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/seeds.h"
#include "tools/node/summary.h"
#include "study.h"

/* The member of an array of objects that has this name. */
static const json_t *named(const json_t *array, const char *name)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *one = json_array_get(array, i);
		const char *is =
			json_string_value(json_object_get(one, "name"));

		if (is && !strcmp(is, name))
			return one;
	}
	return NULL;
}

static const json_t *find(const struct study_run *run, const char *policy,
			  const char *phase, const char *figure)
{
	const json_t *part =
		named(json_object_get(run->report, "policies"), policy);

	if (phase)
		part = named(json_object_get(part, "phases"), phase);
	if (study_is_time(figure))
		part = json_object_get(part, "ttft_s");
	return json_object_get(part, figure);
}

/* Behind those of smaller seeds. */
static void insert(struct study_values *values, uint64_t seed, double value)
{
	unsigned int at = values->num++;

	for (; at && values->seeds[at - 1] > seed; at--) {
		values->seeds[at] = values->seeds[at - 1];
		values->values[at] = values->values[at - 1];
	}
	values->seeds[at] = seed;
	values->values[at] = value;
}

int study_values_init(struct study_values *values, const struct study *study,
		      const char *setting, const char *policy,
		      const char *phase, const char *figure)
{
	struct study_values made = {
		.values = calloc(study->num + 1, sizeof(*made.values)),
		.seeds = calloc(study->num + 1, sizeof(*made.seeds)),
	};

	if (!made.values || !made.seeds) {
		study_values_destroy(&made);
		return -ENOMEM;
	}
	for (size_t i = 0; i < study->num; i++) {
		const struct study_run *run = &study->runs[i];
		const json_t *value = find(run, policy, phase, figure);

		if (!strcmp(run->setting, setting) && json_is_number(value))
			insert(&made, run->seed, json_number_value(value));
	}
	*values = made;
	return 0;
}

void study_values_destroy(struct study_values *values)
{
	free(values->values);
	free(values->seeds);
}

int study_range(struct study_range *range, const struct study *study,
		const char *setting, const char *policy, const char *phase,
		const char *figure)
{
	struct study_values all;
	int err =
		study_values_init(&all, study, setting, policy, phase, figure);

	if (err)
		return err;
	*range = (struct study_range){NO_FIGURE, NO_FIGURE, NO_FIGURE, all.num};
	if (all.num) {
		range->median = seeds_median(all.values, all.num);
		range->low = all.values[0];
		range->high = all.values[all.num - 1];
	}
	study_values_destroy(&all);
	return 0;
}
