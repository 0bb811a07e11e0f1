/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/histogram.h"

#include <stdlib.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"

#define VALUES 3000
#define ROUNDS 40

static uint64_t seed;
static struct fw_histogram histogram;
static struct fw_histogram_view view;

static void setup(void)
{
	fw_histogram_init(&histogram);
	view = (struct fw_histogram_view){0};
}

START_TEST(test_every_value_has_one_bucket)
{
	int64_t top = -1;
	uint32_t i;

	for (i = 0; i < FW_HISTOGRAM_BUCKETS; i++) {
		ck_assert_uint_eq(fw_histogram_bucket(top + 1), i);
		ck_assert_int_gt(fw_histogram_top(i), top);
		top = fw_histogram_top(i);
		ck_assert_uint_eq(fw_histogram_bucket(top), i);
		if (i + 1 < FW_HISTOGRAM_BUCKETS)
			ck_assert_uint_eq(fw_histogram_bucket(top + 1), i + 1);
	}
	ck_assert_int_eq(top, INT64_MAX);
}
END_TEST

/* Any magnitude, small ones as often as large ones. */
static int64_t draw_value(struct draw *draw)
{
	return (int64_t)(draw_u64(draw) >> (1 + draw_below(draw, 63)));
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t nearest_rank(const int64_t *sorted, size_t num, uint32_t q)
{
	size_t rank = (num * q + 999999) / 1000000;

	return sorted[rank ? rank - 1 : 0];
}

START_TEST(test_quantiles_are_within_a_32nd)
{
	static const uint32_t quantiles[] = {0,	     1,	     500000, 900000,
					     990000, 999000, 1000000};
	static int64_t values[VALUES];
	struct draw draw = {seed + (uint64_t)_i};
	size_t num = 1 + draw_below(&draw, VALUES);
	int64_t exact, read;
	size_t i;

	for (i = 0; i < num; i++) {
		values[i] = draw_value(&draw);
		fw_histogram_record(&histogram, values[i]);
	}
	qsort(values, num, sizeof(values[0]), compare);
	fw_histogram_read(&histogram, &view);
	ck_assert_uint_eq(view.num, num);
	ck_assert_int_eq(view.max, values[num - 1]);
	for (i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
		exact = nearest_rank(values, num, quantiles[i]);
		read = fw_histogram_quantile(&view, quantiles[i]);
		ck_assert_int_ge(read, exact);
		ck_assert_int_le(read - exact, exact / 32);
	}
	ck_assert_int_eq(fw_histogram_quantile(&view, 1000000), view.max);
}
END_TEST

START_TEST(test_two_read_are_as_recorded_together)
{
	static struct fw_histogram other;
	static struct fw_histogram both;
	static struct fw_histogram_view together;
	struct draw draw = {seed};
	int64_t value;
	int i;

	fw_histogram_init(&other);
	fw_histogram_init(&both);
	for (i = 0; i < VALUES; i++) {
		value = draw_value(&draw) >> 20;
		fw_histogram_record(i % 3 ? &histogram : &other, value);
		fw_histogram_record(&both, value);
	}
	fw_histogram_read(&histogram, &view);
	fw_histogram_read(&other, &view);
	fw_histogram_read(&both, &together);
	ck_assert_mem_eq(&view, &together, sizeof(view));
}
END_TEST

START_TEST(test_extremes_are_counted)
{
	fw_histogram_read(&histogram, &view);
	ck_assert_int_eq(fw_histogram_quantile(&view, 500000), 0);
	fw_histogram_record(&histogram, -5);
	fw_histogram_record(&histogram, INT64_MIN);
	fw_histogram_record(&histogram, INT64_MAX);
	fw_histogram_record(&histogram, INT64_MAX);
	fw_histogram_record(&histogram, INT64_MAX);
	fw_histogram_read(&histogram, &view);
	ck_assert_uint_eq(view.counts[0], 2);
	ck_assert_int_eq(fw_histogram_quantile(&view, 500000), INT64_MAX);
	ck_assert_uint_eq(view.sum, UINT64_MAX);
	view.num = UINT64_MAX;
	view.counts[3] = UINT64_MAX;
	view.counts[0] = 0;
	ck_assert_int_eq(fw_histogram_quantile(&view, 1000000), 3);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("histogram");
	TCase *tc = tcase_create("histogram");

	seed = draw_seed();
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_every_value_has_one_bucket);
	tcase_add_loop_test(tc, test_quantiles_are_within_a_32nd, 0, ROUNDS);
	tcase_add_test(tc, test_two_read_are_as_recorded_together);
	tcase_add_test(tc, test_extremes_are_counted);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
