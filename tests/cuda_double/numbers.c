/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>

/*
 * Compiled against the double's header, and against NVIDIA's where CUDA is:
 * both give the same numbers to the same names.
 */

#define SAME(name, number) _Static_assert(name == number, #name)

SAME(cudaEventDefault, 0);
SAME(cudaHostAllocDefault, 0);
SAME(cudaStreamNonBlocking, 1);
SAME(cudaMemcpyHostToDevice, 1);
SAME(cudaMemcpyDeviceToHost, 2);
SAME(cudaSuccess, 0);
SAME(cudaErrorInvalidValue, 1);
SAME(cudaErrorMemoryAllocation, 2);
SAME(cudaErrorCudartUnloading, 4);
SAME(cudaErrorInsufficientDriver, 35);
SAME(cudaErrorDevicesUnavailable, 46);
SAME(cudaErrorNoDevice, 100);
SAME(cudaErrorInvalidDevice, 101);
SAME(cudaErrorECCUncorrectable, 214);
SAME(cudaErrorNvlinkUncorrectable, 220);
SAME(cudaErrorInvalidResourceHandle, 400);
SAME(cudaErrorNotReady, 600);
SAME(cudaErrorIllegalAddress, 700);
SAME(cudaErrorLaunchTimeout, 702);
SAME(cudaErrorContextIsDestroyed, 709);
SAME(cudaErrorAssert, 710);
SAME(cudaErrorHardwareStackError, 714);
SAME(cudaErrorIllegalInstruction, 715);
SAME(cudaErrorMisalignedAddress, 716);
SAME(cudaErrorInvalidAddressSpace, 717);
SAME(cudaErrorInvalidPc, 718);
SAME(cudaErrorLaunchFailure, 719);
SAME(cudaErrorNotPermitted, 800);
SAME(cudaErrorUnknown, 999);
