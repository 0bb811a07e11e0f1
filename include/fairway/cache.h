/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_CACHE_H
#define FAIRWAY_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

/*
 * What an engine's own cache holds, for orders that find hits by themselves.
 *
 * The engine tells of blocks that are stored and removed. An order that names
 * the cache in its config then knows the hit of every request that was added
 * with keys, and an event costs what it concerns: a block that is stored
 * touches the requests that lack exactly it, one that is removed those that
 * hold it or a block behind it. Several orders may share a cache.
 *
 * Hits move when an order's next pass begins, each at most once. So a pass
 * sees one state, and a prompt of which a hundred blocks leave moves once.
 *
 * One thread at a time uses a cache and the orders that share it. Like these
 * it starts no thread, takes no lock and works on after fork().
 * fw_cache_open() allocates, and fw_order_add() does for what it watches. After
 * an error a cache is as it was before the call.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct fw_cache;

/**
 * struct fw_cache_config - settings of one cache
 * @size: sizeof(struct fw_cache_config) as the caller was compiled
 * @block_tokens: tokens that one key stands for; 16 when 0
 * @max_blocks: blocks that are known at once; 2^20 when 0. More do not enter,
 *	and are counted as refused
 * @dropped: blocks at the end of each hit that the engine computes again, as
 *	vLLM does with EAGLE; they do not count
 * @demand: 1 to count which blocks are hit by requests that wait, for
 *	fw_cache_wanted() and fw_cache_unwanted()
 * @max_moved: how many waiting requests a pass may move because their hit
 *	changed. Those that have waited longest for their block are first, the
 *	others follow in the next passes. What a pass offers has its real hit
 *	all the same, as long as it corrects no more than as many again. 0: all
 *	in one pass, so that the order is exact
 * @allocator: malloc and free when NULL; copied. What its ctx points to must
 *	live until fw_cache_close()
 *
 * Start from a struct of zeros with @size set. A later version appends
 * fields; a tail that this version does not know must be 0.
 */
struct fw_cache_config {
	size_t size;
	uint32_t block_tokens;
	uint32_t max_blocks;
	uint32_t dropped;
	uint32_t demand;
	uint32_t max_moved;
	uint32_t reserved;
	const struct fw_allocator *allocator;
};

/**
 * enum fw_cache_kind - what happened to a block
 * @FW_CACHE_FIRST: stored; it is the first one of a prompt
 * @FW_CACHE_BEHIND: stored behind another
 * @FW_CACHE_SOMEWHERE: stored, and the engine does not say behind which. It
 *	counts once a waiting request that hits all blocks before it shows that
 * @FW_CACHE_GONE: one copy was removed; the last one takes the block with it
 * @FW_CACHE_ABSENT: removed, whatever copies there were
 * @FW_CACHE_CLEARED: all blocks were removed
 */
enum fw_cache_kind {
	FW_CACHE_FIRST,
	FW_CACHE_BEHIND,
	FW_CACHE_SOMEWHERE,
	FW_CACHE_GONE,
	FW_CACHE_ABSENT,
	FW_CACHE_CLEARED,
};

/**
 * struct fw_cache_event - one event of the engine's cache
 * @kind: what happened
 * @copies: of a stored block, how many copies there are now; 0 for one more
 *	than before
 * @key: of the block; not read for FW_CACHE_CLEARED
 * @parent: for FW_CACHE_BEHIND the block before it
 */
struct fw_cache_event {
	enum fw_cache_kind kind;
	uint32_t copies;
	struct fw_key key;
	struct fw_key parent;
};

/**
 * struct fw_cache_stats - what a cache holds and has done
 * @size: set by the caller to sizeof(struct fw_cache_stats)
 * @blocks: blocks that are known
 * @watched: waiting requests whose hit is followed
 * @moved: times that the hit of one of them changed
 * @refused: blocks that did not enter, because there was no room
 */
struct fw_cache_stats {
	size_t size;
	uint64_t blocks;
	uint64_t watched;
	uint64_t moved;
	uint64_t refused;
};

/**
 * fw_cache_open() - make a cache that knows no block
 * @out: written only on success
 * @config: settings; defaults when NULL
 *
 * Context: Any thread. Allocates.
 * Return: 0, -EINVAL for a size or value out of range, -E2BIG for an unknown
 * tail, -ENOMEM.
 */
int fw_cache_open(struct fw_cache **out, const struct fw_cache_config *config);

/**
 * fw_cache_close() - free a cache
 * @cache: may be NULL
 *
 * Context: The cache's thread.
 * Return: 0, -EBUSY while an order is open that names it.
 */
int fw_cache_close(struct fw_cache *cache);

/**
 * fw_cache_apply() - blocks were stored or removed
 * @cache: the cache
 * @events: what happened, in order
 * @num: of them; the more at once, the more cache misses overlap
 *
 * A block counts while all blocks before it are stored. During a pass the
 * order's hits stay as they are until the next one.
 *
 * Context: The cache's thread. Never allocates.
 * Return: 0, -EINVAL for an unknown kind; then nothing was applied.
 */
int fw_cache_apply(struct fw_cache *cache, const struct fw_cache_event *events,
		   size_t num);

/**
 * fw_cache_match() - how much of a prompt is cached now?
 * @cache: the cache
 * @keys: of its blocks, first block first
 * @num: of them
 *
 * Some two look-ups for each doubling of @num. A block that was stored
 * somewhere counts only once its place is known.
 *
 * Context: The cache's thread.
 * Return: Blocks, those not taken off that the config drops.
 */
uint32_t fw_cache_match(const struct fw_cache *cache, const struct fw_key *keys,
			uint32_t num);

/**
 * fw_cache_wanted() - would a waiting request hit this block?
 * @cache: a cache with demand
 * @key: of the block
 *
 * As of the last pass that began, for the blocks of prompts of which blocks
 * were removed since.
 *
 * Context: The cache's thread.
 * Return: 1, or 0; always 0 without demand.
 */
int fw_cache_wanted(const struct fw_cache *cache, const struct fw_key *key);

/**
 * fw_cache_unwanted() - which of the engine's oldest free blocks go first?
 * @cache: a cache with demand
 * @keys: of blocks that may be evicted, the next one first
 * @num: of them
 * @order: gets @num indexes into @keys: first the blocks that no waiting
 *	request would hit, then the others, both in the order of @keys
 *
 * Context: The cache's thread.
 * Return: How many are not wanted; all of them without demand.
 */
uint32_t fw_cache_unwanted(const struct fw_cache *cache,
			   const struct fw_key *keys, uint32_t num,
			   uint32_t *order);

/**
 * fw_cache_read_stats() - read the counters
 * @cache: the cache
 * @stats: its size field says how many bytes are filled; the rest stays
 *
 * Context: The cache's thread.
 * Return: 0, -EINVAL when the size is 0.
 */
int fw_cache_read_stats(const struct fw_cache *cache,
			struct fw_cache_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
