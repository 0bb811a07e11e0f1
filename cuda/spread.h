/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_SPREAD_H
#define CUDA_SPREAD_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#include <fairway/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Both compilers read this: what C wrote is what the device reads, or neither
 * side compiles.
 */

/**
 * struct fw_cuda_piece - a piece of a block table that is new
 * @from: its first number among those of the plan
 * @sequence: whose table
 * @first: its place in the table
 * @count: entries, at least 1
 */
struct fw_cuda_piece {
	uint64_t from;
	uint32_t sequence;
	uint32_t first;
	uint32_t count;
	uint32_t reserved;
};

static_assert(sizeof(struct fw_plan_entry) == 32, "one entry");
static_assert(offsetof(struct fw_plan_entry, first) == 8, "first");
static_assert(offsetof(struct fw_plan_entry, count) == 12, "count");
static_assert(offsetof(struct fw_plan_entry, num_blocks) == 20, "num_blocks");
static_assert(offsetof(struct fw_plan_entry, sequence) == 28, "sequence");
static_assert(sizeof(struct fw_cuda_piece) == 24, "one piece");
static_assert(offsetof(struct fw_cuda_piece, first) == 12, "first");
static_assert(offsetof(struct fw_cuda_piece, count) == 16, "count");

/**
 * struct fw_cuda_spread - pieces to spread over the tables, on the device
 * @pieces: the pieces
 * @blocks: numbers of blocks of all of them
 * @tables: where to
 * @stride: from table to table
 * @num_pieces: how many, at least 1
 */
struct fw_cuda_spread {
	const struct fw_cuda_piece *pieces;
	const uint32_t *blocks;
	uint32_t *tables;
	uint64_t stride;
	uint32_t num_pieces;
	uint32_t reserved;
};

#ifdef __CUDACC__
#define FW_CUDA_BOTH static __host__ __device__ inline
#else
#define FW_CUDA_BOTH static inline
#endif

/* Entry @i of piece @p: the device's kernel and the tests do the same. */
FW_CUDA_BOTH void fw_cuda_spread_one(const struct fw_cuda_spread *spread,
				     uint32_t p, uint32_t i)
{
	const struct fw_cuda_piece *piece = &spread->pieces[p];

	spread->tables[piece->sequence * spread->stride + piece->first + i] =
		spread->blocks[piece->from + i];
}

/**
 * fw_cuda_spread_launch() - spread the pieces of a plan over the tables
 * @spread: all pointers are to device memory
 * @stream: where the kernel goes
 *
 * Return: what the launch itself met; the kernel runs later.
 */
cudaError_t fw_cuda_spread_launch(const struct fw_cuda_spread *spread,
				  cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
