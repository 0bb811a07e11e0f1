/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_PREFIX_IDS_H
#define TOOLS_TRACE_PREFIX_IDS_H

#include <stddef.h>
#include <stdint.h>

#include "tools/base/key_map.h"
#include "id_runs.h"

/*
 * Block ids for prompts that are documents in some order. An id stands for all
 * that comes before its block's end: prompts share the blocks that end inside
 * the documents with which both begin, wherever the borders of the documents
 * fall, and no others. Nothing is hashed, so no two prefixes are ever taken
 * for one.
 */

/**
 * struct prefix_ids - every prefix met so far, and the prompt at hand
 * @nodes: a prefix and the document behind it to the longer prefix
 * @first_id: of the blocks that end in a prefix's last document, by prefix
 * @num: prefixes
 * @cap: room for
 * @next_id: that was never given
 * @block_size: tokens of a block
 * @node: prefix of the prompt at hand; 0 is the empty one
 * @len: its tokens
 * @ids: of its full blocks
 */
struct prefix_ids {
	struct fw_key_map nodes;
	uint64_t *first_id;
	size_t num;
	size_t cap;
	uint64_t next_id;
	uint32_t block_size;
	uint32_t node;
	uint32_t len;
	struct id_runs ids;
};

void prefix_ids_init(struct prefix_ids *prefix, uint32_t block_size);
void prefix_ids_destroy(struct prefix_ids *prefix);

/* Begin a new prompt. */
void prefix_ids_begin(struct prefix_ids *prefix);

/**
 * prefix_ids_document() - lengthen the prompt by a document
 * @doc: which one; always of the same length
 * @tokens: its length; the whole prompt stays within INT32_MAX
 *
 * Return: 0, -ENOMEM.
 */
int prefix_ids_document(struct prefix_ids *prefix, uint32_t doc,
			uint32_t tokens);

/**
 * prefix_ids_own() - end the prompt by what no other one has
 *
 * Return: 0, -ENOMEM.
 */
int prefix_ids_own(struct prefix_ids *prefix, uint32_t tokens);

#endif
