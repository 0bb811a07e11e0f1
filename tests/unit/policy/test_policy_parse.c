/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/base/number.h"
#include "tools/policy/fairway.h"
#include "tools/policy/lpm.h"
#include "tools/policy/ops.h"
#include "tools/policy/registry.h"

static struct policy_list list;
static struct diag diag;

static void setup(void)
{
	memset(&list, 0, sizeof(list));
	memset(&diag, 0, sizeof(diag));
}

static void teardown(void)
{
	policy_list_destroy(&list);
}

static const struct policy_spec *parse(const char *text)
{
	int err = policy_parse(&list, text, &diag);

	ck_assert_msg(!err, "%s: %s", text, diag.text);
	return &list.specs[list.num - 1];
}

static const struct fairway_args *parse_fairway(const char *text)
{
	const struct fairway_args *args = fairway_args(parse(text));

	ck_assert_ptr_nonnull(args);
	return args;
}

/* Do both say the same, whatever is spelt out? */
static bool same(const char *text, const char *other)
{
	const struct policy_spec a = *parse(text), b = *parse(other);

	return a.policy == b.policy && a.protect == b.protect &&
	       !memcmp(a.args, b.args, sizeof(a.args));
}

/* Refused, nothing added, and the message has both parts. */
static void refuse(const char *text, const char *part, const char *other)
{
	unsigned int before = list.num;

	memset(&diag, 0, sizeof(diag));
	ck_assert_int_eq(policy_parse(&list, text, &diag), -EINVAL);
	ck_assert_uint_eq(list.num, before);
	ck_assert_msg(strstr(diag.text, part) && strstr(diag.text, other),
		      "%s: \"%s\" lacks \"%s\" or \"%s\"", text, diag.text,
		      part, other);
}

START_TEST(test_defaults_are_those_of_the_design)
{
	const struct policy_spec *spec = parse("fairway");
	const struct fairway_args *args = fairway_args(spec);

	ck_assert(args && !spec->protect);
	ck_assert_str_eq(spec->name, "fairway");
	ck_assert_int_eq(args->weight, 4000);
	ck_assert_double_eq(args->multiplier, 3.0);
	ck_assert_double_eq(args->floor, 1.0);
	ck_assert_double_eq(args->wait_constant, 0.0);
	ck_assert_int_eq(args->carry, FW_CARRY_OFF);
	ck_assert(!args->no_fair_lane && !args->sort);
}
END_TEST

START_TEST(test_every_flag_of_fairway_counts)
{
	const struct policy_spec *spec =
		parse("fairway:weight=0.5:multiplier=2.5:floor=0.25:"
		      "wait=absolute:constant=7:lane=off:carry=long:protect:"
		      "order=sort");
	const struct fairway_args *args = fairway_args(spec);

	ck_assert_ptr_nonnull(args);
	ck_assert_int_eq(args->weight, 500);
	ck_assert_double_eq(args->multiplier, 2.5);
	ck_assert_double_eq(args->floor, 0.25);
	ck_assert_double_eq(args->wait_constant, 7.0);
	ck_assert_int_eq(args->carry, FW_CARRY_LONG);
	ck_assert(args->no_fair_lane && args->sort && spec->protect);
}
END_TEST

START_TEST(test_flags_come_in_any_order)
{
	const struct fairway_args *args =
		parse_fairway("fairway:constant=2:order=heap:wait=absolute:"
			      "carry:lane=on");

	ck_assert_double_eq(args->wait_constant, 2.0);
	ck_assert_int_eq(args->carry, FW_CARRY_ON);
	ck_assert(!args->no_fair_lane && !args->sort);
}
END_TEST

START_TEST(test_absolute_wait_counts_in_seconds)
{
	ck_assert_double_eq(
		parse_fairway("fairway:wait=absolute")->wait_constant, 1.0);
	ck_assert_double_eq(
		parse_fairway("fairway:wait=relative")->wait_constant, 0.0);
	refuse("fairway:constant=2", "constant", "wait=absolute");
	refuse("fairway:wait=relative:constant=2", "constant", "wait=absolute");
	refuse("fairway:wait=never", "wait", "relative or absolute");
}
END_TEST

START_TEST(test_baselines_take_their_flags)
{
	const struct policy_spec *spec = parse("lpm:limit=128:dedupe:protect");
	const struct lpm_args *args = policy_args_const(spec);

	ck_assert_ptr_eq(spec->policy, &policy_lpm);
	ck_assert_uint_eq(args->limit, 128);
	ck_assert(args->dedupe && spec->protect);
	ck_assert_ptr_eq(policy_of(spec), &policy_lpm_limit);
	ck_assert_ptr_eq(policy_of(parse("lpm:dedupe")), &policy_lpm_dedupe);
	ck_assert_ptr_eq(policy_of(parse("lpm")), &policy_lpm);
	ck_assert(parse("fcfs:protect")->protect);
	refuse("fcfs:weight=4", "weight", "fcfs");
	refuse("lpm:limit=0", "limit", "was \"0\"");
	refuse("lpm:limit=1.5", "limit", "was \"1.5\"");
}
END_TEST

START_TEST(test_every_baseline_has_its_defaults_and_flags)
{
	ck_assert(same("klpm", "klpm:k=4") && !same("klpm:k=3", "klpm:k=8"));
	ck_assert(!same("ragcache:protect", "ragcache:protect:window=32"));
	ck_assert(!same("ragcache", "ragcache:pgdsf"));
	ck_assert(same("hrrn", "hrrn:clock=wall"));
	ck_assert(!same("hrrn:protect", "hrrn:clock=tokens:protect"));
	ck_assert(same("rsjf", "rsjf:max=10") &&
		  !same("rsjf:max=9", "rsjf:max=2.5"));
	ck_assert(same("uniboost", "uniboost:gamma=0.2"));
	ck_assert(!same("uniboost:gamma=1", "uniboost:ada:gamma=1"));
	ck_assert(same("uniboost:gamma=2:ada", "uniboost:ada:gamma=2"));
	parse("preble,spf");
}
END_TEST

/* A sort gives no request a handle that stays, as the guard needs one. */
START_TEST(test_a_sort_goes_with_neither_guard_nor_rest)
{
	refuse("fairway:guard=0.5:order=sort", "order", "guard");
	refuse("fairway:order=sort:key=rest", "order", "key=rest");
	ck_assert(same("fairway:guard=off:order=sort", "fairway:order=sort"));
	refuse("fairway:guard=0", "guard", "\"off\"");
}
END_TEST

START_TEST(test_baselines_refuse_what_they_cannot_mean)
{
	refuse("klpm:k=0", "k", "was \"0\"");
	refuse("ragcache:window=0", "window", "was \"0\"");
	refuse("ragcache:window", "window", "needs a value");
	refuse("hrrn:clock=cpu", "clock", "wall or tokens");
	refuse("rsjf:max=0", "max", "expected a number");
	refuse("uniboost:gamma=nan", "gamma", "expected a number");
	refuse("uniboost:ada=1", "ada", "takes no value");
	refuse("hrnn", "hrnn", "did you mean \"hrrn\"?");
	refuse("spf:k=4", "\"k\"", "spf");
}
END_TEST

/* The two are one order, and peek is never without protection. */
START_TEST(test_peek_is_lpm_with_protection)
{
	ck_assert(parse("peek")->protect);
	ck_assert(parse("peek:protect")->protect);
	ck_assert(!parse("lpm")->protect);
}
END_TEST

START_TEST(test_commas_and_repeats_add_up_in_order)
{
	static const char *const names[] = {"fcfs", "lpm:dedupe", "fairway",
					    "lpm"};

	parse("fcfs,lpm:dedupe");
	parse("fairway");
	parse("lpm");
	ck_assert_uint_eq(list.num, 4);
	for (unsigned int i = 0; i < 4; i++)
		ck_assert_str_eq(list.specs[i].name, names[i]);
}
END_TEST

START_TEST(test_all_is_every_policy_without_flags)
{
	bool fairway = false, fcfs = false;

	parse("all,fairway:protect");
	ck_assert_uint_eq(list.num, 13);
	for (unsigned int i = 0; i + 1 < list.num; i++) {
		ck_assert_ptr_null(strchr(list.specs[i].name, ':'));
		fairway |= list.specs[i].policy == &policy_fairway;
		fcfs |= list.specs[i].policy == &policy_fcfs;
	}
	ck_assert(fairway && fcfs);
}
END_TEST

START_TEST(test_weight_is_exact_to_the_thousandth)
{
	char text[64];

	/* In doubles 1.001 * 1000 and its kin fall short of the integer. */
	for (int i = 1; i <= 1000000; i += i < 20000 ? 1 : 9973) {
		int64_t weight = 0;

		snprintf(text, sizeof(text), "%d.%03d", i / 1000, i % 1000);
		ck_assert_int_eq(parse_thousandths(text, 1, 1000000, &weight),
				 0);
		ck_assert_int_eq(weight, i);
	}
	ck_assert_int_eq(parse_fairway("fairway:weight=4.125")->weight, 4125);
	ck_assert_int_eq(parse_fairway("fairway:weight=4")->weight, 4000);
	ck_assert_int_eq(parse_fairway("fairway:weight=1000")->weight, 1000000);
	ck_assert_int_eq(parse_fairway("fairway:weight=0.001")->weight, 1);
	ck_assert_int_eq(parse_fairway("fairway:weight=1.5")->weight, 1500);
}
END_TEST

START_TEST(test_weights_out_of_form_are_refused)
{
	static const char *const bad[] = {
		"",
		"0",
		"0.000",
		"1000.001",
		"4.0001",
		"1e3",
		"nan",
		"inf",
		"-4",
		"+4",
		" 4",
		"4 ",
		"0x4",
		"4.",
		".5",
		"4..5",
		"4.1.2",
		"99999999999999999999",
		"18446744073709551.620",
	};
	char text[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "fairway:weight=%s", bad[i]);
		refuse(text, "weight", "three decimals");
	}
}
END_TEST

START_TEST(test_reals_are_finite_and_whole)
{
	static const char *const bad[] = {"",	"nan",	"inf", "1e999", "-1",
					  "0",	"0x10", " 1",  "1 ",	"1s",
					  "1e", "--1",	"."};
	char text[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "fairway:floor=%s", bad[i]);
		refuse(text, "floor", "expected a number");
		snprintf(text, sizeof(text), "fairway:multiplier=%s", bad[i]);
		refuse(text, "multiplier", "expected a number");
	}
	ck_assert_double_eq(parse_fairway("fairway:floor=2.5e1")->floor, 25.0);
}
END_TEST

START_TEST(test_mistyped_words_name_the_closest)
{
	refuse("fairwy", "fairwy", "did you mean \"fairway\"?");
	refuse("fairway:wieght=4", "wieght", "did you mean \"weight\"?");
	refuse("lpm:dedup", "dedup", "did you mean \"dedupe\"?");
	refuse("fairway:carry=lng", "carry", "long");
	refuse("fcfs:protekt", "protekt", "did you mean \"protect\"?");
	refuse("zzzzzzzzzzzz", "zzzzzzzzzzzz", "unknown policy");
}
END_TEST

START_TEST(test_what_is_missing_or_too_much_is_named)
{
	refuse("fairway:weight", "weight", "needs a value");
	refuse("fairway:protect=1", "protect", "takes no value");
	refuse("lpm:dedupe=1", "dedupe", "takes no value");
	refuse("fairway:weight=4:weight=4", "weight", "given twice");
	refuse("fairway:", "unknown flag", "fairway");
	refuse("", "unknown policy", "\"\"");
	refuse("fcfs,", "unknown policy", "\"\"");
}
END_TEST

START_TEST(test_a_policy_stands_in_a_run_once)
{
	refuse("fcfs,fcfs", "\"fcfs\"", "given twice");
	refuse("fcfs,all", "\"fcfs\"", "given twice");
	parse("lpm");
	refuse("fairway,lpm", "\"lpm\"", "given twice");
	ck_assert_uint_eq(list.num, 1);
	parse("lpm:dedupe");
}
END_TEST

START_TEST(test_whole_numbers_do_not_wrap)
{
	uint64_t value = 7;

	ck_assert_int_eq(parse_u64("18446744073709551615", 0, UINT64_MAX,
				   &value),
			 0);
	ck_assert_uint_eq(value, UINT64_MAX);
	value = 7;
	ck_assert_int_eq(parse_u64("18446744073709551616", 0, UINT64_MAX,
				   &value),
			 -EINVAL);
	ck_assert_int_eq(parse_u64("-1", 0, UINT64_MAX, &value), -EINVAL);
	ck_assert_int_eq(parse_u64("1.0", 0, UINT64_MAX, &value), -EINVAL);
	ck_assert_int_eq(parse_u64("", 0, UINT64_MAX, &value), -EINVAL);
	ck_assert_int_eq(parse_u64("9", 10, 20, &value), -EINVAL);
	ck_assert_int_eq(parse_u64("21", 10, 20, &value), -EINVAL);
	ck_assert_uint_eq(value, 7);
}
END_TEST

static Suite *policy_suite(void)
{
	Suite *suite = suite_create("policy_parse");
	TCase *tcase = tcase_create("policy_parse");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_defaults_are_those_of_the_design);
	tcase_add_test(tcase, test_every_flag_of_fairway_counts);
	tcase_add_test(tcase, test_flags_come_in_any_order);
	tcase_add_test(tcase, test_absolute_wait_counts_in_seconds);
	tcase_add_test(tcase, test_baselines_take_their_flags);
	tcase_add_test(tcase, test_every_baseline_has_its_defaults_and_flags);
	tcase_add_test(tcase, test_a_sort_goes_with_neither_guard_nor_rest);
	tcase_add_test(tcase, test_baselines_refuse_what_they_cannot_mean);
	tcase_add_test(tcase, test_peek_is_lpm_with_protection);
	tcase_add_test(tcase, test_commas_and_repeats_add_up_in_order);
	tcase_add_test(tcase, test_all_is_every_policy_without_flags);
	tcase_add_test(tcase, test_weight_is_exact_to_the_thousandth);
	tcase_add_test(tcase, test_weights_out_of_form_are_refused);
	tcase_add_test(tcase, test_reals_are_finite_and_whole);
	tcase_add_test(tcase, test_mistyped_words_name_the_closest);
	tcase_add_test(tcase, test_what_is_missing_or_too_much_is_named);
	tcase_add_test(tcase, test_a_policy_stands_in_a_run_once);
	tcase_add_test(tcase, test_whole_numbers_do_not_wrap);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(policy_suite());
}
