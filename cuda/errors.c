/* SPDX-License-Identifier: Apache-2.0 */
#include "errors.h"

#include <errno.h>

/*
 * After these nothing of the context can be used any more: CUDA's own list of
 * what makes a process start anew, and what says that the device is not there.
 */
static bool leaves_no_context(cudaError_t err)
{
	switch (err) {
	case cudaErrorCudartUnloading:
	case cudaErrorDevicesUnavailable:
	case cudaErrorNoDevice:
	case cudaErrorECCUncorrectable:
	case cudaErrorNvlinkUncorrectable:
	case cudaErrorIllegalAddress:
	case cudaErrorLaunchTimeout:
	case cudaErrorContextIsDestroyed:
	case cudaErrorAssert:
	case cudaErrorHardwareStackError:
	case cudaErrorIllegalInstruction:
	case cudaErrorMisalignedAddress:
	case cudaErrorInvalidAddressSpace:
	case cudaErrorInvalidPc:
	case cudaErrorLaunchFailure:
	case cudaErrorUnknown:
		return true;
	default:
		return false;
	}
}

int fw_cuda_errno(cudaError_t err)
{
	switch (err) {
	case cudaSuccess:
		return 0;
	case cudaErrorMemoryAllocation:
		return -ENOMEM;
	case cudaErrorInvalidDevice:
	case cudaErrorInsufficientDriver:
		return -ENODEV;
	default:
		return leaves_no_context(err) ? -ENODEV : -EIO;
	}
}

int fw_cuda_note(struct fw_cuda *cuda, cudaError_t err)
{
	fw_cuda_count(&cuda->counters.errors, 1);
	/* Relaxed: a figure for people. */
	atomic_store_explicit(&cuda->counters.last_error, (int)err,
			      memory_order_relaxed);
	if (leaves_no_context(err))
		fw_cuda_set_dead(cuda);
	cudaGetLastError();
	return fw_cuda_errno(err);
}

void fw_cuda_set_dead(struct fw_cuda *cuda)
{
	/* Relaxed: nothing else was written for whoever reads it. */
	atomic_store_explicit(&cuda->dead, true, memory_order_relaxed);
}

bool fw_cuda_is_dead(struct fw_cuda *cuda)
{
	return atomic_load_explicit(&cuda->dead, memory_order_relaxed);
}

cudaError_t fw_cuda_enter(int device, int *before)
{
	cudaError_t err = cudaGetDevice(before);

	if (err == cudaSuccess && *before != device)
		err = cudaSetDevice(device);
	return err;
}

void fw_cuda_leave(int device, int before)
{
	if (before != device)
		cudaSetDevice(before);
}
