/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_TARGETS_H
#define TOOLS_NODE_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/policy/policy.h"

struct percentiles;
struct quantiles;

enum {
	TARGETS_MAX = 8 /* columns of a table that fits a terminal */
};

enum target_metric {
	TARGET_MEAN,
	TARGET_P50,
	TARGET_P90,
	TARGET_P99,
	TARGET_MAX,
	TARGET_PERCENTILE,
};

/**
 * struct target - a limit on one figure, for every policy
 * @text: as it was given, without blanks
 * @metric: the figure
 * @name: of it, in the reports
 * @percentile: which one, where it is none of those with a name of its own
 * @factor: of the reference's own figure; 0 for @seconds
 * @reference: name of the policy that @factor refers to, or NULL
 * @policy: its place in the list of policies, after targets_bind()
 * @seconds: the limit, where there is no reference
 */
struct target {
	char *text;
	enum target_metric metric;
	char name[16];
	uint32_t percentile;
	double factor;
	char *reference;
	unsigned int policy;
	double seconds;
};

/**
 * struct targets - the targets of a run; all zeros is an empty list
 * @list: the targets
 * @num: how many
 */
struct targets {
	struct target list[TARGETS_MAX];
	unsigned int num;
};

/**
 * targets_parse() - add those of one --targets argument
 * @text: METRIC<=FACTORxPOLICY or METRIC<=LIMITs (or ms), several separated by
 *	commas; METRIC is median, mean, max, or a percentile such as p95
 *
 * Return: 0 or -errno with @diag set.
 */
int targets_parse(struct targets *targets, const char *text, struct diag *diag);

/**
 * targets_bind() - find the policies that targets refer to
 * @policies: those of the run; a missing one is added at the end
 *
 * Return: 0 or -errno with @diag set.
 */
int targets_bind(struct targets *targets, struct policy_list *policies,
		 struct diag *diag);

void targets_destroy(struct targets *targets);

enum target_result {
	TARGET_NONE, /* a figure is missing: nothing was served */
	TARGET_MET,
	TARGET_MISSED,
};

/**
 * struct target_judged - one target, one policy, one phase
 * @result: met, missed, or nothing to judge
 * @value: the figure, seconds
 * @limit: the most that @value may be, seconds
 */
struct target_judged {
	enum target_result result;
	double value;
	double limit;
};

/**
 * target_judge() - compare a figure with its limit
 * @own: figures of the policy in a phase
 * @reference: those of the target's policy in the same phase; ignored where
 *	the target has no policy
 */
struct target_judged target_judge(const struct target *target,
				  const struct quantiles *own,
				  const struct quantiles *reference);

/* Add the percentiles that they need to a list. */
void targets_percentiles(const struct targets *targets,
			 struct percentiles *list);

#endif
