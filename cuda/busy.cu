/* SPDX-License-Identifier: Apache-2.0 */
#include "busy.h"

/* The device's clock in nanoseconds, the same on all of its processors. */
static __device__ uint64_t device_clock(void)
{
	uint64_t now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	return now;
}

static __global__ void spin(uint64_t ns)
{
	uint64_t begin = device_clock();

	while (device_clock() - begin < ns)
		__nanosleep(1000);
}

cudaError_t fw_cuda_spin_launch(uint64_t ns, cudaStream_t stream)
{
	spin<<<1, 1, 0, stream>>>(ns);
	return cudaGetLastError();
}
