/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INDEX_MODEL_TREE_H
#define TESTS_UNIT_INDEX_MODEL_TREE_H

#include <stdbool.h>

#include "lib/index/prefix_index.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"

/*
 * An index and a model of it: which blocks are cached, and what each request
 * was told. The model looks for a hit block by block.
 */

#define BLOCKS 64u
#define DEPTH 12u
#define REQS 48u
#define TOKENS 16u
#define NONE UINT32_MAX
/* Physical numbers start here, so that they are nobody's node number. */
#define FIRST_BLOCK 5000u

/* One block of a tree of prompts, and what the model knows of it. */
struct model_block {
	struct fw_key key;
	uint32_t parent;
	uint32_t depth;
	bool cached;
	uint32_t node;
	bool told_wanted;
	uint32_t demand_calls;
};

/* One prompt: a path in the tree. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	bool watched;
	uint32_t hit;
	uint32_t hit_calls;
	uint32_t told_hit;
};

extern struct fail_alloc memory;
extern struct fw_prefix_index tree;
extern struct model_block blocks[BLOCKS];
extern struct model_req reqs[REQS];

void open_tree(uint32_t max_blocks);

/* Around each test. */
void setup(void);
void teardown(void);

/* Chains and forks: most blocks follow the one before. */
void draw_blocks(struct draw *draw);

/* A prompt that ends with block @last and @extra tokens behind it. */
void make_req(struct model_req *r, uint32_t last, uint32_t extra);

/* All that the index tells and keeps is what the model works out. */
void check_all(void);

/* Of a block whose parent is cached; drop() of one without a child. */
void store(uint32_t i);
void drop(uint32_t i);

void watch(struct model_req *r);
void unwatch(struct model_req *r);

/* Watch, unwatch, store or drop something. */
void random_step(struct draw *draw);

#endif
