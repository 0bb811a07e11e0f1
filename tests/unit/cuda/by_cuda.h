/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CUDA_BY_CUDA_H
#define TESTS_UNIT_CUDA_BY_CUDA_H

#include <fairway/stats.h>

#include "tests/cuda_double/double.h"
#include "prompts.h"

/*
 * A runtime on the CUDA executor and the double, in real time. Checks count
 * what is wrong in text, so that a test can name its round.
 */

/**
 * struct by_cuda - one run and what came of it
 * @depth: plans in flight
 * @num: prompts
 * @retries: of a request
 * @lost_after: of the executor; 2 ms when 0
 * @hang_after: of the executor
 * @launch_fails: number of the launch that fails, from 1; 0 for none
 * @allocator: of the executor, NULL for malloc
 * @device: number
 * @fw: while it is open
 * @executor: while it is open
 * @memory: of the device
 * @launches: so far
 * @stats: of the executor, before it was closed
 * @runtime: of the runtime, before it was closed
 * @ran: what fw_run() returned
 * @times: calls of timed
 * @faulty_calls: of CUDA, from double_arm() on
 * @wrong: what was wrong first; empty for nothing
 */
struct by_cuda {
	uint32_t depth;
	uint32_t num;
	uint32_t retries;
	int64_t lost_after;
	int64_t hang_after;
	uint32_t launch_fails;
	const struct fw_allocator *allocator;
	int device;
	struct fw *fw;
	struct fw_executor executor;
	struct prompt_memory memory;
	uint32_t launches;
	struct fw_cuda_stats stats;
	struct fw_stats runtime;
	int ran;
	uint64_t times;
	uint64_t faulty_calls;
	char wrong[256];
};

/* Prompts of some plans, the same for every run. */
void by_cuda_prompts(uint32_t num);

/* The executor's settings, for a test that opens it by itself. */
struct fw_cuda_config by_cuda_config(struct by_cuda *run);

/* Open the executor, from double_begin() on. Return: -errno of the executor. */
int by_cuda_open(struct by_cuda *run, const struct double_faults *faults);

/* Submit all prompts and serve them to the end. */
void by_cuda_serve(struct by_cuda *run);

/* Close it, with plans in flight or not; up to double_end(). */
void by_cuda_close(struct by_cuda *run);

/* All three. */
int by_cuda_run(struct by_cuda *run, const struct double_faults *faults);

/* Note what is wrong; the first stays. */
void by_cuda_wrong(struct by_cuda *run, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* How many prompts ended so. */
uint32_t by_cuda_ended(const struct by_cuda *run, enum fw_outcome outcome);

#endif
