/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CROSS_CHECK_H
#define TESTS_CROSS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What our tests of the lock-free parts use of the library check, for machines
 * that we cross-compile for and have no such library of: no fork, no time
 * limit, one suite, and the first failure ends the program.
 */

#define MAX_CASES 64

typedef void (*case_run)(int _i);

struct check_case {
	const char *name;
	case_run run;
	int first;
	int end;
	void (*setup)(void);
	void (*teardown)(void);
};

typedef struct {
	void (*setup)(void);
	void (*teardown)(void);
} TCase;
typedef int Suite;
typedef int SRunner;

enum {
	CK_SILENT
};

static struct check_case check_cases[MAX_CASES];
static int check_num_cases;
static int check_number;

#define START_TEST(name) static void name(__attribute__((unused)) int _i)
#define END_TEST

static inline void check_failed(const char *file, int line, const char *what)
{
	printf("not ok %d - %s:%d: %s\n", ++check_number, file, line, what);
	exit(1);
}

#define ck_assert(e) ((e) ? (void)0 : check_failed(__FILE__, __LINE__, #e))
#define ck_assert_msg(e, ...) ck_assert(e)
#define ck_assert_int_eq(a, b) ck_assert((intmax_t)(a) == (intmax_t)(b))
#define ck_assert_int_ge(a, b) ck_assert((intmax_t)(a) >= (intmax_t)(b))
#define ck_assert_int_gt(a, b) ck_assert((intmax_t)(a) > (intmax_t)(b))
#define ck_assert_int_le(a, b) ck_assert((intmax_t)(a) <= (intmax_t)(b))
#define ck_assert_uint_eq(a, b) ck_assert((uintmax_t)(a) == (uintmax_t)(b))
#define ck_assert_uint_ne(a, b) ck_assert((uintmax_t)(a) != (uintmax_t)(b))
#define ck_assert_uint_gt(a, b) ck_assert((uintmax_t)(a) > (uintmax_t)(b))
#define ck_assert_uint_le(a, b) ck_assert((uintmax_t)(a) <= (uintmax_t)(b))
#define ck_assert_ptr_eq(a, b) ck_assert((a) == (b))
#define ck_assert_ptr_null(a) ck_assert(!(a))
#define ck_assert_str_eq(a, b) ck_assert(!strcmp(a, b))
#define ck_assert_mem_eq(a, b, n) ck_assert(!memcmp(a, b, n))

static inline Suite *suite_create(const char *name)
{
	static Suite suite;

	(void)name;
	return &suite;
}

static inline TCase *tcase_create(const char *name)
{
	static TCase tcases[MAX_CASES];
	static int num;

	(void)name;
	return &tcases[num++];
}

static inline void tcase_set_timeout(TCase *tc, double seconds)
{
	(void)tc;
	(void)seconds;
}

static inline void tcase_add_checked_fixture(TCase *tc, void (*setup)(void),
					     void (*teardown)(void))
{
	tc->setup = setup;
	tc->teardown = teardown;
}

static inline void check_add(TCase *tc, const char *name, case_run run,
			     int first, int end)
{
	check_cases[check_num_cases++] =
		(struct check_case){name, run,	     first,
				    end,  tc->setup, tc->teardown};
}

#define tcase_add_test(tc, name) check_add(tc, #name, name, 0, 1)
#define tcase_add_loop_test(tc, name, first, end) \
	check_add(tc, #name, name, first, end)

static inline void suite_add_tcase(Suite *suite, TCase *tc)
{
	(void)suite;
	(void)tc;
}

static inline SRunner *srunner_create(Suite *suite)
{
	return suite;
}

static inline void srunner_set_tap(SRunner *runner, const char *name)
{
	(void)runner;
	(void)name;
}

static inline void check_run(const struct check_case *one, int i)
{
	if (one->setup)
		one->setup();
	one->run(i);
	if (one->teardown)
		one->teardown();
	printf("ok %d - %s\n", ++check_number, one->name);
}

static inline void srunner_run_all(SRunner *runner, int how)
{
	int i, j;

	(void)runner;
	(void)how;
	for (i = 0; i < check_num_cases; i++)
		for (j = check_cases[i].first; j < check_cases[i].end; j++)
			check_run(&check_cases[i], j);
}

static inline int srunner_ntests_failed(SRunner *runner)
{
	(void)runner;
	return 0;
}

static inline void srunner_free(SRunner *runner)
{
	(void)runner;
}

#endif
