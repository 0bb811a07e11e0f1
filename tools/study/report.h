/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_STUDY_REPORT_H
#define TOOLS_STUDY_REPORT_H

#include <stdio.h>

#include "study.h"

struct diag;

/**
 * struct study_report - what a report of many runs shows
 * @workload: the file or the workload
 * @node: the device and its budget, in words
 * @study: the runs
 * @argc: words of the command line, the command's name first
 * @argv: the words
 * @diag: where a report says more than an errno can
 */
struct study_report {
	const char *workload;
	const char *node;
	const struct study *study;
	int argc;
	char **argv;
	struct diag *diag;
};

/* Each returns 0 or -errno. */
int study_table(const struct study_report *report, FILE *to);
int study_json(const struct study_report *report, FILE *to);
int study_csv(const struct study_report *report, FILE *to);
int study_html(const struct study_report *report, FILE *to);

/* What study_json() writes, as a new reference, or NULL without memory. */
json_t *study_json_value(const struct study_report *report);

/* Targets that a policy met in the runs of a setting, of how many judged. */
void study_targets(const struct study *study, const char *setting,
		   const char *policy, unsigned int *met, unsigned int *judged);

#endif
