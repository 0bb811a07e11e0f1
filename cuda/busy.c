/* SPDX-License-Identifier: Apache-2.0 */
#include "busy.h"

#include <fairway/cuda.h>

#include "lib/cost/device.h"
#include "errors.h"

static double step_time(const struct fw_cuda_busy *busy,
			const struct fw_plan *plan)
{
	const struct fw_device device = {"busy", busy->step[0], busy->step[1],
					 busy->step[2], busy->step[3]};
	double pairs = 0.0, seconds;

	for (uint32_t i = 0; i < plan->num_entries; i++)
		pairs += fw_device_pairs(plan->entries[i].first,
					 plan->entries[i].count);
	seconds = fw_device_step(&device, plan->num_tokens, pairs);
	return busy->speed > 0.0 ? seconds / busy->speed : seconds;
}

int fw_cuda_busy_launch(void *ctx, struct CUstream_st *stream,
			const struct fw_cuda_plan *device,
			const struct fw_plan *host)
{
	double seconds = step_time(ctx, host);

	(void)device;
	return fw_cuda_errno(
		fw_cuda_spin_launch((uint64_t)(seconds * 1e9), stream));
}
