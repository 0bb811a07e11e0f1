/* SPDX-License-Identifier: Apache-2.0 */
#include "hang.h"

#include "lib/base/ring.h"
#include "watched.h"

static void hang_hold(struct fw_prefix_index *index, struct fw_watched *e,
		      uint32_t hold)
{
	e->hold_node = hold;
	if (hold == FW_NODE_NONE)
		return;
	fw_ring_add_tail(&fw_index_node(index, hold)->holders, &e->hold);
	fw_node_demand_more(index, hold);
}

static void hang_lack(struct fw_prefix_index *index, struct fw_request *req)
{
	struct fw_watched *e = fw_watched(req);
	uint32_t blocks = fw_entry(req)->blocks;
	uint32_t lack;

	e->lack_node = FW_NODE_NONE;
	if (blocks == fw_index_max_hit(index, req))
		return;
	lack = fw_node_get(index, &req->keys[blocks]);
	if (lack == FW_NODE_NONE) {
		e->lack_node = FW_NODE_BLIND;
		fw_ring_add_tail(&index->blind, &e->lack);
		return;
	}
	e->lack_node = lack;
	fw_ring_add_tail(&fw_index_node(index, lack)->lackers, &e->lack);
	/* It is only open when keys contradict each other. */
	if (fw_node_open(fw_index_node(index, lack)) &&
	    fw_index_node(index, lack)->parent == e->hold_node)
		fw_node_make_due(index, lack);
}

static void unhang_lack(struct fw_prefix_index *index, struct fw_watched *e)
{
	if (e->lack_node == FW_NODE_NONE)
		return;
	if (e->lack_node == FW_NODE_BLIND) {
		fw_ring_del(&index->blind, &e->lack);
		return;
	}
	fw_ring_del(&fw_index_node(index, e->lack_node)->lackers, &e->lack);
	fw_node_drop_unused(index, e->lack_node);
}

void fw_index_tell_hit(const struct fw_prefix_index *index,
		       struct fw_request *req)
{
	if (index->ops.hit)
		index->ops.hit(index->ops_ctx, req, fw_entry(req)->blocks);
}

void fw_index_hang(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t hold)
{
	hang_hold(index, fw_watched(req), hold);
	hang_lack(index, req);
}

void fw_index_unhang(struct fw_prefix_index *index, struct fw_request *req)
{
	struct fw_watched *e = fw_watched(req);
	uint32_t hold = e->hold_node, lack = e->lack_node;

	if (hold != FW_NODE_NONE)
		fw_ring_del(&fw_index_node(index, hold)->holders, &e->hold);
	fw_node_demand_less(index, hold);
	unhang_lack(index, e);
	/* Only a holder kept a block that is not cached any more. */
	if (hold != FW_NODE_NONE && hold != lack)
		fw_node_drop_unused(index, hold);
}

void fw_index_follow(struct fw_prefix_index *index, struct fw_request *req,
		     const struct fw_request *found)
{
	const struct fw_watched *to = fw_watched_const(found);
	struct fw_watched *e = fw_watched(req);

	fw_index_unhang(index, req);
	fw_entry(req)->blocks = fw_entry_const(found)->blocks;
	hang_hold(index, e, to->hold_node);
	e->lack_node = to->lack_node;
	fw_ring_add_tail(e->lack_node == FW_NODE_BLIND
				 ? &index->blind
				 : &fw_index_node(index, e->lack_node)->lackers,
			 &e->lack);
	fw_index_tell_hit(index, req);
}

bool fw_index_lost(const struct fw_prefix_index *index,
		   const struct fw_request *req)
{
	uint32_t hold = fw_watched_const(req)->hold_node;

	return hold != FW_NODE_NONE &&
	       !fw_node_open(fw_index_node(index, hold));
}

void fw_index_move(struct fw_prefix_index *index, struct fw_request *req,
		   uint32_t hold)
{
	struct fw_watched *e = fw_watched(req);
	uint32_t old = e->hold_node;

	unhang_lack(index, e);
	/* The new place first: what both need must not leave demand. */
	if (hold != old) {
		if (old != FW_NODE_NONE)
			fw_ring_del(&fw_index_node(index, old)->holders,
				    &e->hold);
		hang_hold(index, e, hold);
		fw_node_demand_less(index, old);
	}
	hang_lack(index, req);
	if (hold != old)
		fw_index_tell_hit(index, req);
}

/*
 * Requests on the ring @displaced held the block of @id, which closed, or one
 * behind it: now they hold the block before and lack @id. Many that wait may
 * share a long prefix, whose blocks go one by one. So nothing is looked up
 * here.
 */
static void displace(struct fw_prefix_index *index, struct fw_list *displaced,
		     uint32_t id, uint32_t blocks)
{
	struct fw_index_node *node = fw_index_node(index, id);
	uint32_t hold = node->parent;

	while (displaced) {
		struct fw_watched *e =
			fw_list_entry(displaced, struct fw_watched, hold);
		struct fw_request *req = fw_watched_request(e);
		uint32_t old = e->hold_node;

		fw_ring_del(&displaced, &e->hold);
		unhang_lack(index, e);
		fw_entry(req)->blocks = blocks;
		hang_hold(index, e, hold);
		fw_node_demand_less(index, old);
		e->lack_node = id;
		fw_ring_add_tail(&node->lackers, &e->lack);
		fw_index_tell_hit(index, req);
	}
}

/* The block that a request held stands behind others now: it looks anew. */
static void go_blind(struct fw_prefix_index *index, struct fw_watched *e)
{
	struct fw_request *req = fw_watched_request(e);

	unhang_lack(index, e);
	fw_node_demand_less(index, e->hold_node);
	fw_entry(req)->blocks = 0;
	e->hold_node = FW_NODE_NONE;
	e->lack_node = FW_NODE_BLIND;
	fw_ring_add_tail(&index->blind, &e->lack);
	fw_index_tell_hit(index, req);
}

void fw_index_attach(struct fw_prefix_index *index, uint32_t id,
		     uint32_t parent)
{
	fw_node_attach(index, id, parent);
	while (index->astray) {
		struct fw_watched *e =
			fw_list_entry(index->astray, struct fw_watched, hold);

		fw_ring_del(&index->astray, &e->hold);
		go_blind(index, e);
	}
}

static void close_and_displace(struct fw_prefix_index *index, uint32_t id)
{
	uint32_t depth = fw_index_node(index, id)->depth;
	struct fw_list *displaced = NULL;

	fw_node_close(index, id, &displaced);
	displace(index, displaced, id, depth - 1);
}

void fw_node_uncache(struct fw_prefix_index *index, uint32_t id)
{
	struct fw_index_node *node = fw_index_node(index, id);

	node->block = FW_NODE_NONE;
	node->copies = 0;
	/*
	 * Where a key is twice in a prompt, a request that holds the block may
	 * lack it too. So the node must not be dropped meanwhile.
	 */
	node->flags |= FW_NODE_BUSY;
	if (fw_node_open(node))
		close_and_displace(index, id);
	if (node->demand)
		fw_node_demand_less(index, node->parent);
	fw_node_detach(index, id);
	fw_node_clear(node, FW_NODE_BUSY);
	fw_node_clear(node, FW_NODE_NAMED);
	fw_node_drop_unused(index, id);
}
