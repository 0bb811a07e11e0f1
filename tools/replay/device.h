/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_DEVICE_H
#define TOOLS_REPLAY_DEVICE_H

#include <fairway/executor.h>

#include "replay.h"
#include "queue.h"

/**
 * struct replay_device - the device of a replay, and what it was given
 * @inner: what takes the plans
 * @step: t0, a, b and tw of the device, seconds of the trace
 * @speed: seconds of the trace in one of real time
 * @queue: told of the tokens of each step
 * @tokens: of the last plan, of which @queue was not told yet
 * @busy_s: seconds of the trace that all plans take
 *
 * The scheduler's thread alone; must stay until the runtime is closed.
 */
struct replay_device {
	struct fw_executor inner;
	double step[4];
	double speed;
	struct replay_queue *queue;
	uint32_t tokens;
	double busy_s;
};

/**
 * replay_device_open() - an executor that takes the time of @device
 * @out: for fw_open_queue()
 * @self: kept
 * @device: step times
 * @replay: which executor, how deep and how fast
 * @queue: kept
 *
 * Return: 0 or -errno as fw_executor_model() and fw_executor_host().
 */
int replay_device_open(struct fw_executor *out, struct replay_device *self,
		       const struct fw_device *device,
		       const struct replay_config *replay,
		       struct replay_queue *queue);

#endif
