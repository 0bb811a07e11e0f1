/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_FOLLOW_H
#define CUDA_FOLLOW_H

#include "stream.h"

/* How plans end. */

/**
 * fw_cuda_follow() - let a plan that is on the stream call back
 * @cuda: the executor
 * @slot: filled, all of the plan on the stream
 * @turn: its number
 * @waits: the side stream waits for the plan's event
 *
 * The plan is in flight from now on, whatever fails here.
 */
void fw_cuda_follow(struct fw_cuda *cuda, struct fw_cuda_slot *slot,
		    uint64_t turn, bool waits);

/**
 * fw_cuda_end() - report a plan, unless another thread did
 * @cuda: the executor
 * @turn: number of the plan
 * @dead: as failed by the device; else with the status of its slot
 *
 * Context: Any thread. Calls nothing of CUDA.
 */
void fw_cuda_end(struct fw_cuda *cuda, uint64_t turn, bool dead);

#endif
