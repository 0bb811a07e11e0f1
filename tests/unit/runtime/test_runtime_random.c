/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>

#include "tests/support/api_history.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"

/*
 * Random histories of calls, which the model of api_history.c follows. The
 * fuzzer runs the same from bytes that it chooses.
 */

#define HISTORIES 12
/* Until each kind of end came: one in some hundred times 12 are too few. */
#define MOST_HISTORIES 200
#define BYTES 3000u

static uint64_t seed;

static bool all_ends_came(const struct api_counts *counts)
{
	for (int i = 0; i < 5; i++)
		if (!counts->ended[i])
			return false;
	return true;
}

START_TEST(test_random_histories_keep_all_promises)
{
	struct draw draw = {seed + (uint64_t)_i};
	struct api_counts counts = {{0}, 0, 0, 0};
	uint8_t bytes[BYTES];

	for (int i = 0;
	     i < HISTORIES || (i < MOST_HISTORIES && !all_ends_came(&counts));
	     i++) {
		uint32_t num = draw_below(&draw, BYTES);

		for (uint32_t j = 0; j < num; j++)
			bytes[j] = (uint8_t)draw_u64(&draw);
		api_history_run(bytes, num, &counts);
	}
	for (int i = 0; i < 5; i++)
		ck_assert_msg(counts.ended[i] > 0, "no end of kind %d", i);
	ck_assert_uint_gt(counts.plans, 0);
}
END_TEST

START_TEST(test_equal_histories_give_equal_plans)
{
	struct draw draw = {seed};
	struct api_counts counts = {{0}, 0, 0, 0};
	uint8_t bytes[BYTES];

	for (int i = 0; i < HISTORIES; i++) {
		for (uint32_t j = 0; j < BYTES; j++)
			bytes[j] = (uint8_t)draw_u64(&draw);
		ck_assert_uint_eq(api_history_run(bytes, BYTES, &counts),
				  api_history_run(bytes, BYTES, &counts));
	}
	ck_assert_uint_gt(counts.refused, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_random");
	TCase *tcase = tcase_create("runtime_random");

	seed = draw_seed();
	tcase_set_timeout(tcase, 20);
	tcase_add_loop_test(tcase, test_random_histories_keep_all_promises, 0,
			    8);
	tcase_add_test(tcase, test_equal_histories_give_equal_plans);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
