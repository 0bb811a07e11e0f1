/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_STUDY_STUDY_H
#define TOOLS_STUDY_STUDY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"

/*
 * Several runs of `sim`: under other seeds, or with other settings. A run is
 * kept as the JSON report of its own, so one that was made now and one that is
 * read from a file are the same thing.
 */

/**
 * struct study_run - one run
 * @setting: what was set for it, such as "weight=2"; "" for nothing
 * @seed: of its workload or arrivals
 * @report: what `sim --json` writes of it
 */
struct study_run {
	char *setting;
	uint64_t seed;
	json_t *report;
};

/**
 * struct study - runs to look at together; all zeros is an empty one
 * @runs: in the order in which they were made
 * @num: how many
 */
struct study {
	struct study_run *runs;
	size_t num;
};

/* Add a run; @report's reference is taken over. Return: 0, -ENOMEM. */
int study_add(struct study *study, const char *setting, uint64_t seed,
	      json_t *report);
void study_destroy(struct study *study);

/**
 * study_read() - read a report of `sim`, of one run or of many
 * @study: initialised here, only on success
 * @path: a file, "-" is standard input
 *
 * Return: 0 or -errno with @diag set.
 */
int study_read(struct study *study, const char *path, struct diag *diag);

/* The @i-th of the different settings, in their order; NULL at the end. */
const char *study_setting(const struct study *study, size_t i);

/* The @i-th policy, phase or figure of the first run; NULL at the end. */
const char *study_policy(const struct study *study, size_t i);
const char *study_phase(const struct study *study, size_t i);
const char *study_figure(const struct study *study, size_t i);

/* Is the figure a time, which reports show in seconds? */
bool study_is_time(const char *figure);

/**
 * struct study_values - one figure of the runs of one setting
 * @values: one for each seed, in the order of the seeds
 * @seeds: of each
 * @num: how many have it; a figure that does not exist is left out
 */
struct study_values {
	double *values;
	uint64_t *seeds;
	unsigned int num;
};

/**
 * study_values_init() - collect a figure
 * @phase: NULL for the whole run
 *
 * To be destroyed after a 0 return. Return: 0, -ENOMEM.
 */
int study_values_init(struct study_values *values, const struct study *study,
		      const char *setting, const char *policy,
		      const char *phase, const char *figure);
void study_values_destroy(struct study_values *values);

/**
 * struct study_range - a figure over the seeds
 * @median: of them; NAN where there is none
 * @low: the least
 * @high: the largest
 * @num: how many
 */
struct study_range {
	double median;
	double low;
	double high;
	unsigned int num;
};

/* 0, -ENOMEM. */
int study_range(struct study_range *range, const struct study *study,
		const char *setting, const char *policy, const char *phase,
		const char *figure);

#endif
