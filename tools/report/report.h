/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_REPORT_H
#define TOOLS_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/node/sim.h"
#include "tools/node/summary.h"

struct targets;

/**
 * struct report - all that a report of `sim` shows
 * @workload: the file or the workload that was run, as the user named it
 * @seed: of a generated workload
 * @generated: whether @seed means anything
 * @trace: the requests
 * @config: the node
 * @table: the file of its own prefill times, or NULL
 * @load: what --load scaled the arrivals to, or 0
 * @own_load: what the workload's key "load" scaled them to, or 0
 * @own_scale: by which factor
 * @note: what else to know of these runs, one or more lines; or NULL
 * @num: policies
 * @specs: the policies
 * @results: their runs, in the same order
 * @sums: their figures
 * @targets: what the policies are judged by, or NULL
 * @percentiles: what else to show; NULL for none
 * @argc: words of the command line, the command's name first
 * @argv: the words
 * @diag: where a report says more than an errno can; or NULL
 */
struct report {
	const char *workload;
	uint64_t seed;
	bool generated;
	const struct trace *trace;
	const struct sim_config *config;
	const char *table;
	double load;
	double own_load;
	double own_scale;
	const char *note;
	unsigned int num;
	const struct policy_spec *specs;
	const struct sim_result *results;
	const struct summary *sums;
	const struct targets *targets;
	const struct percentiles *percentiles;
	int argc;
	char **argv;
	struct diag *diag;
};

/* How many of @percentiles there are to show. */
static inline unsigned int report_num_shown(const struct report *report)
{
	return report->percentiles ? report->percentiles->shown : 0;
}

/* Each returns 0 or -errno (-ENOMEM, or what stdio met). */
int report_table(const struct report *report, FILE *to);
int report_json(const struct report *report, FILE *to);
int report_csv(const struct report *report, FILE *to);
int report_requests(const struct report *report, FILE *to);
int report_html(const struct report *report, FILE *to);

/* What report_json() writes, as a new reference, or NULL without memory. */
struct json_t *report_json_value(const struct report *report);

#endif
