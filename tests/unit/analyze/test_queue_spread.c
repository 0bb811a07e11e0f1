/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/analyze/queue_spread.h"

/* How far apart the work of those that wait together lies. */

static uint64_t seed;

static struct draw draw_of(int number)
{
	return (struct draw){seed + (uint64_t)number * 0x632be59bd9b4e019};
}

/* Eleven wait at once; nearest rank: p90 is the 10th, p10 the 2nd. */
START_TEST(test_spread_as_worked_out_by_hand)
{
	struct queued reqs[12];
	struct queue_spread spread;

	for (uint32_t i = 0; i < 11; i++)
		reqs[i] = (struct queued){1.0, 10.0, 10 * (i + 1)};
	/* The others are gone when it arrives, and it starts at once. */
	reqs[11] = (struct queued){10.0, 10.0, 5};
	ck_assert_int_eq(queue_spread_init(&spread, reqs, 12), 0);
	ck_assert_uint_eq(spread.arrivals, 12);
	ck_assert_uint_eq(spread.together, 11);
	ck_assert(spread.waiting.p50 == 11.0 && spread.max_waiting == 11.0);
	ck_assert(spread.max_min.p50 == 11.0 && spread.max_min.p90 == 11.0);
	ck_assert(spread.p90_p10.p50 == 5.0);
	ck_assert(spread.wait_s.p50 == 9.0);
}
END_TEST

START_TEST(test_a_queue_of_one_has_no_spread)
{
	const struct queued req = {0.0, 1.0, 7};
	struct queue_spread spread;

	ck_assert_int_eq(queue_spread_init(&spread, &req, 1), 0);
	ck_assert_uint_eq(spread.together, 0);
	ck_assert(isnan(spread.max_min.p50) && isnan(spread.p90_p10.p90));
	ck_assert_int_eq(queue_spread_init(&spread, NULL, 0), 0);
	ck_assert_uint_eq(spread.arrivals, 0);
	ck_assert(isnan(spread.waiting.p50));
}
END_TEST

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(double *values, size_t num, unsigned int percent)
{
	qsort(values, num, sizeof(*values), by_value);
	return values[(num * percent + 99) / 100 - 1];
}

enum {
	MOST = 300
};

/* By definition: at every arrival, look at all requests. */
static void naive_spread(const struct queued *reqs, size_t num,
			 struct queue_spread *spread)
{
	double waiting[MOST], max_min[MOST], p90_p10[MOST], work[MOST];

	spread->together = 0;
	for (size_t i = 0; i < num; i++) {
		double now = reqs[i].arrival_s;
		size_t n = 0;

		for (size_t j = 0; j < num; j++)
			if (reqs[j].arrival_s <= now && reqs[j].start_s > now)
				work[n++] = reqs[j].work;
		waiting[i] = (double)n;
		if (n < 2)
			continue;
		p90_p10[spread->together] =
			percentile(work, n, 90) / percentile(work, n, 10);
		max_min[spread->together++] = work[n - 1] / work[0];
	}
	spread->waiting.p90 = percentile(waiting, num, 90);
	spread->max_waiting = waiting[num - 1];
	if (!spread->together)
		return;
	spread->max_min.p50 = percentile(max_min, spread->together, 50);
	spread->max_min.p90 = percentile(max_min, spread->together, 90);
	spread->p90_p10.p50 = percentile(p90_p10, spread->together, 50);
	spread->p90_p10.p90 = percentile(p90_p10, spread->together, 90);
}

/* Few different times and works, so that ties of all kinds come up. */
START_TEST(test_spread_equals_its_definition)
{
	struct draw draw = draw_of(_i);
	size_t num = 1 + draw_below(&draw, MOST);
	struct queue_spread got, want;
	struct queued reqs[MOST];
	double now = 0.0;

	for (size_t i = 0; i < num; i++) {
		now += (double)draw_below(&draw, 3);
		reqs[i].arrival_s = now;
		reqs[i].start_s = now + (double)draw_below(&draw, 20);
		reqs[i].work = 1 + draw_below(&draw, _i % 2 ? 5 : 100000);
	}
	naive_spread(reqs, num, &want);
	ck_assert_int_eq(queue_spread_init(&got, reqs, num), 0);
	ck_assert_uint_eq(got.together, want.together);
	ck_assert(got.waiting.p90 == want.waiting.p90);
	ck_assert(got.max_waiting == want.max_waiting);
	if (!want.together)
		return;
	ck_assert(got.max_min.p50 == want.max_min.p50);
	ck_assert(got.max_min.p90 == want.max_min.p90);
	ck_assert(got.p90_p10.p50 == want.p90_p10.p50);
	ck_assert(got.p90_p10.p90 == want.p90_p10.p90);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("queue_spread");
	TCase *tcase = tcase_create("queue_spread");

	seed = draw_seed();
	tcase_add_test(tcase, test_spread_as_worked_out_by_hand);
	tcase_add_test(tcase, test_a_queue_of_one_has_no_spread);
	tcase_add_loop_test(tcase, test_spread_equals_its_definition, 0, 100);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
