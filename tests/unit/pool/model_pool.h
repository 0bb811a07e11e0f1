/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_POOL_MODEL_POOL_H
#define TESTS_UNIT_POOL_MODEL_POOL_H

#include <stdbool.h>

#include "lib/pool/kv_pool.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"

/*
 * A pool and a naive one that does the same: what is cached stands in one list
 * by age of release, which is searched from its front, and demand is worked
 * out anew each time.
 */

#define KEYS 48u
#define DEPTH 10u
#define REQS 24u
#define TOKENS 8u
#define MAX_POOL 40u
#define NONE UINT32_MAX

/* One full block by name; the parents make a tree of prompts. */
struct model_key {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	bool cached;
	uint32_t block;
	uint32_t refs;
};

enum model_state {
	IDLE,
	WAITING,
	RUNNING,
};

/* One prompt: a path in the tree, then tokens that have no key. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	enum model_state state;
	uint32_t done;
	uint32_t num_blocks;
	uint32_t table[DEPTH + 4];
	bool held[DEPTH + 4];
};

extern struct fail_alloc memory;
extern struct fw_kv_pool pool;
extern struct model_key keys[KEYS];
extern struct model_req reqs[REQS];

/* Around each test. */
void setup(void);
void teardown(void);

void open_pool(uint32_t num_blocks, uint32_t flags);

/* Blocks that hold nothing, by the model. */
uint32_t count_free(void);

/* @num keys from @from on, each behind the one before. */
void make_chain(uint32_t from, uint32_t num);

/* Chains and forks: most keys follow the one before. */
void draw_keys(struct draw *draw);

/* A prompt that ends with key @last and @extra tokens behind it. */
void make_req(struct model_req *r, uint32_t last, uint32_t extra);

/* Queue it: its hit is the one that the model finds. */
void wait_for(struct model_req *r);

/* Admit it if there is room, as the model says; false where there is none. */
bool take(struct model_req *r);

/* Compute its next @count tokens. */
void plan(struct model_req *r, uint32_t count);

void release(struct model_req *r);

/* The pool holds what the model holds. */
void check_all(void);

/* All of it at once: waits, is admitted, planned and released. */
void compute(struct model_req *r);

#endif
