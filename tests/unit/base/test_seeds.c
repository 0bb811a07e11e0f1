/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/base/seeds.h"

/* Medians and intervals over seeds, against forms that are written apart. */

static uint64_t seed;

static double unit(struct draw *draw)
{
	return (double)(draw_u64(draw) >> 11) / 9007199254740992.0;
}

/* Values that fall off to one side, as times to first token do. */
static void fill(struct draw *draw, double *values, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++)
		values[i] = -log(1.0 - unit(draw)) * 5.0 - 2.0;
}

/* How many of the values are below and above it says what a median is. */
START_TEST(test_half_lies_on_each_side_of_the_median)
{
	struct draw draw = {.state = seed + (uint64_t)_i};
	unsigned int num = 1 + draw_below(&draw, 20);
	unsigned int below = 0, above = 0;
	double values[20], kept[20];
	double median;

	fill(&draw, values, num);
	memcpy(kept, values, sizeof(kept));
	median = seeds_median(values, num);
	for (unsigned int i = 0; i < num; i++) {
		below += kept[i] < median;
		above += kept[i] > median;
		ck_assert(!i || values[i] >= values[i - 1]);
	}
	ck_assert_uint_eq(below, num / 2);
	ck_assert_uint_eq(above, num / 2);
}
END_TEST

/*
 * The resampled means have the values' mean and their deviation over the root
 * of how many there are. With 2.5% on each side of a bell that is 1.96 times;
 * the skew of so few values moves both ends by less than the slack.
 */
START_TEST(test_interval_is_that_of_the_mean)
{
	struct draw draw = {.state = seed + (uint64_t)_i};
	double values[20], sum = 0.0, squares = 0.0, error;
	struct interval got;

	fill(&draw, values, 20);
	for (int i = 0; i < 20; i++)
		sum += values[i];
	for (int i = 0; i < 20; i++)
		squares += (values[i] - sum / 20) * (values[i] - sum / 20);
	error = sqrt(squares / 20 / 20);
	got = seeds_bootstrap(values, 20);
	ck_assert(fabs(got.mean - sum / 20) < 1e-9);
	ck_assert(got.low < got.mean && got.mean < got.high);
	ck_assert_msg(fabs(got.high - got.low - 2 * 1.96 * error) < 0.4 * error,
		      "seed %" PRIu64 ": %g to %g, error %g", seed, got.low,
		      got.high, error);
}
END_TEST

/* A slow form of its own: other draws, each mean kept, ends by counting. */
START_TEST(test_interval_is_that_of_other_draws)
{
	struct draw draw = {.state = seed + (uint64_t)_i};
	double values[20];
	struct interval got;
	unsigned int below = 0, above = 0;

	fill(&draw, values, 20);
	got = seeds_bootstrap(values, 20);
	for (unsigned int n = 0; n < 20000; n++) {
		double sum = 0.0;

		for (int i = 0; i < 20; i++)
			sum += values[draw_below(&draw, 20)];
		below += sum / 20 < got.low;
		above += sum / 20 > got.high;
	}
	/* 500 are expected of each, with a deviation of 22, and ours of 31. */
	ck_assert_msg(below > 330 && below < 670 && above > 330 && above < 670,
		      "seed %" PRIu64 ": %u below, %u above", seed, below,
		      above);
}
END_TEST

START_TEST(test_same_values_have_no_interval)
{
	const double values[] = {3.5, 3.5, 3.5, 3.5};
	struct interval got = seeds_bootstrap(values, 4);

	ck_assert(got.mean == 3.5 && got.low == 3.5 && got.high == 3.5);
	got = seeds_bootstrap(values, 1);
	ck_assert(got.mean == 3.5 && got.low == 3.5 && got.high == 3.5);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("seeds");
	TCase *tcase = tcase_create("seeds");

	seed = draw_seed();
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_half_lies_on_each_side_of_the_median, 0,
			    50);
	tcase_add_loop_test(tcase, test_interval_is_that_of_the_mean, 0, 20);
	tcase_add_loop_test(tcase, test_interval_is_that_of_other_draws, 0, 10);
	tcase_add_test(tcase, test_same_values_have_no_interval);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
