/* SPDX-License-Identifier: Apache-2.0 */
#include "model_node.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/entry.h"

/* Where on_ended() is in the plan that is retired. */
static const struct fw_plan_entry *last_told;

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
	ck_assert_uint_eq(entry->known, 0);
	memcpy(r->table, planner.plan->tables[entry->sequence],
	       r->num_blocks * sizeof(r->table[0]));
	ck_assert(hit_is_there(r));
	running[num_running++] = (uint32_t)(r - reqs);
}

static void check_entry(const struct fw_plan_entry *entry, uint32_t budget)
{
	struct model_req *r = &reqs[entry->request];
	uint32_t left, end = entry->first + entry->count;
	const uint32_t *blocks = planner.plan->tables[entry->sequence];

	ck_assert_uint_eq(entry->num_blocks, r->num_blocks);
	if (r->state != RUNNING)
		start(r, entry);
	else
		ck_assert_uint_eq(entry->known, entry->num_blocks);
	left = r->req.len - r->computed;
	ck_assert_uint_eq(entry->first, r->computed);
	ck_assert_uint_eq(entry->count, left < budget ? left : budget);
	ck_assert_uint_eq(entry->flags, end == r->req.len ? FW_PLAN_LAST : 0u);
	ck_assert(!memcmp(blocks, r->table, r->num_blocks * sizeof(*blocks)));
	ck_assert(writes_its_own(r, entry->first, end));
	write_blocks(r, entry->first, end);
	r->computed = end;
}

/* Those that ran before come first, in the order of their first chunks. */
static void check_order(uint32_t before)
{
	const struct fw_plan *plan = planner.plan;
	uint32_t at = 0;

	if (order_kind == BY_LANES_PAUSING)
		return;
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

	/* Whoever has begun can go on: no budget is left beside him. */
	for (uint32_t i = 0; budget && i < num_running; i++)
		ck_assert_uint_eq(reqs[running[i]].computed,
				  reqs[running[i]].req.len);
	if (!budget || num_running == planner.config.max_running ||
	    !count_waiting())
		return;
	if (order_kind == BY_ARRIVAL) {
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
		!fifo.open && !lanes.open && fw_planner_valid(&planner) &&
		fw_planner_waiting(&planner) == count_waiting();
	memory.armed = armed;
	return valid;
}

int step(double now)
{
	const struct fw_plan *plan = planner.plan;
	int ret = fw_planner_step(&planner, now);
	uint32_t budget = planner.config.budget;

	check_order(num_running);
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		check_entry(&plan->entries[i], budget);
		budget -= plan->entries[i].count;
	}
	ck_assert_uint_eq(plan->num_tokens, planner.config.budget - budget);
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
void on_ended(void *ctx, const struct fw_sequence *seq)
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

void retire(void)
{
	last_told = NULL;
	if (planner.num_flights)
		fw_planner_retire(&planner, 0);
	ck_assert_uint_eq(planner.num_running, num_running);
	ck_assert(all_valid());
}
