/* SPDX-License-Identifier: Apache-2.0 */
#include "targets.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/number.h"
#include "summary.h"

/* A limit beyond a day, or under a microsecond, is a mistake of units. */
#define MIN_SECONDS 1e-6
#define MAX_SECONDS 86400.0

static const struct {
	const char *name;
	enum target_metric metric;
} metrics[] = {
	{"p50", TARGET_P50},   {"p90", TARGET_P90}, {"p99", TARGET_P99},
	{"mean", TARGET_MEAN}, {"max", TARGET_MAX},
};

static int bad(const char *text, struct diag *diag, const char *expected)
{
	return diag_set(diag, -EINVAL, "--targets: expected %s (was \"%s\")",
			expected, text);
}

static int read_metric(struct target *target, const char *name,
		       const char *text, struct diag *diag)
{
	snprintf(target->name, sizeof(target->name), "%s",
		 strcmp(name, "median") ? name : "p50");
	for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
		if (!strcmp(metrics[i].name, target->name)) {
			target->metric = metrics[i].metric;
			return 0;
		}
	target->metric = TARGET_PERCENTILE;
	if (!percentile_read(name, &target->percentile)) {
		percentile_name(target->name, sizeof(target->name),
				target->percentile);
		return 0;
	}
	return bad(text, diag,
		   "median, mean, max, or a percentile such as p99.9 before "
		   "\"<=\"");
}

/* One policy, spelled as --policy would have it. */
static int check_policy(const char *name, const char *text, struct diag *diag)
{
	struct policy_list list = {NULL, 0};
	int err = policy_parse(&list, name, diag);

	if (!err && list.num != 1)
		err = bad(text, diag, "one policy after \"x\"");
	policy_list_destroy(&list);
	return err;
}

static int read_reference(struct target *target, const char *factor,
			  const char *name, const char *text, struct diag *diag)
{
	int err;

	if (parse_real(factor, 1e-3, 1e3, &target->factor))
		return bad(text, diag, "a factor from 0.001 to 1000");
	err = check_policy(name, text, diag);
	if (err)
		return err;
	target->reference = strdup(name);
	return target->reference ? 0 : -ENOMEM;
}

/* @limit is cut up. */
static int read_seconds(struct target *target, char *limit, const char *text,
			struct diag *diag)
{
	size_t len = strlen(limit);
	double unit = 1.0;
	double value;

	if (!len || limit[len - 1] != 's')
		return bad(text, diag,
			   "FACTORxPOLICY or SECONDSs after \"<=\"");
	limit[--len] = '\0';
	if (len && limit[len - 1] == 'm') {
		limit[--len] = '\0';
		unit = 1e-3;
	}
	if (parse_real(limit, MIN_SECONDS / unit, MAX_SECONDS / unit, &value))
		return bad(text, diag, "a limit from 1e-6 to 86400 seconds");
	target->seconds = value * unit;
	return 0;
}

/* @copy is @text, to be cut up. */
static int parse_one(struct target *target, char *copy, const char *text,
		     struct diag *diag)
{
	char *limit = strstr(copy, "<=");
	char *name;
	int err;

	if (!limit)
		return bad(text, diag,
			   "METRIC<=FACTORxPOLICY or METRIC<=SECONDSs");
	*limit = '\0';
	limit += 2;
	err = read_metric(target, copy, text, diag);
	if (err)
		return err;
	name = strchr(limit, 'x');
	if (!name)
		return read_seconds(target, limit, text, diag);
	*name++ = '\0';
	return read_reference(target, limit, name, text, diag);
}

static void forget(struct target *target)
{
	free(target->reference);
	free(target->text);
	*target = (struct target){.text = NULL};
}

static int add(struct targets *targets, const char *text, struct diag *diag)
{
	struct target target = {.text = strdup(text)};
	char *copy = strdup(text);
	int err = target.text && copy ? 0 : -ENOMEM;

	if (!err && targets->num == TARGETS_MAX)
		err = diag_set(diag, -EINVAL,
			       "--targets: expected at most %d targets (more)",
			       TARGETS_MAX);
	if (!err)
		err = parse_one(&target, copy, text, diag);
	free(copy);
	if (err)
		forget(&target);
	else
		targets->list[targets->num++] = target;
	return err;
}

/* Blanks mean nothing here, and people type them between quotes. */
static char *without_blanks(const char *text)
{
	char *copy = strdup(text);
	char *to = copy;

	for (; copy && *text; text++)
		if (*text != ' ' && *text != '\t')
			*to++ = *text;
	if (copy)
		*to = '\0';
	return copy;
}

int targets_parse(struct targets *targets, const char *text, struct diag *diag)
{
	char *copy = without_blanks(text);
	char *rest = copy;
	int err = copy ? 0 : -ENOMEM;

	while (rest && !err)
		err = add(targets, strsep(&rest, ","), diag);
	free(copy);
	return err;
}

static int find(const struct policy_list *policies, const char *name)
{
	for (unsigned int i = 0; i < policies->num; i++)
		if (!strcmp(policies->specs[i].name, name))
			return (int)i;
	return -1;
}

int targets_bind(struct targets *targets, struct policy_list *policies,
		 struct diag *diag)
{
	for (unsigned int i = 0; i < targets->num; i++) {
		struct target *target = &targets->list[i];
		int place;

		if (!target->reference)
			continue;
		place = find(policies, target->reference);
		if (place < 0) {
			int err =
				policy_parse(policies, target->reference, diag);

			if (err)
				return err;
			place = (int)policies->num - 1;
		}
		target->policy = (unsigned int)place;
	}
	return 0;
}

void targets_destroy(struct targets *targets)
{
	while (targets->num)
		forget(&targets->list[--targets->num]);
}

static double figure(const struct target *target, const struct quantiles *q)
{
	switch (target->metric) {
	case TARGET_MEAN:
		return q->mean;
	case TARGET_P50:
		return q->p50;
	case TARGET_P90:
		return q->p90;
	case TARGET_P99:
		return q->p99;
	case TARGET_MAX:
		return q->max;
	default:
		return quantiles_at(q, target->percentile);
	}
}

struct target_judged target_judge(const struct target *target,
				  const struct quantiles *own,
				  const struct quantiles *reference)
{
	struct target_judged judged = {
		.value = figure(target, own),
		.limit = target->reference
				 ? target->factor * figure(target, reference)
				 : target->seconds,
	};

	if (isfinite(judged.value) && isfinite(judged.limit))
		judged.result = judged.value <= judged.limit ? TARGET_MET
							     : TARGET_MISSED;
	return judged;
}

void targets_percentiles(const struct targets *targets,
			 struct percentiles *list)
{
	for (unsigned int i = 0; i < targets->num; i++)
		if (targets->list[i].metric == TARGET_PERCENTILE)
			percentiles_need(list, targets->list[i].percentile);
}
