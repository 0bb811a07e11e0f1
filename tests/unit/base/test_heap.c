/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>

#include "lib/base/heap.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define ITEMS 400
#define STEPS 20000

/* What the heap orders, and in the open what it knows of it. */
struct item {
	struct fw_heap_node node;
	double key;
	uint64_t tie;
};

static uint64_t seed;
static struct item items[ITEMS];
static struct fail_alloc memory;
static struct fw_heap heap;

static void setup(void)
{
	fail_alloc_init(&memory);
	fw_heap_init(&heap, &memory.allocator);
	for (size_t i = 0; i < ITEMS; i++)
		items[i] = (struct item){.tie = i};
}

static void teardown(void)
{
	fw_heap_destroy(&heap);
	ck_assert(fail_alloc_clean(&memory));
}

static void insert(struct item *item, double key)
{
	item->key = key;
	ck_assert_int_eq(fw_heap_reserve(&heap, heap.num + 1), 0);
	fw_heap_insert(&heap, &item->node, key, item->tie);
}

static struct item *first(void)
{
	struct fw_heap_node *node = fw_heap_first(&heap);

	return node ? container_of(node, struct item, node) : NULL;
}

/* The smallest of the array, by looking at all of them. */
static struct item *naive_first(void)
{
	struct item *best = NULL;

	for (size_t i = 0; i < ITEMS; i++) {
		struct item *item = &items[i];

		if (!fw_heap_queued(&item->node))
			continue;
		if (!best || item->key < best->key ||
		    (item->key == best->key && item->tie < best->tie))
			best = item;
	}
	return best;
}

static void check_heap(size_t num)
{
	ck_assert(fw_heap_valid(&heap) && heap.num == num &&
		  first() == naive_first());
}

/* Take all out from the front; each time the smallest of what is left. */
static void drain(size_t num)
{
	while (num) {
		struct item *item = first();

		check_heap(num);
		fw_heap_remove(&heap, &item->node);
		ck_assert(!fw_heap_queued(&item->node));
		num--;
	}
	check_heap(0);
}

START_TEST(test_a_node_of_zeros_is_not_queued)
{
	ck_assert(!fw_heap_queued(&items[0].node));
	ck_assert_ptr_null(fw_heap_first(&heap));
	insert(&items[0], 1.0);
	ck_assert(fw_heap_queued(&items[0].node));
}
END_TEST

START_TEST(test_any_history_keeps_the_smallest_first)
{
	struct draw draw = {seed};
	size_t num = 0;

	for (int step = 0; step < STEPS; step++) {
		struct item *item = &items[draw_below(&draw, ITEMS)];
		double key = draw_below(&draw, 40) / 8.0 - 2.0;

		if (!fw_heap_queued(&item->node)) {
			insert(item, key);
			num++;
		} else if (one_in(&draw, 2)) {
			item->key = key;
			fw_heap_update(&heap, &item->node, key);
		} else {
			fw_heap_remove(&heap, &item->node);
			num--;
		}
		check_heap(num);
	}
	drain(num);
}
END_TEST

/* Removing from the middle must not lose the nodes below it. */
START_TEST(test_removing_from_the_middle_keeps_order)
{
	struct draw draw = {seed};

	for (size_t slot = 0; slot < 85; slot++) {
		struct item *item;

		setup();
		for (size_t i = 0; i < 85; i++)
			insert(&items[i], draw_below(&draw, 1000));
		item = container_of(heap.items[slot].node, struct item, node);
		fw_heap_remove(&heap, &item->node);
		ck_assert(!fw_heap_queued(&item->node));
		drain(84);
		teardown();
	}
}
END_TEST

/* The last node may belong above the hole that it fills. */
START_TEST(test_what_fills_a_hole_may_rise)
{
	static const double keys[] = {0,   100, 1,   2, 3, 101,
				      102, 103, 104, 4, 5, 6};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		insert(&items[i], keys[i]);
	check_heap(12);
	/* A child of 100: the last one, 6, goes over 100 itself. */
	fw_heap_remove(&heap, &items[5].node);
	drain(11);
}
END_TEST

START_TEST(test_equal_keys_leave_by_tie)
{
	for (size_t i = 0; i < ITEMS; i++)
		insert(&items[(i * 149) % ITEMS], 7.0);
	for (size_t i = 0; i < ITEMS; i++) {
		ck_assert_ptr_eq(first(), &items[i]);
		fw_heap_remove(&heap, &items[i].node);
	}
}
END_TEST

START_TEST(test_an_update_keeps_the_tie)
{
	for (size_t i = 0; i < 10; i++)
		insert(&items[i], (double)i);
	for (size_t i = 10; i-- > 0;) {
		items[i].key = 3.0;
		fw_heap_update(&heap, &items[i].node, 3.0);
		ck_assert(fw_heap_valid(&heap));
	}
	for (size_t i = 0; i < 10; i++) {
		ck_assert_ptr_eq(first(), &items[i]);
		fw_heap_remove(&heap, &items[i].node);
	}
}
END_TEST

START_TEST(test_infinite_keys_and_both_zeros_have_their_places)
{
	insert(&items[4], HUGE_VAL);
	insert(&items[3], 1e308);
	insert(&items[2], 0.0);
	insert(&items[1], -0.0);
	insert(&items[0], -HUGE_VAL);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_ptr_eq(first(), &items[i]);
		fw_heap_remove(&heap, &items[i].node);
	}
}
END_TEST

START_TEST(test_no_memory_leaves_the_heap_as_it_was)
{
	size_t num = 0, refused = 0;

	while (num < ITEMS) {
		int ret;

		fail_alloc_after(&memory, 0);
		ret = fw_heap_reserve(&heap, num + 1);
		fail_alloc_disarm(&memory);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			check_heap(num);
			refused++;
		}
		insert(&items[num], (double)((num * 61) % ITEMS));
		check_heap(++num);
	}
	ck_assert_uint_eq(refused, memory.failed);
	/* It doubles: 16, 32, 64, 128, 256, 512. */
	ck_assert_uint_eq(refused, 6);
	drain(num);
}
END_TEST

static Suite *heap_suite(void)
{
	Suite *suite = suite_create("heap");
	TCase *tcase = tcase_create("heap");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_a_node_of_zeros_is_not_queued);
	tcase_add_test(tcase, test_any_history_keeps_the_smallest_first);
	tcase_add_test(tcase, test_removing_from_the_middle_keeps_order);
	tcase_add_test(tcase, test_what_fills_a_hole_may_rise);
	tcase_add_test(tcase, test_equal_keys_leave_by_tie);
	tcase_add_test(tcase, test_an_update_keeps_the_tie);
	tcase_add_test(tcase,
		       test_infinite_keys_and_both_zeros_have_their_places);
	tcase_add_test(tcase, test_no_memory_leaves_the_heap_as_it_was);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(heap_suite());
}
