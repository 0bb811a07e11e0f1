/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_ANALYZE_FIXED_HITS_H
#define TOOLS_ANALYZE_FIXED_HITS_H

#include <stdbool.h>

#include "tools/node/sim.h"
#include "tools/policy/policy.h"

/*
 * The simulated node for requests of which only lengths are known. How much of
 * a prompt is cached is given and does not depend on the order. There is no
 * cache, so nothing is evicted and no request waits for memory. Steps, budget
 * and orders are those of sim.h.
 */

/**
 * fixed_hits_run() - serve requests under one policy in virtual time
 * @trace: their arrivals and lengths; block ids are not looked at
 * @hits: tokens of each that are cached, under its length
 * @config: the node; its kv_blocks do not count
 * @spec: the policy
 * @progress: requests ended so far, for an observer; may be NULL
 * @result: written only on success
 * @diag: what failed
 *
 * Return: 0 or -errno.
 */
int fixed_hits_run(const struct trace *trace, const uint32_t *hits,
		   const struct sim_config *config,
		   const struct policy_spec *spec, _Atomic uint64_t *progress,
		   struct sim_result *result, struct diag *diag);

/**
 * fixed_hits_runs() - the same under several policies, one after the other
 * @list: the policies
 * @quiet: show no progress
 * @results: one for each policy; those before the one that failed are filled
 *
 * Return: 0 or -errno.
 */
int fixed_hits_runs(const struct trace *trace, const uint32_t *hits,
		    const struct sim_config *config,
		    const struct policy_list *list, bool quiet,
		    struct sim_result *results, struct diag *diag);

#endif
