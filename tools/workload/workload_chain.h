/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_WORKLOAD_WORKLOAD_CHAIN_H
#define TOOLS_WORKLOAD_WORKLOAD_CHAIN_H

#include <stddef.h>
#include <stdint.h>

#include "tools/base/key_map.h"
#include "workload_build.h"

/* Prefixes of prompts that are put together from several documents. */

/**
 * struct chain_node - one prefix: documents in a certain order
 * @first_id: of the blocks that end in its last document
 * @len: tokens of all of them
 */
struct chain_node {
	uint64_t first_id;
	uint32_t len;
};

enum {
	CHAIN_ROOT = 0
};

/**
 * struct chain - every prefix met so far; begins as zeros
 * @nodes: the prefixes; the root is the empty one
 * @num: how many
 * @cap: room for
 * @index: a prefix and the document behind it to the longer prefix
 */
struct chain {
	struct chain_node *nodes;
	size_t num;
	size_t cap;
	struct fw_key_map index;
};

/**
 * chain_next() - lengthen a prefix by a document, as a prompt does
 * @build: its prompt is extended by the document's tokens
 * @node: the prompt so far
 * @doc: the document
 * @len: its tokens
 *
 * Return: The prompt now; CHAIN_ROOT on an error, which is @build's.
 */
uint32_t chain_next(struct chain *chain, struct build *build, uint32_t node,
		    uint32_t doc, uint32_t len);

void chain_destroy(struct chain *chain);

#endif
