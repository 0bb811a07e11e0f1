/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_PLAN_WORK_H
#define CUDA_PLAN_WORK_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include <fairway/cuda.h>
#include <fairway/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Both compilers read this: what C wrote is what the device reads, or neither
 * side compiles.
 */
static_assert(sizeof(struct fw_plan_entry) == 32, "one entry");
static_assert(offsetof(struct fw_plan_entry, request) == 0, "request");
static_assert(offsetof(struct fw_plan_entry, first) == 8, "first");
static_assert(offsetof(struct fw_plan_entry, count) == 12, "count");
static_assert(offsetof(struct fw_plan_entry, known) == 16, "known");
static_assert(offsetof(struct fw_plan_entry, num_blocks) == 20, "num_blocks");
static_assert(offsetof(struct fw_plan_entry, flags) == 24, "flags");
static_assert(offsetof(struct fw_plan_entry, sequence) == 28, "sequence");
static_assert(sizeof(struct fw_cuda_work) == 16, "the sums");
static_assert(offsetof(struct fw_cuda_work, tokens) == 0, "tokens");
static_assert(offsetof(struct fw_cuda_work, twice_attention) == 8, "2P");

/**
 * plan_work_launch() - sum N and 2P over a plan's entries on the device
 * @entries: device memory
 * @num: entries, at least 1
 * @work: device memory, zeroed earlier in @stream; added to
 * @stream: where the kernel goes
 *
 * Return: what the launch itself met; the kernel runs later.
 */
cudaError_t plan_work_launch(const struct fw_plan_entry *entries, uint32_t num,
			     struct fw_cuda_work *work, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
