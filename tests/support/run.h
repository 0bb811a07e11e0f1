/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_RUN_H
#define TESTS_SUPPORT_RUN_H

#include <check.h>

/**
 * run_suite() - run all cases of a test program, TAP on standard output
 * @suite: freed
 *
 * Return: Exit status of the program: 0, 1 when a case failed.
 */
static inline int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}

#endif
