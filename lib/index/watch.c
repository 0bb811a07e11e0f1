/* SPDX-License-Identifier: Apache-2.0 */
#include "hang.h"

#include "lib/base/ring.h"
#include "match.h"
#include "watched.h"

/*
 * Finds where a request hangs: when it is first watched, and again when blocks
 * that it lacks were stored.
 */

/*
 * The open node that ends the first @blocks blocks of a prompt, or
 * FW_NODE_NONE. @hold ends the first @from of them.
 *
 * The block must stand behind the same blocks as in the prompt. Its parents are
 * not visited for that: the sum of the prompt's keys is its chain. So a key
 * that engines use behind two prefixes counts behind the first one alone.
 */
static uint32_t find_end(const struct fw_prefix_index *index,
			 const struct fw_request *req, uint32_t hold,
			 uint32_t from, uint32_t blocks)
{
	const struct fw_index_node *node;
	uint32_t id, chain = 0;

	if (!blocks)
		return FW_NODE_NONE;
	id = fw_node_find(index, &req->keys[blocks - 1]);
	if (id == FW_NODE_NONE)
		return FW_NODE_NONE;
	node = fw_index_node(index, id);
	if (node->depth != blocks)
		return FW_NODE_NONE;
	if (hold != FW_NODE_NONE)
		chain = fw_index_node(index, hold)->chain;
	for (uint32_t i = from; i < blocks; i++)
		chain += fw_chain_step(index, &req->keys[i], i + 1);
	return chain == node->chain ? id : FW_NODE_NONE;
}

/* The cached node of the block after the first @blocks, or FW_NODE_NONE. */
static uint32_t find_next(const struct fw_prefix_index *index,
			  const struct fw_request *req, uint32_t blocks)
{
	uint32_t id = fw_node_find(index, &req->keys[blocks]);

	if (id == FW_NODE_NONE || !fw_node_cached(fw_index_node(index, id)))
		return FW_NODE_NONE;
	return id;
}

/*
 * Follow the prompt block by block. A block that was stored without a parent
 * learns it here. A block that was stored behind another parent has a key that
 * contradicts the prompt's: the walk ends there.
 */
static uint32_t walk(struct fw_prefix_index *index, struct fw_request *req,
		     uint32_t hold)
{
	struct fw_entry *e = fw_entry(req);
	uint32_t max = fw_index_max_hit(index, req);

	while (e->blocks < max) {
		uint32_t next = find_next(index, req, e->blocks);

		if (next == FW_NODE_NONE)
			break;
		if (fw_index_node(index, next)->parent == FW_NODE_UNKNOWN)
			fw_index_attach(index, next, hold);
		if (fw_index_node(index, next)->parent != hold)
			break;
		hold = next;
		e->blocks++;
	}
	return hold;
}

/*
 * Follow the prompt from where its hit ends: by search while the blocks are
 * open, then block by block while there are parents to learn.
 */
static uint32_t extend(struct fw_prefix_index *index, struct fw_request *req,
		       uint32_t hold, bool far)
{
	struct fw_entry *e = fw_entry(req);
	uint32_t blocks, end;

	blocks = fw_index_search(index, fw_map_view(&index->map), req->keys,
				 e->blocks, fw_index_max_hit(index, req), far);
	if (blocks > e->blocks) {
		end = find_end(index, req, hold, e->blocks, blocks);
		if (end != FW_NODE_NONE) {
			e->blocks = blocks;
			hold = end;
		}
	}
	return walk(index, req, hold);
}

/* Room for all blocks, and for those that each of @watching lacks and holds. */
static int reserve(struct fw_prefix_index *index, size_t watching)
{
	/* A block that is gone needs a node while somebody holds it. */
	size_t hung = index->late ? 2 * watching : watching;
	size_t need = (size_t)index->max_blocks + index->spare + hung;
	int ret = fw_arena_reserve(&index->arena, need);

	return ret ? ret : fw_map_reserve(&index->map, &index->arena, need);
}

int fw_index_reserve(struct fw_prefix_index *index, size_t more)
{
	return reserve(index, index->watching + more);
}

int fw_index_watch_hint(struct fw_prefix_index *index, struct fw_request *req,
			uint32_t hint, uint32_t *blocks)
{
	struct fw_entry *e = fw_entry(req);
	uint32_t max = fw_index_max_hit(index, req), hold;
	int ret = reserve(index, index->watching + 1);

	if (ret)
		return ret;
	fw_index_reclaim(index);
	e->blocks = hint < max ? hint : max;
	hold = find_end(index, req, FW_NODE_NONE, 0, e->blocks);
	if (hint == FW_HINT_NONE || (e->blocks && hold == FW_NODE_NONE)) {
		e->blocks = 0;
		hold = extend(index, req, FW_NODE_NONE, true);
	} else {
		hold = extend(index, req, hold, false);
	}
	fw_index_hang(index, req, hold);
	index->watching++;
	*blocks = e->blocks;
	return 0;
}

void fw_index_unwatch(struct fw_prefix_index *index, struct fw_request *req)
{
	fw_index_unhang(index, req);
	index->watching--;
}

/*
 * Find the place of a lost request from its first block on. It hangs nowhere
 * meanwhile: the walk may open the very block that it held.
 */
static void find_again(struct fw_prefix_index *index, struct fw_request *req)
{
	struct fw_entry *e = fw_entry(req);
	uint32_t before = e->blocks;

	fw_index_unhang(index, req);
	e->blocks = 0;
	fw_index_hang(index, req, extend(index, req, FW_NODE_NONE, true));
	if (e->blocks != before)
		fw_index_tell_hit(index, req);
}

void fw_index_catch_up(struct fw_prefix_index *index, struct fw_request *req)
{
	struct fw_watched *e = fw_watched(req);

	if (fw_index_lost(index, req)) {
		find_again(index, req);
		return;
	}
	if (e->lack_node == FW_NODE_NONE)
		return;
	if (e->lack_node != FW_NODE_BLIND &&
	    !fw_node_open(fw_index_node(index, e->lack_node)))
		return;
	fw_index_move(index, req, extend(index, req, e->hold_node, false));
}

/*
 * Move up to @max lackers of a node that opened. A lacker that holds another
 * block than the node's parent has contradicting keys, and stays.
 *
 * Return: How many were moved; @max when there may be more.
 */
static uint32_t serve_lackers(struct fw_prefix_index *index, uint32_t id,
			      uint32_t max)
{
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_list *left = node->lackers;
	uint32_t num = 0;

	node->lackers = NULL;
	while (left && num < max && fw_node_open(node)) {
		struct fw_watched *e =
			fw_list_entry(left, struct fw_watched, lack);

		fw_ring_del(&left, &e->lack);
		fw_ring_add_tail(&node->lackers, &e->lack);
		if (e->hold_node != node->parent)
			continue;
		fw_index_catch_up(index, fw_watched_request(e));
		num++;
	}
	/* Those that were not seen yet come first the next time. */
	fw_ring_splice_tail(&left, &node->lackers);
	node->lackers = left;
	return num;
}

/*
 * Move up to @max holders of a node that closed. All of them share the prefix
 * up to it, so where one of them is found the others belong too, as long as it
 * stays closed. Return: As above.
 */
static uint32_t serve_lost(struct fw_prefix_index *index, uint32_t id,
			   uint32_t max)
{
	struct fw_index_node *node = fw_index_node(index, id);
	struct fw_request *found = NULL;
	uint32_t num = 0;

	while (node->holders && num < max && !fw_node_open(node)) {
		struct fw_watched *e =
			fw_list_entry(node->holders, struct fw_watched, hold);
		struct fw_request *req = fw_watched_request(e);

		if (found) {
			fw_index_follow(index, req, found);
		} else {
			find_again(index, req);
			found = req;
		}
		num++;
	}
	return num;
}

/* Its rings may be empty meanwhile, and yet it must not be dropped. */
static uint32_t serve(struct fw_prefix_index *index, uint32_t id, uint32_t max)
{
	struct fw_index_node *node = fw_index_node(index, id);
	uint32_t num;

	node->flags |= FW_NODE_BUSY;
	num = serve_lost(index, id, max);
	num += serve_lackers(index, id, max - num);
	fw_node_clear(node, FW_NODE_BUSY);
	return num;
}

/* Blind requests look again. */
static uint32_t serve_blind(struct fw_prefix_index *index, uint32_t max)
{
	struct fw_list *left = index->blind;
	uint32_t num = 0;

	index->blind = NULL;
	while (left && num < max) {
		struct fw_watched *e =
			fw_list_entry(left, struct fw_watched, lack);

		fw_ring_del(&left, &e->lack);
		fw_ring_add_tail(&index->blind, &e->lack);
		fw_index_catch_up(index, fw_watched_request(e));
		num++;
	}
	fw_ring_splice_tail(&left, &index->blind);
	index->blind = left;
	return num;
}

static void next_due(struct fw_prefix_index *index)
{
	uint32_t id = index->due;

	index->due = fw_index_node(index, id)->due;
	fw_node_clear(fw_index_node(index, id), FW_NODE_DUE);
	fw_node_drop_unused(index, id);
}

bool fw_index_flush(struct fw_prefix_index *index, uint32_t max)
{
	uint32_t left = max ? max : UINT32_MAX;

	if (index->shared)
		fw_index_reclaim(index);
	left -= serve_blind(index, left);
	while (index->due != FW_NODE_NONE && left) {
		left -= serve(index, index->due, left);
		if (left)
			next_due(index);
	}
	return index->due == FW_NODE_NONE;
}
