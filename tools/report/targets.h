/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_TARGETS_H
#define TOOLS_REPORT_TARGETS_H

#include <jansson.h>

#include "tools/node/targets.h"
#include "report.h"

/*
 * Which targets were met. Every policy is judged in every phase, also a policy
 * that a target only refers to.
 */

/* Judge one target in one phase under one policy; all three are indexes. */
struct target_judged report_judge(const struct report *report,
				  unsigned int target, uint32_t phase,
				  unsigned int policy);

/* How many targets a policy met over all phases, of how many judged. */
void report_targets_count(const struct report *report, unsigned int policy,
			  unsigned int *met, unsigned int *judged);

/**
 * report_target_cell() - how far from the limit, in a word
 *
 * "1.08x" of the reference's figure, "1.20 s" against a limit in seconds, "-"
 * where nothing could be judged.
 */
void report_target_cell(char *buf, size_t size, const struct target *target,
			const struct target_judged *judged);

/* Nothing where no targets were given. Return: 0 or -errno. */
int report_targets_table(const struct report *report, FILE *to);

/* A new reference, or NULL without memory. */
json_t *report_targets_json(const struct report *report);

#endif
