/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CUDA_DOUBLE_DOUBLE_H
#define TESTS_CUDA_DOUBLE_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

/*
 * A double of the CUDA runtime for machines without a GPU. Two devices of host
 * memory; each stream is a thread, kernels are host functions. It computes what
 * a device would, checks how it is used, and fails when told to.
 *
 * It notices memory that is used after it was freed or freed while it is in
 * use, copies from host memory that is not pinned or that changes before they
 * ran, accesses that no event orders, calls of CUDA from a host function, host
 * functions on a stream that computes, handles of another device and of ones
 * that are gone, calls that wait or allocate where that is not allowed, and
 * what is left at the end.
 */

/** DOUBLE_DEVICES - numbered from 0 */
#define DOUBLE_DEVICES 2

/**
 * struct double_faults - what goes wrong, all counted from 1; 0 for never
 * @fail_at: the call that fails
 * @fail_with: its error
 * @sticky: the device is lost then, and all later calls fail in the same way
 * @break_at: the kernel that breaks its device while it runs
 * @hang_at: the kernel that does not end before double_release()
 * @lose_at: the first host function that is not called
 * @lose_num: how many are not
 * @late_at: the host function that comes late
 * @late_ns: by how much
 * @slow_ns: each operation waits up to this long before it begins
 * @seed: of these waits
 */
struct double_faults {
	uint64_t fail_at;
	cudaError_t fail_with;
	bool sticky;
	uint64_t break_at;
	uint64_t hang_at;
	uint64_t lose_at;
	uint64_t lose_num;
	uint64_t late_at;
	int64_t late_ns;
	uint32_t slow_ns;
	uint64_t seed;
};

/* Begin with nothing taken and no faults. */
void double_begin(void);

/* From now on these go wrong: @faults is copied, NULL for none. Counts anew. */
void double_arm(const struct double_faults *faults);

/**
 * double_end() - stop all streams and free what is left
 *
 * Return: The first thing that was wrong, or NULL; valid until the next begin.
 */
const char *double_end(void);

/* From now on these are faults or not: calls that wait, that take or free. */
void double_steady(bool steady);

/* What is left at the end is none. */
void double_forgive(void);

/* Kernels that hang go on. */
void double_release(void);

/* Calls since double_arm(), and the name of the one that failed last. */
uint64_t double_calls(void);
const char *double_failed_call(void);

/* Note a fault; the first one stays. */
void double_wrong(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/**
 * struct double_kernel - what cudaLaunchKernel() takes for a function
 * @run: the kernel, on the stream's thread
 * @size: of its one argument, at most DOUBLE_ARG bytes
 */
struct double_kernel {
	void (*run)(const void *arg);
	size_t size;
};

#define DOUBLE_ARG 128

/* A kernel says what it reads and writes. False: it must not. */
bool double_reads(const void *ptr, size_t size);
bool double_writes(const void *ptr, size_t size);

/* The host reads what a device wrote: it must have been told that it ended. */
bool double_host_reads(const void *ptr, size_t size);

#endif
