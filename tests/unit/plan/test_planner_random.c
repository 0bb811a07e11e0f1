/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>

#include "tests/support/run.h"
#include "model_node.h"

/* Random prompts on random nodes, by each order. */

static uint64_t seed;

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

static uint64_t add_table(uint64_t digest, const struct fw_plan *plan,
			  const struct fw_plan_entry *entry)
{
	for (uint32_t i = 0; i < entry->num_blocks; i++) {
		struct draw mix = {digest + plan->tables[entry->sequence][i]};

		digest = draw_u64(&mix);
	}
	return digest;
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
		digest = add_table(digest, plan, &plan->entries[i]);
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
	for (uint32_t i = 0; i < pool.num_blocks; i++)
		ck_assert_uint_eq(pool.blocks[i].refs, 0);
	return digest;
}

static uint64_t random_run(uint64_t chances, enum model_order order)
{
	struct draw draw = {chances};
	uint64_t digest;

	setup();
	draw_keys(&draw);
	draw_reqs(&draw, REQS);
	open_node(MAX_TABLE + draw_below(&draw, MAX_POOL - MAX_TABLE),
		  1 + draw_below(&draw, 64), 1 + draw_below(&draw, 12), order);
	digest = run_all(&draw, REQS);
	close_node();
	return digest;
}

START_TEST(test_each_token_is_planned_once_in_order_of_arrival)
{
	random_run(seed + (uint64_t)_i, BY_ARRIVAL);
}
END_TEST

START_TEST(test_each_token_is_planned_once_by_the_lanes)
{
	random_run(seed + (uint64_t)_i, BY_LANES);
}
END_TEST

START_TEST(test_each_token_is_planned_once_where_prompts_pause)
{
	random_run(seed + (uint64_t)_i, BY_LANES_PAUSING);
}
END_TEST

/* Each run hashes its keys with another seed. */
START_TEST(test_equal_inputs_give_equal_plans)
{
	enum model_order order = (enum model_order)_i;
	uint64_t first = random_run(seed, order);

	ck_assert_uint_eq(random_run(seed, order), first);
	ck_assert_uint_ne(random_run(seed + 1, order), first);
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
		open_node(40, 30, 6, (enum model_order)_i);
		fail_alloc_after(&memory, num++);
		run_all(&draw, 40);
		failed = memory.failed;
		fail_alloc_disarm(&memory);
		close_node();
	} while (failed);
	ck_assert_uint_gt(num, 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("planner_random");
	TCase *tcase = tcase_create("planner_random");

	seed = draw_seed();
	tcase_add_loop_test(tcase,
			    test_each_token_is_planned_once_in_order_of_arrival,
			    0, 8);
	tcase_add_loop_test(tcase, test_each_token_is_planned_once_by_the_lanes,
			    0, 8);
	tcase_add_loop_test(tcase,
			    test_each_token_is_planned_once_where_prompts_pause,
			    0, 8);
	tcase_add_loop_test(tcase, test_equal_inputs_give_equal_plans, 0,
			    MODEL_ORDERS);
	tcase_add_loop_test(tcase, test_a_run_survives_any_failed_allocation, 0,
			    MODEL_ORDERS);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
