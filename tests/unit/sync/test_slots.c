/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/slots.h"

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/sync/bound.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define NUM 5

static struct fw_slots slots;

static void setup(void)
{
	ck_assert_int_eq(fw_slots_init(&slots, NUM, 2, &fw_allocator_default),
			 0);
}

static void teardown(void)
{
	ck_assert(fw_slots_valid(&slots));
	ck_assert_uint_eq(slots.held_back, 0);
	fw_slots_destroy(&slots);
}

/* A request that waits; its handle. */
static uint64_t wait_one(void *owner)
{
	uint32_t slot = fw_slot_take(&slots);
	uint64_t handle;

	ck_assert_uint_ne(slot, FW_SLOT_NONE);
	handle = fw_slot_submit(&slots, slot, owner);
	ck_assert_uint_eq(fw_slot_of(handle), slot);
	ck_assert(!fw_slot_move(&slots, slot, FW_SLOT_SUBMITTED,
				FW_SLOT_WAITING));
	return handle;
}

/* End it; was it cancelled? */
static bool end_one(uint64_t handle)
{
	bool cancelled = fw_slot_end(&slots, fw_slot_of(handle));

	fw_slot_put(&slots, fw_slot_of(handle));
	return cancelled;
}

START_TEST(test_every_slot_is_given_once)
{
	uint64_t handles[NUM];
	uint32_t seen = 0;
	uint32_t i;

	for (i = 0; i < NUM; i++) {
		handles[i] = wait_one(NULL);
		seen |= 1u << fw_slot_of(handles[i]);
	}
	ck_assert_uint_eq(seen, (1u << NUM) - 1);
	ck_assert_uint_eq(fw_slot_take(&slots), FW_SLOT_NONE);
	for (i = 0; i < NUM; i++)
		ck_assert(!end_one(handles[i]));
	ck_assert_uint_ne(fw_slot_of(wait_one(NULL)), FW_SLOT_NONE);
}
END_TEST

START_TEST(test_taken_slot_can_be_undone)
{
	uint32_t i;

	for (i = 0; i < 3 * NUM; i++)
		fw_slot_put(&slots, fw_slot_take(&slots));
}
END_TEST

START_TEST(test_cancel_is_told_once)
{
	int owner;
	uint64_t handle = wait_one(&owner);

	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), 0);
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), -EALREADY);
	ck_assert_ptr_eq(fw_slots_next_cancel(&slots), &owner);
	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
	ck_assert(end_one(handle));
}
END_TEST

START_TEST(test_late_cancel_is_harmless)
{
	uint64_t handle = wait_one(NULL);
	uint64_t others[NUM];
	uint32_t i;

	ck_assert(!fw_slot_end(&slots, fw_slot_of(handle)));
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), -EALREADY);
	fw_slot_put(&slots, fw_slot_of(handle));
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), -ENOENT);
	for (i = 0; i < NUM; i++)
		others[i] = wait_one(NULL);
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), -ENOENT);
	for (i = 0; i < NUM; i++)
		ck_assert(!end_one(others[i]));
	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
}
END_TEST

START_TEST(test_no_number_but_a_handle_cancels)
{
	static const uint64_t numbers[] = {0, 1, NUM, UINT32_MAX, UINT64_MAX};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		ck_assert_int_eq(fw_slot_cancel(&slots, numbers[i]), -ENOENT);
}
END_TEST

/* Its hook is still linked, so the slot must not be used again. */
START_TEST(test_slot_waits_for_its_cancel)
{
	uint64_t handle = wait_one(NULL);
	uint64_t others[NUM];
	uint32_t i;

	ck_assert_int_eq(fw_slot_cancel(&slots, handle), 0);
	ck_assert(end_one(handle));
	ck_assert_uint_eq(slots.held_back, 1);
	for (i = 0; i < NUM - 1; i++)
		others[i] = wait_one(NULL);
	ck_assert_uint_eq(fw_slot_take(&slots), FW_SLOT_NONE);
	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
	ck_assert_uint_eq(slots.held_back, 0);
	others[i] = wait_one(NULL);
	ck_assert_uint_eq(fw_slot_of(others[i]), fw_slot_of(handle));
	for (i = 0; i < NUM; i++)
		ck_assert(!end_one(others[i]));
}
END_TEST

/* The scheduler hears of the cancel before it has seen the request. */
START_TEST(test_cancel_before_arrival_is_told_at_arrival)
{
	uint32_t slot = fw_slot_take(&slots);
	uint64_t handle = fw_slot_submit(&slots, slot, NULL);

	ck_assert_int_eq(fw_slot_cancel(&slots, handle), 0);
	ck_assert_ptr_null(fw_slots_next_cancel(&slots));
	ck_assert(
		fw_slot_move(&slots, slot, FW_SLOT_SUBMITTED, FW_SLOT_WAITING));
	ck_assert(end_one(handle));
}
END_TEST

START_TEST(test_running_request_is_cancelled_and_goes_back)
{
	int owner;
	uint64_t handle = wait_one(&owner);
	uint32_t slot = fw_slot_of(handle);

	ck_assert(
		!fw_slot_move(&slots, slot, FW_SLOT_WAITING, FW_SLOT_RUNNING));
	ck_assert_int_eq(fw_slot_cancel(&slots, handle), 0);
	ck_assert_ptr_eq(fw_slots_next_cancel(&slots), &owner);
	ck_assert(fw_slot_move(&slots, slot, FW_SLOT_RUNNING, FW_SLOT_WAITING));
	ck_assert_int_eq(fw_slot_state(&slots, slot), FW_SLOT_WAITING);
	ck_assert(end_one(handle));
}
END_TEST

START_TEST(test_handle_is_never_zero)
{
	struct fw_slots one;
	uint32_t slot;

	ck_assert_int_eq(fw_slots_init(&one, 1, 1, &fw_allocator_default), 0);
	/* The last generation before the number starts anew. */
	atomic_store(&one.slots[0].word, (uint64_t)UINT32_MAX << 32);
	slot = fw_slot_take(&one);
	ck_assert_uint_eq(fw_slot_submit(&one, slot, NULL) >> 32, UINT32_MAX);
	fw_slot_end(&one, slot);
	fw_slot_put(&one, slot);
	ck_assert_uint_eq(fw_slot_take(&one), slot);
	ck_assert_uint_eq(fw_slot_submit(&one, slot, NULL), (uint64_t)1 << 32);
	fw_slots_destroy(&one);
}
END_TEST

START_TEST(test_more_stacks_than_slots)
{
	struct fw_slots few;

	ck_assert_int_eq(fw_slots_init(&few, 3, 16, &fw_allocator_default), 0);
	ck_assert(fw_slots_valid(&few));
	ck_assert_uint_ne(fw_slot_take(&few), FW_SLOT_NONE);
	ck_assert_uint_ne(fw_slot_take(&few), FW_SLOT_NONE);
	ck_assert_uint_ne(fw_slot_take(&few), FW_SLOT_NONE);
	ck_assert_uint_eq(fw_slot_take(&few), FW_SLOT_NONE);
	fw_slots_destroy(&few);
}
END_TEST

START_TEST(test_numbers_out_of_range_are_refused)
{
	struct fw_slots made = {0};

	ck_assert_int_eq(fw_slots_init(&made, 0, 1, &fw_allocator_default),
			 -EINVAL);
	ck_assert_int_eq(fw_slots_init(&made, FW_SLOTS_MAX + 1, 1,
				       &fw_allocator_default),
			 -EINVAL);
	ck_assert_int_eq(fw_slots_init(&made, 1, 0, &fw_allocator_default),
			 -EINVAL);
	ck_assert_ptr_null(made.slots);
}
END_TEST

START_TEST(test_no_memory_leaves_the_slots_alone)
{
	struct fw_slots made = {0};
	struct fail_alloc fail;
	size_t i;

	fail_alloc_init(&fail);
	for (i = 0; i < 3; i++) {
		fail_alloc_after(&fail, i);
		ck_assert_int_eq(fw_slots_init(&made, NUM, 2, &fail.allocator),
				 -ENOMEM);
		ck_assert_ptr_null(made.slots);
		ck_assert_uint_eq(fail.failed, i + 1);
	}
	ck_assert_int_eq(fw_slots_init(&made, NUM, 2, &fail.allocator), 0);
	fw_slots_destroy(&made);
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

START_TEST(test_bound_holds_exactly)
{
	struct fw_bound bound;

	fw_bound_init(&bound, 10);
	ck_assert(fw_bound_reserve(&bound, 7));
	ck_assert(!fw_bound_reserve(&bound, 4));
	ck_assert(!fw_bound_reserve(&bound, UINT64_MAX));
	ck_assert(fw_bound_reserve(&bound, 3));
	ck_assert(!fw_bound_reserve(&bound, 1));
	ck_assert(fw_bound_reserve(&bound, 0));
	ck_assert_uint_eq(fw_bound_refused(&bound), 3);
	fw_bound_release(&bound, 7);
	ck_assert_uint_eq(fw_bound_used(&bound), 3);
	fw_bound_destroy(&bound);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("slots");
	TCase *life = tcase_create("life");
	TCase *more = tcase_create("init");

	tcase_add_checked_fixture(life, setup, teardown);
	tcase_add_test(life, test_every_slot_is_given_once);
	tcase_add_test(life, test_taken_slot_can_be_undone);
	tcase_add_test(life, test_cancel_is_told_once);
	tcase_add_test(life, test_late_cancel_is_harmless);
	tcase_add_test(life, test_no_number_but_a_handle_cancels);
	tcase_add_test(life, test_slot_waits_for_its_cancel);
	tcase_add_test(life, test_cancel_before_arrival_is_told_at_arrival);
	tcase_add_test(life, test_running_request_is_cancelled_and_goes_back);
	suite_add_tcase(suite, life);
	tcase_add_test(more, test_handle_is_never_zero);
	tcase_add_test(more, test_more_stacks_than_slots);
	tcase_add_test(more, test_numbers_out_of_range_are_refused);
	tcase_add_test(more, test_no_memory_leaves_the_slots_alone);
	tcase_add_test(more, test_bound_holds_exactly);
	suite_add_tcase(suite, more);
	return run_suite(suite);
}
