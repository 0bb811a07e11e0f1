/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/base/number.h"
#include "tools/base/span.h"

static uint64_t seed;

static bool read_real(const char *text, double *value)
{
	return span_real((struct span){text, strlen(text)}, 0.0, 1e30, value);
}

static void draw_decimal(struct draw *draw, char *text)
{
	uint32_t num = 1 + draw_below(draw, 20);
	uint32_t point = draw_below(draw, num + 4);

	for (uint32_t i = 0; i < num; i++) {
		if (i == point)
			*text++ = '.';
		*text++ = (char)('0' + draw_below(draw, 10));
	}
	*text = '\0';
}

/* Few digits are read without strtod(), many by it. */
START_TEST(test_decimals_are_those_of_the_c_library_to_the_bit)
{
	struct draw draw = {seed};
	char text[32];

	for (int i = 0; i < 50000; i++) {
		double value = -1.0, expected;
		bool right;

		draw_decimal(&draw, text);
		expected = strtod(text, NULL);
		right = read_real(text, &value) &&
			!memcmp(&value, &expected, sizeof(value));
		if (!right)
			ck_abort_msg("%s was read as %.17g", text, value);
	}
}
END_TEST

START_TEST(test_a_point_may_stand_at_either_end_and_once)
{
	double value = 7.0;

	ck_assert(read_real("5.", &value) && fabs(value - 5.0) <= 0.0);
	ck_assert(read_real(".5", &value) && fabs(value - 0.5) <= 0.0);
	ck_assert(read_real("5e-1", &value) && fabs(value - 0.5) <= 0.0);
	ck_assert(!read_real(".", &value));
	ck_assert(!read_real("", &value));
	ck_assert(!read_real("1.2.3", &value));
	ck_assert(!read_real("1 2", &value));
	ck_assert(!read_real("nan", &value));
	ck_assert(fabs(value - 0.5) <= 0.0);
}
END_TEST

START_TEST(test_limits_hold_for_both_ways_to_read)
{
	struct span plain = {"2.5", 3}, long_one = {"2.50000000000000000", 19};
	double value = 7.0;

	ck_assert(!span_real(plain, 2.6, 9.0, &value));
	ck_assert(!span_real(plain, 0.0, 2.4, &value));
	ck_assert(!span_real(long_one, 2.6, 9.0, &value));
	ck_assert(!span_real(long_one, 0.0, 2.4, &value));
	ck_assert(fabs(value - 7.0) <= 0.0);
	ck_assert(span_real(plain, 2.5, 2.5, &value));
	ck_assert(span_real(long_one, 2.5, 2.5, &value));
}
END_TEST

static Suite *span_suite(void)
{
	Suite *suite = suite_create("span");
	TCase *tcase = tcase_create("real");

	tcase_add_test(tcase,
		       test_decimals_are_those_of_the_c_library_to_the_bit);
	tcase_add_test(tcase, test_a_point_may_stand_at_either_end_and_once);
	tcase_add_test(tcase, test_limits_hold_for_both_ways_to_read);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(span_suite());
}
