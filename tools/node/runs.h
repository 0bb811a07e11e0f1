/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_RUNS_H
#define TOOLS_NODE_RUNS_H

#include <stdbool.h>

#include "sim.h"

/**
 * runs_go() - serve a trace under several policies, some at the same time
 * @trace: shared by all, not changed
 * @config: the node
 * @list: the policies
 * @jobs: runs at once; the results do not depend on it
 * @quiet: show no progress
 * @results: one for each policy; all or none are written
 * @diag: what failed, of the first policy that did
 *
 * Return: 0 or -errno.
 */
int runs_go(const struct trace *trace, const struct sim_config *config,
	    const struct policy_list *list, unsigned int jobs, bool quiet,
	    struct sim_result *results, struct diag *diag);

#endif
