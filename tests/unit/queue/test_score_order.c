/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "lib/queue/score_order.h"
#include "tests/support/run.h"
#include "tools/policy/score_sort.h"

/*
 * The order of the fast lane against a plain qsort() of all scores, in
 * histories full of ties. FAIRWAY_SEED repeats a run.
 */

#define NUM_ENTRIES 96
#define NUM_CASES 64
#define NUM_STEPS 60

static uint64_t seed;

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(draw(state) % n);
}

/**
 * struct world - an order, what should be in it, and the chances
 * @order: under test
 * @sort: what @order is made of, in that form
 * @reqs: whose entries it holds
 * @in: is it in?
 * @now: of the last advance
 * @next_seq: for the next entry that enters
 * @state: of the generator
 * @wide: draw values so that ties are rare, not common
 * @wait_constant: of the order
 */
struct world {
	struct fw_score_order order;
	struct score_sort sort;
	struct fw_request reqs[NUM_ENTRIES];
	bool in[NUM_ENTRIES];
	double now;
	uint64_t next_seq;
	uint64_t state;
	bool wide;
	double wait_constant;
};

static struct world world;

/* In one of two forms: 0 is the kinetic heap, 1 the sort. */
static void start(int form, uint64_t state, double wait_constant)
{
	memset(&world, 0, sizeof(world));
	world.state = state;
	world.next_seq = 1;
	world.wide = draw(&world.state) & 1;
	world.wait_constant = wait_constant;
	score_sort_init(&world.sort, wait_constant, &fw_allocator_default);
	fw_score_order_init(&world.order, form ? &score_sort_ops : NULL,
			    &world.sort, wait_constant, &fw_allocator_default);
	ck_assert_int_eq(fw_score_order_reserve(&world.order, NUM_ENTRIES), 0);
}

static void finish(void)
{
	fw_score_order_destroy(&world.order);
	score_sort_destroy(&world.sort);
}

static void check_valid(void)
{
	if (!fw_score_order_valid(&world.order))
		ck_abort_msg("not valid, FAIRWAY_SEED=%" PRIu64, seed);
}

static void draw_line(struct fw_rank *e)
{
	static const double slos[] = {1.0, 1.0, 1.5, 2.0, 8.0, 1e-3, 1e6};
	uint64_t *s = &world.state;

	e->cost = 1 + below(s, world.wide ? 16000 : 3);
	e->hit = below(s, world.wide ? 16000 : 4);
	e->unit = slos[below(s, 7)];
	e->arrival = world.now - below(s, 4) + 1.0;
	if (world.wide) {
		e->unit = 1.0 + below(s, 1000000) / 1e6;
		e->arrival = world.now - below(s, 1000000) / 1e5;
	}
}

/* Enter, leave or change: each entry with some chance. */
static void stir(void)
{
	uint64_t *s = &world.state;

	for (int i = 0; i < NUM_ENTRIES; i++) {
		struct fw_rank *e = &fw_queued(&world.reqs[i])->rank;

		if (below(s, 4))
			continue;
		if (!world.in[i]) {
			draw_line(e);
			e->seq = world.next_seq++;
			fw_score_order_insert(&world.order, e);
		} else if (below(s, 2)) {
			draw_line(e);
			fw_score_order_rescore(&world.order, e);
			continue;
		} else {
			fw_score_order_remove(&world.order, e);
		}
		world.in[i] = !world.in[i];
	}
}

static double score(const struct fw_rank *e)
{
	double unit = world.wait_constant;

	return fw_score(e->hit, e->cost, e->arrival,
			unit > 0.0 ? unit : e->unit, world.now);
}

static int by_score(const void *a, const void *b)
{
	const struct fw_rank *x = *(const struct fw_rank *const *)a;
	const struct fw_rank *y = *(const struct fw_rank *const *)b;
	double sx = score(x), sy = score(y);

	if (sx != sy)
		return sx > sy ? -1 : 1;
	if (x->arrival != y->arrival)
		return x->arrival < y->arrival ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static size_t naive_sort(struct fw_rank **sorted)
{
	size_t num = 0;

	for (int i = 0; i < NUM_ENTRIES; i++)
		if (world.in[i])
			sorted[num++] = &fw_queued(&world.reqs[i])->rank;
	qsort(sorted, num, sizeof(*sorted), by_score);
	return num;
}

static void leave(struct fw_rank *e)
{
	fw_score_order_remove(&world.order, e);
	world.in[fw_queued_request(fw_queued_of(e)) - world.reqs] = false;
}

/* Take some from the front, others from anywhere: the rest stays in order. */
static void take_some(void)
{
	struct fw_rank *sorted[NUM_ENTRIES];
	size_t num = naive_sort(sorted);
	size_t stop = below(&world.state, NUM_ENTRIES);

	for (size_t i = 0; i < num && stop; i++) {
		size_t j = i + below(&world.state, (uint32_t)(num - i));

		if (!world.in[fw_queued_request(fw_queued_of(sorted[i])) -
			      world.reqs])
			continue;
		if (fw_score_order_first(&world.order) != sorted[i])
			ck_abort_msg("place %zu of %zu, FAIRWAY_SEED=%" PRIu64,
				     i, num, seed);
		leave(sorted[i]);
		if (world.in[fw_queued_request(fw_queued_of(sorted[j])) -
			     world.reqs] &&
		    !below(&world.state, 3))
			leave(sorted[j]);
		stop--;
	}
	check_valid();
}

/* Mostly small steps; an idle hour; and a clock that is put back. */
static void tick(void)
{
	uint32_t kind = below(&world.state, 20);

	if (kind == 0)
		world.now += 3600.0;
	else if (kind == 1)
		world.now -= 5.0;
	else if (kind < 8)
		world.now += 1.0;
	else
		world.now += 0.03;
	fw_score_order_advance(&world.order, world.now);
	check_valid();
}

START_TEST(test_the_order_is_that_of_a_full_sort)
{
	for (uint64_t i = 0; i < NUM_CASES; i++) {
		start(_i & 1, seed + (uint64_t)_i * NUM_CASES + i,
		      _i & 2 ? 2.5 : 0.0);
		for (int step = 0; step < NUM_STEPS; step++) {
			stir();
			tick();
			take_some();
		}
		finish();
	}
}
END_TEST

START_TEST(test_equal_scores_go_by_arrival_then_first_call)
{
	/* All 2: by arrival the last two come first, of them 3 by its seq. */
	static const uint32_t hits[] = {2, 4, 6, 2, 200};
	static const uint32_t costs[] = {1, 2, 3, 1, 100};
	static const double arrivals[] = {9, 9, 9, 8, 8};
	static const int want[] = {3, 4, 0, 1, 2};

	start(_i, 1, 0.0);
	for (int i = 0; i < 5; i++) {
		struct fw_rank *e = &fw_queued(&world.reqs[i])->rank;

		*e = (struct fw_rank){
			.hit = hits[i],
			.cost = costs[i],
			.arrival = arrivals[i],
			.seq = 10 + (uint64_t)i,
			.unit = 1.0,
		};
		fw_score_order_insert(&world.order, e);
	}
	/* Before they arrive nobody has waited. */
	fw_score_order_advance(&world.order, 0.0);
	for (int i = 0; i < 5; i++) {
		struct fw_rank *e = &fw_queued(&world.reqs[want[i]])->rank;

		ck_assert_ptr_eq(fw_score_order_first(&world.order), e);
		fw_score_order_remove(&world.order, e);
	}
	ck_assert_ptr_null(fw_score_order_first(&world.order));
	finish();
}
END_TEST

START_TEST(test_a_long_wait_lifts_a_miss_over_a_hit)
{
	struct fw_rank *hit, *miss;

	start(_i, 1, 0.0);
	hit = &fw_queued(&world.reqs[0])->rank;
	miss = &fw_queued(&world.reqs[1])->rank;
	*hit = (struct fw_rank){.hit = 20, .cost = 1, .seq = 1, .unit = 4.0};
	*miss = (struct fw_rank){.cost = 1, .seq = 2, .unit = 1.0};
	fw_score_order_insert(&world.order, miss);
	fw_score_order_insert(&world.order, hit);
	/* 20 + t / 4 against t: equal at 80 / 3. */
	fw_score_order_advance(&world.order, 26.6);
	ck_assert_ptr_eq(fw_score_order_first(&world.order), hit);
	fw_score_order_advance(&world.order, 26.7);
	ck_assert_ptr_eq(fw_score_order_first(&world.order), miss);
	fw_score_order_advance(&world.order, 26.6);
	ck_assert_ptr_eq(fw_score_order_first(&world.order), hit);
	finish();
}
END_TEST

START_TEST(test_an_empty_order_has_no_first)
{
	struct fw_rank *e;

	start(_i, 1, 0.0);
	ck_assert_ptr_null(fw_score_order_first(&world.order));
	fw_score_order_advance(&world.order, 1.0);
	ck_assert_ptr_null(fw_score_order_first(&world.order));
	e = &fw_queued(&world.reqs[0])->rank;
	*e = (struct fw_rank){.cost = 1, .seq = 1, .unit = 1.0};
	fw_score_order_insert(&world.order, e);
	fw_score_order_remove(&world.order, e);
	fw_score_order_advance(&world.order, 2.0);
	ck_assert_ptr_null(fw_score_order_first(&world.order));
	check_valid();
	finish();
}
END_TEST

static Suite *score_order_suite(void)
{
	Suite *suite = suite_create("score_order");
	TCase *tcase = tcase_create("score_order");

	/* Every test in both forms: the kinetic heap and the sort. */
	tcase_add_loop_test(tcase, test_the_order_is_that_of_a_full_sort, 0, 4);
	tcase_add_loop_test(tcase,
			    test_equal_scores_go_by_arrival_then_first_call, 0,
			    2);
	tcase_add_loop_test(tcase, test_a_long_wait_lifts_a_miss_over_a_hit, 0,
			    2);
	tcase_add_loop_test(tcase, test_an_empty_order_has_no_first, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	const char *text = getenv("FAIRWAY_SEED");

	seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
	printf("# FAIRWAY_SEED=%" PRIu64 "\n", seed);
	fflush(stdout);
	return run_suite(score_order_suite());
}
