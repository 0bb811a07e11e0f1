/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/plan/planner.h"
#include "lib/queue/lanes.h"
#include "lib/base/entry.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * Plans in flight against a device that really computes: it runs them in their
 * order, remembers what each block holds, and sometimes fails one. Whatever the
 * planner says is done must then rest on nothing but what was computed.
 */

#define KEYS 40u
#define REQS 24u
#define TOKENS 4u
#define MAX_POOL 48u
#define NONE UINT32_MAX

/* What the device did of one request since its admission. */
struct model_req {
	struct fw_request req;
	struct fw_key keys[KEYS];
	uint32_t path[KEYS];
	uint32_t table[2 * KEYS];
	bool queued;
	bool running;
	bool stopped;
	bool bad;
	uint32_t good;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_kv_pool pool;
static struct fw_lanes lanes;
static struct fw_cost cost;
static struct fw_planner planner;
static struct model_req reqs[REQS];
static uint32_t parents[KEYS];
static uint32_t holds[MAX_POOL];
static uint32_t num_done, num_lost, num_stopped;

static void on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	(void)ctx;
	fw_lanes_set_hit(&lanes, req, blocks * TOKENS);
}

static struct model_req *model(const struct fw_request *req)
{
	return &reqs[req->id];
}

static void on_admitted(void *ctx, const struct fw_sequence *seq)
{
	struct model_req *r = model(seq->req);

	(void)ctx;
	ck_assert(r->queued && !r->running);
	r->queued = false;
	r->running = true;
	r->stopped = false;
	r->bad = false;
	r->good = seq->hit;
	memcpy(r->table, seq->table, seq->num_blocks * sizeof(*seq->table));
}

/* Done rests on good blocks alone, and nothing is lost without a reason. */
static void on_ended(void *ctx, const struct fw_sequence *seq)
{
	struct model_req *r = model(seq->req);

	(void)ctx;
	ck_assert(r->running);
	r->running = false;
	switch (seq->end) {
	case FW_SEQUENCE_DONE:
		ck_assert(!r->bad && !r->stopped);
		ck_assert_uint_eq(r->good, r->req.len);
		ck_assert_uint_eq(seq->finished, r->req.len - seq->hit);
		num_done++;
		break;
	case FW_SEQUENCE_STOPPED:
		ck_assert(r->stopped);
		num_stopped++;
		break;
	case FW_SEQUENCE_LOST:
		ck_assert(r->bad);
		ck_assert_int_eq(seq->status, -EIO);
		num_lost++;
		break;
	}
}

/* Key @depth of the prompt, NONE for its last, partial block. */
static uint32_t key_of(const struct model_req *r, uint32_t depth)
{
	return depth < r->req.num_keys ? r->path[depth] : NONE;
}

static bool hit_is_good(const struct model_req *r, uint32_t blocks)
{
	for (uint32_t i = 0; i < blocks; i++)
		if (holds[r->table[i]] != r->path[i])
			return false;
	return true;
}

/* The device comes to one chunk of a plan; a failed plan writes nothing. */
static void compute(const struct fw_plan_entry *e, bool failed)
{
	struct model_req *r = &reqs[e->request];
	uint32_t first_own = planner.seqs[e->sequence].hit / TOKENS;

	if (failed || r->good != e->first || !hit_is_good(r, first_own))
		r->bad = true;
	for (uint32_t i = e->first / TOKENS; i * TOKENS < e->first + e->count;
	     i++)
		holds[r->table[i]] = NONE;
	if (r->bad)
		return;
	r->good += e->count;
	for (uint32_t i = first_own; (i + 1) * TOKENS <= r->good; i++)
		holds[r->table[i]] = key_of(r, i);
}

/* With nothing in flight every cached block holds what its key says. */
static void check_cache(void)
{
	if (planner.num_flights)
		return;
	for (uint32_t k = 0; k < KEYS; k++) {
		const struct fw_key key = fw_key_widen(k);
		uint32_t node = fw_index_find(&pool.index, &key);

		if (node != FW_NODE_NONE)
			ck_assert_uint_eq(
				holds[fw_index_node(&pool.index, node)->block],
				k);
	}
}

static void check_all(void)
{
	ck_assert(fw_planner_valid(&planner));
	ck_assert(fw_kv_pool_valid(&pool));
	ck_assert(fw_lanes_valid(&lanes));
	check_cache();
}

static void retire(struct draw *draw)
{
	const struct fw_plan *plan = &planner.plans[planner.oldest];
	bool failed = one_in(draw, 4);

	for (uint32_t i = 0; i < plan->num_entries; i++)
		compute(&plan->entries[i], failed);
	fw_planner_retire(&planner, failed ? -EIO : 0);
	check_all();
}

static void draw_request(struct draw *draw, uint32_t id)
{
	struct model_req *r = &reqs[id];
	uint32_t key = draw_below(draw, KEYS), depth = 0;

	for (uint32_t k = key; k != NONE; k = parents[k])
		depth++;
	memset(r, 0, sizeof(*r));
	r->req.id = id;
	r->req.keys = r->keys;
	r->req.num_keys = depth;
	r->req.len = depth * TOKENS + draw_below(draw, 2 * TOKENS);
	for (uint32_t k = key; k != NONE; k = parents[k]) {
		r->path[--depth] = k;
		r->keys[depth] = fw_key_widen(k);
	}
}

static void submit(struct draw *draw, double now)
{
	uint32_t id = draw_below(draw, REQS), blocks;
	struct model_req *r = &reqs[id];

	if (r->queued || r->running)
		return;
	draw_request(draw, id);
	if (fw_kv_pool_need(&pool, r->req.len) > pool.num_blocks)
		return;
	r->queued = true;
	ck_assert_int_eq(fw_index_watch(&pool.index, &r->req, &blocks), 0);
	ck_assert_int_eq(fw_lanes_add(&lanes, &r->req, now, 1.0,
				      blocks * TOKENS),
			 0);
}

static void stop_one(struct draw *draw)
{
	struct model_req *r = &reqs[draw_below(draw, REQS)];

	if (!r->running || r->stopped)
		return;
	r->stopped = true;
	fw_planner_stop(&planner, &r->req);
	check_all();
}

static void open_all(struct draw *draw)
{
	bool pausing = one_in(draw, 2);
	struct fw_lanes_config config = {
		.weight = 4000,
		.fair_lane = true,
		.by_rest = pausing,
		.guard = pausing ? 500 : 0,
	};
	uint32_t flags = one_in(draw, 2) ? FW_POOL_PROTECT : 0;
	struct fw_planner_config p = {
		.pool = &pool,
		.index = &pool.index,
		.order = &fw_lanes_order,
		.order_ctx = &lanes,
		.budget = 1 + draw_below(draw, 5 * TOKENS),
		.max_running = 1 + draw_below(draw, 8),
		.depth = 1 + draw_below(draw, 4),
		.pausing = pausing,
		.ops.admitted = on_admitted,
		.ops.ended = on_ended,
		.allocator = &memory.allocator,
	};

	fail_alloc_init(&memory);
	memset(reqs, 0, sizeof(reqs));
	memset(holds, 0xff, sizeof(holds));
	for (uint32_t k = 0; k < KEYS; k++)
		parents[k] = one_in(draw, 4) || !k ? NONE : draw_below(draw, k);
	if (pausing)
		flags |= FW_POOL_PAUSING;
	ck_assert_int_eq(fw_cost_init(&cost, "a6000", NULL, 0,
				      &memory.allocator),
			 0);
	fw_remaining_init(&config.work, &cost, p.budget);
	ck_assert_int_eq(fw_kv_pool_init(&pool, 8 + draw_below(draw, 40),
					 TOKENS, flags, &memory.allocator),
			 0);
	pool.index.ops.hit = on_hit;
	fw_lanes_init(&lanes, &config, &memory.allocator);
	ck_assert_int_eq(fw_planner_init(&planner, &p), 0);
}

static void close_all(struct draw *draw)
{
	for (uint32_t i = 0; i < REQS; i++)
		reqs[i].stopped |= reqs[i].running;
	fw_planner_stop_all(&planner);
	while (planner.num_flights)
		retire(draw);
	ck_assert_uint_eq(planner.num_running, 0);
	for (uint32_t i = 0; i < REQS; i++)
		if (reqs[i].queued)
			fw_index_unwatch(&pool.index, &reqs[i].req);
	fw_planner_destroy(&planner);
	fw_lanes_destroy(&lanes);
	fw_kv_pool_destroy(&pool);
	fw_cost_destroy(&cost);
	ck_assert(fail_alloc_clean(&memory));
}

static void history(struct draw *draw)
{
	open_all(draw);
	for (uint32_t i = 0; i < 150; i++) {
		double now = i;

		for (uint32_t n = draw_below(draw, 4); n-- > 0;)
			submit(draw, now);
		if (one_in(draw, 8))
			stop_one(draw);
		if (planner.num_flights < planner.config.depth) {
			ck_assert_int_eq(fw_planner_step(&planner, now), 0);
			check_all();
		}
		while (planner.num_flights &&
		       (planner.num_flights == planner.config.depth ||
			one_in(draw, 3)))
			retire(draw);
	}
	close_all(draw);
}

START_TEST(test_what_is_done_rests_on_computed_blocks_alone)
{
	struct draw draw = {seed + (uint64_t)_i};

	num_done = num_lost = num_stopped = 0;
	for (int i = 0; i < 60; i++)
		history(&draw);
	ck_assert_uint_gt(num_done, 0);
	ck_assert_uint_gt(num_lost, 0);
	ck_assert_uint_gt(num_stopped, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("planner_flights");
	TCase *tcase = tcase_create("planner_flights");

	seed = draw_seed();
	tcase_add_loop_test(tcase,
			    test_what_is_done_rests_on_computed_blocks_alone, 0,
			    10);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
