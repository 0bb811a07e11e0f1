/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

enum { THREADS = 128 };

/* One thread block for each piece. */
static __global__ void spread_pieces(struct fw_cuda_spread spread)
{
	uint32_t count = spread.pieces[blockIdx.x].count;

	for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
		fw_cuda_spread_one(&spread, blockIdx.x, i);
}

cudaError_t fw_cuda_spread_launch(const struct fw_cuda_spread *spread,
				  cudaStream_t stream)
{
	spread_pieces<<<spread->num_pieces, THREADS, 0, stream>>>(*spread);
	return cudaGetLastError();
}
