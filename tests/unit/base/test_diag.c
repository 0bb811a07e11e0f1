/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/base/diag.h"

/* The one line of a message, and names that were meant. */

START_TEST(test_closest_name_is_found)
{
	static const char *const names[] = {"fcfs",    "lpm",
					    "fairway", "sec-dynamic",
					    "musique", "musique-retrieved",
					    NULL};

	ck_assert_str_eq(closest("fcsf", names), "fcfs");
	ck_assert_str_eq(closest("FCFS", names), "fcfs");
	ck_assert_str_eq(closest("lmp", names), "lpm");
	ck_assert_str_eq(closest("fareway", names), "fairway");
	ck_assert_str_eq(closest("fair", names), "fairway");
	ck_assert_str_eq(closest("fairy", names), "fairway");
	ck_assert_str_eq(closest("musiq", names), "musique");
	ck_assert_str_eq(closest("musique-ret", names), "musique-retrieved");
	ck_assert_str_eq(closest("secdynamic", names), "sec-dynamic");
	ck_assert_ptr_null(closest("", names));
	ck_assert_ptr_null(closest("xyz", names));
	ck_assert_ptr_null(closest("dynamic", names));
}
END_TEST

START_TEST(test_first_cause_stays)
{
	struct diag diag = {""};

	ck_assert_int_eq(diag_set(&diag, -EINVAL, "first"), -EINVAL);
	ck_assert_int_eq(diag_set(&diag, -EIO, "second"), -EIO);
	ck_assert_str_eq(diag.text, "first");
}
END_TEST

START_TEST(test_messages_obey_no_terminal)
{
	struct diag diag = {""};

	diag_set(&diag, -EINVAL, "%s",
		 "a\x1b[2J\n\x7f \xc2\x9b \x9b \xc3\xa4 \xe2\x82\xac "
		 "\xf0\x9f\x98\x80 \xe2\x82");
	ck_assert_str_eq(diag.text, "a\\x1b[2J\\x0a\\x7f \\xc2\\x9b \\x9b "
				    "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 "
				    "\\xe2\\x82");
}
END_TEST

START_TEST(test_long_messages_are_cut_with_dots)
{
	struct diag diag = {""};
	char text[2000];

	memset(text, '\x01', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diag_set(&diag, -EINVAL, "%s", text);
	ck_assert_uint_lt(strlen(diag.text), sizeof(diag.text));
	ck_assert_str_eq(diag.text + strlen(diag.text) - 7, "\\x01...");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("diag");
	TCase *tcase = tcase_create("diag");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_closest_name_is_found);
	tcase_add_test(tcase, test_first_cause_stays);
	tcase_add_test(tcase, test_messages_obey_no_terminal);
	tcase_add_test(tcase, test_long_messages_are_cut_with_dots);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
