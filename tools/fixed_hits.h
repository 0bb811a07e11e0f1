/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIXED_HITS_H
#define TOOLS_FIXED_HITS_H

#include "sim.h"

/*
 * The simulated node for requests of which only lengths are known: what was
 * cached of each prompt is given and stays as it is, whatever the order. There
 * is no cache, so there is nothing to evict and no memory to wait for. All
 * else is as in sim.h: the steps, the budget, the orders.
 */

/**
 * fixed_hits_run() - serve requests under one policy in virtual time
 * @trace: their arrivals and lengths; block ids are not looked at
 * @hits: tokens of each that are cached, under its length
 * @config: the node; its kv_blocks do not count
 * @spec: the policy
 * @result: written only on success
 * @diag: what failed
 *
 * Return: 0 or -errno.
 */
int fixed_hits_run(const struct trace *trace, const uint32_t *hits,
		   const struct sim_config *config,
		   const struct policy_spec *spec, struct sim_result *result,
		   struct diag *diag);

#endif
