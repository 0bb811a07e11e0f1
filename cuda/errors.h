/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_ERRORS_H
#define CUDA_ERRORS_H

#include <stdbool.h>

#include "stream.h"

/* What an error of CUDA is to the caller: 0 or -errno. */
int fw_cuda_errno(cudaError_t err);

/**
 * fw_cuda_note() - a call of CUDA failed
 * @cuda: the executor
 * @err: what it returned, not cudaSuccess
 *
 * Counts it, and takes the device for dead when the error leaves no context.
 * Clears the error, which the runtime would show to whoever asks next.
 *
 * Return: fw_cuda_errno().
 */
int fw_cuda_note(struct fw_cuda *cuda, cudaError_t err);

/* The device will never compute again. */
void fw_cuda_set_dead(struct fw_cuda *cuda);
bool fw_cuda_is_dead(struct fw_cuda *cuda);

/* Make @device current; the one that was goes to @before. */
cudaError_t fw_cuda_enter(int device, int *before);
void fw_cuda_leave(int device, int before);

#endif
