/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/plan/planner.h"
#include "lib/queue/entry.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

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

/* The plainest source: in the order in which they came. */
struct fifo {
	uint32_t order[REQS];
	uint32_t head;
	uint32_t tail;
	uint32_t begins;
	uint32_t open;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_kv_pool pool;
static struct fw_planner planner;
static struct fw_lanes lanes;
static bool with_lanes;
static struct fifo fifo;
static struct model_req reqs[REQS];
static struct {
	uint32_t parent;
	uint32_t depth;
} keys[KEYS];

/* What each physical block holds: a key, or NONE for somebody's own. */
static uint32_t content[MAX_POOL];
static uint32_t running[REQS];
static uint32_t num_running;
static uint32_t num_told;
static const struct fw_plan_entry *last_told;

static size_t fifo_waiting(void *ctx)
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

static const struct fw_source_ops fifo_source = {
	.waiting = fifo_waiting,
	.begin = fifo_begin,
	.peek = fifo_peek,
	.admit = fifo_admit,
	.end = fifo_end,
};

static void on_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	(void)ctx;
	if (with_lanes)
		fw_lanes_set_hit(&lanes, req, hit * TOKENS);
}

static void setup(void)
{
	fail_alloc_init(&memory);
	memset(reqs, 0, sizeof(reqs));
	memset(&fifo, 0, sizeof(fifo));
	num_running = num_told = 0;
	for (uint32_t i = 0; i < MAX_POOL; i++)
		content[i] = NONE;
}

static void on_ended(void *ctx, const struct fw_sequence *seq);

static int init_planner(const struct fw_source_ops *source, void *ctx,
			uint32_t budget, uint32_t max_running)
{
	const struct fw_planner_config config = {
		.pool = &pool,
		.index = &pool.index,
		.source = source,
		.source_ctx = ctx,
		.budget = budget,
		.max_running = max_running,
		.depth = 1,
		.ops.ended = on_ended,
		.ctx = &fifo,
		.allocator = &memory.allocator,
	};

	return fw_planner_init(&planner, &config);
}

static void open_node(uint32_t num_blocks, uint32_t budget,
		      uint32_t max_running, bool use_lanes)
{
	static const struct fw_lanes_config config = {
		.weight = 4000,
		.budget = 32,
		.fair_lane = true,
	};

	with_lanes = use_lanes;
	ck_assert_int_eq(fw_kv_pool_init(&pool, num_blocks, TOKENS, use_lanes,
					 &memory.allocator),
			 0);
	pool.index.ops.hit = on_hit;
	fw_lanes_init(&lanes, &config, &memory.allocator);
	ck_assert_int_eq(
		init_planner(use_lanes ? &fw_lanes_source : &fifo_source,
			     use_lanes ? (void *)&lanes : (void *)&fifo, budget,
			     max_running),
		0);
}

static void close_node(void)
{
	fw_planner_destroy(&planner);
	fw_lanes_destroy(&lanes);
	fw_kv_pool_destroy(&pool);
	ck_assert(fail_alloc_clean(&memory));
}

static void make_key(uint32_t i, uint32_t parent)
{
	keys[i].parent = parent;
	keys[i].depth = parent == NONE ? 0 : keys[parent].depth + 1;
}

static void make_chain(uint32_t from, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++)
		make_key(from + i, i ? from + i - 1 : NONE);
}

static void draw_keys(struct draw *draw)
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
static void make_req(uint32_t number, uint32_t last, uint32_t extra)
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
static void submit(uint32_t number, double now)
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
	if (with_lanes) {
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

static uint32_t count_waiting(void)
{
	uint32_t num = 0;

	for (uint32_t i = 0; i < REQS; i++)
		num += reqs[i].state == WAITING;
	return num;
}

/* By the pool's own figures: would the whole prompt fit now? */
static bool fits(const struct model_req *r)
{
	size_t room = pool.num_free + pool.spare.num + pool.kept.num;
	uint32_t hit = fw_entry_const(&r->req)->blocks;

	for (uint32_t i = 0; i < hit; i++) {
		uint32_t node = fw_index_find(&pool.index, &r->keys[i]);

		if (!pool.blocks[fw_index_node(&pool.index, node)->block].refs)
			room--;
	}
	return room >= r->num_blocks - hit;
}

/* Of another running request: is @block in its table, and where? */
static uint32_t place_in(const struct model_req *r, uint32_t block)
{
	for (uint32_t i = 0; i < r->num_blocks; i++)
		if (r->table[i] == block)
			return i;
	return NONE;
}

/* Only a named block is shared, by prompts that have that name there. */
static bool shares_rightly(const struct model_req *r)
{
	for (uint32_t i = 0; i < num_running; i++) {
		const struct model_req *other = &reqs[running[i]];

		for (uint32_t j = 0; other != r && j < r->num_blocks; j++) {
			uint32_t at = place_in(other, r->table[j]);

			if (at == NONE)
				continue;
			if (at != j || j >= r->req.num_keys ||
			    j >= other->req.num_keys ||
			    content[r->table[j]] != r->path[j] ||
			    r->path[j] != other->path[j])
				return false;
		}
	}
	return true;
}

/* What is a hit was computed before, by whom ever, into that very block. */
static bool hit_is_there(const struct model_req *r)
{
	if (r->hit % TOKENS || r->hit >= r->req.len)
		return false;
	for (uint32_t i = 0; i < r->hit / TOKENS; i++)
		if (content[r->table[i]] != r->path[i])
			return false;
	return true;
}

/* Nobody else may look at a block while it is written. */
static bool writes_its_own(const struct model_req *r, uint32_t first,
			   uint32_t end)
{
	for (uint32_t i = first / TOKENS; i * TOKENS < end; i++)
		for (uint32_t j = 0; j < num_running; j++)
			if (&reqs[running[j]] != r &&
			    place_in(&reqs[running[j]], r->table[i]) != NONE)
				return false;
	return true;
}

/* Fill the blocks of a chunk; a name goes only to one that is complete. */
static void write_blocks(const struct model_req *r, uint32_t first,
			 uint32_t end)
{
	for (uint32_t i = first / TOKENS; i * TOKENS < end; i++) {
		bool named = i < r->req.num_keys && (i + 1) * TOKENS <= end;

		content[r->table[i]] = named ? r->path[i] : NONE;
	}
}

/* The first entry of a request that waited until now. */
static void start(struct model_req *r, const struct fw_plan_entry *entry)
{
	ck_assert_int_eq(r->state, WAITING);
	r->state = RUNNING;
	r->hit = r->computed = entry->first;
	memcpy(r->table, planner.plan->tables + entry->table,
	       r->num_blocks * sizeof(r->table[0]));
	ck_assert(hit_is_there(r));
	running[num_running++] = (uint32_t)(r - reqs);
}

static void check_entry(const struct fw_plan_entry *entry, uint32_t budget,
			uint32_t table)
{
	struct model_req *r = &reqs[entry->request];
	uint32_t left, end = entry->first + entry->count;
	const uint32_t *blocks = planner.plan->tables + entry->table;

	ck_assert(entry->table == table && entry->num_blocks == r->num_blocks);
	if (r->state != RUNNING)
		start(r, entry);
	left = r->req.len - r->computed;
	ck_assert_uint_eq(entry->first, r->computed);
	ck_assert_uint_eq(entry->count, left < budget ? left : budget);
	ck_assert_uint_eq(entry->flags, end == r->req.len ? FW_PLAN_LAST : 0u);
	ck_assert(!memcmp(blocks, r->table, r->num_blocks * sizeof(*blocks)));
	ck_assert(writes_its_own(r, entry->first, end));
	write_blocks(r, entry->first, end);
	r->computed = end;
}

/* Those that ran before come first, in the order of their admission. */
static void check_order(uint32_t before)
{
	const struct fw_plan *plan = planner.plan;
	uint32_t at = 0;

	for (uint32_t i = 0; i < before; i++) {
		const struct model_req *r = &reqs[running[i]];

		if (r->computed == r->req.len)
			continue;
		if (at < plan->num_entries)
			ck_assert_uint_eq(plan->entries[at].request,
					  running[i]);
		at++;
	}
}

/* Admission ended for one of the four reasons that there are. */
static void check_end(uint32_t budget)
{
	bool all_fit = true;

	if (!budget || num_running == planner.config.max_running ||
	    !count_waiting())
		return;
	if (!with_lanes) {
		ck_assert(!fits(&reqs[fifo.order[fifo.head]]));
		return;
	}
	for (uint32_t i = 0; i < REQS; i++)
		all_fit =
			all_fit && (reqs[i].state != WAITING || fits(&reqs[i]));
	ck_assert(!all_fit);
}

static bool all_valid(void)
{
	bool armed = memory.armed, valid;

	memory.armed = false;
	valid = fw_kv_pool_valid(&pool) && fw_lanes_valid(&lanes) &&
		!fifo.open && !lanes.open &&
		planner.config.source->waiting(planner.config.source_ctx) ==
			count_waiting();
	memory.armed = armed;
	return valid;
}

static int step(double now)
{
	const struct fw_plan *plan = planner.plan;
	int ret = fw_planner_step(&planner, now);
	uint32_t budget = planner.config.budget, table = 0;

	check_order(num_running);
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		check_entry(&plan->entries[i], budget, table);
		budget -= plan->entries[i].count;
		table += plan->entries[i].num_blocks;
	}
	ck_assert_uint_eq(plan->num_tokens, planner.config.budget - budget);
	ck_assert_uint_eq(plan->num_tables, table);
	ck_assert_uint_le(num_running, planner.config.max_running);
	for (uint32_t i = 0; i < num_running; i++)
		ck_assert(shares_rightly(&reqs[running[i]]));
	if (!ret)
		check_end(budget);
	ck_assert(all_valid());
	return ret;
}

static void forget(uint32_t number)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < num_running; i++)
		if (running[i] != number)
			running[to++] = running[i];
	num_running = to;
}

/* Told once, in the order of the plan, with its blocks released. */
static void on_ended(void *ctx, const struct fw_sequence *seq)
{
	struct model_req *r = container_of(seq->req, struct model_req, req);
	const struct fw_plan_entry *entry = last_told;

	ck_assert_ptr_eq(ctx, &fifo);
	ck_assert(r->state == RUNNING && r->computed == r->req.len);
	ck_assert_int_eq(seq->end, FW_SEQUENCE_DONE);
	ck_assert_uint_eq(seq->hit, r->hit);
	ck_assert_uint_eq(seq->finished, r->req.len - r->hit);
	do
		entry = entry ? entry + 1 : planner.plan->entries;
	while (!(entry->flags & FW_PLAN_LAST));
	ck_assert_uint_eq(entry->request, r->req.id);
	last_told = entry;
	r->state = DONE;
	forget((uint32_t)r->req.id);
	for (uint32_t i = 0; i < r->num_blocks; i++) {
		uint32_t users = 0;

		for (uint32_t j = 0; j < num_running; j++)
			users += place_in(&reqs[running[j]], r->table[i]) !=
				 NONE;
		ck_assert_uint_eq(pool.blocks[r->table[i]].refs, users);
	}
	num_told++;
}

static void retire(void)
{
	last_told = NULL;
	if (planner.num_flights)
		fw_planner_retire(&planner, 0);
	ck_assert_uint_eq(planner.num_running, num_running);
	ck_assert(all_valid());
}

static void draw_reqs(struct draw *draw, uint32_t num)
{
	for (uint32_t i = 0; i < num; i++) {
		uint32_t last =
			one_in(draw, 10) ? NONE : draw_below(draw, KEYS);
		uint32_t extra =
			one_in(draw, 3) ? 0 : draw_below(draw, 3 * TOKENS);

		make_req(i, last, last == NONE ? extra + 1 : extra);
	}
}

/* A digest of all plans, to hold two runs against each other. */
static uint64_t add_plan(uint64_t digest)
{
	const struct fw_plan *plan = planner.plan;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		struct draw mix = {digest ^ plan->entries[i].request << 40 ^
				   (uint64_t)plan->entries[i].first << 20 ^
				   plan->entries[i].count};

		digest = draw_u64(&mix);
	}
	for (uint32_t i = 0; i < plan->num_tables; i++) {
		struct draw mix = {digest + plan->tables[i]};

		digest = draw_u64(&mix);
	}
	return digest;
}

/* Submit @num requests over time and step until all have ended. */
static uint64_t run_all(struct draw *draw, uint32_t num)
{
	uint32_t sent = 0, steps = 0;
	uint64_t digest = 0;

	while (num_told < num) {
		double now = steps++ * 0.25;
		int ret;

		while (sent < num && !one_in(draw, 3))
			submit(sent++, now);
		ret = step(now);
		ck_assert(!ret || (ret == -ENOMEM && memory.failed));
		digest = add_plan(digest);
		retire();
		ck_assert_uint_lt(steps, 100 * num);
	}
	ck_assert_uint_eq(num_running, 0);
	ck_assert_uint_eq(planner.blocks_running, 0);
	for (uint32_t i = 0; i < pool.num_blocks; i++)
		ck_assert_uint_eq(pool.blocks[i].refs, 0);
	return digest;
}

static uint64_t random_run(uint64_t chances, bool use_lanes)
{
	struct draw draw = {chances};
	uint64_t digest;

	setup();
	draw_keys(&draw);
	draw_reqs(&draw, REQS);
	open_node(MAX_TABLE + draw_below(&draw, MAX_POOL - MAX_TABLE),
		  1 + draw_below(&draw, 64), 1 + draw_below(&draw, 12),
		  use_lanes);
	digest = run_all(&draw, REQS);
	close_node();
	return digest;
}

START_TEST(test_each_token_is_planned_once_in_order_of_arrival)
{
	random_run(seed + (uint64_t)_i, false);
}
END_TEST

START_TEST(test_each_token_is_planned_once_by_the_lanes)
{
	random_run(seed + (uint64_t)_i, true);
}
END_TEST

/* Each run hashes its keys with another seed. */
START_TEST(test_equal_inputs_give_equal_plans)
{
	uint64_t first = random_run(seed, _i);

	ck_assert_uint_eq(random_run(seed, _i), first);
	ck_assert_uint_ne(random_run(seed + 1, _i), first);
}
END_TEST

static void expect(uint32_t i, uint32_t number, uint32_t first, uint32_t count)
{
	const struct fw_plan_entry *entry = &planner.plan->entries[i];

	ck_assert_uint_lt(i, planner.plan->num_entries);
	ck_assert_uint_eq(entry->request, number);
	ck_assert_uint_eq(entry->first, first);
	ck_assert_uint_eq(entry->count, count);
}

static void expect_step(uint32_t num_entries)
{
	ck_assert_int_eq(step(0.0), 0);
	ck_assert_uint_eq(planner.plan->num_entries, num_entries);
}

START_TEST(test_a_long_prompt_is_computed_in_chunks_of_the_budget)
{
	setup();
	open_node(8, 16, 4, false);
	make_req(0, NONE, 40);
	submit(0, 0.0);
	expect_step(1);
	expect(0, 0, 0, 16);
	retire();
	expect_step(1);
	expect(0, 0, 16, 16);
	retire();
	expect_step(1);
	expect(0, 0, 32, 8);
	ck_assert_uint_eq(planner.plan->entries[0].flags, FW_PLAN_LAST);
	retire();
	ck_assert_uint_eq(num_told, 1);
	expect_step(0);
	close_node();
}
END_TEST

START_TEST(test_running_requests_take_their_tokens_first)
{
	setup();
	open_node(16, 32, 4, false);
	make_req(0, NONE, 40);
	make_req(1, NONE, 40);
	submit(0, 0.0);
	submit(1, 0.0);
	expect_step(1);
	expect(0, 0, 0, 32);
	retire();
	expect_step(2);
	expect(0, 0, 32, 8);
	expect(1, 1, 0, 24);
	retire();
	expect_step(1);
	expect(0, 1, 24, 16);
	retire();
	close_node();
}
END_TEST

START_TEST(test_no_more_run_than_may_and_nobody_is_asked_then)
{
	setup();
	open_node(16, 32, 1, false);
	make_req(0, NONE, 40);
	make_req(1, NONE, 8);
	make_req(2, NONE, 8);
	for (uint32_t i = 0; i < 3; i++)
		submit(i, 0.0);
	expect_step(1);
	retire();
	ck_assert_uint_eq(fifo.begins, 1);
	/* 24 tokens are left of the budget, but no sequence. */
	expect_step(1);
	expect(0, 0, 32, 8);
	ck_assert_uint_eq(fifo.begins, 1);
	retire();
	expect_step(1);
	expect(0, 1, 0, 8);
	retire();
	close_node();
}
END_TEST

START_TEST(test_nobody_is_asked_without_budget_or_when_nobody_waits)
{
	setup();
	open_node(16, 16, 4, false);
	expect_step(0);
	ck_assert_uint_eq(fifo.begins, 0);
	make_req(0, NONE, 32);
	make_req(1, NONE, 8);
	submit(0, 0.0);
	submit(1, 0.0);
	expect_step(1);
	retire();
	expect_step(1);
	ck_assert_uint_eq(fifo.begins, 1);
	retire();
	expect_step(1);
	expect(0, 1, 0, 8);
	retire();
	close_node();
}
END_TEST

/* The third would fit beside the first, but the second is at the head. */
START_TEST(test_a_head_that_does_not_fit_ends_admission)
{
	setup();
	open_node(4, 16, 4, false);
	make_req(0, NONE, 24);
	make_req(1, NONE, 16);
	make_req(2, NONE, 8);
	for (uint32_t i = 0; i < 3; i++)
		submit(i, 0.0);
	expect_step(1);
	expect(0, 0, 0, 16);
	retire();
	expect_step(1);
	expect(0, 0, 16, 8);
	retire();
	expect_step(1);
	expect(0, 1, 0, 16);
	retire();
	expect_step(1);
	expect(0, 2, 0, 8);
	retire();
	close_node();
}
END_TEST

START_TEST(test_a_plan_starts_behind_what_is_cached)
{
	const struct fw_plan *plan;
	uint32_t first_block;

	setup();
	make_chain(0, 2);
	open_node(16, 64, 4, false);
	plan = planner.plan;
	make_req(0, 1, 0);
	submit(0, 0.0);
	expect_step(1);
	first_block = plan->tables[plan->entries[0].table];
	retire();
	make_req(1, 1, 5);
	submit(1, 0.0);
	expect_step(1);
	expect(0, 1, 16, 5);
	ck_assert_uint_eq(plan->entries[0].num_blocks, 3);
	ck_assert_uint_eq(plan->tables[0], first_block);
	retire();
	close_node();
}
END_TEST

/* The first one's blocks count for the second one in the same step. */
START_TEST(test_a_block_planned_is_a_hit_in_the_same_step)
{
	setup();
	make_chain(0, 3);
	open_node(16, 64, 4, false);
	make_req(0, 2, 0);
	make_req(1, 2, 0);
	make_req(2, 1, 7);
	for (uint32_t i = 0; i < 3; i++)
		submit(i, 0.0);
	expect_step(3);
	expect(0, 0, 0, 24);
	/* A full hit computes its last block again. */
	expect(1, 1, 16, 8);
	expect(2, 2, 16, 7);
	retire();
	ck_assert_uint_eq(num_told, 3);
	close_node();
}
END_TEST

START_TEST(test_opening_fails_at_any_allocation_and_leaks_nothing)
{
	struct fw_planner before;
	size_t num = 0;
	int ret;

	setup();
	memset(&planner, 0x77, sizeof(planner));
	before = planner;
	do {
		fail_alloc_after(&memory, num++);
		ret = init_planner(&fifo_source, &fifo, 32, 4);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert(!memcmp(&planner, &before, sizeof(before)));
		}
	} while (ret);
	ck_assert_uint_eq(num, 6);
	fw_planner_destroy(&planner);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

/* Whatever allocation fails on the way, all requests end, and rightly. */
START_TEST(test_a_run_survives_any_failed_allocation)
{
	size_t num = 0;
	bool failed;

	do {
		struct draw draw = {seed};

		setup();
		draw_keys(&draw);
		draw_reqs(&draw, 40);
		open_node(40, 30, 6, _i);
		fail_alloc_after(&memory, num++);
		run_all(&draw, 40);
		failed = memory.failed;
		fail_alloc_disarm(&memory);
		close_node();
	} while (failed);
	ck_assert_uint_gt(num, 5);
}
END_TEST

/* The step that found no memory planned what came before, and no more. */
START_TEST(test_a_step_without_memory_keeps_its_plan_and_the_request)
{
	setup();
	open_node(16, 64, 4, false);
	make_req(0, NONE, 8);
	make_req(1, NONE, 8);
	submit(0, 0.0);
	submit(1, 0.0);
	/* A block table for the first, then the plan's, then the second's. */
	fail_alloc_after(&memory, 2);
	ck_assert_int_eq(step(0.0), -ENOMEM);
	ck_assert_uint_eq(memory.failed, 1);
	ck_assert_uint_eq(planner.plan->num_entries, 1);
	expect(0, 0, 0, 8);
	ck_assert_int_eq(reqs[1].state, WAITING);
	retire();
	expect_step(1);
	expect(0, 1, 0, 8);
	retire();
	close_node();
}
END_TEST

static void add_cases(TCase *tcase)
{
	tcase_add_loop_test(tcase,
			    test_each_token_is_planned_once_in_order_of_arrival,
			    0, 8);
	tcase_add_loop_test(tcase, test_each_token_is_planned_once_by_the_lanes,
			    0, 8);
	tcase_add_loop_test(tcase, test_equal_inputs_give_equal_plans, 0, 2);
	tcase_add_test(tcase,
		       test_a_long_prompt_is_computed_in_chunks_of_the_budget);
	tcase_add_test(tcase, test_running_requests_take_their_tokens_first);
	tcase_add_test(tcase,
		       test_no_more_run_than_may_and_nobody_is_asked_then);
	tcase_add_test(
		tcase,
		test_nobody_is_asked_without_budget_or_when_nobody_waits);
	tcase_add_test(tcase, test_a_head_that_does_not_fit_ends_admission);
	tcase_add_test(tcase, test_a_plan_starts_behind_what_is_cached);
	tcase_add_test(tcase, test_a_block_planned_is_a_hit_in_the_same_step);
	tcase_add_test(tcase,
		       test_opening_fails_at_any_allocation_and_leaks_nothing);
	tcase_add_loop_test(tcase, test_a_run_survives_any_failed_allocation, 0,
			    2);
	tcase_add_test(
		tcase,
		test_a_step_without_memory_keeps_its_plan_and_the_request);
}

int main(void)
{
	Suite *suite = suite_create("planner");
	TCase *tcase = tcase_create("planner");

	seed = draw_seed();
	add_cases(tcase);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
