/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_SIM_H
#define TOOLS_NODE_SIM_H

#include <stdatomic.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/policy/policy.h"
#include "tools/trace/trace.h"
#include "result.h"

/**
 * sim_run() - serve a trace under one policy in virtual time
 * @trace: not changed; several runs may share it
 * @config: the node
 * @spec: the policy
 * @progress: requests ended so far, for an observer; may be NULL
 * @result: written only on success
 * @diag: what failed
 *
 * Context: Any thread; runs on different threads are independent.
 * Return: 0 or -errno.
 */
int sim_run(const struct trace *trace, const struct sim_config *config,
	    const struct policy_spec *spec, _Atomic uint64_t *progress,
	    struct sim_result *result, struct diag *diag);

/**
 * sim_pool_blocks() - how many blocks a pool needs to have
 * @trace: what is served
 * @kv_blocks: what was asked for
 *
 * A pool that holds every block of the trace at once never evicts, so a larger
 * one would give the same run and only take memory.
 */
uint32_t sim_pool_blocks(const struct trace *trace, uint32_t kv_blocks);

#endif
