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
 * The prefix index knows which blocks are cached, and how many blocks of its
 * prompt each waiting request hits.
 *
 * A node stands for one block, named by its key. The block is cached, or it is
 * wanted (not cached, but the next block of some waiting request), or it is the
 * parent of a cached block and not cached itself.
 *
 * A waiting request hangs on two nodes: it holds the last block that it hits,
 * and it lacks the block after that one. So a block that is stored touches only
 * the requests that lack it. A block that is removed touches only the requests
 * that hold it or a block behind it.
 *
 * A cached block counts only while the block before it counts. A block that
 * counts is open, all others are closed. Blocks open from the first block of a
 * prompt on, and close from the last one back. So the open blocks of a prompt
 * have no gap at any moment, and readers on other threads see none. That is
 * why the longest match of a prompt can be found by a probe of its end and
 * then by bisection.
 *
 * An index is fed in one of two ways. A pool that owns the blocks names each
 * by its node: fw_index_store() and fw_index_remove(). It stores a block behind
 * an open one and removes it before that one, but for requests that pause. An
 * engine's own cache sends events,
 * which come in any order, with duplicates and without parents:
 * fw_index_apply().
 *
 * Demand: a block is in demand while a waiting request holds it or a block
 * behind it. A pool with protection spares the blocks that are in demand.
 *
 * Who may call what at once:
 *
 *	fw_index_match		any thread, once fw_index_share() was called;
 *				before that the owner alone
 *	all others		the owner: one thread at a time
 *
 * Progress: fw_index_match() takes no lock and its steps are bounded. Only
 * fw_index_destroy() of a shared index ever waits. Memory that readers may
 * still look at is reclaimed after a grace period, by the owner's own calls.
 * When a reader does not leave, new blocks find no node: they do not enter, and
 * @refused counts them.
 *
 * Only fw_index_init(), fw_index_share(), fw_index_reserve() and
 * fw_index_watch() allocate.
 */

/* For fw_index_watch_hint(): there is no hint. */
#define FW_HINT_NONE UINT32_MAX

/**
 * struct fw_index_ops - what the index tells its owner
 * @hit: the hit of a waiting request changed to @blocks blocks
 * @demand: a cached block came into demand, or went out of it. Demand is
 *	counted only where this is set, so set it before a request is watched
 *
 * Neither of them may call the index.
 */
struct fw_index_ops {
	void (*hit)(void *ctx, struct fw_request *req, uint32_t blocks);
	void (*demand)(void *ctx, uint32_t block, bool wanted);
};

/**
 * enum fw_index_kind - what happened in an engine's own cache
 * @FW_INDEX_FIRST: a block was stored; it is the first one of a prompt
 * @FW_INDEX_NEXT: a block was stored behind another
 * @FW_INDEX_SOMEWHERE: a block was stored; it is not known behind which
 * @FW_INDEX_GONE: one copy of a block was removed
 * @FW_INDEX_ABSENT: no copy of a block is left
 * @FW_INDEX_CLEARED: all copies of all blocks were removed
 * @FW_INDEX_SNAPSHOT: the blocks that are stored from here on are all that the
 *	cache holds
 * @FW_INDEX_SNAPSHOT_END: they have been named: all others are gone
 */
enum fw_index_kind {
	FW_INDEX_FIRST,
	FW_INDEX_NEXT,
	FW_INDEX_SOMEWHERE,
	FW_INDEX_GONE,
	FW_INDEX_ABSENT,
	/* These have no key. */
	FW_INDEX_CLEARED,
	FW_INDEX_SNAPSHOT,
	FW_INDEX_SNAPSHOT_END,
};

/**
 * struct fw_index_event - one event of an engine's own cache
 * @kind: what happened
 * @copies: for a stored block, how many copies the cache holds now; 0 for one
 *	more than before
 * @key: the block that it happened to
 * @parent: for FW_INDEX_NEXT, the block before it
 */
struct fw_index_event {
	enum fw_index_kind kind;
	uint32_t copies;
	struct fw_key key;
	struct fw_key parent;
};

/**
 * struct fw_prefix_index - the index
 * @map: from keys to nodes
 * @arena: the nodes
 * @grace: the grace period; while it runs, what readers may know is kept
 * @shared: do other threads read?
 * @snapshot: is a snapshot being taken over?
 * @closing: did fw_index_settled() begin a grace period?
 * @lazy: stored blocks move requests in fw_index_flush() only; set by the owner
 * @late: so do removed blocks; set by the owner of an empty index that is @lazy
 * @max_blocks: most nodes that may be placed
 * @spare: nodes beyond those, for nodes that wait for a grace period
 * @placed: nodes that are cached or the parent of a cached one
 * @watching: requests that hang on nodes
 * @block_tokens: tokens of a block
 * @due: first of the nodes from which requests are still to be moved: lackers
 *	of one that opened, holders of one that closed
 * @due_last: last of them
 * @idle: may one of them be needed by nobody?
 * @blind: ring of requests for whose missing block no node was free
 * @astray: ring, by hold, of those whose block opened behind other blocks than
 *	before; empty between calls
 * @refused: blocks that did not enter because no node was free
 * @ops: set by the owner; functions that are NULL are not called
 * @ops_ctx: handed to them
 * @allocator: of the nodes and the map
 */
struct fw_prefix_index {
	struct fw_node_map map;
	struct fw_node_arena arena;
	struct fw_rcu_grace grace;
	bool shared;
	bool snapshot;
	bool closing;
	bool lazy;
	bool late;
	bool idle;
	uint32_t max_blocks;
	uint32_t spare;
	uint32_t placed;
	size_t watching;
	uint32_t block_tokens;
	uint32_t due;
	uint32_t due_last;
	struct fw_list *blind;
	struct fw_list *astray;
	uint64_t refused;
	struct fw_index_ops ops;
	void *ops_ctx;
	const struct fw_allocator *allocator;
};

/**
 * fw_index_init() - an empty index for one thread
 * @index: written only on success; must not be moved once it is shared
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
 * @spare: nodes beyond @max_blocks, for blocks that are removed while a grace
 *	period of some 20 ms runs; 0 for a quarter of @max_blocks and 1024
 *
 * Return: 0; -ENOMEM or, as fw_rcu_open(), -ECHILD: the index stays for one
 * thread.
 */
int fw_index_share(struct fw_prefix_index *index, uint32_t spare);

/**
 * fw_index_settled() - is no reader left?
 * @index: the index; no thread may begin a match any more
 *
 * Never waits: it starts a grace period where one is needed. Once it has
 * returned true, fw_index_destroy() does not wait. An index that is not shared
 * is settled at once. So is any index in a child of fork(), where no reader
 * is.
 */
bool fw_index_settled(struct fw_prefix_index *index);

/* Wait until fw_index_settled(), and free. Watched requests are let go. */
void fw_index_destroy(struct fw_prefix_index *index);

/* The node of @key; FW_NODE_NONE where the block is not cached. */
uint32_t fw_index_find(const struct fw_prefix_index *index,
		       const struct fw_key *key);

/**
 * fw_index_match() - the longest prefix of a prompt that is cached
 * @index: shared, or the caller is its owner
 * @keys: of the prompt's blocks
 * @num: of them, may be 0
 *
 * What it returns was true at some moment of the call, if equal keys are equal
 * prefixes. Else it may be too long, since readers see no parents.
 * fw_index_watch_hint() takes it as a hint and checks it. A block whose parent
 * is not known does not count until the owner has learned the parent.
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
 * @parent: node of the block before; FW_NODE_NONE for the first
 * @block: physical block
 *
 * Return: Its node, which names the block until it is removed. FW_NODE_NONE
 * when nothing changed: the key is cached already, or stands before @parent,
 * so that the keys contradict each other. Or no node was free, which only
 * happens to a shared index and is counted in @refused.
 */
uint32_t fw_index_store(struct fw_prefix_index *index, const struct fw_key *key,
			uint32_t parent, uint32_t block);

/**
 * fw_index_store_behind() - the same, behind a block that another one holds
 * @index: has room for two nodes of each block of the pool
 * @key: its key
 * @parent: key of the block before. That one need not be cached: until it is,
 *	the new block does not count
 * @block: physical block
 *
 * Return: As fw_index_store().
 */
uint32_t fw_index_store_behind(struct fw_prefix_index *index,
			       const struct fw_key *key,
			       const struct fw_key *parent, uint32_t block);

/*
 * A block of the owner's pool is not cached any more. Those behind it stay and
 * do not count until it is stored again.
 */
void fw_index_remove(struct fw_prefix_index *index, uint32_t node);

/**
 * fw_index_apply() - events of an engine's own cache, in order
 * @index: the index
 * @events: what happened
 * @num: number of events. The more at once, the more cache misses overlap
 *
 * Copies are counted: a block is gone with its last copy. An event may say how
 * many there are, so that it may come twice. A snapshot replaces all counts:
 * its first event of a block counts from 0, and its end removes the blocks that
 * it did not name. Until then these stay.
 *
 * A block whose parent
 * is not cached does not count until the parent is. A block whose parent is not
 * known does not count until a waiting request that holds all blocks before it
 * shows the parent. Blocks beyond @max_blocks do not enter, and their removal
 * is ignored.
 */
void fw_index_apply(struct fw_prefix_index *index,
		    const struct fw_index_event *events, uint32_t num);

/* The node with number @node. */
static inline struct fw_index_node *
fw_index_node(const struct fw_prefix_index *index, uint32_t node)
{
	return fw_arena_node(&index->arena, node);
}

/* Room to watch @more requests: that cannot fail then. Return: 0, -ENOMEM. */
int fw_index_reserve(struct fw_prefix_index *index, size_t more);

/**
 * fw_index_watch_hint() - follow the hit of a request from now on
 * @index: the index
 * @req: its keys must stay as they are until fw_index_unwatch()
 * @hint: what fw_index_match() returned for it, or FW_HINT_NONE
 * @blocks: hit in blocks, written only on success
 *
 * With a hint that still holds it takes two look-ups.
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
 * The owner of a @lazy index calls it once a step. So a request that lacks the
 * first of a hundred blocks that were stored is moved once, not a hundred
 * times. With a bound the other requests follow in the next steps, and those
 * that have waited longest for their block go first. Until then they count
 * their old hit, which is shorter. An index that is not @lazy flushes itself.
 *
 * A block that is removed takes its holders' hit at once. When the index is
 * @late they are moved here instead, within the same bound. Until then their
 * old hit is too long, and the blocks that they still hit are not in demand.
 * fw_index_catch_up() always gives the true hit.
 *
 * It also frees what readers have left, so the owner of a shared index calls
 * it in every step.
 *
 * Return: Are all moved?
 */
bool fw_index_flush(struct fw_prefix_index *index, uint32_t max);

/* Give one watched request its true hit now. */
void fw_index_catch_up(struct fw_prefix_index *index, struct fw_request *req);

/* Free what readers of a shared index have left. fw_index_flush() does too. */
void fw_index_reclaim(struct fw_prefix_index *index);

/* Is every list, count and cell of the map right? For tests. */
bool fw_index_valid(const struct fw_prefix_index *index);

#endif
