/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/run.h"
#include "model_node.h"

/* Who is planned, how much of it and from where, one promise a case. */

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
	open_node(8, 16, 4, BY_ARRIVAL);
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
	open_node(16, 32, 4, BY_ARRIVAL);
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
	open_node(16, 32, 1, BY_ARRIVAL);
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
	open_node(16, 16, 4, BY_ARRIVAL);
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
	open_node(4, 16, 4, BY_ARRIVAL);
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
	open_node(16, 64, 4, BY_ARRIVAL);
	plan = planner.plan;
	make_req(0, 1, 0);
	submit(0, 0.0);
	expect_step(1);
	first_block = plan->tables[plan->entries[0].sequence][0];
	retire();
	make_req(1, 1, 5);
	submit(1, 0.0);
	expect_step(1);
	expect(0, 1, 16, 5);
	ck_assert_uint_eq(plan->entries[0].num_blocks, 3);
	ck_assert_uint_eq(plan->tables[plan->entries[0].sequence][0],
			  first_block);
	retire();
	close_node();
}
END_TEST

/* The first one's blocks count for the second one in the same step. */
START_TEST(test_a_block_planned_is_a_hit_in_the_same_step)
{
	setup();
	make_chain(0, 3);
	open_node(16, 64, 4, BY_ARRIVAL);
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
		ret = init_planner(&fifo_order, &fifo, 32, 4);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(fail_alloc_clean(&memory));
			ck_assert(!memcmp(&planner, &before, sizeof(before)));
		}
	} while (ret);
	ck_assert_uint_eq(num, 7);
	fw_planner_destroy(&planner);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

/* The step that found no memory planned what came before, and no more. */
START_TEST(test_a_step_without_memory_keeps_its_plan_and_the_request)
{
	setup();
	open_node(16, 64, 4, BY_ARRIVAL);
	make_req(0, NONE, 8);
	make_req(1, NONE, 8);
	submit(0, 0.0);
	submit(1, 0.0);
	/* A block table for the first, then the second's. */
	fail_alloc_after(&memory, 1);
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

/* To copy its table in each of 131,072 steps would move 550 GB. */
START_TEST(test_a_step_costs_the_same_however_long_the_prompt)
{
	uint32_t steps = 0;

	setup();
	open_node(1u << 20, 64, 1, BY_ARRIVAL);
	make_req(0, NONE, TOKENS << 20);
	submit(0, 0.0);
	/* The model saw all of it, and keeps no table of that size. */
	reqs[0].num_blocks = 0;
	reqs[0].state = RUNNING;
	reqs[0].computed = reqs[0].req.len;
	do {
		ck_assert_int_eq(fw_planner_step(&planner, 0.0), 0);
		fw_planner_retire(&planner, 0);
		steps++;
	} while (planner.num_running);
	ck_assert_uint_eq(steps, (TOKENS << 20) / 64);
	close_node();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("planner");
	TCase *tcase = tcase_create("planner");

	tcase_add_test(tcase,
		       test_a_long_prompt_is_computed_in_chunks_of_the_budget);
	tcase_add_test(tcase, test_running_requests_take_their_tokens_first);
	tcase_add_test(tcase,
		       test_no_more_run_than_may_and_nobody_is_asked_then);
	tcase_add_test(
		tcase,
		test_nobody_is_asked_without_budget_or_when_nobody_waits);
	tcase_add_test(tcase, test_a_head_that_does_not_fit_ends_admission);
	tcase_add_test(tcase,
		       test_a_step_costs_the_same_however_long_the_prompt);
	tcase_add_test(tcase, test_a_plan_starts_behind_what_is_cached);
	tcase_add_test(tcase, test_a_block_planned_is_a_hit_in_the_same_step);
	tcase_add_test(tcase,
		       test_opening_fails_at_any_allocation_and_leaks_nothing);
	tcase_add_test(
		tcase,
		test_a_step_without_memory_keeps_its_plan_and_the_request);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
