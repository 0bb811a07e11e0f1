/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_QUEUE_H
#define TOOLS_REPLAY_QUEUE_H

#include "tools/policy/ops.h"

/*
 * A policy as the order of a runtime. The runtime's seconds are turned into
 * those of the trace, so that every policy sees the device, the floor and the
 * arrivals as the simulator has them.
 *
 * The scheduler's thread alone.
 */

/**
 * struct replay_queue - a policy on another clock
 * @policy: which one
 * @order: who waits in it
 * @speed: seconds of the trace in one of the runtime
 */
struct replay_queue {
	const struct policy *policy;
	void *order;
	double speed;
};

/* An order whose ctx is a struct replay_queue. */
extern const struct fw_order_ops replay_queue_ops;

#endif
