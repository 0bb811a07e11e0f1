/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_FIGURES_H
#define TOOLS_ANALYZE_FIGURES_H

#include "analyze.h"

/* What the analyses of a trace and of a log share. */

/* An analysis with its orders and without figures. */
struct analysis analysis_begin(const struct analyze_options *options);

/* The orders as policies; destroyed by the caller. 0 or -errno with @diag. */
int analysis_policies(const struct analysis *a, struct policy_list *list,
		      struct diag *diag);

/* One more request that counts. */
void analysis_count(struct analysis *a, uint32_t len, uint32_t cached);

/* All figures that follow from the runs and from @a->base. 0 or -ENOMEM. */
int analysis_conclude(struct analysis *a, const struct trace *trace);

int analysis_no_memory(const struct analysis *a, struct diag *diag);

#endif
