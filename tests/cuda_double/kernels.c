/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "cuda/busy.h"
#include "cuda/spread.h"
#include "double.h"

/* The kernels of cuda/ in their host form, in place of the .cu files. */

static void spread_pieces(const void *arg)
{
	const struct fw_cuda_spread *spread = arg;

	if (!double_reads(spread->pieces,
			  spread->num_pieces * sizeof(*spread->pieces)))
		return;
	for (uint32_t p = 0; p < spread->num_pieces; p++) {
		const struct fw_cuda_piece *piece = &spread->pieces[p];
		size_t size = piece->count * sizeof(*spread->blocks);

		if (!double_reads(spread->blocks + piece->from, size) ||
		    !double_writes(spread->tables +
					   piece->sequence * spread->stride +
					   piece->first,
				   size))
			return;
		for (uint32_t i = 0; i < piece->count; i++)
			fw_cuda_spread_one(spread, p, i);
	}
}

cudaError_t fw_cuda_spread_launch(const struct fw_cuda_spread *spread,
				  cudaStream_t stream)
{
	static const struct double_kernel kernel = {spread_pieces,
						    sizeof(*spread)};
	const dim3 grid = {spread->num_pieces, 1, 1}, block = {128, 1, 1};
	void *args[] = {(void *)spread};

	return cudaLaunchKernel(&kernel, grid, block, args, 0, stream);
}

static void spin(const void *arg)
{
	const uint64_t ns = *(const uint64_t *)arg;
	struct timespec left = {.tv_sec = (time_t)(ns / 1000000000),
				.tv_nsec = (long)(ns % 1000000000)};

	while (nanosleep(&left, &left))
		;
}

cudaError_t fw_cuda_spin_launch(uint64_t ns, cudaStream_t stream)
{
	static const struct double_kernel kernel = {spin, sizeof(ns)};
	const dim3 one = {1, 1, 1};
	void *args[] = {&ns};

	return cudaLaunchKernel(&kernel, one, one, args, 0, stream);
}
