/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_CUDA_H
#define FAIRWAY_CUDA_H

#include <stdint.h>

#include <fairway/plan.h>

/*
 * Plans on a CUDA device, by libfairway_cuda. One struct fw_cuda is used by
 * one thread at a time; different ones are independent of each other. As with
 * all of CUDA, a child of fork() cannot use what its parent opened.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct fw_cuda;

/**
 * struct fw_cuda_work - the work of a plan, as its device counts it
 * @tokens: N, tokens that the plan computes
 * @twice_attention: 2P = sum of q * (2p + q + 1) over the entries, with q
 *	tokens to compute after p earlier ones. Twice P, since P itself may
 *	end in a half
 */
struct fw_cuda_work {
	uint64_t tokens;
	uint64_t twice_attention;
};

/**
 * fw_cuda_open() - take a stream and descriptor slots on a device
 * @out: written only on success
 * @device: number of the device, from 0
 * @max_entries: most entries of one plan, at least 1
 *
 * Context: Any thread. Initialises the CUDA runtime unless that was done.
 * Leaves the thread's current device as it was.
 * Return: 0, -EINVAL when @max_entries is 0 or @device is negative, -ENODEV
 * when there is no such device or no driver for it, -ENOMEM, -EIO for any
 * other CUDA error.
 */
int fw_cuda_open(struct fw_cuda **out, int device, uint32_t max_entries);

/**
 * fw_cuda_close() - give back all that fw_cuda_open() took
 * @cuda: may be NULL
 *
 * Context: The thread that uses @cuda. Waits for what is in flight. Leaves the
 * thread's current device as it was. The memory of a device that failed for
 * good may come back only when the process ends.
 */
void fw_cuda_close(struct fw_cuda *cuda);

/**
 * fw_cuda_plan_work() - let the device count the work of a plan
 * @cuda: an open device
 * @plan: only read, and free again on return
 * @work: written only on success
 *
 * The entries go over by one asynchronous copy; the block tables stay here.
 *
 * Context: Waits for the device. Leaves the thread's current device as it was.
 * Return: 0, -EINVAL when an entry has no tokens or ends past token 2^31 - 1,
 * or num_tokens is not the sum of the entries. -E2BIG for more entries than
 * @cuda was opened for. -EIO when the device failed, for good after a fault.
 */
int fw_cuda_plan_work(struct fw_cuda *cuda, const struct fw_plan *plan,
		      struct fw_cuda_work *work);

#ifdef __cplusplus
}
#endif

#endif
