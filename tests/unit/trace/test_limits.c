/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "read_as.h"
#include "tests/support/run.h"
#include "tools/base/limits.h"

/* Bounds on what a trace may ask for. */

START_TEST(test_bounds_are_told_and_raised)
{
	struct limits limits = limits_default;
	struct read_options opt = {.limits = &limits};
	static const char text[] = "Timestamp,Request tokens\n0,3000000\n";
	struct diag diag = {""};
	struct trace trace;

	refused(&reader_burstgpt, &opt, text,
		"t:2: Request tokens: expected a prompt of at most 2097152 "
		"tokens (3000000; --limit prompt=N raises it)");
	ck_assert_int_eq(limits_parse(&limits, "prompt=4000000", &diag), 0);
	good_with(&trace, &reader_burstgpt, &opt, text);
	trace_destroy(&trace);
	ck_assert_int_eq(limits_parse(&limits, "blocks=1000", &diag), 0);
	refused(&reader_burstgpt, &opt, text,
		"t:2: line: expected at most 1000 blocks in all prompts up to "
		"here (187500; --limit blocks=N raises it)");
}
END_TEST

static const struct {
	const char *text;
	const char *message;
} bad_limits[] = {
	{"prompt=0", "--limit: prompt: expected a whole number from 1 to "
		     "2147483647 (\"prompt=0\")"},
	{"prompt", "--limit: prompt: expected a whole number from 1 to "
		   "2147483647 (\"prompt\")"},
	{"blocks=5,rows=9", "--limit: expected unpacked, blank-lines, prompt "
			    "or blocks, each as NAME=N (\"rows=9\")"},
};

START_TEST(test_bad_limits_are_named)
{
	struct limits limits = limits_default;
	struct diag diag = {""};

	ck_assert_int_eq(limits_parse(&limits, bad_limits[_i].text, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, bad_limits[_i].message);
	ck_assert_uint_eq(limits.blocks, 0);
}
END_TEST

START_TEST(test_blank_lines_for_ever_are_refused)
{
	size_t size = 200000;
	char *text = malloc(size + 1);
	const struct read_options opt = {.strict = false};

	memset(text, '\n', size);
	text[size] = '\0';
	refused(&reader_mooncake, &opt, text,
		"t:100001: line: expected at most 100000 blank lines in a row "
		"(more; --limit blank-lines=N raises it)");
	free(text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("limits");
	TCase *tc = tcase_create("limits");

	tcase_add_test(tc, test_bounds_are_told_and_raised);
	tcase_add_loop_test(tc, test_bad_limits_are_named, 0,
			    sizeof(bad_limits) / sizeof(bad_limits[0]));
	tcase_add_test(tc, test_blank_lines_for_ever_are_refused);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
