/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cost/remaining.h"
#include "lib/runtime/tenant_bound.h"
#include "lib/runtime/tenant_rows.h"
#include "tests/support/run.h"
#include "by_hand.h"

/* Tenants share one queue, in each class; none may keep out the others. */

#define LEN 40u

static struct fw_config by_tenant(uint32_t num_classes)
{
	struct fw_config config = defaults(1);

	order.by_tenant = 1;
	config.num_classes = num_classes;
	config.max_running = 1;
	return config;
}

static void submit_as(uint32_t i, uint64_t tenant, uint32_t priority)
{
	reqs[i].tenant = tenant;
	reqs[i].priority = priority;
	ck_assert_int_eq(fw_submit(fw, &reqs[i], &handles[i]), 0);
}

static struct fw_tenant_stats row_of(uint64_t tenant)
{
	struct fw_tenant_stats rows[FW_TENANT_ROWS + 1] = {{0}};
	int64_t num =
		fw_read_tenants(fw, rows, FW_TENANT_ROWS + 1, sizeof(rows[0]));

	ck_assert_int_gt(num, 0);
	ck_assert_uint_eq(rows[0].rest, 1);
	for (int64_t i = 1; i < num; i++)
		if (rows[i].tenant == tenant)
			return rows[i];
	ck_abort_msg("tenant %u has no row", (unsigned int)tenant);
}

/*
 * All prompts are equal, so tenants take turns, however many one has. The one
 * that comes starts one ahead, and is first among equals by its number.
 */
START_TEST(test_a_tenant_that_floods_waits_for_its_turn)
{
	static const uint32_t expected[] = {0, 20, 21, 1, 22, 2, 3, 4};
	struct fw_config config = by_tenant(1);

	open_with(&config, LEN);
	for (uint32_t i = 0; i < 20; i++)
		submit_as(i, 7, 0);
	settle();
	for (uint32_t i = 20; i < 23; i++)
		submit_as(i, 3, 0);
	finish();
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(order_of_ends[i], expected[i]);
	close_all();
}
END_TEST

START_TEST(test_weights_count_in_the_runtime)
{
	static const struct fw_tenant_weight weights[] = {
		{.tenant = 2, .weight = 3000},
	};
	uint32_t num = 0;
	struct fw_config config = by_tenant(1);

	order.tenant_weights = weights;
	order.num_tenant_weights = 1;
	open_with(&config, LEN);
	for (uint32_t i = 0; i < 30; i++)
		submit_as(i, 1 + i % 2, 0);
	finish();
	/* Of twelve, nine are of the heavier one. */
	for (uint32_t i = 0; i < 12; i++)
		num += reqs[order_of_ends[i]].tenant == 2;
	ck_assert_uint_eq(num, 9);
	order.num_tenant_weights = 0;
	close_all();
}
END_TEST

START_TEST(test_a_class_holds_tenants)
{
	static const uint32_t expected[] = {0, 4, 8, 5, 6, 7, 9, 1, 2};
	struct fw_config config = by_tenant(2);

	open_with(&config, LEN);
	for (uint32_t i = 0; i < 4; i++)
		submit_as(i, 1, 0);
	settle();
	/* The higher class goes first, and shares among its own tenants. */
	for (uint32_t i = 4; i < 8; i++)
		submit_as(i, 1, 1);
	submit_as(8, 2, 1);
	submit_as(9, 2, 0);
	finish();
	for (uint32_t i = 0; i < 9; i++)
		ck_assert_uint_eq(order_of_ends[i], expected[i]);
	close_all();
}
END_TEST

START_TEST(test_a_request_rises_with_its_tenant)
{
	struct fw_config config = by_tenant(2);

	config.class_max_wait = 1;
	open_with(&config, LEN);
	submit_as(0, 1, 1);
	settle();
	for (uint32_t i = 1; i < 6; i++)
		submit_as(i, i % 2, 0);
	settle();
	ck_assert_uint_eq(stats().aged, 5);
	finish();
	ck_assert_uint_eq(stats().done, 6);
	close_all();
}
END_TEST

START_TEST(test_a_tenant_cannot_fill_a_class)
{
	struct fw_config config = by_tenant(2);

	config.tenant_max_waiting = 3;
	config.max_waiting = 20;
	open_with(&config, LEN);
	for (uint32_t i = 0; i < 3; i++)
		submit_as(i, 1, 0);
	reqs[3].tenant = 1;
	ck_assert_int_eq(fw_submit(fw, &reqs[3], NULL), -EAGAIN);
	ck_assert_uint_eq(stats().refused, 1);
	/* In another class it may, and so may others. */
	submit_as(4, 1, 1);
	submit_as(5, 2, 0);
	/* One is admitted, of the higher class, and another is cancelled. */
	settle();
	ck_assert_int_eq(fw_submit(fw, &reqs[3], NULL), -EAGAIN);
	ck_assert_int_eq(fw_cancel(fw, handles[0]), 0);
	settle();
	ck_assert_int_eq(fw_submit(fw, &reqs[3], NULL), 0);
	finish();
	ck_assert_uint_eq(stats().done, 5);
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t j = 0; j < 3; j++)
			submit_as(10 + 3 * i + j, 1, i);
	finish();
	close_all();
}
END_TEST

static uint64_t work_of(uint32_t hit, uint32_t left)
{
	struct fw_remaining work;
	struct fw_cost cost;
	uint64_t ns;

	ck_assert_int_eq(fw_cost_init(&cost, "a6000", NULL, 0, order.allocator),
			 0);
	fw_remaining_init(&work, &cost, BUDGET);
	ns = (uint64_t)fw_remaining_work(&work, hit, left);
	fw_cost_destroy(&cost);
	return ns;
}

START_TEST(test_figures_by_tenant_are_told)
{
	struct fw_config config = by_tenant(1);
	struct fw_tenant_stats row;
	char text[65536];

	open_with(&config, LEN);
	for (uint32_t i = 0; i < 5; i++)
		submit_as(i, 7, 0);
	submit_as(5, UINT64_MAX, 0);
	reqs[6].max_wait = 1;
	submit_as(6, 8, 0);
	settle();
	row = row_of(7);
	ck_assert_uint_eq(row.submitted, 5);
	ck_assert_uint_eq(row.waiting, 4);
	ck_assert_uint_eq(row.served, 0);
	ck_assert_uint_eq(row_of(UINT64_MAX).waiting, 1);
	ck_assert_uint_eq(row_of(8).expired, 1);
	ck_assert_uint_eq(row_of(8).waiting, 0);
	ck_assert_int_eq(fw_cancel(fw, handles[4]), 0);
	finish();
	row = row_of(7);
	ck_assert_uint_eq(row.done, 4);
	ck_assert_uint_eq(row.otherwise, 1);
	ck_assert_uint_eq(row.waiting, 0);
	ck_assert_uint_eq(row.served, 4 * work_of(0, LEN));
	ck_assert_int_lt(fw_stats_text(fw, NULL, 0, text, sizeof(text)),
			 (int64_t)sizeof(text));
	ck_assert_ptr_nonnull(
		strstr(text, "\nfairway_tenant_done_total{tenant=\"7\"} 4\n"));
	ck_assert_ptr_nonnull(
		strstr(text,
		       "\nfairway_tenant_expired_total{tenant=\"8\"} 1\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "\nfairway_tenant_waiting{tenant=\"other\"} 0\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "{tenant=\"18446744073709551615\"} 1\n"));
	close_all();
}
END_TEST

START_TEST(test_without_tenants_nothing_is_told_by_tenant)
{
	struct fw_tenant_stats row;
	struct fw_config config = by_tenant(1);
	char text[65536];

	order.by_tenant = 0;
	open_with(&config, LEN);
	submit_as(0, 7, 0);
	finish();
	ck_assert_int_eq(fw_read_tenants(fw, &row, 1, sizeof(row)), 0);
	ck_assert_int_gt(fw_stats_text(fw, NULL, 0, text, sizeof(text)), 0);
	ck_assert_ptr_null(strstr(text, "tenant"));
	close_all();
}
END_TEST

/* Whatever comes and goes, all rows together say how many there were. */
START_TEST(test_rows_are_bounded_and_lose_nothing)
{
	static struct fw_tenant_rows rows;
	struct fw_tenant_stats stats;
	uint64_t submitted = 0, done = 0, alone = 0;
	uint32_t first[80];

	for (uint32_t i = 0; i < 80; i++)
		first[i] = fw_tenant_rows_enter(&rows, i);
	for (uint32_t i = 0; i < 80; i++)
		ck_assert_uint_eq(first[i] == FW_TENANT_REST,
				  i >= FW_TENANT_ROWS);
	for (uint32_t i = 0; i < 80; i++) {
		fw_tenant_rows_add(&rows, first[i], FW_TENANT_DONE, 1);
		fw_tenant_rows_leave(&rows, first[i]);
	}
	/* Now that all have left, a newcomer gets a row, and begins at 0. */
	ck_assert_uint_lt(fw_tenant_rows_enter(&rows, 1000), FW_TENANT_REST);
	for (uint32_t i = 0; i <= FW_TENANT_ROWS; i++) {
		ck_assert(fw_tenant_rows_read(&rows, i, &stats));
		submitted += stats.submitted;
		done += stats.done;
		alone += stats.tenant == 1000 && stats.submitted == 1 &&
			 !stats.done;
	}
	ck_assert_uint_eq(submitted, 81);
	ck_assert_uint_eq(done, 80);
	ck_assert_uint_eq(alone, 1);
}
END_TEST

START_TEST(test_few_are_refused_because_of_others)
{
	static struct fw_tenant_bound bound;
	uint32_t refused = 0;

	fw_tenant_bound_init(&bound, 10);
	/* A thousand that flood, and ten thousand that hold one place. */
	for (uint64_t i = 0; i < 1000; i++)
		for (int j = 0; j < 20; j++)
			fw_tenant_bound_reserve(&bound, 0, i);
	ck_assert_uint_ge(atomic_load(&bound.refused), 1000 * 9);
	for (uint64_t i = 1000; i < 11000; i++) {
		if (!fw_tenant_bound_reserve(&bound, 0, i))
			refused++;
		else
			fw_tenant_bound_release(&bound, 0, i);
	}
	/* (1 - e^(-1000/4096))^4 of them, which is 23: with room for luck. */
	ck_assert_uint_lt(refused, 120);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_tenants");
	TCase *tcase = tcase_create("tenants");

	tcase_add_test(tcase, test_a_tenant_that_floods_waits_for_its_turn);
	tcase_add_test(tcase, test_weights_count_in_the_runtime);
	tcase_add_test(tcase, test_a_class_holds_tenants);
	tcase_add_test(tcase, test_a_request_rises_with_its_tenant);
	tcase_add_test(tcase, test_a_tenant_cannot_fill_a_class);
	tcase_add_test(tcase, test_figures_by_tenant_are_told);
	tcase_add_test(tcase, test_without_tenants_nothing_is_told_by_tenant);
	tcase_add_test(tcase, test_rows_are_bounded_and_lose_nothing);
	tcase_add_test(tcase, test_few_are_refused_because_of_others);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
