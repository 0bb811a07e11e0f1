/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_TIMES_H
#define CUDA_TIMES_H

#include "stream.h"

/**
 * fw_cuda_collect() - read the times of plans that have ended
 * @cuda: the executor
 * @upto: number of the last plan to read
 *
 * To be called before a slot is used again, which takes its events. Reads what
 * the device noted; waits for nothing.
 *
 * Context: The scheduler's thread, or that of destroy.
 */
void fw_cuda_collect(struct fw_cuda *cuda, uint64_t upto);

#endif
