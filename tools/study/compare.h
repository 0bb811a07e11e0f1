/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_STUDY_COMPARE_H
#define TOOLS_STUDY_COMPARE_H

#include <stdio.h>

#include "study.h"

/**
 * struct compare - two reports, figure by figure
 * @names: of the two files
 * @a: what is compared with
 * @b: what is compared
 * @phases: each phase, not the whole runs alone
 */
struct compare {
	const char *names[2];
	const struct study *a;
	const struct study *b;
	bool phases;
};

/**
 * struct difference - one figure of both
 * @setting: of @a; "" for none
 * @policy: in @a
 * @other: in @b: the same name, unless each report has one policy alone
 * @phase: NULL for the whole run
 * @figure: which one
 * @a: median over the seeds
 * @b: the same
 * @change: @b in units of @a, less 1; NAN where @a is 0
 * @low: 2.5% of the resampled changes are below; NAN without pairs
 * @high: 2.5% are above
 * @pairs: seeds that both have; an interval takes at least two
 */
struct difference {
	const char *setting;
	const char *policy;
	const char *other;
	const char *phase;
	const char *figure;
	double a;
	double b;
	double change;
	double low;
	double high;
	unsigned int pairs;
};

/**
 * compare_each() - all differences, in the order of @a
 * @put: called for each; an error ends it
 *
 * A setting or policy that only one of them has is left out.
 *
 * Return: how many there were, or -errno.
 */
int compare_each(const struct compare *compare,
		 int (*put)(void *ctx, const struct difference *difference),
		 void *ctx);

/**
 * compare_alone() - what compare_each() leaves out
 * @in: one of the reports
 * @other: the other one
 * @at: study_policy() or study_setting()
 * @i: where to go on; 0 at first
 *
 * Return: the next name that only @in has, or NULL.
 */
const char *compare_alone(const struct study *in, const struct study *other,
			  const char *(*at)(const struct study *, size_t),
			  size_t *i);

/* Each returns 0 or -errno; -ENOENT when the two have nothing in common. */
int compare_table(const struct compare *compare, FILE *to);
int compare_json(const struct compare *compare, FILE *to);

#endif
