/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_REPLAY_H
#define TOOLS_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/cuda/load.h"
#include "tools/node/sim.h"

/**
 * enum replay_executor - what stands for the device
 * @REPLAY_MODEL: the library's modelled device, in real time
 * @REPLAY_HOST: a function on a thread, as an embedder has one, which takes
 *	the same time
 * @REPLAY_CUDA: a CUDA device that is busy for the same time
 */
enum replay_executor {
	REPLAY_MODEL,
	REPLAY_HOST,
	REPLAY_CUDA,
};

/**
 * struct replay_config - how a trace is replayed
 * @executor: what computes
 * @cuda: with REPLAY_CUDA: the library
 * @producers: threads that submit, at least 1
 * @speed: seconds of the trace in one of real time; arrivals, device and the
 *	unit of the wait are all scaled by it, and times are told in seconds of
 *	the trace
 * @depth: plans in flight
 * @quiet: show nothing while it runs
 */
struct replay_config {
	enum replay_executor executor;
	const struct cuda_library *cuda;
	uint32_t producers;
	double speed;
	uint32_t depth;
	bool quiet;
};

/**
 * replay_run() - serve a trace in real time, by a runtime and real threads
 * @trace: not changed
 * @config: the node
 * @replay: how
 * @spec: the policy
 * @result: written only on success; as sim_run() fills it
 * @diag: what failed
 *
 * Context: Takes as long as the trace, divided by the speed.
 * Return: 0 or -errno.
 */
int replay_run(const struct trace *trace, const struct sim_config *config,
	       const struct replay_config *replay,
	       const struct policy_spec *spec, struct sim_result *result,
	       struct diag *diag);

#endif
