/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "lib/queue/score_kinetic.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"

/*
 * What a step of the kinetic heap costs, in slots that it looks at: so many
 * for each arrival, release, rescored request and pair that changed places,
 * times the depth of the heap, and none besides. Time is no part of it.
 */

#define BATCH 8
#define STEP_S 0.03

static uint64_t seed;

/**
 * struct world - a heap, and requests at random
 * @heap: under test
 * @reqs: whose entries it holds, or held
 * @num: of them
 * @live: in the heap
 * @now: of the last step
 * @draw: chances
 */
struct world {
	struct fw_kinetic heap;
	struct fw_request *reqs;
	size_t num;
	size_t live;
	double now;
	struct draw draw;
};

static double unit(struct world *w)
{
	return (double)draw_below(&w->draw, 1u << 30) / (1u << 30);
}

static void draw_line(struct world *w, struct fw_rank *e)
{
	uint32_t len = 100 + draw_below(&w->draw, 15901);

	/* A quarter at the floor, as prompts of the benches have it. */
	e->unit = fw_slo((double)len / 8000.0, 3.0, 1.0);
	e->hit = one_in(&w->draw, 2) ? draw_below(&w->draw, len) : 0;
	e->cost = fw_cost_tokens(len, e->hit);
}

static void enter(struct world *w, double arrival)
{
	struct fw_rank *e = &fw_queued(&w->reqs[w->num++])->rank;

	draw_line(w, e);
	e->arrival = arrival;
	e->seq = w->num;
	fw_kinetic_insert(&w->heap, e);
	w->live++;
}

static void open_world(struct world *w, size_t waiting, size_t steps)
{
	size_t all = waiting + BATCH * steps;

	*w = (struct world){.draw = {.state = seed + waiting}};
	w->reqs = calloc(all, sizeof(*w->reqs));
	ck_assert_ptr_nonnull(w->reqs);
	fw_kinetic_init(&w->heap, 0.0, &fw_allocator_default);
	ck_assert_int_eq(fw_kinetic_reserve(&w->heap, waiting + BATCH), 0);
	for (size_t i = 0; i < waiting; i++)
		enter(w, (double)i * STEP_S / BATCH);
	w->now = (double)waiting * STEP_S / BATCH;
	fw_kinetic_advance(&w->heap, w->now);
}

static void close_world(struct world *w)
{
	fw_kinetic_destroy(&w->heap);
	free(w->reqs);
}

static struct fw_rank *at(const struct world *w, size_t slot)
{
	return w->heap.at.ties[w->heap.at.handles[slot]].rank;
}

static double score_of(const struct fw_rank *e, double now)
{
	return fw_score(e->hit, e->cost, e->arrival, e->unit, now);
}

/* Edges of the heap that are out of order at @now: what must be mended. */
static size_t crossed(const struct world *w, double now)
{
	size_t num = 0;

	for (size_t slot = 1; slot < w->heap.at.num; slot++) {
		const struct fw_rank *child = at(w, slot);
		const struct fw_rank *parent = at(w, fw_kinetic_parent(slot));

		num += score_of(child, now) > score_of(parent, now);
	}
	return num;
}

static size_t depth_of(size_t num)
{
	size_t depth = 1;

	while (num > 1) {
		num /= FW_KINETIC_ARY;
		depth++;
	}
	return depth;
}

static void leave(struct world *w, struct fw_rank *e)
{
	fw_kinetic_remove(&w->heap, e);
	w->live--;
}

/* Half of what leaves is first, half stands anywhere, as in both lanes. */
static void release(struct world *w)
{
	for (int i = 0; i < BATCH; i++) {
		size_t slot = draw_below(&w->draw, (uint32_t)w->live);

		leave(w, i % 2 ? fw_kinetic_first(&w->heap) : at(w, slot));
	}
}

static void rescore(struct world *w, size_t num)
{
	for (size_t i = 0; i < num; i++) {
		struct fw_rank *e =
			at(w, draw_below(&w->draw, (uint32_t)w->live));

		draw_line(w, e);
		fw_kinetic_rescore(&w->heap, e);
	}
}

/**
 * struct bill - what was touched, and what it was touched for
 */
struct bill {
	uint64_t touched;
	uint64_t work;
	double worst;
};

static void charge(const struct world *w, struct bill *bill, uint64_t touched,
		   size_t changes)
{
	uint64_t work = changes * depth_of(w->live);
	double share = (double)touched / (double)work;

	bill->touched += touched;
	bill->work += work;
	if (share > bill->worst)
		bill->worst = share;
}

static void step(struct world *w, struct bill *bill, size_t rescored)
{
	uint64_t before = w->heap.touched;
	size_t num;

	for (int i = 0; i < BATCH; i++)
		enter(w, w->now + unit(w) * STEP_S);
	rescore(w, rescored);
	w->now += STEP_S;
	num = crossed(w, w->now);
	fw_kinetic_advance(&w->heap, w->now);
	release(w);
	charge(w, bill, w->heap.touched - before, 2 * BATCH + rescored + num);
}

/* A million takes its time to fill, so it is stepped less often. */
static const struct {
	size_t waiting;
	size_t steps;
} sizes[] = {{100, 400}, {1000, 400}, {10000, 200}, {100000, 60}, {1000000, 6}};

#define NUM_SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

START_TEST(test_a_step_touches_what_changed_times_the_depth)
{
	size_t steps = sizes[_i].steps;
	struct bill bill = {0};
	struct world w;

	open_world(&w, sizes[_i].waiting, steps);
	for (size_t i = 0; i < steps; i++)
		step(&w, &bill, i % 3 ? 0 : 64);
	printf("# %zu waiting: %.2f of changes times depth, %.2f at worst\n",
	       sizes[_i].waiting, (double)bill.touched / (double)bill.work,
	       bill.worst);
	fflush(stdout);
	ck_assert_uint_le(bill.touched, bill.work);
	ck_assert_msg(bill.worst <= 2.0, "%.2f, FAIRWAY_SEED=%" PRIu64,
		      bill.worst, seed);
	close_world(&w);
}
END_TEST

START_TEST(test_an_idle_advance_touches_what_crossed)
{
	static const double gaps[] = {1e-9, 1e-6, 1e-3, 0.03, 60.0, 3600.0};
	struct world w;

	open_world(&w, sizes[_i].waiting, 0);
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		uint64_t before = w.heap.touched;
		size_t num;

		w.now += gaps[i];
		num = crossed(&w, w.now);
		fw_kinetic_advance(&w.heap, w.now);
		ck_assert_msg(w.heap.touched - before <=
				      2 * (num + 1) * depth_of(w.live),
			      "%" PRIu64 " for %zu after %g s, "
			      "FAIRWAY_SEED=%" PRIu64,
			      w.heap.touched - before, num, gaps[i], seed);
	}
	close_world(&w);
}
END_TEST

/* Where no lines cross time alone costs nothing, however many wait. */
START_TEST(test_an_advance_without_a_crossing_touches_nothing)
{
	size_t waiting = sizes[_i].waiting;
	uint64_t before;
	struct world w;

	open_world(&w, waiting, 0);
	for (size_t i = 0; i < waiting; i++) {
		struct fw_rank *e = &fw_queued(&w.reqs[i])->rank;

		e->unit = 1.0;
		e->hit = (uint32_t)(waiting - i);
		e->cost = 1;
		fw_kinetic_rescore(&w.heap, e);
	}
	fw_kinetic_advance(&w.heap, w.now);
	before = w.heap.touched;
	for (int i = 0; i < 100; i++)
		fw_kinetic_advance(&w.heap, w.now += STEP_S);
	fw_kinetic_advance(&w.heap, w.now + 3600.0);
	ck_assert_uint_eq(w.heap.touched, before);
	close_world(&w);
}
END_TEST

static Suite *step_touches_suite(void)
{
	Suite *suite = suite_create("step_touches");
	TCase *tcase = tcase_create("step_touches");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase,
			    test_a_step_touches_what_changed_times_the_depth, 0,
			    NUM_SIZES);
	tcase_add_loop_test(tcase, test_an_idle_advance_touches_what_crossed, 0,
			    NUM_SIZES);
	tcase_add_loop_test(tcase,
			    test_an_advance_without_a_crossing_touches_nothing,
			    0, NUM_SIZES);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(step_touches_suite());
}
