/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/policy/ages.h"

#define MOST 200u

static uint64_t seed;
static struct ages ages;

/* Who waits, oldest first, as a plain list. */
static struct ages_node *waiting[MOST];
static uint32_t num_waiting;

static void setup(void)
{
	ages_init(&ages, &fw_allocator_default);
	num_waiting = 0;
}

static void teardown(void)
{
	while (num_waiting)
		free(waiting[--num_waiting]);
	ages_destroy(&ages);
}

static void add(void)
{
	struct ages_node *node = calloc(1, sizeof(*node));

	ck_assert_ptr_nonnull(node);
	ck_assert_int_eq(ages_add(&ages, node), 0);
	waiting[num_waiting++] = node;
}

static void leave(uint32_t place)
{
	ages_remove(&ages, waiting[place]);
	free(waiting[place]);
	num_waiting--;
	memmove(&waiting[place], &waiting[place + 1],
		(num_waiting - place) * sizeof(struct ages_node *));
}

static void check_oldest(void)
{
	ck_assert_ptr_eq(ages_oldest(&ages), num_waiting ? waiting[0] : NULL);
}

/* Queues that empty and fill again, left from the front and the middle. */
START_TEST(test_oldest_is_that_of_a_plain_list)
{
	struct draw draw = {seed + (uint64_t)_i};
	uint32_t most = 1 + draw_below(&draw, MOST);

	/* The last numbers before they wrap: only differences may count. */
	ages.moved = UINT32_MAX - draw_below(&draw, 2000);
	for (int step = 0; step < 20000; step++) {
		if (num_waiting < most && !one_in(&draw, 3))
			add();
		else if (num_waiting)
			leave(one_in(&draw, 2)
				      ? 0
				      : draw_below(&draw, num_waiting));
		check_oldest();
	}
	ck_assert_uint_lt(ages.moved, UINT32_MAX / 2);
	while (num_waiting) {
		leave(num_waiting - 1);
		check_oldest();
	}
}
END_TEST

START_TEST(test_room_follows_who_waits_not_who_came)
{
	for (uint32_t i = 0; i < 100000; i++) {
		add();
		if (num_waiting == 10)
			leave(0);
	}
	ck_assert_uint_le(ages.cap, 64);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ages");
	TCase *tcase = tcase_create("ages");

	seed = draw_seed();
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, test_oldest_is_that_of_a_plain_list, 0, 8);
	tcase_add_test(tcase, test_room_follows_who_waits_not_who_came);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
