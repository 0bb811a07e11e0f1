/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/queue/queued.h"
#include "lib/queue/score_kinetic.h"
#include "tools/policy/score_sort.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"

/*
 * The kinetic heap against the full sort, release by release, on histories
 * that are made to hurt: lines that are equal, parallel or an ulp apart, that
 * cross in storms and cross back, and clocks that creep, jump and go back.
 */

#define NUM_CASES 60
#define NUM_STEPS 200
#define MAX_ENTRIES 400

static uint64_t seed;

enum flavour {
	FLAVOUR_ONE_SLOPE, /* the floor binds: lines are parallel */
	FLAVOUR_FEW_SLOPES,
	FLAVOUR_ULPS, /* slopes a few ulps apart */
	FLAVOUR_EQUAL_LINES, /* equal ratio and slope, equal arrivals */
	FLAVOUR_STORM, /* two groups of lines that cross at once */
	FLAVOUR_NEAR_TIES, /* scores an ulp or two apart */
	FLAVOUR_CROSS_BACK, /* two lines each, by turns: crossings undone */
	FLAVOUR_WIDE,
	NUM_FLAVOURS,
};

/* Two of each request, one for each form of the order. */
struct twins {
	struct fw_kinetic kinetic;
	struct score_sort sort;
	struct fw_request a[MAX_ENTRIES];
	struct fw_request b[MAX_ENTRIES];
	bool in[MAX_ENTRIES];
	size_t num;
	size_t live;
	uint64_t next_seq;
	struct draw draw;
	double now;
	enum flavour flavour;
};

static double unit(struct twins *t)
{
	return (double)draw_below(&t->draw, 1u << 30) / (1u << 30);
}

static double draw_slo(struct twins *t)
{
	switch (t->flavour) {
	case FLAVOUR_ONE_SLOPE:
	case FLAVOUR_EQUAL_LINES:
		return 1.0;
	case FLAVOUR_FEW_SLOPES:
		return 1.0 + (double)draw_below(&t->draw, 3);
	case FLAVOUR_ULPS:
		return 1.0 + (double)draw_below(&t->draw, 4) * 0x1p-52;
	case FLAVOUR_NEAR_TIES:
		return draw_below(&t->draw, 4) ? 1.0 : 1.0 + 0x1p-52;
	case FLAVOUR_STORM:
		return draw_below(&t->draw, 2) ? 1.0 : 2.0;
	default:
		return 0.01 + 10.0 * unit(t);
	}
}

/* A few ulps around a time that others stand around too. */
static double near_whole(struct twins *t)
{
	double at = (double)(int64_t)t->now + 1.0;

	for (uint32_t ulps = draw_below(&t->draw, 4); ulps; ulps--)
		at = nextafter(at, 0.0);
	return at;
}

/* One of two lines that cross 2 s after the arrival, which stays. */
static void draw_turn(struct twins *t, struct fw_rank *e)
{
	bool flat = e->by_score ? e->unit == 1.0 : draw_below(&t->draw, 2);

	if (!e->by_score)
		e->arrival = t->now - 4.0 * unit(t);
	e->unit = flat ? 2.0 : 1.0;
	e->hit = flat;
	e->cost = 1;
}

static void draw_line(struct twins *t, struct fw_rank *e)
{
	if (t->flavour == FLAVOUR_CROSS_BACK) {
		draw_turn(t, e);
		return;
	}
	e->unit = draw_slo(t);
	e->hit = draw_below(&t->draw, 100);
	e->cost = 1 + draw_below(&t->draw, 1000);
	e->arrival = t->now;
	if (!draw_below(&t->draw, 3))
		e->arrival += 2.0 * (unit(t) - 0.7);
	if (t->flavour == FLAVOUR_EQUAL_LINES) {
		e->hit = 0;
		e->arrival = (double)(int64_t)t->now;
	}
	if (t->flavour == FLAVOUR_NEAR_TIES) {
		e->hit = draw_below(&t->draw, 2);
		e->cost = 3;
		e->arrival = near_whole(t);
	}
	if (t->flavour == FLAVOUR_STORM) {
		/* All cross 2 s after the later half arrived. */
		e->hit = e->unit > 1.0 ? 1 : 0;
		e->cost = 1;
		e->arrival = (double)(int64_t)t->now;
	}
}

static void mirror(const struct fw_rank *from, struct fw_rank *to)
{
	to->arrival = from->arrival;
	to->unit = from->unit;
	to->hit = from->hit;
	to->cost = from->cost;
	to->seq = from->seq;
}

static void enter(struct twins *t, size_t i)
{
	struct fw_rank *a = &fw_queued(&t->a[i])->rank,
		       *b = &fw_queued(&t->b[i])->rank;

	draw_line(t, a);
	a->seq = t->next_seq++;
	mirror(a, b);
	ck_assert_int_eq(fw_kinetic_reserve(&t->kinetic, t->live + 1), 0);
	ck_assert_int_eq(score_sort_reserve(&t->sort, t->live + 1), 0);
	fw_kinetic_insert(&t->kinetic, a);
	score_sort_insert(&t->sort, b);
	t->in[i] = true;
	t->live++;
}

static void leave(struct twins *t, size_t i)
{
	fw_kinetic_remove(&t->kinetic, &fw_queued(&t->a[i])->rank);
	score_sort_remove(&t->sort, &fw_queued(&t->b[i])->rank);
	t->in[i] = false;
	t->live--;
}

static void change(struct twins *t, size_t i)
{
	struct fw_rank *a = &fw_queued(&t->a[i])->rank,
		       *b = &fw_queued(&t->b[i])->rank;

	draw_line(t, a);
	mirror(a, b);
	fw_kinetic_rescore(&t->kinetic, a);
	score_sort_rescore(&t->sort, b);
}

static void stir(struct twins *t)
{
	for (uint64_t ops = draw_below(&t->draw, 12); ops; ops--) {
		size_t i = draw_below(&t->draw, (uint32_t)t->num);

		if (!t->in[i])
			enter(t, i);
		else if (draw_below(&t->draw, 2))
			leave(t, i);
		else
			change(t, i);
	}
}

static void tick(struct twins *t)
{
	uint64_t kind = draw_below(&t->draw, 20);

	if (kind < 12)
		t->now += unit(t) * 0.1;
	else if (kind < 15)
		t->now += 1e-9;
	else if (kind < 17)
		t->now += unit(t) * 20000.0;
	else if (kind < 18)
		t->now -= unit(t);
	fw_kinetic_advance(&t->kinetic, t->now);
	score_sort_advance(&t->sort, t->now);
}

/* Release some from both; each must be the same request. */
static void release(struct twins *t)
{
	for (uint64_t left = draw_below(&t->draw, 10); left; left--) {
		struct fw_rank *a = fw_kinetic_first(&t->kinetic);
		struct fw_rank *b = score_sort_first(&t->sort);

		ck_assert_msg(!a == !b && (!a || a->seq == b->seq),
			      "flavour %d: %" PRIu64 " before %" PRIu64
			      ", FAIRWAY_SEED=%" PRIu64,
			      (int)t->flavour, a ? a->seq : 0, b ? b->seq : 0,
			      seed);
		if (!a)
			break;
		leave(t, (size_t)(fw_queued_request(fw_queued_of(a)) - t->a));
	}
}

static void run_case(struct twins *t)
{
	fw_kinetic_init(&t->kinetic, 0.0, &fw_allocator_default);
	score_sort_init(&t->sort, 0.0, &fw_allocator_default);
	for (int step = 0; step < NUM_STEPS; step++) {
		stir(t);
		tick(t);
		ck_assert(fw_kinetic_valid(&t->kinetic));
		release(t);
		ck_assert(fw_kinetic_valid(&t->kinetic));
	}
	score_sort_destroy(&t->sort);
	fw_kinetic_destroy(&t->kinetic);
}

START_TEST(test_releases_are_those_of_a_full_sort)
{
	struct twins *t = malloc(sizeof(*t));

	ck_assert_ptr_nonnull(t);
	for (uint64_t i = 0; i < NUM_CASES; i++) {
		memset(t, 0, sizeof(*t));
		t->draw.state = seed + (uint64_t)_i * NUM_CASES + i;
		t->flavour = (enum flavour)_i;
		t->next_seq = 1;
		t->num = 1 + draw_below(&t->draw, MAX_ENTRIES);
		/* Seldom a clock so late that its ulps are coarse. */
		if (!draw_below(&t->draw, 7))
			t->now = unit(t) * 1e7;
		run_case(t);
	}
	free(t);
}
END_TEST

/* Parallel lines never change places: time alone must touch nothing. */
START_TEST(test_time_alone_touches_nothing_where_no_lines_cross)
{
	struct fw_request *reqs = calloc(10000, sizeof(*reqs));
	struct fw_kinetic heap;
	uint64_t before;

	ck_assert_ptr_nonnull(reqs);
	fw_kinetic_init(&heap, 0.0, &fw_allocator_default);
	ck_assert_int_eq(fw_kinetic_reserve(&heap, 10000), 0);
	for (int i = 0; i < 10000; i++) {
		struct fw_rank *e = &fw_queued(&reqs[i])->rank;

		*e = (struct fw_rank){
			.arrival = i * 0.01,
			.unit = 1.0,
			.hit = (uint32_t)(i * 7919) % 1000,
			.cost = 500,
			.seq = 1 + (uint64_t)i,
		};
		fw_kinetic_insert(&heap, e);
	}
	fw_kinetic_advance(&heap, 100.0);
	fw_kinetic_advance(&heap, 100.001);
	before = heap.touched;
	for (int i = 1; i <= 1000; i++)
		fw_kinetic_advance(&heap, 100.001 + i * 0.03);
	/* Scores that differ by rounding alone may be looked at. */
	ck_assert_uint_le(heap.touched - before, 1000 * 4);
	fw_kinetic_destroy(&heap);
	free(reqs);
}
END_TEST

/* In an order that is not that of their sequence. */
static void insert_equal_lines(struct fw_kinetic *heap, struct fw_request *reqs,
			       uint32_t num)
{
	for (uint32_t i = 0; i < num; i++) {
		struct fw_rank *e = &fw_queued(&reqs[i])->rank;

		/* Odd, so that no two are the same below a power of 2. */
		*e = (struct fw_rank){
			.arrival = 1.0,
			.unit = 3.0,
			.hit = 1,
			.cost = 7,
			.seq = 1 + (i * 2654435761u & (num - 1)),
		};
		fw_kinetic_insert(heap, e);
	}
}

START_TEST(test_a_million_equal_lines_leave_by_their_sequence)
{
	const uint32_t num = 1u << 20;
	struct fw_request *reqs = calloc(num, sizeof(*reqs));
	struct draw draw = {.state = seed};
	struct fw_kinetic heap;
	uint64_t before, last = 0;

	ck_assert_ptr_nonnull(reqs);
	fw_kinetic_init(&heap, 0.0, &fw_allocator_default);
	ck_assert_int_eq(fw_kinetic_reserve(&heap, num), 0);
	insert_equal_lines(&heap, reqs, num);
	before = heap.touched;
	fw_kinetic_advance(&heap, 1e4);
	ck_assert_uint_eq(heap.touched, before);
	for (int i = 0; i < 20000; i++) {
		struct fw_rank *e = fw_kinetic_first(&heap);
		struct fw_rank *any =
			&fw_queued(&reqs[draw_below(&draw, num)])->rank;

		ck_assert_uint_gt(e->seq, last);
		last = e->seq;
		fw_kinetic_remove(&heap, e);
		if (any->by_score && i % 2)
			fw_kinetic_remove(&heap, any);
		if (!(i % 1000))
			fw_kinetic_advance(&heap, 1e4 + i);
	}
	ck_assert(fw_kinetic_valid(&heap));
	fw_kinetic_destroy(&heap);
	free(reqs);
}
END_TEST

static Suite *score_kinetic_suite(void)
{
	Suite *suite = suite_create("score_kinetic");
	TCase *tcase = tcase_create("score_kinetic");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_releases_are_those_of_a_full_sort, 0,
			    NUM_FLAVOURS);
	tcase_add_test(tcase,
		       test_a_million_equal_lines_leave_by_their_sequence);
	tcase_add_test(tcase,
		       test_time_alone_touches_nothing_where_no_lines_cross);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(score_kinetic_suite());
}
