/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/node/summary.h"
#include "tools/node/targets.h"

static struct targets targets;
static struct policy_list policies;
static struct diag diag;

static void setup(void)
{
	memset(&targets, 0, sizeof(targets));
	memset(&policies, 0, sizeof(policies));
	memset(&diag, 0, sizeof(diag));
}

static void teardown(void)
{
	targets_destroy(&targets);
	policy_list_destroy(&policies);
}

static void parse(const char *text)
{
	ck_assert_msg(!targets_parse(&targets, text, &diag), "%s", diag.text);
}

START_TEST(test_a_list_is_read_in_its_order)
{
	parse("median<=1.1xlpm, p99 <= 1.5xfairway:weight=2,max<=20s,"
	      "mean<=500ms");
	ck_assert_uint_eq(targets.num, 4);
	ck_assert_int_eq(targets.list[0].metric, TARGET_P50);
	ck_assert_double_eq(targets.list[0].factor, 1.1);
	ck_assert_str_eq(targets.list[0].reference, "lpm");
	ck_assert_str_eq(targets.list[1].text, "p99<=1.5xfairway:weight=2");
	ck_assert_str_eq(targets.list[1].reference, "fairway:weight=2");
	ck_assert_int_eq(targets.list[2].metric, TARGET_MAX);
	ck_assert_ptr_null(targets.list[2].reference);
	ck_assert_double_eq(targets.list[2].seconds, 20.0);
	ck_assert_double_eq_tol(targets.list[3].seconds, 0.5, 1e-15);
}
END_TEST

START_TEST(test_policies_that_are_missing_are_added_once)
{
	ck_assert_int_eq(policy_parse(&policies, "fairway,lpm", &diag), 0);
	parse("median<=1xlpm,p99<=1xfcfs,p90<=2xfcfs,max<=9s");
	ck_assert_int_eq(targets_bind(&targets, &policies, &diag), 0);
	ck_assert_uint_eq(policies.num, 3);
	ck_assert_str_eq(policies.specs[2].name, "fcfs");
	ck_assert_uint_eq(targets.list[0].policy, 1);
	ck_assert_uint_eq(targets.list[1].policy, 2);
	ck_assert_uint_eq(targets.list[2].policy, 2);
}
END_TEST

static const struct {
	const char *text;
	const char *part;
} bad[] = {
	{"", "expected METRIC<="},
	{"median", "expected METRIC<="},
	{"median<1xlpm", "expected METRIC<="},
	{"median<=1xlpm,", "expected METRIC<="},
	{"p101<=1xlpm", "expected median, mean"},
	{"p0<=1xlpm", "expected median, mean"},
	{"p99.9999<=1xlpm", "expected median, mean"},
	{"q95<=1xlpm", "expected median, mean"},
	{"<=1xlpm", "expected median, mean"},
	{"p99<=", "expected FACTORxPOLICY or SECONDSs"},
	{"p99<=2", "expected FACTORxPOLICY or SECONDSs"},
	{"p99<=s", "expected a limit"},
	{"p99<=0s", "expected a limit"},
	{"p99<=-1s", "expected a limit"},
	{"p99<=nans", "expected a limit"},
	{"p99<=1e9s", "expected a limit"},
	{"p99<=xlpm", "expected a factor"},
	{"p99<=0xlpm", "expected a factor"},
	{"p99<=1e4xlpm", "expected a factor"},
	{"p99<=1x", "unknown policy"},
	{"p99<=1xlpn", "did you mean \"lpm\""},
	{"p99<=1xlpm:deduppe", "did you mean \"dedupe\""},
	{"p99<=1xall", "expected one policy"},
	{"max<=1s,max<=1s,max<=1s,max<=1s,max<=1s,max<=1s,max<=1s,max<=1s,"
	 "max<=1s",
	 "at most 8"},
};

START_TEST(test_bad_targets_are_told)
{
	ck_assert_int_eq(targets_parse(&targets, bad[_i].text, &diag), -EINVAL);
	ck_assert_msg(strstr(diag.text, bad[_i].part), "\"%s\": %s",
		      bad[_i].text, diag.text);
}
END_TEST

START_TEST(test_a_limit_is_met_up_to_its_last_bit)
{
	struct quantiles own = {.num = 9, .p50 = 2.2, .p99 = 8.0};
	struct quantiles other = {.num = 9, .p50 = 2.0, .p99 = 8.0};
	struct target_judged judged;

	parse("p50<=1.1xlpm,p99<=1xlpm,p50<=2.2s");
	judged = target_judge(&targets.list[0], &own, &other);
	ck_assert_int_eq(judged.result, TARGET_MET);
	ck_assert_double_eq(judged.value, 2.2);
	ck_assert_double_eq(judged.limit, 1.1 * 2.0);
	ck_assert_int_eq(target_judge(&targets.list[1], &own, &other).result,
			 TARGET_MET);
	own.p50 = nextafter(2.2, 3.0);
	ck_assert_int_eq(target_judge(&targets.list[0], &own, &other).result,
			 TARGET_MISSED);
	ck_assert_int_eq(target_judge(&targets.list[2], &own, &other).result,
			 TARGET_MISSED);
}
END_TEST

START_TEST(test_nothing_served_is_not_judged)
{
	struct quantiles some = {.num = 1, .p50 = 1.0};
	struct quantiles none = {.num = 0, .p50 = NO_FIGURE};

	parse("p50<=1xlpm,p50<=1s");
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(
			target_judge(&targets.list[i], &none, &some).result,
			TARGET_NONE);
	ck_assert_int_eq(target_judge(&targets.list[0], &some, &none).result,
			 TARGET_NONE);
	ck_assert_int_eq(target_judge(&targets.list[1], &some, &none).result,
			 TARGET_MET);
}
END_TEST

static TCase *cases(void)
{
	TCase *tc = tcase_create("targets");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, test_a_list_is_read_in_its_order);
	tcase_add_test(tc, test_policies_that_are_missing_are_added_once);
	tcase_add_loop_test(tc, test_bad_targets_are_told, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, test_a_limit_is_met_up_to_its_last_bit);
	tcase_add_test(tc, test_nothing_served_is_not_judged);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("targets");

	suite_add_tcase(suite, cases());
	return run_suite(suite);
}
