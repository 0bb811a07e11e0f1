/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/queue/dues.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * The tree of due times against sums that are made anew over all requests in
 * order, on histories whose arrivals come in order, nearly so, and in none.
 */

#define MAX_ENTRIES 12000
#define NUM_ROUNDS 24
#define OPS_PER_ROUND 3000

static uint64_t seed;

static struct fw_dues dues;
static struct fw_rank *ranks;
static int64_t work[MAX_ENTRIES], due[MAX_ENTRIES];
static bool in[MAX_ENTRIES];
static struct fw_rank *sorted[MAX_ENTRIES];

static size_t number(const struct fw_rank *rank)
{
	return (size_t)(rank - ranks);
}

static int compare(const void *a, const void *b)
{
	const struct fw_rank *x = *(struct fw_rank *const *)a;
	const struct fw_rank *y = *(struct fw_rank *const *)b;

	if (x->arrival != y->arrival)
		return x->arrival < y->arrival ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static size_t sort_all(void)
{
	size_t num = 0;

	for (size_t i = 0; i < MAX_ENTRIES; i++)
		if (in[i])
			sorted[num++] = &ranks[i];
	qsort(sorted, num, sizeof(*sorted), compare);
	return num;
}

static void check_all(void)
{
	size_t num = sort_all();
	int64_t sum = 0, slack = FW_DUES_NEVER;

	ck_assert_uint_eq(dues.num, num);
	ck_assert_ptr_eq(fw_dues_first(&dues), num ? sorted[0] : NULL);
	for (size_t k = 0; k < num; k++) {
		size_t i = number(sorted[k]);

		sum += work[i];
		/* Also of some that follow each other, and of one twice. */
		if (k % 97 < 5 || k + 1 == num)
			ck_assert_int_eq(fw_dues_until(&dues, sorted[k]), sum);
		if (k % 970 == 2)
			ck_assert_int_eq(fw_dues_until(&dues, sorted[k]), sum);
		if (due[i] != FW_DUES_NEVER && due[i] - sum < slack)
			slack = due[i] - sum;
	}
	ck_assert_int_eq(fw_dues_slack(&dues), slack);
	ck_assert(fw_dues_valid(&dues));
}

static void enter(struct draw *draw, size_t i, uint64_t clock, uint32_t back)
{
	struct fw_rank *e = &ranks[i];
	uint64_t at = clock;

	if (back)
		at -= draw_below(draw, back) % (clock + 1);
	e->arrival = (double)(at / 3);
	e->seq = clock;
	e->by_score = (uint32_t)i + 1;
	work[i] = draw_below(draw, 1000000);
	due[i] = FW_DUES_NEVER;
	fw_dues_insert(&dues, e, work[i]);
	in[i] = true;
}

static void change(struct draw *draw, size_t i, uint32_t leave)
{
	struct fw_rank *e = &ranks[i];

	if (draw_below(draw, 100) < leave) {
		ck_assert_int_eq(fw_dues_remove(&dues, e), due[i]);
		in[i] = false;
	} else if (one_in(draw, 2)) {
		work[i] = draw_below(draw, 1000000);
		fw_dues_set_work(&dues, e, work[i]);
	} else {
		due[i] = (int64_t)(draw_u64(draw) >> 30);
		fw_dues_set_due(&dues, e, due[i]);
	}
}

static void open_dues(const struct fw_allocator *allocator)
{
	ranks = calloc(MAX_ENTRIES, sizeof(*ranks));
	memset(in, 0, sizeof(in));
	fw_dues_init(&dues, allocator);
}

static void close_dues(void)
{
	fw_dues_destroy(&dues);
	free(ranks);
}

/* How far back an arrival may lie: never, a little, anywhere. */
static const uint32_t disorder[] = {0, 60, UINT32_MAX};

/*
 * Rounds that fill the tree, and rounds that empty it. Room is reserved for
 * those who are here, so that the bound on the number of nodes is tested too.
 */
START_TEST(test_sums_are_those_of_all_requests_in_order)
{
	struct draw draw = {seed + (uint64_t)_i};
	uint64_t clock = 0;
	size_t most = 0;

	open_dues(&fw_allocator_default);
	for (int round = 0; round < NUM_ROUNDS; round++) {
		uint32_t leave = draw_below(&draw, 100);

		for (int op = 0; op < OPS_PER_ROUND; op++) {
			size_t i = draw_below(&draw, MAX_ENTRIES);

			clock++;
			if (in[i]) {
				change(&draw, i, leave);
				continue;
			}
			if (i >= most)
				most = i + 1;
			ck_assert_int_eq(fw_dues_reserve(&dues, most), 0);
			enter(&draw, i, clock, disorder[_i]);
		}
		check_all();
	}
	for (size_t i = 0; i < MAX_ENTRIES; i++)
		if (in[i])
			change(&draw, i, 100);
	check_all();
	close_dues();
}
END_TEST

/* The leaves in use never exceed what is promised where room is reserved. */
START_TEST(test_a_tree_that_thins_out_gives_its_nodes_back)
{
	struct draw draw = {seed};
	uint32_t leaves = 0;

	open_dues(&fw_allocator_default);
	ck_assert_int_eq(fw_dues_reserve(&dues, MAX_ENTRIES), 0);
	for (size_t i = 0; i < MAX_ENTRIES; i++)
		enter(&draw, i, i, 0);
	ck_assert_uint_eq(dues.leaf_room.used,
			  (MAX_ENTRIES + FW_DUES_LEAF - 1) / FW_DUES_LEAF);
	for (size_t i = 0; i < MAX_ENTRIES; i++)
		if (i % 64)
			change(&draw, i, 100);
	check_all();
	leaves = dues.leaf_room.used;
	for (uint32_t free = dues.leaf_room.free; free != FW_DUES_NONE;
	     free = dues.leaves[free].parent)
		leaves--;
	ck_assert_uint_le(leaves, dues.num / 6 + 8);
	close_dues();
}
END_TEST

START_TEST(test_sums_that_are_too_large_stay_at_the_largest)
{
	open_dues(&fw_allocator_default);
	ck_assert_int_eq(fw_dues_reserve(&dues, 3), 0);
	for (size_t i = 0; i < 3; i++) {
		struct fw_rank *e = &ranks[i];

		e->seq = i;
		e->by_score = (uint32_t)i + 1;
		fw_dues_insert(&dues, e, INT64_MAX / 2 + 1);
	}
	ck_assert_int_eq(fw_dues_until(&dues, &ranks[2]), INT64_MAX);
	ck_assert_int_eq(fw_dues_slack(&dues), FW_DUES_NEVER);
	fw_dues_set_due(&dues, &ranks[2], -5);
	ck_assert_int_eq(fw_dues_slack(&dues), INT64_MIN);
	close_dues();
}
END_TEST

START_TEST(test_a_reserve_that_fails_leaves_all_as_it_was)
{
	struct fail_alloc fail;
	struct draw draw = {seed};

	fail_alloc_init(&fail);
	open_dues(&fail.allocator);
	ck_assert_int_eq(fw_dues_reserve(&dues, 50), 0);
	for (size_t i = 0; i < 50; i++)
		enter(&draw, i, i, 0);
	for (size_t left = 0; left < 3; left++) {
		fail_alloc_after(&fail, left);
		ck_assert_int_eq(fw_dues_reserve(&dues, 100000u << left),
				 -ENOMEM);
		check_all();
	}
	fail_alloc_disarm(&fail);
	ck_assert_int_eq(fw_dues_reserve(&dues, SIZE_MAX / 2), -ENOMEM);
	check_all();
	close_dues();
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

static Suite *dues_suite(void)
{
	Suite *suite = suite_create("dues");
	TCase *tcase = tcase_create("dues");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_sums_are_those_of_all_requests_in_order,
			    0, 3);
	tcase_add_test(tcase, test_a_tree_that_thins_out_gives_its_nodes_back);
	tcase_add_test(tcase, test_sums_that_are_too_large_stay_at_the_largest);
	tcase_add_test(tcase, test_a_reserve_that_fails_leaves_all_as_it_was);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(dues_suite());
}
