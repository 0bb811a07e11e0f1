/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CUDA_PROMPTS_H
#define TESTS_UNIT_CUDA_PROMPTS_H

#include <cuda_runtime_api.h>

#include <fairway/cuda.h>
#include <fairway/runtime.h>

/*
 * A model that shows each fault of order, dependence or tables: the KV of a
 * token is made of that of the token before it and of its block's key, and the
 * last token's is the prompt's result. The same function computes it on the
 * double's device and on the host executor.
 */

#define PROMPTS 64u
#define PROMPT_KEYS 16u
#define PROMPT_BLOCK 16u
#define PROMPT_BLOCKS 96u
#define PROMPT_BUDGET 64u
#define PROMPT_RUNNING 16u

/* One request and what became of it. */
struct prompt {
	struct fw_request req;
	struct fw_key keys[PROMPT_KEYS];
	uint32_t times;
	struct fw_result end;
};

/* The double tells apart who uses which 64 bytes, so each has its own. */
struct prompt_result {
	uint64_t value;
	uint64_t unused[7];
};

/**
 * struct prompt_memory - where the KV stands
 * @kv: of each token of each block
 * @results: of each prompt
 */
struct prompt_memory {
	uint64_t *kv;
	struct prompt_result *results;
};

#define PROMPT_KV (PROMPT_BLOCKS * PROMPT_BLOCK)

extern struct prompt prompts[PROMPTS];

/* Make prompt @i anew; one in a group of four shares its first blocks. */
void prompt_make(uint32_t i, uint32_t len, uint32_t group, uint64_t own);

/* What prompt @i must come to. */
uint64_t prompt_expected(uint32_t i);

/* A launch function and its kernel; @memory is of the device. */
int prompt_launch(const struct prompt_memory *memory,
		  struct CUstream_st *stream,
		  const struct fw_cuda_plan *device);

/* The same by the host. */
void prompt_compute(const struct prompt_memory *memory,
		    const struct fw_plan *plan);

#endif
