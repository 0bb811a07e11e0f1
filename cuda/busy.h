/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_BUSY_H
#define CUDA_BUSY_H

#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * fw_cuda_spin_launch() - a kernel that does nothing for a while
 * @ns: how long
 * @stream: where it goes
 *
 * Return: what the launch itself met.
 */
cudaError_t fw_cuda_spin_launch(uint64_t ns, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
