/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sync/inbox.h"

#include <errno.h>
#include <stdint.h>

#include "lib/base/alloc.h"
#include "lib/base/thread_number.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/* All nodes of this thread, in whatever shard they are. */
static struct fw_inbox_node *drain_all(struct fw_inbox *inbox)
{
	struct fw_inbox_node *node = NULL;
	uint32_t i;

	for (i = 0; !node && i < inbox->num_shards; i++)
		node = fw_inbox_drain(inbox, i);
	return node;
}

START_TEST(test_drain_gives_push_order)
{
	struct fw_inbox_node nodes[5];
	struct fw_inbox_node *node;
	struct fw_inbox inbox;
	size_t i;

	ck_assert_int_eq(fw_inbox_init(&inbox, 4, &fw_allocator_default), 0);
	for (i = 0; i < 5; i++)
		ck_assert(fw_inbox_push(&inbox, &nodes[i]) == (i == 0));
	node = drain_all(&inbox);
	for (i = 0; i < 5; i++, node = node->next)
		ck_assert_ptr_eq(node, &nodes[i]);
	ck_assert_ptr_null(node);
	fw_inbox_destroy(&inbox);
}
END_TEST

START_TEST(test_drained_node_may_be_pushed_again)
{
	struct fw_inbox_node node;
	struct fw_inbox inbox;
	int i;

	ck_assert_int_eq(fw_inbox_init(&inbox, 1, &fw_allocator_default), 0);
	for (i = 0; i < 3; i++) {
		ck_assert(fw_inbox_empty(&inbox));
		ck_assert(fw_inbox_push(&inbox, &node));
		ck_assert(!fw_inbox_empty(&inbox));
		ck_assert_ptr_eq(fw_inbox_drain(&inbox, 0), &node);
		ck_assert_ptr_null(node.next);
	}
	ck_assert_ptr_null(fw_inbox_drain(&inbox, 0));
	fw_inbox_destroy(&inbox);
}
END_TEST

START_TEST(test_shards_stand_apart)
{
	struct fw_inbox inbox;
	uintptr_t i;

	ck_assert_int_eq(fw_inbox_init(&inbox, 5, &fw_allocator_default), 0);
	ck_assert_uint_eq(inbox.num_shards, 8);
	for (i = 0; i < inbox.num_shards; i++)
		ck_assert_uint_eq((uintptr_t)&inbox.shards[i] % FW_LINE, 0);
	fw_inbox_destroy(&inbox);
}
END_TEST

START_TEST(test_numbers_out_of_range_are_refused)
{
	struct fw_inbox inbox = {0};

	ck_assert_int_eq(fw_inbox_init(&inbox, 0, &fw_allocator_default),
			 -EINVAL);
	ck_assert_int_eq(fw_inbox_init(&inbox, 4097, &fw_allocator_default),
			 -EINVAL);
	ck_assert_ptr_null(inbox.shards);
}
END_TEST

START_TEST(test_no_memory_leaves_the_inbox_alone)
{
	struct fail_alloc fail;
	struct fw_inbox inbox = {0};

	fail_alloc_init(&fail);
	fail_alloc_after(&fail, 0);
	ck_assert_int_eq(fw_inbox_init(&inbox, 4, &fail.allocator), -ENOMEM);
	ck_assert_ptr_null(inbox.shards);
	ck_assert_int_eq(fw_inbox_init(&inbox, 4, &fail.allocator), 0);
	fw_inbox_destroy(&inbox);
	ck_assert(fail_alloc_clean(&fail));
}
END_TEST

START_TEST(test_thread_keeps_its_number)
{
	uint32_t number = fw_thread_number();

	ck_assert_uint_ne(number, 0);
	ck_assert_uint_eq(fw_thread_number(), number);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("inbox");
	TCase *tc = tcase_create("inbox");

	tcase_add_test(tc, test_drain_gives_push_order);
	tcase_add_test(tc, test_drained_node_may_be_pushed_again);
	tcase_add_test(tc, test_shards_stand_apart);
	tcase_add_test(tc, test_numbers_out_of_range_are_refused);
	tcase_add_test(tc, test_no_memory_leaves_the_inbox_alone);
	tcase_add_test(tc, test_thread_keeps_its_number);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
