/* SPDX-License-Identifier: Apache-2.0 */
#include "stream.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "errors.h"
#include "follow.h"
#include "times.h"
#include "watch.h"

/* Descriptors to the device. From here on the plan is in flight. */
static int copy(struct fw_cuda *cuda, const struct fw_cuda_slot *slot,
		const struct fw_cuda_packed *packed)
{
	cudaError_t err = cudaEventRecord(slot->begin, cuda->stream);

	if (err == cudaSuccess && packed->size)
		err = cudaMemcpyAsync(slot->device, slot->host, packed->size,
				      cudaMemcpyHostToDevice, cuda->stream);
	if (err != cudaSuccess)
		return fw_cuda_note(cuda, err);
	fw_cuda_count(&cuda->counters.bytes, packed->size);
	fw_cuda_count(&cuda->counters.table_entries, packed->num_blocks);
	return 0;
}

/* The tables of the device, by the pieces that are new. */
static int spread(struct fw_cuda *cuda, const struct fw_cuda_slot *slot,
		  const struct fw_cuda_packed *packed)
{
	const struct fw_cuda_spread pieces = {
		.pieces = (void *)(slot->device + packed->pieces_at),
		.blocks = (void *)(slot->device + packed->blocks_at),
		.tables = cuda->tables,
		.stride = cuda->layout.max_blocks,
		.num_pieces = packed->num_pieces,
	};
	cudaError_t err;

	if (!packed->num_pieces)
		return 0;
	err = fw_cuda_spread_launch(&pieces, cuda->stream);
	return err == cudaSuccess ? 0 : fw_cuda_note(cuda, err);
}

static int launch(struct fw_cuda *cuda, const struct fw_cuda_slot *slot,
		  const struct fw_plan *plan)
{
	const struct fw_cuda_plan device = {
		.entries = (void *)slot->device,
		.tables = cuda->tables,
		.stride = cuda->layout.max_blocks,
		.num_entries = plan->num_entries,
		.num_sequences = plan->num_sequences,
		.num_tokens = plan->num_tokens,
	};
	int64_t begin = fw_clock_now();
	int ret = cuda->config.launch(cuda->config.ctx, cuda->stream, &device,
				      plan);

	fw_cuda_count(&cuda->counters.launch_ns,
		      (uint64_t)(fw_clock_now() - begin));
	/* Its errors of CUDA are its own; what they leave behind is not. */
	if (ret)
		cudaGetLastError();
	if (ret == -ENODEV)
		fw_cuda_set_dead(cuda);
	return ret > 0 ? -EIO : ret;
}

/*
 * All of it is on the stream but what failed. The event comes in any case: the
 * slot must not be used again before the device has passed it.
 */
static void put(struct fw_cuda *cuda, uint64_t turn, const struct fw_plan *plan,
		const struct fw_cuda_packed *packed)
{
	struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
	cudaError_t err;
	bool waits;

	slot->status = spread(cuda, slot, packed);
	if (!slot->status) {
		fw_cuda_arrived(&cuda->layout, plan);
		slot->status = launch(cuda, slot, plan);
	}
	err = cudaEventRecord(slot->end, cuda->stream);
	slot->timed = err == cudaSuccess;
	/* [D4] Release: who sees this sees that the plan before it ended. */
	atomic_store_explicit(&slot->recorded, slot->timed,
			      memory_order_release);
	if (slot->timed)
		err = cudaStreamWaitEvent(cuda->side, slot->end, 0);
	waits = err == cudaSuccess;
	if (!waits)
		fw_cuda_note(cuda, err);
	fw_cuda_follow(cuda, slot, turn, waits);
	fw_cuda_wake_watcher(cuda);
}

static int submit_current(struct fw_cuda *cuda, const struct fw_plan *plan,
			  struct fw_flight *flight)
{
	/* Relaxed: this thread alone writes it. */
	uint64_t turn =
		atomic_load_explicit(&cuda->submitted, memory_order_relaxed) +
		1;
	struct fw_cuda_slot *slot = fw_cuda_slot_of(cuda, turn);
	struct fw_cuda_packed packed;
	int ret;

	/* [D2] Acquire: whoever ended its last plan is done with the slot. */
	if (atomic_load_explicit(&slot->turn, memory_order_acquire))
		return -EBUSY;
	if (turn > cuda->num_slots)
		fw_cuda_collect(cuda, turn - cuda->num_slots);
	ret = fw_cuda_pack(&cuda->layout, plan, slot->host, &packed);
	if (!ret)
		ret = copy(cuda, slot, &packed);
	if (ret)
		return ret;
	slot->flight = flight;
	put(cuda, turn, plan, &packed);
	return 0;
}

static uint64_t launch_time(struct fw_cuda *cuda)
{
	/* Relaxed: this thread alone writes it. */
	return atomic_load_explicit(&cuda->counters.launch_ns,
				    memory_order_relaxed);
}

static int submit_to(struct fw_cuda *cuda, const struct fw_plan *plan,
		     struct fw_flight *flight)
{
	int device = cuda->config.device;
	int before, ret;
	cudaError_t err;

	if (fw_cuda_is_dead(cuda))
		return -ENODEV;
	err = fw_cuda_enter(device, &before);
	if (err != cudaSuccess)
		return fw_cuda_note(cuda, err);
	ret = submit_current(cuda, plan, flight);
	fw_cuda_leave(device, before);
	return ret;
}

int fw_cuda_submit(void *ctx, const struct fw_plan *plan,
		   struct fw_flight *flight)
{
	struct fw_cuda *cuda = ctx;
	int64_t begin = fw_clock_now();
	uint64_t launched = launch_time(cuda);
	int ret = submit_to(cuda, plan, flight);

	launched = launch_time(cuda) - launched;
	fw_cuda_count(&cuda->counters.submit_ns,
		      (uint64_t)(fw_clock_now() - begin) - launched);
	if (ret)
		fw_cuda_count(&cuda->counters.refused, 1);
	return ret;
}
