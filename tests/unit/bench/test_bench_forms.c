/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/bench/bench.h"
#include "tools/bench/queue.h"

/*
 * A comparison is worth something only where all do the same work: each form
 * of the queue must release what the library's lanes release.
 */

#define MAX_WAITING 300
#define NUM_STEPS 100

static uint64_t seed;

static const struct bench_order_ops *const forms[] = {
	&bench_kinetic, &bench_best,   &bench_rekey, &bench_radix,
	&bench_merge,	&bench_resort, &bench_sort,
};

#define NUM_FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

struct history {
	uint64_t ids[NUM_STEPS][BENCH_BATCH];
};

/* Few lines, many ties: arrivals in pairs, two lengths, two hits. */
static void make_alike(struct bench_arrival *next, uint64_t i)
{
	next->req->len = i % 3 ? 400 : 8000;
	next->hit = i % 5 ? 200 : 0;
	next->slo = i % 3 ? 1.0 : 4.0;
	next->arrival = (double)(int64_t)(next->arrival * 50.0) / 50.0;
}

static void add(struct bench_queue *queue, struct bench_arrival *next,
		bool alike)
{
	if (alike)
		make_alike(next, next->req->id);
	ck_assert_int_eq(bench_queue_add(queue, next), 0);
}

static void serve(struct bench_world *world, struct bench_queue *queue,
		  uint64_t ids[BENCH_BATCH], bool alike)
{
	struct bench_arrival arrivals[BENCH_BATCH];
	struct fw_request *out[BENCH_BATCH];
	size_t num;

	bench_world_step(world, arrivals);
	for (unsigned int i = 0; i < BENCH_BATCH; i++)
		add(queue, &arrivals[i], alike);
	num = bench_queue_serve(queue, world->now, out);
	ck_assert_uint_eq(num, BENCH_BATCH);
	for (size_t i = 0; i < num; i++) {
		ids[i] = out[i]->id;
		bench_world_release(world, out[i]);
	}
}

static void run(struct history *history, const struct bench_order_ops *ops,
		uint32_t waiting, uint64_t draws, bool alike)
{
	struct bench_world world;
	struct bench_queue queue;
	struct bench_arrival next;

	ck_assert_int_eq(bench_world_init(&world, waiting, draws), 0);
	ck_assert_int_eq(bench_queue_init(&queue, ops, waiting + BENCH_BATCH,
					  waiting + BENCH_BATCH * NUM_STEPS),
			 0);
	for (uint32_t i = 0; i < waiting; i++) {
		bench_world_draw(&world, i * BENCH_STEP_S / BENCH_BATCH, &next);
		add(&queue, &next, alike);
	}
	for (int i = 0; i < NUM_STEPS; i++)
		serve(&world, &queue, history->ids[i], alike);
	bench_queue_destroy(&queue);
	bench_world_destroy(&world);
}

START_TEST(test_every_form_releases_what_the_lanes_release)
{
	struct draw draw = {.state = seed + (uint64_t)_i};
	struct history *want = malloc(sizeof(*want));
	struct history *have = malloc(sizeof(*have));

	ck_assert_ptr_nonnull(want);
	ck_assert_ptr_nonnull(have);
	for (int i = 0; i < 20; i++) {
		uint32_t waiting = draw_below(&draw, MAX_WAITING);
		uint64_t draws = draw_u64(&draw);
		bool alike = i % 2;

		run(want, NULL, waiting, draws, alike);
		run(have, forms[_i], waiting, draws, alike);
		ck_assert_msg(!memcmp(want, have, sizeof(*want)),
			      "%s, %u waiting, alike %d, FAIRWAY_SEED=%" PRIu64,
			      forms[_i]->name, waiting, alike, seed);
	}
	free(want);
	free(have);
}
END_TEST

START_TEST(test_ranks_are_nearest)
{
	const double values[] = {1.0, 2.0, 3.0, 4.0, 5.0};

	ck_assert(bench_rank(values, 1, 0.99) == 1.0);
	ck_assert(bench_rank(values, 2, 0.5) == 1.0);
	ck_assert(bench_rank(values, 5, 0.5) == 3.0);
	ck_assert(bench_rank(values, 5, 0.99) == 5.0);
}
END_TEST

START_TEST(test_a_row_is_made_of_its_samples)
{
	const struct bench_row names = {.bench = "step", .form = "fairway"};
	const struct bench_row other = {.bench = "step", .form = "scan"};
	struct bench bench = {0};

	for (int k = 1; k <= 2; k++) {
		bench_begin(&bench);
		for (int i = 100; i > 0; i--)
			ck_assert_int_eq(bench_sample(&bench, i * k, i), 0);
		ck_assert_int_eq(bench_end(&bench, k == 1 ? &names : &other),
				 0);
	}
	ck_assert(bench.rows[0].p50_us == 50.0);
	ck_assert(bench.rows[0].p99_us == 99.0);
	ck_assert(bench.rows[0].max_us == 100.0);
	ck_assert(bench.rows[0].mean_us == 50.5);
	ck_assert(bench.rows[0].touched == 50.5);
	ck_assert(bench.rows[0].touched_max == 100.0);
	ck_assert(bench_ratio(&bench, &bench.rows[1]) == 2.0);
	bench_close(&bench);
}
END_TEST

static Suite *bench_forms_suite(void)
{
	Suite *suite = suite_create("bench_forms");
	TCase *tcase = tcase_create("bench_forms");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase,
			    test_every_form_releases_what_the_lanes_release, 0,
			    NUM_FORMS);
	tcase_add_test(tcase, test_ranks_are_nearest);
	tcase_add_test(tcase, test_a_row_is_made_of_its_samples);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(bench_forms_suite());
}
