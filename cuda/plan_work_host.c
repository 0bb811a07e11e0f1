/* SPDX-License-Identifier: Apache-2.0 */
#include "plan_work.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/**
 * struct fw_cuda - one stream with its descriptor slots
 * @device: number of the device
 * @max_entries: size of both slots
 * @stream: all work goes through it, in order
 * @work: pinned, where the sums arrive
 * @entries: pinned, what the copy to the device reads
 * @device_work: the sums on the device
 * @device_entries: the entries on the device
 *
 * It stands at the start of the pinned block that holds @entries too: only
 * from pinned memory does a copy run by itself.
 */
struct fw_cuda {
	int device;
	uint32_t max_entries;
	cudaStream_t stream;
	struct fw_cuda_work *device_work;
	struct fw_plan_entry *device_entries;
	struct fw_cuda_work work;
	struct fw_plan_entry entries[];
};

static int to_errno(cudaError_t err)
{
	switch (err) {
	case cudaSuccess:
		return 0;
	case cudaErrorMemoryAllocation:
		return -ENOMEM;
	case cudaErrorNoDevice:
	case cudaErrorInvalidDevice:
	case cudaErrorInsufficientDriver:
	case cudaErrorDevicesUnavailable:
		return -ENODEV;
	default:
		return -EIO;
	}
}

/* Make @device current; the one that was goes to @before. */
static int enter_device(int device, int *before)
{
	cudaError_t err = cudaGetDevice(before);

	if (err == cudaSuccess)
		err = cudaSetDevice(device);
	return to_errno(err);
}

static void leave_device(int before)
{
	cudaSetDevice(before);
}

static int take_device_memory(struct fw_cuda *cuda)
{
	size_t size = cuda->max_entries * sizeof(cuda->entries[0]);
	cudaError_t err;

	err = cudaMalloc((void **)&cuda->device_work, sizeof(cuda->work));
	if (err != cudaSuccess)
		return to_errno(err);
	err = cudaMalloc((void **)&cuda->device_entries, size);
	if (err != cudaSuccess) {
		cudaFree(cuda->device_work);
		return to_errno(err);
	}
	return 0;
}

/* On the current device. */
static int open_current(struct fw_cuda **out, int device, uint32_t max_entries)
{
	struct fw_cuda *cuda;
	size_t size = sizeof(*cuda) + max_entries * sizeof(cuda->entries[0]);
	int err;

	err = to_errno(
		cudaHostAlloc((void **)&cuda, size, cudaHostAllocDefault));
	if (err)
		return err;
	memset(cuda, 0, sizeof(*cuda));
	cuda->device = device;
	cuda->max_entries = max_entries;
	err = take_device_memory(cuda);
	if (err)
		goto err_free_host;
	err = to_errno(cudaStreamCreateWithFlags(&cuda->stream,
						 cudaStreamNonBlocking));
	if (err)
		goto err_free_device;
	*out = cuda;
	return 0;

err_free_device:
	cudaFree(cuda->device_entries);
	cudaFree(cuda->device_work);
err_free_host:
	cudaFreeHost(cuda);
	return err;
}

int fw_cuda_open(struct fw_cuda **out, int device, uint32_t max_entries)
{
	int before;
	int num;
	int err;

	if (device < 0 || max_entries == 0)
		return -EINVAL;
	err = to_errno(cudaGetDeviceCount(&num));
	if (err)
		goto out_clear;
	if (device >= num)
		return -ENODEV;
	err = enter_device(device, &before);
	if (err)
		goto out_clear;
	err = open_current(out, device, max_entries);
	leave_device(before);
out_clear:
	/* The runtime would show an error again to whoever asks next. */
	cudaGetLastError();
	return err;
}

void fw_cuda_close(struct fw_cuda *cuda)
{
	int before;

	if (!cuda || enter_device(cuda->device, &before))
		return;
	cudaStreamSynchronize(cuda->stream);
	cudaStreamDestroy(cuda->stream);
	cudaFree(cuda->device_entries);
	cudaFree(cuda->device_work);
	cudaFreeHost(cuda);
	leave_device(before);
}

/*
 * With these limits a factor 2p + q + 1 stays below 2^32 and the counts sum to
 * less than 2^32, so the device's sums fit 64 bits.
 */
static int check_plan(const struct fw_cuda *cuda, const struct fw_plan *plan)
{
	uint64_t tokens = 0;

	if (plan->num_entries > cuda->max_entries)
		return -E2BIG;
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];

		if (entry->count == 0)
			return -EINVAL;
		if ((uint64_t)entry->first + entry->count > INT32_MAX)
			return -EINVAL;
		tokens += entry->count;
	}
	return tokens == plan->num_tokens ? 0 : -EINVAL;
}

/* Queue copies and kernel; nothing here waits. */
static cudaError_t submit(struct fw_cuda *cuda, uint32_t num)
{
	cudaError_t err;

	err = cudaMemsetAsync(cuda->device_work, 0, sizeof(cuda->work),
			      cuda->stream);
	if (err != cudaSuccess)
		return err;
	err = cudaMemcpyAsync(cuda->device_entries, cuda->entries,
			      num * sizeof(cuda->entries[0]),
			      cudaMemcpyHostToDevice, cuda->stream);
	if (err != cudaSuccess)
		return err;
	err = plan_work_launch(cuda->device_entries, num, cuda->device_work,
			       cuda->stream);
	if (err != cudaSuccess)
		return err;
	return cudaMemcpyAsync(&cuda->work, cuda->device_work,
			       sizeof(cuda->work), cudaMemcpyDeviceToHost,
			       cuda->stream);
}

static int run_current(struct fw_cuda *cuda, const struct fw_plan *plan,
		       struct fw_cuda_work *work)
{
	cudaError_t err;
	cudaError_t sync;

	memcpy(cuda->entries, plan->entries,
	       plan->num_entries * sizeof(cuda->entries[0]));
	err = submit(cuda, plan->num_entries);
	/* Also after an error: what was queued still uses the slots. */
	sync = cudaStreamSynchronize(cuda->stream);
	if (err == cudaSuccess)
		err = sync;
	if (err != cudaSuccess) {
		cudaGetLastError();
		return -EIO;
	}
	*work = cuda->work;
	return 0;
}

int fw_cuda_plan_work(struct fw_cuda *cuda, const struct fw_plan *plan,
		      struct fw_cuda_work *work)
{
	int before;
	int err = check_plan(cuda, plan);

	if (err)
		return err;
	if (plan->num_entries == 0) {
		*work = (struct fw_cuda_work){0};
		return 0;
	}
	if (enter_device(cuda->device, &before))
		return -EIO;
	err = run_current(cuda, plan, work);
	leave_device(before);
	return err;
}
