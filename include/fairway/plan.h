/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_PLAN_H
#define FAIRWAY_PLAN_H

#include <stdint.h>

/*
 * The plan of one step as plain data: C, C++ and device code read the same
 * bytes, so nothing here but fixed-width integers at their natural alignment.
 */

#ifdef __cplusplus
extern "C" {
#endif

/** FW_PLAN_LAST - this chunk computes the last token of its prompt */
#define FW_PLAN_LAST 1u

/**
 * struct fw_plan_entry - one chunk of one prompt
 * @request: the id of the request
 * @first: position of the chunk's first token in the prompt; all tokens
 *	before it have their KV in the cache or computed by an earlier plan
 * @count: tokens to compute, at least 1
 * @known: entries of the block table that earlier plans have shown for this
 *	sequence; 0 in its first plan
 * @num_blocks: entries of the block table
 * @flags: FW_PLAN_LAST or 0
 * @sequence: number of the running sequence, below the plan's num_sequences.
 *	A number is used again, with @known 0, once its sequence ended
 *
 * The KV of token i of the prompt stands in block
 * plan->tables[sequence][i / block size].
 */
struct fw_plan_entry {
	uint64_t request;
	uint32_t first;
	uint32_t count;
	uint32_t known;
	uint32_t num_blocks;
	uint32_t flags;
	uint32_t sequence;
};

/**
 * struct fw_plan - what the device computes in one step
 * @entries: the chunks, running requests first, then in order of admission
 * @tables: the block table of each sequence in @entries, by its number; host
 *	memory. Undefined for a number that is not in @entries
 * @num_entries: entries in @entries
 * @num_sequences: all numbers of sequences are below this, in every plan
 * @num_tokens: sum of the entries' counts, at most the step's budget
 *
 * Whoever makes a plan owns all arrays; who computes it only reads them. Both
 * @entries and the tables of its sequences stay as they are until the plan has
 * ended.
 *
 * A device that keeps block tables of its own has @num_sequences of them. From
 * each entry it copies what is new: tables[sequence][known] up to
 * tables[sequence][num_blocks - 1]. That is the whole table once, when the
 * request is admitted, and nothing in its later plans. A plan that fails before
 * its device has copied that must not let later ones of the same sequences use
 * an old table. They fail too, which costs nothing, since they are lost with
 * the first.
 */
struct fw_plan {
	struct fw_plan_entry *entries;
	const uint32_t *const *tables;
	uint32_t num_entries;
	uint32_t num_sequences;
	uint32_t num_tokens;
};

#ifdef __cplusplus
}
#endif

#endif
