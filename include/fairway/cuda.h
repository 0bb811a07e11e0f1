/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_CUDA_H
#define FAIRWAY_CUDA_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/executor.h>
#include <fairway/plan.h>

/*
 * An executor that puts plans on a stream of a CUDA device, by libfairway-cuda.
 * The embedder's function launches the kernels. Descriptors and block tables
 * are on the device by then, and the scheduler's thread never waits for it.
 *
 * Each executor is one stream of one device. Several of them are independent
 * of each other. As with all of CUDA, a child of fork() cannot use what its
 * parent opened.
 */

#ifdef __cplusplus
extern "C" {
#endif

/* What cudaStream_t points to; cuda_runtime_api.h need not be read for it. */
struct CUstream_st;

/**
 * struct fw_cuda_plan - a plan as the device has it
 * @entries: device memory: the plan's entries. Valid until the plan ends
 * @tables: device memory: the block tables of all running sequences
 * @stride: from one table to the next, in numbers of blocks
 * @num_entries: entries in @entries
 * @num_sequences: as in struct fw_plan
 * @num_tokens: as in struct fw_plan
 * @reserved: 0
 *
 * The KV of token i of a prompt stands in block
 * tables[sequence * stride + i / block size]. The struct itself is host memory
 * and made to be handed to a kernel by value.
 */
struct fw_cuda_plan {
	const struct fw_plan_entry *entries;
	const uint32_t *tables;
	uint64_t stride;
	uint32_t num_entries;
	uint32_t num_sequences;
	uint32_t num_tokens;
	uint32_t reserved;
};

/**
 * struct fw_cuda_time - how long a plan took, by the device's own clock
 * @plan: number of the plan, from 1, in the order of submission. A plan that
 *	submit refused has none
 * @device_ns: from its first to its last work on the stream
 * @idle_ns: from the end of the plan before it; 0 for the first
 */
struct fw_cuda_time {
	uint64_t plan;
	int64_t device_ns;
	int64_t idle_ns;
};

/**
 * struct fw_cuda_config - settings of a CUDA executor
 * @size: sizeof(struct fw_cuda_config) as the caller was compiled
 * @launch: puts the work of a plan on @stream and returns without waiting for
 *	it. Returns 0 or -errno: then the plan fails as soon as the device has
 *	passed what was put there. @device is current. Runs on the scheduler's
 *	thread
 * @ctx: handed to @launch and @timed
 * @device: number of the device, from 0
 * @depth: as in struct fw_executor
 * @max_sequences: sequences that run at once: max_running of the runtime; 256
 *	when 0
 * @max_blocks: most blocks of one sequence; 8192 when 0. The device holds
 *	@max_sequences tables of that size, and host and device hold another
 *	@depth + 1 times as much, so that any plan fits
 *	@depth + 1 times as much, so that any plan fits. A plan with a longer
 *	prompt fails with -E2BIG, and with it all others in that plan. So
 *	keep such prompts out: by num_blocks of the runtime, which rejects
 *	what never fits, or before they are submitted
 * @lost_after: nanoseconds after the end of a plan on the device when its
 *	callback counts as lost; 100 ms when 0
 * @hang_after: nanoseconds that the device may take for a plan before it
 *	counts as dead; no limit when 0
 * @timed: told of each plan's times, in order and some plans late, on the
 *	scheduler's thread; by the end of destroy of all. May be NULL
 * @allocator: malloc and free when NULL; copied
 */
struct fw_cuda_config {
	size_t size;
	int (*launch)(void *ctx, struct CUstream_st *stream,
		      const struct fw_cuda_plan *device,
		      const struct fw_plan *host);
	void *ctx;
	int32_t device;
	uint32_t depth;
	uint32_t max_sequences;
	uint32_t max_blocks;
	int64_t lost_after;
	int64_t hang_after;
	void (*timed)(void *ctx, const struct fw_cuda_time *time);
	const struct fw_allocator *allocator;
};

/**
 * fw_executor_cuda() - plans on a stream of a CUDA device
 * @out: written only on success
 * @config: settings
 *
 * All memory and handles are taken here; submitting takes none. A plan whose
 * launch fails, or that a CUDA call refused, ends as failed, and the executor
 * goes on. After an error that leaves no context every plan in flight and every
 * later one ends with -ENODEV.
 *
 * Its destroy waits for the device. Where hang_after passed, it does not: what
 * the device may still write to then stays until the process ends.
 *
 * Context: Any thread. Starts a thread, which sleeps while no plan is in
 * flight. Initialises the CUDA runtime unless that was done. Leaves the
 * thread's current device as it was.
 * Return: 0, -EINVAL, -E2BIG for an unknown tail, -ENODEV when there is no such
 * device or no driver for it, -ENOMEM, -EAGAIN when no thread can be had, -EIO
 * for any other CUDA error.
 */
int fw_executor_cuda(struct fw_executor *out,
		     const struct fw_cuda_config *config);

/**
 * struct fw_cuda_stats - counters since the executor was made
 * @size: set by the caller to sizeof(struct fw_cuda_stats)
 * @plans: plans that submit took
 * @refused: plans that submit refused
 * @failed: plans of @plans that ended with an error
 * @reported: plans of @plans that have ended
 * @timed: plans whose times are in the sums below; behind @reported by up to
 *	depth + 1 until the executor is destroyed
 * @device_ns: sum over them of the time on the device
 * @device_max_ns: the longest of them
 * @idle_ns: sum of the times between one and the next. Where submit comes
 *	before the one before ended, all of it is the device waiting for work
 * @submit_ns: time in submit, without the embedder's launch
 * @launch_ns: time in the embedder's launch
 * @bytes: copied to the device
 * @table_entries: numbers of blocks among that
 * @lost: callbacks that did not come in time; the plan ended all the same
 * @errors: CUDA calls that failed
 * @last_error: cudaError_t of the last of them; 0 while there is none
 * @status: 0, or -ENODEV when the device is gone
 *
 * A later version appends fields.
 */
struct fw_cuda_stats {
	size_t size;
	uint64_t plans;
	uint64_t refused;
	uint64_t failed;
	uint64_t reported;
	uint64_t timed;
	uint64_t device_ns;
	uint64_t device_max_ns;
	uint64_t idle_ns;
	uint64_t submit_ns;
	uint64_t launch_ns;
	uint64_t bytes;
	uint64_t table_entries;
	uint64_t lost;
	uint64_t errors;
	int32_t last_error;
	int32_t status;
};

/**
 * fw_executor_cuda_stats() - read the counters
 * @executor: as fw_executor_cuda() wrote it; not destroyed, nor its runtime
 *	closed
 * @stats: its size field says how many bytes are filled
 *
 * Context: Any thread. Takes no lock, calls no CUDA.
 * Return: 0; -EINVAL for another executor or a size of 0.
 */
int fw_executor_cuda_stats(const struct fw_executor *executor,
			   struct fw_cuda_stats *stats);

/**
 * struct fw_cuda_busy - what fw_cuda_busy_launch() takes as its ctx
 * @step: seconds of a step: t0, a, b and tw as in struct fw_model_config
 * @speed: divides all step times; 1 when 0
 */
struct fw_cuda_busy {
	double step[4];
	double speed;
};

/**
 * fw_cuda_busy_launch() - a launch for measuring: busy for a step's time
 * @ctx: a struct fw_cuda_busy
 * @stream: what it launches on
 * @device: the plan in the device's memory; not read
 * @host: the same plan for the host: its tokens say how long
 *
 * One kernel that computes nothing and ends when the plan would have, by the
 * device's clock. It is a launch of struct fw_cuda_config.
 *
 * Context: As that launch.
 * Return: 0, or -errno of what the kernel's launch met.
 */
int fw_cuda_busy_launch(void *ctx, struct CUstream_st *stream,
			const struct fw_cuda_plan *device,
			const struct fw_plan *host);

#ifdef __cplusplus
}
#endif

#endif
