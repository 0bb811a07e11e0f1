/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_WATCH_H
#define CUDA_WATCH_H

#include "stream.h"

/*
 * How plans end: by their callback, or by the watcher where none comes.
 */

/**
 * fw_cuda_follow() - let a plan that is on the stream be reported
 * @cuda: the executor
 * @slot: filled, all of the plan on the stream
 * @turn: its number
 * @waits: the side stream waits for the plan's event
 *
 * The plan is in flight from now on, whatever fails here.
 */
void fw_cuda_follow(struct fw_cuda *cuda, struct fw_cuda_slot *slot,
		    uint64_t turn, bool waits);

/* Start the watcher. Return: 0, -EAGAIN when there is no thread to be had. */
int fw_cuda_watch(struct fw_cuda *cuda);

/* Wait until all plans are reported and the watcher is gone. */
void fw_cuda_watch_stop(struct fw_cuda *cuda);

#endif
