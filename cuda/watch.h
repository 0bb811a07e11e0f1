/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_WATCH_H
#define CUDA_WATCH_H

#include "stream.h"

/*
 * The watcher: a thread that asks for the oldest plan's event, and ends plans
 * that no callback ends. It sleeps while no plan is in flight.
 */

/* Start it. Return: 0, -EAGAIN when there is no thread to be had. */
int fw_cuda_watch(struct fw_cuda *cuda);

/* There is a plan in flight now. Context: the scheduler's thread. */
void fw_cuda_wake_watcher(struct fw_cuda *cuda);

/* Wait until all plans are reported and the watcher is gone. */
void fw_cuda_watch_stop(struct fw_cuda *cuda);

#endif
