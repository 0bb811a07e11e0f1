/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_PREFIX_INDEX_H
#define LIB_INDEX_PREFIX_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

#include "lib/base/list.h"
#include "lib/sync/rcu.h"
#include "node_arena.h"
#include "node_map.h"

/*
 * Which blocks are cached, and which waiting request gains or loses by it.
 *
 * A node is a block by its key: cached, or wanted (absent, but the next block
 * of some waiting request), or the absent parent of a cached one. A waiting
 * request hangs on two nodes: the last block that it hits and the first one
 * that it lacks. So a block that is stored touches only the requests that lack
 * exactly it, and one that is removed only those that hold it, or a block
 * behind it, last.
 *
 * A cached block counts only while the block before it does: the blocks that
 * count, which are open, are closed under prefixes at every moment. Opening
 * goes from the first block of a prompt on and closing back to it, so that
 * readers on other threads never see a gap either. Because of that the longest
 * match of a prompt is found by probing its end and then by bisection.
 *
 * There are two ways to feed it. A pool that owns the blocks stores a block
 * behind one that counts and removes it before that one: fw_index_store() and
 * fw_index_remove(). Events of an engine's own cache come in any order, with
 * duplicates and without parents: fw_index_apply(). An index takes one kind.
 *
 * Demand: a block is in demand while a waiting request holds it, or a block
 * behind it, last. That is what a pool with protection spares.
 *
 * Who may call what at once:
 *
 *	fw_index_match		any thread, once fw_index_share() was called;
 *				before that the owner alone
 *	all others		the owner: one thread at a time
 *
 * Progress: fw_index_match() takes no lock and its steps are bounded. Nothing
 * here ever waits, but fw_index_destroy() of a shared index. Memory that
 * readers may still look at is reclaimed after a grace period, by the owner's
 * own calls; when a reader does not leave, new blocks find no node, do not
 * enter and are counted in @refused.
 *
 * fw_index_init(), fw_index_share() and fw_index_watch() allocate, nothing
 * else does.
 */

/* For fw_index_watch_hint(): nobody has matched the prompt yet. */
#define FW_HINT_NONE UINT32_MAX

/**
 * struct fw_index_ops - who wants to know
 * @hit: a waiting request's hit is now @blocks blocks
 * @demand: a cached block came into demand or went out of it; demand is
 *	counted only where this is set, so set it before anything is watched
 *
 * They must not call back into the index.
 */
struct fw_index_ops {
	void (*hit)(void *ctx, struct fw_request *req, uint32_t blocks);
	void (*demand)(void *ctx, uint32_t block, bool wanted);
};

/**
 * enum fw_index_kind - what happened in an engine's own cache
 * @FW_INDEX_FIRST: a block was stored, the first one of a prompt
 * @FW_INDEX_NEXT: a block was stored, behind another
 * @FW_INDEX_SOMEWHERE: a block was stored, nobody said behind which
 * @FW_INDEX_GONE: one copy of a block was removed
 * @FW_INDEX_CLEARED: all copies of all blocks were
 */
enum fw_index_kind {
	FW_INDEX_FIRST,
	FW_INDEX_NEXT,
	FW_INDEX_SOMEWHERE,
	FW_INDEX_GONE,
	FW_INDEX_CLEARED,
};

/**
 * struct fw_index_event - one of these
 * @kind: what happened
 * @key: to which block
 * @parent: the block before it, for FW_INDEX_NEXT
 */
struct fw_index_event {
	enum fw_index_kind kind;
	struct fw_key key;
	struct fw_key parent;
};

/**
 * struct fw_prefix_index - the index
 * @map: key to node
 * @arena: the nodes
 * @grace: while it runs, what readers may know of waits
 * @shared: do other threads read?
 * @closing: was a grace period begun for fw_index_settled()?
 * @lazy: see fw_index_flush(); set by the owner
 * @max_blocks: cached blocks and their absent parents at most
 * @spare: nodes more than that, for those that wait for a grace period
 * @placed: cached blocks and their absent parents now
 * @watching: requests that hang on nodes
 * @block_tokens: tokens of a block
 * @due: first node that opened and whose lackers are yet to be moved
 * @due_last: last of them
 * @blind: ring of requests that found no node for what they lack
 * @refused: blocks that did not enter for want of a node
 * @ops: set by the owner; functions that are NULL are not called
 * @ops_ctx: handed to them
 * @allocator: of the nodes and the table
 */
struct fw_prefix_index {
	struct fw_node_map map;
	struct fw_node_arena arena;
	struct fw_rcu_grace grace;
	bool shared;
	bool closing;
	bool lazy;
	uint32_t max_blocks;
	uint32_t spare;
	uint32_t placed;
	size_t watching;
	uint32_t block_tokens;
	uint32_t due;
	uint32_t due_last;
	struct fw_list *blind;
	uint64_t refused;
	struct fw_index_ops ops;
	void *ops_ctx;
	const struct fw_allocator *allocator;
};

/**
 * fw_index_init() - an empty index for one thread
 * @index: written only on success; stays where it is once it is shared
 * @max_blocks: cached blocks at most
 * @block_tokens: tokens of a block, at least 1
 * @allocator: kept
 *
 * Return: 0, -ENOMEM.
 */
int fw_index_init(struct fw_prefix_index *index, uint32_t max_blocks,
		  uint32_t block_tokens, const struct fw_allocator *allocator);

/**
 * fw_index_share() - let other threads match from now on
 * @index: empty
 * @spare: nodes beyond those that @max_blocks takes, for blocks that were
 *	removed while a grace period runs, some 20 ms; 0 for a quarter more
 *
 * Return: 0; -ENOMEM, -ECHILD as fw_rcu_open(): then it is for one thread.
 */
int fw_index_share(struct fw_prefix_index *index, uint32_t spare);

/**
 * fw_index_settled() - is no reader left?
 * @index: shared, and nobody begins to match any more
 *
 * Never waits: starts a grace period where one is needed. Once it returned
 * true, fw_index_destroy() does not wait. An index that is not shared is
 * settled at once, and so is any in a child of fork(), where the readers are
 * not.
 */
bool fw_index_settled(struct fw_prefix_index *index);

/* Waits until fw_index_settled(). Watched requests are let go. */
void fw_index_destroy(struct fw_prefix_index *index);

/* Node of a cached key, FW_NODE_NONE where it is not cached. */
uint32_t fw_index_find(const struct fw_prefix_index *index,
		       const struct fw_key *key);

/**
 * fw_index_match() - the longest prefix of a prompt that is cached
 * @index: shared, or the caller is its owner
 * @keys: of the prompt's blocks
 * @num: of them, may be 0
 *
 * What it returns was true at some moment during the call; as a hint to
 * fw_index_watch_hint() it is checked again. Blocks whose parents nobody told
 * do not count until their owner has learned them.
 *
 * Context: Any thread; a thread's first call takes liburcu's registry lock.
 * Return: Blocks.
 */
uint32_t fw_index_match(const struct fw_prefix_index *index,
			const struct fw_key *keys, uint32_t num);

/**
 * fw_index_store() - a block of the owner's pool is cached now
 * @index: the index
 * @key: its key
 * @parent: node of the block before, which counts; FW_NODE_NONE for the first
 * @block: physical block
 *
 * Return: Its node, to name it by until it is removed; FW_NODE_NONE when the
 * key is cached already, and nothing changed, or when there was no node, which
 * happens to a shared index alone and is counted: it is not cached then.
 */
uint32_t fw_index_store(struct fw_prefix_index *index, const struct fw_key *key,
			uint32_t parent, uint32_t block);

/* A cached block without cached children is gone. */
void fw_index_remove(struct fw_prefix_index *index, uint32_t node);

/**
 * fw_index_apply() - events of an engine's own cache, in order
 * @index: the index
 * @events: what happened
 * @num: of them; the more at once, the more misses of the cache overlap
 *
 * Duplicates are counted: a block is gone with its last copy. A block whose
 * parent is not cached does not count until that is, and one whose parent is
 * not known until a waiting request that holds all before it tells. Blocks
 * over @max_blocks do not enter; their removal is ignored.
 */
void fw_index_apply(struct fw_prefix_index *index,
		    const struct fw_index_event *events, uint32_t num);

/* The node by its number. */
static inline struct fw_index_node *
fw_index_node(const struct fw_prefix_index *index, uint32_t node)
{
	return fw_arena_node(&index->arena, node);
}

/**
 * fw_index_watch_hint() - follow the hit of a request from now on
 * @index: the index
 * @req: its keys stay until fw_index_unwatch()
 * @hint: what fw_index_match() said of it, or FW_HINT_NONE
 * @blocks: hit in blocks, written only on success
 *
 * A hint that still holds costs two look-ups.
 *
 * Return: 0, -ENOMEM.
 */
int fw_index_watch_hint(struct fw_prefix_index *index, struct fw_request *req,
			uint32_t hint, uint32_t *blocks);

static inline int fw_index_watch(struct fw_prefix_index *index,
				 struct fw_request *req, uint32_t *blocks)
{
	return fw_index_watch_hint(index, req, FW_HINT_NONE, blocks);
}

void fw_index_unwatch(struct fw_prefix_index *index, struct fw_request *req);

/**
 * fw_index_flush() - give waiting requests the blocks that were stored
 * @index: the index
 * @max: requests at most, 0 for all
 *
 * For an index that is @lazy, once a step: a request that lacks the first of a
 * hundred blocks that a chunk stored is moved once then, not a hundred times.
 * With a bound the rest follows in the next steps, those that have waited
 * longest first; until then they count what they hit before, which is less.
 * An index that is not @lazy does it by itself. Also frees what readers have
 * left, so that owners of a shared index call it every step.
 *
 * Return: Are all moved?
 */
bool fw_index_flush(struct fw_prefix_index *index, uint32_t max);

/* Give one watched request what it would get by fw_index_flush(), now. */
void fw_index_catch_up(struct fw_prefix_index *index, struct fw_request *req);

/* Free what readers of a shared index have left. fw_index_flush() does too. */
void fw_index_reclaim(struct fw_prefix_index *index);

/* Is every list, count and cell of the map right? For tests. */
bool fw_index_valid(const struct fw_prefix_index *index);

#endif
