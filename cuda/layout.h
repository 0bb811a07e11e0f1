/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDA_LAYOUT_H
#define CUDA_LAYOUT_H

#include <stdint.h>

#include <fairway/plan.h>

#include "spread.h"

/*
 * What one copy brings to the device: the plan's entries, then the pieces of
 * block tables that are new, then the numbers of blocks of these pieces. The
 * device keeps a table for each sequence; a kernel spreads the pieces over
 * them.
 */

/**
 * struct fw_cuda_held - what the device's table of a sequence holds
 * @request: of the sequence
 * @blocks: entries of its table that are there, or will be before any later
 *	plan runs. FW_CUDA_NOTHING when the copy did not get through
 */
struct fw_cuda_held {
	uint64_t request;
	uint32_t blocks;
};

#define FW_CUDA_NOTHING UINT32_MAX

/**
 * struct fw_cuda_layout - sizes, and what the tables hold
 * @held: for each sequence
 * @max_sequences: most of them, and most entries of a plan
 * @max_blocks: most blocks of a table
 * @pieces_at: most bytes before the pieces: all entries
 * @host_size: bytes of the largest plan
 */
struct fw_cuda_layout {
	struct fw_cuda_held *held;
	uint32_t max_sequences;
	uint32_t max_blocks;
	uint64_t pieces_at;
	uint64_t host_size;
};

/**
 * struct fw_cuda_packed - where the parts of a packed plan stand
 * @num_pieces: pieces of tables
 * @num_blocks: numbers of blocks
 * @pieces_at: bytes before the pieces
 * @blocks_at: bytes before the numbers
 * @size: bytes in all
 */
struct fw_cuda_packed {
	uint32_t num_pieces;
	uint64_t num_blocks;
	uint64_t pieces_at;
	uint64_t blocks_at;
	uint64_t size;
};

/* Sizes for so many sequences and blocks; held is set by the caller. */
void fw_cuda_layout_init(struct fw_cuda_layout *layout, uint32_t max_sequences,
			 uint32_t max_blocks);

/**
 * fw_cuda_pack() - lay a plan out for the copy
 * @layout: what the device holds
 * @plan: the plan
 * @to: of layout->host_size bytes
 * @packed: written only on success
 *
 * From here on the tables of the pieces count as lost, until
 * fw_cuda_arrived().
 *
 * Return: 0; -E2BIG when the plan is larger than the executor was made for;
 * -EIO when it goes on with a sequence whose table did not get through.
 */
int fw_cuda_pack(struct fw_cuda_layout *layout, const struct fw_plan *plan,
		 unsigned char *to, struct fw_cuda_packed *packed);

/* The pieces of @plan are on the stream: later plans may go on with them. */
void fw_cuda_arrived(struct fw_cuda_layout *layout, const struct fw_plan *plan);

#endif
