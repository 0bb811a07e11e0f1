/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/queue/arrivals.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/*
 * The fair lane against a search of all that wait, on arrivals that come in
 * order, nearly so, and in none.
 */

#define MAX_ENTRIES 200
#define NUM_CASES 40
#define NUM_STEPS 2000

static uint64_t seed;

static struct fw_arrivals arrivals;
static struct fw_request reqs[MAX_ENTRIES];
static bool in[MAX_ENTRIES];

/* How far back an arrival may lie: never, a little, anywhere. */
static const double disorder[] = {0.0, 3.0, 1000.0};

static void open_arrivals(void)
{
	memset(reqs, 0, sizeof(reqs));
	memset(in, 0, sizeof(in));
	fw_arrivals_init(&arrivals, &fw_allocator_default);
	ck_assert_int_eq(fw_arrivals_reserve(&arrivals, MAX_ENTRIES), 0);
}

static struct fw_rank *naive_first(void)
{
	struct fw_rank *first = NULL;

	for (int i = 0; i < MAX_ENTRIES; i++) {
		struct fw_rank *e = &fw_queued(&reqs[i])->rank;

		if (!in[i])
			continue;
		if (!first || e->arrival < first->arrival ||
		    (e->arrival == first->arrival && e->seq < first->seq))
			first = e;
	}
	return first;
}

static void insert(int i, double arrival, uint64_t seq)
{
	struct fw_rank *e = &fw_queued(&reqs[i])->rank;

	e->arrival = arrival;
	e->seq = seq;
	fw_arrivals_insert(&arrivals, e);
	in[i] = true;
}

static void drop(struct fw_rank *e)
{
	fw_arrivals_remove(&arrivals, e);
	ck_assert_uint_eq(e->by_arrival.position, 0);
	in[fw_queued_request(fw_queued_of(e)) - reqs] = false;
}

static void turn(struct draw *draw, int step)
{
	double back = disorder[draw_below(draw, 3)];
	int i = (int)draw_below(draw, MAX_ENTRIES);

	if (in[i])
		drop(&fw_queued(&reqs[i])->rank);
	else if (one_in(draw, 3))
		/* An equal arrival, and a sequence from before. */
		insert(i, step / 8,
		       1 + draw_below(draw, 9) * 100000u + (uint64_t)step);
	else
		insert(i, step - back * draw_below(draw, 100) / 100.0,
		       (uint64_t)step + 1);
	if (one_in(draw, 4) && naive_first())
		drop(fw_arrivals_first(&arrivals));
}

START_TEST(test_the_first_is_the_oldest_whatever_the_order_they_came_in)
{
	for (uint64_t i = 0; i < NUM_CASES; i++) {
		struct draw draw = {.state = seed + i};

		open_arrivals();
		for (int step = 0; step < NUM_STEPS; step++) {
			turn(&draw, step);
			ck_assert_msg(fw_arrivals_first(&arrivals) ==
					      naive_first(),
				      "step %d, FAIRWAY_SEED=%" PRIu64, step,
				      seed);
			if (!(step % 16))
				ck_assert(fw_arrivals_valid(&arrivals));
		}
		fw_arrivals_destroy(&arrivals);
	}
}
END_TEST

/* Order is what makes it cheap: who comes in order must not be sifted. */
START_TEST(test_only_those_out_of_order_are_in_the_heap)
{
	open_arrivals();
	for (int i = 0; i < 100; i++)
		insert(i, i, (uint64_t)i + 1);
	ck_assert_uint_eq(arrivals.late.num, 0);
	/* Clocks of producers differ by a few requests. */
	insert(100, 95.5, 101);
	ck_assert_uint_eq(arrivals.late.num, 0);
	/* Put back. */
	insert(101, 3.5, 102);
	ck_assert_uint_eq(arrivals.late.num, 1);
	ck_assert_uint_eq(fw_arrivals_num(&arrivals), 102);
	ck_assert(fw_arrivals_valid(&arrivals));
	for (int i = 0; i < 4; i++)
		drop(fw_arrivals_first(&arrivals));
	ck_assert_ptr_eq(fw_arrivals_first(&arrivals),
			 &fw_queued(&reqs[101])->rank);
	fw_arrivals_destroy(&arrivals);
}
END_TEST

START_TEST(test_each_entry_is_visited_once)
{
	size_t seen = 0;

	open_arrivals();
	for (int i = 0; i < 40; i++)
		insert(i, i % 2 ? i : -i, (uint64_t)i + 1);
	ck_assert_uint_gt(arrivals.late.num, 0);
	drop(&fw_queued(&reqs[7])->rank);
	for (size_t i = 0; i < fw_arrivals_end(&arrivals); i++) {
		struct fw_rank *e = fw_arrivals_at(&arrivals, i);

		if (!e)
			continue;
		ck_assert(in[fw_queued_request(fw_queued_of(e)) - reqs]);
		in[fw_queued_request(fw_queued_of(e)) - reqs] = false;
		seen++;
	}
	ck_assert_uint_eq(seen, 39);
	ck_assert_uint_eq(fw_arrivals_num(&arrivals), 39);
	fw_arrivals_destroy(&arrivals);
}
END_TEST

START_TEST(test_a_reserve_that_fails_leaves_all_as_it_was)
{
	struct fail_alloc fail;
	size_t nth = 0;
	int ret;

	fail_alloc_init(&fail);
	memset(reqs, 0, sizeof(reqs));
	memset(in, 0, sizeof(in));
	fw_arrivals_init(&arrivals, &fail.allocator);
	ck_assert_int_eq(fw_arrivals_reserve(&arrivals, 2), 0);
	insert(0, 5.0, 1);
	insert(1, 6.0, 2);
	do {
		fail_alloc_after(&fail, nth++);
		ret = fw_arrivals_reserve(&arrivals, MAX_ENTRIES);
		fail_alloc_disarm(&fail);
		ck_assert(!ret || ret == -ENOMEM);
		ck_assert(fw_arrivals_valid(&arrivals));
		ck_assert_ptr_eq(fw_arrivals_first(&arrivals),
				 &fw_queued(&reqs[0])->rank);
	} while (ret);
	ck_assert_uint_eq(fail.failed, 2);
	insert(2, 4.0, 3);
	ck_assert_ptr_eq(fw_arrivals_first(&arrivals),
			 &fw_queued(&reqs[2])->rank);
	ck_assert_int_eq(fw_arrivals_reserve(&arrivals, SIZE_MAX), -ENOMEM);
	fw_arrivals_destroy(&arrivals);
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

static Suite *arrivals_suite(void)
{
	Suite *suite = suite_create("arrivals");
	TCase *tcase = tcase_create("arrivals");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(
		tcase,
		test_the_first_is_the_oldest_whatever_the_order_they_came_in);
	tcase_add_test(tcase, test_only_those_out_of_order_are_in_the_heap);
	tcase_add_test(tcase, test_each_entry_is_visited_once);
	tcase_add_test(tcase, test_a_reserve_that_fails_leaves_all_as_it_was);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(arrivals_suite());
}
