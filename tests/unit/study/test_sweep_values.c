/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/study/sweep.h"
#include "tools/study/sweep_values.h"

static char **values;
static unsigned int num;
static struct diag diag;

static void setup(void)
{
	values = NULL;
	num = 0;
	diag = (struct diag){""};
}

static void teardown(void)
{
	while (num)
		free(values[--num]);
	free(values);
}

static const struct {
	const char *text;
	const char *joined;
} good[] = {
	{"1,2,4,8", "1 2 4 8"},
	{"h100", "h100"},
	{"0.5..1.2", "0.5 0.6 0.7 0.8 0.9 1.0 1.1 1.2"},
	{"0.5..1.25/0.25", "0.50 0.75 1.00 1.25"},
	{"1..4", "1 2 3 4"},
	{"1..8/3", "1 4 7"},
	{"7..7", "7"},
	{"2048..8192/2048", "2048 4096 6144 8192"},
	{"0.998..1.001", "0.998 0.999 1.000 1.001"},
};

START_TEST(test_values_are_written_as_they_were_meant)
{
	char joined[256] = "";

	ck_assert_msg(!sweep_values(&values, &num, good[_i].text, &diag), "%s",
		      diag.text);
	for (unsigned int i = 0; i < num; i++) {
		strcat(joined, i ? " " : "");
		strcat(joined, values[i]);
	}
	ck_assert_str_eq(joined, good[_i].joined);
}
END_TEST

static const char *const bad[] = {"",	   "1,",     "1..",	"..2",
				  "2..1",  "1..2/0", "a..b",	"1..2..3",
				  "1..2/", "-1..2",  "1..1000", "0..1/0.0001"};

START_TEST(test_others_are_refused)
{
	ck_assert_int_eq(sweep_values(&values, &num, bad[_i], &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "--sweep: expected"));
}
END_TEST

START_TEST(test_combinations_are_all_different_and_the_last_changes_fastest)
{
	struct sweeps sweeps = {.num = 0};
	char name[64];

	ck_assert_int_eq(sweeps_parse(&sweeps, "weight=1,2", &diag), 0);
	ck_assert_int_eq(sweeps_parse(&sweeps, "load=0.8..1.0", &diag), 0);
	ck_assert_uint_eq(sweeps_num(&sweeps), 6);
	sweeps_name(&sweeps, 0, name, sizeof(name));
	ck_assert_str_eq(name, "weight=1 load=0.8");
	sweeps_name(&sweeps, 2, name, sizeof(name));
	ck_assert_str_eq(name, "weight=1 load=1.0");
	sweeps_name(&sweeps, 3, name, sizeof(name));
	ck_assert_str_eq(name, "weight=2 load=0.8");
	sweeps_destroy(&sweeps);
	ck_assert_uint_eq(sweeps_num(&sweeps), 1);
}
END_TEST

START_TEST(test_a_seed_or_a_range_of_seeds)
{
	uint64_t first = 0, last = 0;

	ck_assert_int_eq(seeds_parse("7", &first, &last, &diag), 0);
	ck_assert_uint_eq(first, 7);
	ck_assert_uint_eq(last, 7);
	ck_assert_int_eq(seeds_parse("1..20", &first, &last, &diag), 0);
	ck_assert_uint_eq(first, 1);
	ck_assert_uint_eq(last, 20);
	ck_assert_int_eq(seeds_parse("20..1", &first, &last, &diag), -EINVAL);
	ck_assert_int_eq(seeds_parse("1..5000", &first, &last, &diag), -EINVAL);
	ck_assert_int_eq(seeds_parse("x", &first, &last, &diag), -EINVAL);
	ck_assert_uint_eq(last, 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sweep_values");
	TCase *tcase = tcase_create("sweep_values");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_values_are_written_as_they_were_meant,
			    0, sizeof(good) / sizeof(good[0]));
	tcase_add_loop_test(tcase, test_others_are_refused, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(
		tcase,
		test_combinations_are_all_different_and_the_last_changes_fastest);
	tcase_add_test(tcase, test_a_seed_or_a_range_of_seeds);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
