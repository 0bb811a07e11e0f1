/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_work.h"

enum { THREADS = 256, MAX_BLOCKS = 1024, WARP = 32 };

/* The device's 64-bit atomics are spelt for this type. */
typedef unsigned long long sum_t;
static_assert(sizeof(sum_t) == sizeof(uint64_t), "sums of 64 bits");

static __device__ sum_t warp_sum(sum_t value)
{
	for (int lane = WARP / 2; lane > 0; lane /= 2)
		value += __shfl_down_sync(0xffffffffu, value, lane);
	return value;
}

/*
 * Integer sums do not depend on the order of the additions, so warps may add
 * theirs as they come. All threads of a warp reach warp_sum() together.
 */
static __global__ void plan_work(const struct fw_plan_entry *entries,
				 uint32_t num, struct fw_cuda_work *work)
{
	uint32_t step = gridDim.x * blockDim.x;
	sum_t tokens = 0;
	sum_t twice = 0;

	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < num;
	     i += step) {
		sum_t first = entries[i].first;
		sum_t count = entries[i].count;

		tokens += count;
		twice += count * (2 * first + count + 1);
	}
	tokens = warp_sum(tokens);
	twice = warp_sum(twice);
	if (threadIdx.x % WARP == 0) {
		atomicAdd((sum_t *)&work->tokens, tokens);
		atomicAdd((sum_t *)&work->twice_attention, twice);
	}
}

cudaError_t plan_work_launch(const struct fw_plan_entry *entries, uint32_t num,
			     struct fw_cuda_work *work, cudaStream_t stream)
{
	uint32_t blocks = num / THREADS + (num % THREADS != 0);

	if (blocks > MAX_BLOCKS)
		blocks = MAX_BLOCKS;
	plan_work<<<blocks, THREADS, 0, stream>>>(entries, num, work);
	return cudaGetLastError();
}
