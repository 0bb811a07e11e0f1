/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_NAIVE_ORACLE_H
#define TESTS_NAIVE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/node/sim.h"
#include "tools/policy/policy.h"
#include "tools/trace/trace.h"
#include "naive_sim.h"

struct Suite; /* of check */

/*
 * Runs the command's simulator and the oracle over one trace, and says where
 * they differ.
 */

/**
 * oracle_run() - sim_run() under a policy given as text
 * @why: filled on failure
 *
 * Return: 0 or -errno.
 */
int oracle_run(const struct trace *trace, const struct sim_config *config,
	       const char *policy, struct sim_result *result, struct diag *why);

/**
 * oracle_agrees() - do the simulator and the oracle give the same?
 * @trace: the requests
 * @config: the node, without a table
 * @policy: one policy
 * @why: filled with the first difference
 *
 * Seconds must be the same to the last bit: both do the same operations on
 * doubles in the order that is laid down.
 */
bool oracle_agrees(const struct trace *trace, const struct sim_config *config,
		   const char *policy, struct diag *why);

/**
 * oracle_naive() - the naive simulator's run over a trace
 * @result: free with naive_result_destroy()
 *
 * Return: 0, or -EINVAL where it does not know @policy or the device.
 */
int oracle_naive(const struct trace *trace, const struct sim_config *config,
		 const char *policy, struct naive_result *result);

/**
 * oracle_same() - are these two runs over a trace the same?
 * @why: filled with the first difference
 */
bool oracle_same(const struct trace *trace, const struct sim_result *got,
		 const struct naive_result *expected, struct diag *why);

/* An unscaled trace of plain requests; aborts when memory is out. */
void oracle_trace(struct trace *trace, const struct naive_request *reqs,
		  size_t num, uint32_t block_size);

#endif
