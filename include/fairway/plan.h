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
 * @table: where in the plan's tables this prompt's block table starts
 * @num_blocks: entries of the block table; the KV of token i of the prompt
 *	stands in block tables[table + i / block size]
 * @flags: FW_PLAN_LAST or 0
 * @sequence: which of the running sequences this is; the planner's own, executors
 *	do not read it
 */
struct fw_plan_entry {
	uint64_t request;
	uint32_t first;
	uint32_t count;
	uint32_t table;
	uint32_t num_blocks;
	uint32_t flags;
	uint32_t sequence;
};

/**
 * struct fw_plan - what the device computes in one step
 * @entries: the chunks, running requests first, then in order of admission
 * @tables: the block tables of all entries, one after the other
 * @num_entries: entries in @entries
 * @num_tables: block numbers in @tables
 * @num_tokens: sum of the entries' counts, at most the step's budget
 *
 * Whoever makes a plan owns both arrays; who computes it only reads them.
 */
struct fw_plan {
	struct fw_plan_entry *entries;
	uint32_t *tables;
	uint32_t num_entries;
	uint32_t num_tables;
	uint32_t num_tokens;
};

#ifdef __cplusplus
}
#endif

#endif
