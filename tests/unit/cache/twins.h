/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CACHE_TWINS_H
#define TESTS_UNIT_CACHE_TWINS_H

#include <stdbool.h>

#include <fairway/cache.h>
#include <fairway/order.h>

#include "tests/support/draw.h"

/*
 * Two orders with the same requests. One names a cache, which is told of
 * events. To the other a model tells each hit before each pass: it looks at
 * the prompt's blocks one by one. So both must give the same requests, with the
 * same hits.
 */

#define TOKENS 16u
#define BLOCKS 80u
#define DEPTH 12u
#define TWINS 40u
#define NONE UINT32_MAX

/* One block of a tree of prompts. */
struct block {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	uint32_t copies;
};

/* One prompt, queued in both orders. */
struct twin {
	struct fw_request by_cache;
	struct fw_request by_model;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	uint32_t own_hit;
	bool waits;
};

/**
 * struct twins - the orders, the cache, and the model
 * @dropped: as the cache's
 * @somewhere: may blocks be stored without their parent?
 */
struct twins {
	struct fw_cache *cache;
	struct fw_order *by_cache;
	struct fw_order *by_model;
	uint32_t dropped;
	bool somewhere;
	struct block blocks[BLOCKS];
	struct twin twins[TWINS];
};

void twins_open(struct twins *t, struct draw *draw,
		const struct fw_cache_config *cache,
		const struct fw_order_config *order);
void twins_close(struct twins *t);

/* Blocks of the prompt that are cached without a gap, by the model. */
uint32_t twins_run(const struct twins *t, const struct twin *twin);

/* Tokens that this makes, by the model. */
uint32_t twins_hit(const struct twins *t, const struct twin *twin);

/* Would the model say that a waiting request hits this block? */
bool twins_wanted(const struct twins *t, uint32_t block);

/* A random event, addition, update, removal or hit of the engine's own. */
void twins_happen(struct twins *t, struct draw *draw);

/* Tell the model's hits to the order without a cache. */
void twins_tell(struct twins *t);

#endif
