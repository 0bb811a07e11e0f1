/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/base/mem.h"

enum {
	NUM_THREADS = 4,
	NUM_BLOCKS = 2000
};

/* The size of block @i: around the size classes of any allocator. */
static size_t size_of(size_t i)
{
	return 1 + i * 37 % 5000;
}

/* Blocks that overlap, or that another thread got too, lose their bytes. */
static size_t count_damaged(unsigned char mark)
{
	const struct fw_allocator *a = mem_allocator();
	unsigned char *blocks[NUM_BLOCKS];
	size_t damaged = 0;

	for (size_t i = 0; i < NUM_BLOCKS; i++) {
		blocks[i] = a->alloc(a->ctx, size_of(i));
		if (!blocks[i] || (uintptr_t)blocks[i] % 16)
			return SIZE_MAX;
		memset(blocks[i], mark, size_of(i));
	}
	for (size_t i = 0; i < NUM_BLOCKS; i++) {
		for (size_t j = 0; j < size_of(i); j++)
			damaged += blocks[i][j] != mark;
		a->free(a->ctx, blocks[i], size_of(i));
	}
	return damaged;
}

static void *run_thread(void *arg)
{
	size_t *damaged = arg;

	*damaged = count_damaged((unsigned char)(*damaged + 1));
	return NULL;
}

START_TEST(test_blocks_are_aligned_and_apart)
{
	ck_assert_uint_eq(count_damaged(7), 0);
}
END_TEST

/* Simulations of one command run side by side on one allocator. */
START_TEST(test_threads_do_not_share_blocks)
{
	pthread_t threads[NUM_THREADS];
	size_t damaged[NUM_THREADS];

	for (size_t i = 0; i < NUM_THREADS; i++) {
		damaged[i] = i;
		ck_assert_int_eq(pthread_create(&threads[i], NULL, run_thread,
						&damaged[i]),
				 0);
	}
	for (size_t i = 0; i < NUM_THREADS; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_uint_eq(damaged[i], 0);
	}
}
END_TEST

START_TEST(test_one_allocator_for_the_whole_process)
{
	ck_assert_ptr_eq(mem_allocator(), mem_allocator());
}
END_TEST

START_TEST(test_nothing_may_be_given_back)
{
	const struct fw_allocator *a = mem_allocator();

	a->free(a->ctx, NULL, 0);
}
END_TEST

START_TEST(test_peak_counts_what_was_touched)
{
	const struct fw_allocator *a = mem_allocator();
	const size_t size = 64 << 20;
	size_t before = mem_peak_rss();
	unsigned char *block = a->alloc(a->ctx, size);
	size_t peak;

	ck_assert_ptr_nonnull(block);
	/* Otherwise the compiler may see that nobody reads it. */
	for (volatile unsigned char *at = block; at < block + size; at += 4096)
		*at = 1;
	a->free(a->ctx, block, size);
	peak = mem_peak_rss();
	ck_assert_uint_gt(before, 0);
	/* Freed memory stays in the peak. */
	ck_assert_uint_ge(peak, size);
	ck_assert_uint_ge(peak, before);
}
END_TEST

/* A million appends one by one: each value stays, and few of them copy. */
START_TEST(test_an_array_that_grows_keeps_what_it_holds)
{
	uint32_t *array = NULL;
	size_t cap = 0, last = 0;
	int moves = 0;

	for (uint32_t i = 0; i < 1000000; i++) {
		array = mem_grow(array, &cap, (size_t)i + 1, sizeof(*array));
		if (!array || cap <= i)
			ck_abort_msg("append %u", i);
		moves += cap != last;
		last = cap;
		array[i] = i;
	}
	for (uint32_t i = 0; i < 1000000; i++)
		if (array[i] != i)
			ck_abort_msg("element %u", i);
	ck_assert_int_le(moves, 30);
	free(array);
}
END_TEST

START_TEST(test_an_array_that_cannot_grow_stays_as_it_is)
{
	size_t cap = 0, before;
	uint64_t *array = mem_grow(NULL, &cap, 1, sizeof(*array));

	ck_assert_ptr_nonnull(array);
	before = cap;
	array[0] = 7;
	ck_assert_ptr_null(mem_grow(array, &cap, SIZE_MAX / 8, sizeof(*array)));
	ck_assert_uint_eq(cap, before);
	ck_assert_uint_eq(array[0], 7);
	free(array);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("mem");
	TCase *tcase = tcase_create("mem");

	tcase_add_test(tcase, test_blocks_are_aligned_and_apart);
	tcase_add_test(tcase, test_threads_do_not_share_blocks);
	tcase_add_test(tcase, test_one_allocator_for_the_whole_process);
	tcase_add_test(tcase, test_nothing_may_be_given_back);
	tcase_add_test(tcase, test_peak_counts_what_was_touched);
	tcase_add_test(tcase, test_an_array_that_grows_keeps_what_it_holds);
	tcase_add_test(tcase, test_an_array_that_cannot_grow_stays_as_it_is);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(make_suite());
}
