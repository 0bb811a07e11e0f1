/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_HANG_H
#define LIB_INDEX_HANG_H

#include "tree.h"

/*
 * Waiting requests on the nodes of the tree. A request hangs on two of them:
 * it holds the last block that it hits, and it lacks the block after that one.
 *
 * When no node is free for the block that it lacks, the request is blind: it
 * stands on a ring of the index and looks again at each fw_index_flush().
 */

/* Blocks that may ever count: one token is always left to compute. */
static inline uint32_t fw_index_max_hit(const struct fw_prefix_index *index,
					const struct fw_request *req)
{
	uint32_t full = (req->len - 1) / index->block_tokens;

	return req->num_keys < full ? req->num_keys : full;
}

/* Hang a request on @hold, which ends its hit, and on what it lacks. */
void fw_index_hang(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t hold);

/* As fw_node_attach(), for requests that hold one of the blocks as well. */
void fw_index_attach(struct fw_prefix_index *index, uint32_t id,
		     uint32_t parent);

/*
 * Move @req to where @found stands. Both lost the same block, and @found hits
 * less than that.
 */
void fw_index_follow(struct fw_prefix_index *index, struct fw_request *req,
		     const struct fw_request *found);

/* Take it off both nodes. */
void fw_index_unhang(struct fw_prefix_index *index, struct fw_request *req);

/* Has the block that a request holds closed, so that its hit is too long? */
bool fw_index_lost(const struct fw_prefix_index *index,
		   const struct fw_request *req);

/* Report the hit of a request to the owner. */
void fw_index_tell_hit(const struct fw_prefix_index *index,
		       struct fw_request *req);

/* Move a request that hangs to @hold, and tell its hit where it changed. */
void fw_index_move(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t hold);

/**
 * fw_node_uncache() - the last copy of a block is gone
 * @index: the index
 * @id: its node
 *
 * The block closes, and all behind it. Those who held one of these blocks now
 * hold the block before. When the index is late they stay, and are lost.
 */
void fw_node_uncache(struct fw_prefix_index *index, uint32_t id);

#endif
