/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/base/rng.h"

#define DRAWS 200000

static double draws[DRAWS];

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(double share)
{
	return draws[(size_t)(share * DRAWS)];
}

static double mean(void)
{
	double sum = 0.0;

	for (size_t i = 0; i < DRAWS; i++)
		sum += draws[i];
	return sum / DRAWS;
}

static double deviation(void)
{
	double sum = 0.0;
	double at = mean();

	for (size_t i = 0; i < DRAWS; i++)
		sum += (draws[i] - at) * (draws[i] - at);
	return sqrt(sum / DRAWS);
}

static void sort_draws(void)
{
	qsort(draws, DRAWS, sizeof(draws[0]), compare);
}

/* The authors' own first values for the state 1, 2, 3, 4. */
START_TEST(test_generator_is_xoshiro256starstar)
{
	static const uint64_t expected[] = {
		11520u,
		0u,
		1509978240u,
		1215971899390074240u,
		1216172134540287360u,
		607988272756665600u,
	};
	struct rng rng = {{1, 2, 3, 4}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		ck_assert_uint_eq(rng_u64(&rng), expected[i]);
}
END_TEST

/* The published first values of splitmix64 from 0. */
START_TEST(test_seed_fills_the_state_by_splitmix64)
{
	struct rng rng;

	rng_seed(&rng, 0);
	ck_assert_uint_eq(rng.s[0], 0xe220a8397b1dcdafu);
	ck_assert_uint_eq(rng.s[1], 0x6e789e6aa1b965f4u);
	ck_assert_uint_eq(rng.s[2], 0x06c45d188009454fu);
	ck_assert_uint_eq(rng.s[3], 0xf88bb8a8724c81ecu);
}
END_TEST

static void check_close(const char *what, double x, double got, double libm)
{
	double error = fabs(got - libm) / fabs(libm);

	ck_assert_msg(got == libm || error < 1e-13, "%s(%a): %a, libm %a", what,
		      x, got, libm);
}

START_TEST(test_log_agrees_with_libm)
{
	struct rng rng;

	rng_seed(&rng, 11);
	for (int i = 0; i < DRAWS; i++) {
		double unit = rng_unit(&rng);
		double wide = ldexp(unit, (int)rng_below(&rng, 2000) - 1000);
		double near = 1.0 + (unit - 0.5) * 1e-3;

		check_close("log", unit, rng_log(unit), log(unit));
		check_close("log", wide, rng_log(wide), log(wide));
		check_close("log", near, rng_log(near), log(near));
	}
}
END_TEST

START_TEST(test_log_at_the_ends)
{
	check_close("log", DBL_MAX, rng_log(DBL_MAX), log(DBL_MAX));
	check_close("log", DBL_MIN, rng_log(DBL_MIN), log(DBL_MIN));
	check_close("log", 0x1p-1074, rng_log(0x1p-1074), log(0x1p-1074));
	ck_assert(rng_log(1.0) == 0.0);
	ck_assert(isinf(rng_log(0.0)) && rng_log(0.0) < 0.0);
	ck_assert(isnan(rng_log(-1.0)));
	ck_assert(isnan(rng_log((double)NAN)));
	ck_assert(isinf(rng_log(HUGE_VAL)));
}
END_TEST

START_TEST(test_exp_agrees_with_libm)
{
	struct rng rng;

	rng_seed(&rng, 12);
	for (int i = 0; i < DRAWS; i++) {
		double unit = rng_unit(&rng) - 0.5;

		check_close("exp", unit, rng_exp(unit), exp(unit));
		check_close("exp", 1400.0 * unit, rng_exp(1400.0 * unit),
			    exp(1400.0 * unit));
	}
}
END_TEST

START_TEST(test_exp_at_the_ends)
{
	ck_assert(rng_exp(0.0) == 1.0);
	check_close("exp", 709.78, rng_exp(709.78), exp(709.78));
	check_close("exp", -708.0, rng_exp(-708.0), exp(-708.0));
	ck_assert(isinf(rng_exp(710.0)));
	ck_assert(isinf(rng_exp(HUGE_VAL)));
	ck_assert(rng_exp(-746.0) == 0.0);
	ck_assert(rng_exp(-HUGE_VAL) == 0.0);
	ck_assert(isnan(rng_exp((double)NAN)));
}
END_TEST

/* Chi square with 6 degrees of freedom: 22.5 is passed once in a thousand. */
START_TEST(test_below_is_even)
{
	double chi = 0.0;
	unsigned int count[7] = {0};
	struct rng rng;

	rng_seed(&rng, 13);
	for (int i = 0; i < DRAWS; i++)
		count[rng_below(&rng, 7)]++;
	for (int i = 0; i < 7; i++) {
		double off = count[i] - DRAWS / 7.0;

		chi += off * off / (DRAWS / 7.0);
	}
	ck_assert_double_lt(chi, 22.5);
}
END_TEST

/*
 * By the remainder alone, half of the values below 3 * 2^62 would be in the
 * first third.
 */
START_TEST(test_below_has_no_bias_for_large_bounds)
{
	uint64_t third = (uint64_t)1 << 62;
	unsigned int low = 0;
	struct rng rng;

	rng_seed(&rng, 14);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t x = rng_below(&rng, 3 * third);

		ck_assert_uint_lt(x, 3 * third);
		low += x < third;
	}
	ck_assert_double_eq_tol(low / (double)DRAWS, 1.0 / 3.0, 0.005);
	ck_assert_uint_eq(rng_below(&rng, 1), 0);
}
END_TEST

START_TEST(test_unit_is_uniform_without_its_ends)
{
	struct rng rng;

	rng_seed(&rng, 15);
	for (int i = 0; i < DRAWS; i++) {
		draws[i] = rng_unit(&rng);
		ck_assert(draws[i] > 0.0 && draws[i] < 1.0);
	}
	ck_assert_double_eq_tol(mean(), 0.5, 0.002);
	ck_assert_double_eq_tol(deviation(), sqrt(1.0 / 12.0), 0.002);
	sort_draws();
	ck_assert_double_eq_tol(quantile(0.1), 0.1, 0.003);
	ck_assert_double_eq_tol(quantile(0.9), 0.9, 0.003);
}
END_TEST

START_TEST(test_exponential_has_its_mean_and_quantiles)
{
	struct rng rng;

	rng_seed(&rng, 16);
	for (int i = 0; i < DRAWS; i++)
		draws[i] = rng_exponential(&rng, 0.4);
	ck_assert_double_eq_tol(mean(), 0.4, 0.004);
	ck_assert_double_eq_tol(deviation(), 0.4, 0.006);
	sort_draws();
	ck_assert_double_eq_tol(quantile(0.5), 0.4 * log(2.0), 0.005);
	ck_assert_double_eq_tol(quantile(0.99), 0.4 * log(100.0), 0.05);
}
END_TEST

START_TEST(test_normal_has_its_moments_and_quantiles)
{
	struct rng rng;

	rng_seed(&rng, 17);
	for (int i = 0; i < DRAWS; i++)
		draws[i] = rng_normal(&rng);
	ck_assert_double_eq_tol(mean(), 0.0, 0.01);
	ck_assert_double_eq_tol(deviation(), 1.0, 0.01);
	sort_draws();
	ck_assert_double_eq_tol(quantile(0.0228), -2.0, 0.04);
	ck_assert_double_eq_tol(quantile(0.1587), -1.0, 0.02);
	ck_assert_double_eq_tol(quantile(0.8413), 1.0, 0.02);
	ck_assert_double_eq_tol(quantile(0.99865), 3.0, 0.1);
}
END_TEST

START_TEST(test_lognormal_has_its_median_and_sigma)
{
	struct rng rng;

	rng_seed(&rng, 18);
	for (int i = 0; i < DRAWS; i++)
		draws[i] = rng_lognormal(&rng, 5000.0, 0.6);
	sort_draws();
	ck_assert_double_eq_tol(quantile(0.5), 5000.0, 30.0);
	ck_assert_double_eq_tol(log(quantile(0.8413) / quantile(0.1587)), 1.2,
				0.02);
}
END_TEST

static void hash(uint64_t *sum, double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	for (int i = 0; i < 64; i += 8)
		*sum = (*sum ^ (bits >> i & 0xff)) * 0x100000001b3u;
}

/*
 * FNV-1a over the bits of 50,000 draws of each kind, as this code gave it when
 * it was written: any machine, compiler or change that gives other bits gives
 * other traces.
 */
START_TEST(test_draws_are_the_same_bits_everywhere)
{
	uint64_t sum = 0xcbf29ce484222325u;
	struct rng rng;

	rng_seed(&rng, 19);
	for (int i = 0; i < 50000; i++) {
		hash(&sum, rng_unit(&rng));
		hash(&sum, rng_exponential(&rng, 3.0));
		hash(&sum, rng_lognormal(&rng, 5000.0, 0.6));
	}
	ck_assert_msg(sum == 0x12c5e4147e27be2du, "hash 0x%016llx",
		      (unsigned long long)sum);
}
END_TEST

static Suite *rng_suite(void)
{
	Suite *suite = suite_create("rng");
	TCase *words = tcase_create("words");
	TCase *reals = tcase_create("reals");

	tcase_add_test(words, test_generator_is_xoshiro256starstar);
	tcase_add_test(words, test_seed_fills_the_state_by_splitmix64);
	tcase_add_test(words, test_below_is_even);
	tcase_add_test(words, test_below_has_no_bias_for_large_bounds);
	tcase_add_test(reals, test_log_agrees_with_libm);
	tcase_add_test(reals, test_log_at_the_ends);
	tcase_add_test(reals, test_exp_agrees_with_libm);
	tcase_add_test(reals, test_exp_at_the_ends);
	tcase_add_test(reals, test_unit_is_uniform_without_its_ends);
	tcase_add_test(reals, test_exponential_has_its_mean_and_quantiles);
	tcase_add_test(reals, test_normal_has_its_moments_and_quantiles);
	tcase_add_test(reals, test_lognormal_has_its_median_and_sigma);
	tcase_add_test(reals, test_draws_are_the_same_bits_everywhere);
	suite_add_tcase(suite, words);
	suite_add_tcase(suite, reals);
	return suite;
}

int main(void)
{
	return run_suite(rng_suite());
}
