/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PLAN_MODEL_NODE_H
#define TESTS_UNIT_PLAN_MODEL_NODE_H

#include <stdbool.h>

#include "lib/plan/planner.h"
#include "lib/queue/lanes.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"

/*
 * A planner with its pool and one of three orders, and a model of what its
 * plans must have done: which tokens of whom, into which blocks.
 */

#define KEYS 64u
#define DEPTH 10u
#define REQS 160u
#define TOKENS 8u
#define MAX_POOL 64u
#define MAX_TABLE (DEPTH + 4u)
#define NONE UINT32_MAX

enum model_state {
	IDLE,
	WAITING,
	RUNNING,
	DONE,
};

/* Who orders: the plainest order, the lanes, the lanes where prompts pause. */
enum model_order {
	BY_ARRIVAL,
	BY_LANES,
	BY_LANES_PAUSING,
	MODEL_ORDERS,
};

/* One prompt, and what its plans must have done so far. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[DEPTH];
	uint32_t path[DEPTH];
	enum model_state state;
	uint32_t hit;
	uint32_t computed;
	uint32_t num_blocks;
	uint32_t table[MAX_TABLE];
	bool told;
};

/* The plainest order: in the order in which they came. */
struct fifo {
	uint32_t order[REQS];
	uint32_t head;
	uint32_t tail;
	uint32_t begins;
	uint32_t open;
};

/* One full block by name; the parents make a tree of prompts. */
struct model_key {
	uint32_t parent;
	uint32_t depth;
};

extern struct fail_alloc memory;
extern struct fw_kv_pool pool;
extern struct fw_planner planner;
extern struct fw_lanes lanes;
extern enum model_order order_kind;
extern struct fifo fifo;
extern const struct fw_order_ops fifo_order;
extern struct model_req reqs[REQS];
extern struct model_key keys[KEYS];

/* What each physical block holds: a key, or NONE for somebody's own. */
extern uint32_t content[MAX_POOL];

/* Those that run, in the order of their first chunks. */
extern uint32_t running[REQS];
extern uint32_t num_running;

/* Ends so far. */
extern uint32_t num_told;

/* Around each test: forget all, then open a node and close it. */
void setup(void);
void open_node(uint32_t num_blocks, uint32_t budget, uint32_t max_running,
	       enum model_order kind);
void close_node(void);

int init_planner(const struct fw_order_ops *order, void *ctx, uint32_t budget,
		 uint32_t max_running);

/* Chains and forks: most keys follow the one before. */
void draw_keys(struct draw *draw);

/* @num keys from @from on, each behind the one before. */
void make_chain(uint32_t from, uint32_t num);

/* A prompt that ends with key @last and @extra tokens behind it. */
void make_req(uint32_t number, uint32_t last, uint32_t extra);

/* Queue it; what fails for lack of memory works when it is tried again. */
void submit(uint32_t number, double now);

/* One step of the planner, whose plan is held to all that it must be. */
int step(double now);

/* The device is done with the plan: requests end, and each is checked. */
void retire(void);

/* What the planner tells of a request that ends. */
void on_ended(void *ctx, const struct fw_sequence *seq);

#endif
