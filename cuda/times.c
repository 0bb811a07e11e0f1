/* SPDX-License-Identifier: Apache-2.0 */
#include "times.h"

#include "errors.h"

/* Nanoseconds between two events, -1 when they cannot be had. */
static int64_t between(struct fw_cuda *cuda, cudaEvent_t from, cudaEvent_t to)
{
	float ms = 0.0f;
	cudaError_t err = cudaEventElapsedTime(&ms, from, to);

	if (err == cudaSuccess)
		return ms > 0.0f ? (int64_t)((double)ms * 1e6) : 0;
	fw_cuda_note(cuda, err);
	return -1;
}

static void add(struct fw_cuda *cuda, const struct fw_cuda_time *time)
{
	struct fw_cuda_counters *counters = &cuda->counters;
	uint64_t device = (uint64_t)time->device_ns;

	fw_cuda_count(&counters->timed, 1);
	fw_cuda_count(&counters->device_ns, device);
	fw_cuda_count(&counters->idle_ns, (uint64_t)time->idle_ns);
	/* Relaxed: this thread alone writes it. */
	if (device > atomic_load_explicit(&counters->device_max_ns,
					  memory_order_relaxed))
		atomic_store_explicit(&counters->device_max_ns, device,
				      memory_order_relaxed);
	if (cuda->config.timed)
		cuda->config.timed(cuda->config.ctx, time);
}

/* The next one's slot still has its events, but not for long. */
static int64_t until_next(struct fw_cuda *cuda, uint64_t turn)
{
	struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
	struct fw_cuda_slot *next = fw_cuda_slot_of(cuda, turn + 1);
	int64_t ns = 0;

	/* Relaxed: this thread alone writes the count. */
	if (turn + 1 >
	    atomic_load_explicit(&cuda->submitted, memory_order_relaxed))
		return 0;
	/* [D2] Acquire: whoever ended the next one is done with its slot. */
	if (atomic_load_explicit(&next->turn, memory_order_acquire))
		return 0;
	if (slot->timed && next->timed)
		ns = between(cuda, slot->end, next->begin);
	return ns > 0 ? ns : 0;
}

void fw_cuda_collect(struct fw_cuda *cuda, uint64_t upto)
{
	while (cuda->collected < upto && !fw_cuda_is_dead(cuda)) {
		uint64_t turn = ++cuda->collected;
		struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
		struct fw_cuda_time time = {
			.plan = turn,
			.device_ns = -1,
			.idle_ns = cuda->idle_next,
		};

		if (slot->timed)
			time.device_ns = between(cuda, slot->begin, slot->end);
		cuda->idle_next = until_next(cuda, turn);
		if (time.device_ns >= 0)
			add(cuda, &time);
	}
}
