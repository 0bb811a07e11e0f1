/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_QUEUE_H
#define TOOLS_REPLAY_QUEUE_H

#include "lib/queue/classes.h"
#include "tools/policy/ops.h"

/*
 * A policy of the simulator as the queue of a runtime. The runtime's seconds
 * are turned into those of the trace, so that every policy sees the device,
 * the floor and the arrivals as the simulator has them.
 *
 * The scheduler's thread alone.
 */

/**
 * struct replay_queue - the queue
 * @ops: of the policy
 * @policy: the policy
 * @speed: seconds of the trace in one of the runtime
 */
struct replay_queue {
	const struct policy_ops *ops;
	void *policy;
	double speed;
};

/* Its ctx is a struct replay_queue. */
extern const struct fw_queue_ops replay_queue_ops;

#endif
