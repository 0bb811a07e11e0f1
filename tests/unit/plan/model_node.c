/* SPDX-License-Identifier: Apache-2.0 */
#include "model_node.h"

#include <check.h>
#include <errno.h>
#include <string.h>

struct fail_alloc memory;
struct fw_kv_pool pool;
struct fw_planner planner;
struct fw_lanes lanes;
enum model_order order_kind;
static struct fw_cost cost;
struct fifo fifo;
struct model_req reqs[REQS];
struct model_key keys[KEYS];
uint32_t content[MAX_POOL];
uint32_t running[REQS];
uint32_t num_running;
uint32_t num_told;

static size_t fifo_waiting(const void *ctx)
{
	const struct fifo *f = ctx;

	return f->tail - f->head;
}

static void fifo_begin(void *ctx, double now, uint32_t budget)
{
	struct fifo *f = ctx;

	ck_assert(now >= 0.0 && budget > 0 && !f->open++);
	f->begins++;
}

static struct fw_request *fifo_peek(void *ctx)
{
	struct fifo *f = ctx;

	ck_assert(f->open);
	return f->head < f->tail ? &reqs[f->order[f->head]].req : NULL;
}

static void fifo_admit(void *ctx, uint32_t tokens)
{
	struct fifo *f = ctx;

	ck_assert(f->open && tokens > 0);
	f->head++;
}

static void fifo_end(void *ctx)
{
	struct fifo *f = ctx;

	ck_assert(f->open--);
}

const struct fw_order_ops fifo_order = {
	.waiting = fifo_waiting,
	.begin = fifo_begin,
	.peek = fifo_peek,
	.admit = fifo_admit,
	.end = fifo_end,
};

static void on_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	(void)ctx;
	if (order_kind != BY_ARRIVAL)
		fw_lanes_set_hit(&lanes, req, hit * TOKENS);
}

void setup(void)
{
	fail_alloc_init(&memory);
	memset(reqs, 0, sizeof(reqs));
	memset(&fifo, 0, sizeof(fifo));
	num_running = num_told = 0;
	for (uint32_t i = 0; i < MAX_POOL; i++)
		content[i] = NONE;
}

int init_planner(const struct fw_order_ops *order, void *ctx, uint32_t budget,
		 uint32_t max_running)
{
	const struct fw_planner_config config = {
		.pool = &pool,
		.index = &pool.index,
		.order = order,
		.order_ctx = ctx,
		.budget = budget,
		.max_running = max_running,
		.depth = 1,
		.pausing = order_kind == BY_LANES_PAUSING,
		.ops.ended = on_ended,
		.ctx = &fifo,
		.allocator = &memory.allocator,
	};

	return fw_planner_init(&planner, &config);
}

void open_node(uint32_t num_blocks, uint32_t budget, uint32_t max_running,
	       enum model_order kind)
{
	static const uint32_t flags[MODEL_ORDERS] = {
		[BY_LANES] = FW_POOL_PROTECT,
		[BY_LANES_PAUSING] = FW_POOL_PROTECT | FW_POOL_PAUSING,
	};
	bool pausing = kind == BY_LANES_PAUSING;
	struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 32,
		.fair_lane = true,
		.by_rest = pausing,
		.guard = pausing ? 500 : 0,
	};

	order_kind = kind;
	ck_assert_int_eq(fw_cost_init(&cost, "a6000", NULL, 0,
				      &memory.allocator),
			 0);
	fw_remaining_init(&config.work, &cost, budget);
	ck_assert_int_eq(fw_kv_pool_init(&pool, num_blocks, TOKENS, flags[kind],
					 &memory.allocator),
			 0);
	pool.index.ops.hit = on_hit;
	fw_lanes_init(&lanes, &config, &memory.allocator);
	ck_assert_int_eq(init_planner(kind ? &fw_lanes_order : &fifo_order,
				      kind ? (void *)&lanes : (void *)&fifo,
				      budget, max_running),
			 0);
}

void close_node(void)
{
	fw_planner_destroy(&planner);
	fw_lanes_destroy(&lanes);
	fw_kv_pool_destroy(&pool);
	fw_cost_destroy(&cost);
	ck_assert(fail_alloc_clean(&memory));
}

static void make_key(uint32_t i, uint32_t parent)
{
	keys[i].parent = parent;
	keys[i].depth = parent == NONE ? 0 : keys[parent].depth + 1;
}

void make_chain(uint32_t from, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		make_key(from + i, i ? from + i - 1 : NONE);
}

void draw_keys(struct draw *draw)
{
	for (uint32_t i = 0; i < KEYS; i++) {
		uint32_t parent = NONE;

		if (i && !one_in(draw, 8))
			parent = one_in(draw, 3) ? draw_below(draw, i) : i - 1;
		if (parent != NONE && keys[parent].depth + 1 == DEPTH)
			parent = NONE;
		make_key(i, parent);
	}
}

/* A prompt that ends with key @last and @extra tokens behind it. */
void make_req(uint32_t number, uint32_t last, uint32_t extra)
{
	uint32_t num = last == NONE ? 0 : keys[last].depth + 1;
	struct model_req *r = &reqs[number];

	for (uint32_t i = num; i-- > 0; last = keys[last].parent) {
		r->path[i] = last;
		r->keys[i] = fw_key_widen(last);
	}
	r->req.id = number;
	r->req.keys = r->keys;
	r->req.num_keys = num;
	r->req.len = num * TOKENS + extra;
	r->num_blocks = (r->req.len + TOKENS - 1) / TOKENS;
}

/* Queue it; what fails for lack of memory works when it is tried again. */
void submit(uint32_t number, double now)
{
	struct model_req *r = &reqs[number];
	uint32_t hit = 0;
	int ret;

	ret = fw_index_watch(&pool.index, &r->req, &hit);
	if (ret) {
		ck_assert_int_eq(ret, -ENOMEM);
		ret = fw_index_watch(&pool.index, &r->req, &hit);
	}
	ck_assert_int_eq(ret, 0);
	if (order_kind != BY_ARRIVAL) {
		ret = fw_lanes_add(&lanes, &r->req, now, 1.0, hit * TOKENS);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ret = fw_lanes_add(&lanes, &r->req, now, 1.0,
					   hit * TOKENS);
		}
		ck_assert_int_eq(ret, 0);
	} else {
		fifo.order[fifo.tail++] = number;
	}
	r->state = WAITING;
}
