/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPLAY_DEVICE_H
#define TOOLS_REPLAY_DEVICE_H

#include <fairway/executor.h>

#include "replay.h"
#include "queue.h"

/**
 * struct replay_device - the device of a replay, and what it was given
 * @inner: what takes the plans
 * @busy: with a CUDA device: the times that it takes
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
	struct fw_cuda_busy busy;
	double step[4];
	double speed;
	struct replay_queue *queue;
	uint32_t tokens;
	double busy_s;
};

/**
 * struct replay_size - how much runs on the device at once
 * @sequences: most that run
 * @blocks: of the longest prompt
 */
struct replay_size {
	uint32_t sequences;
	uint32_t blocks;
};

/**
 * replay_device_open() - an executor that takes the time of @device
 * @out: for fw_open_queue()
 * @self: kept
 * @device: step times
 * @replay: which executor, how deep and how fast
 * @size: of the node
 * @queue: kept
 *
 * Return: 0 or -errno as the function that makes the executor.
 */
int replay_device_open(struct fw_executor *out, struct replay_device *self,
		       const struct fw_device *device,
		       const struct replay_config *replay,
		       const struct replay_size *size,
		       struct replay_queue *queue);

#endif
