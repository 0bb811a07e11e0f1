/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_STATS_H
#define CUDA_STATS_H

#include "stream.h"

/* Fill what both sides know; see fw_executor_cuda_stats(). */
void fw_cuda_read_stats(struct fw_cuda *cuda, struct fw_cuda_stats *stats);

#endif
