/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/order.h>

#include "tests/support/run.h"
#include "orders.h"

/* Calls that make no sense, and running out of memory. */

/**
 * struct heap_count - an allocator that fails when told
 * @left: allocations until one fails; less than 0 for never
 * @calls: allocations so far
 * @live: blocks that were not given back
 * @bytes: their size, as the caller says it
 */
struct heap_count {
	int left;
	int calls;
	int live;
	size_t bytes;
};

static struct heap_count counts;

static void *counting_alloc(void *ctx, size_t size)
{
	struct heap_count *c = ctx;
	void *ptr;

	c->calls++;
	if (!c->left)
		return NULL;
	c->left--;
	ptr = malloc(size);
	ck_assert_ptr_nonnull(ptr);
	/* Nothing may count on zeroed memory. */
	memset(ptr, 0xa5, size);
	c->live++;
	c->bytes += size;
	return ptr;
}

static void counting_free(void *ctx, void *ptr, size_t size)
{
	struct heap_count *c = ctx;

	ck_assert_ptr_nonnull(ptr);
	c->live--;
	c->bytes -= size;
	free(ptr);
}

static const struct fw_allocator counting = {
	.alloc = counting_alloc,
	.free = counting_free,
	.ctx = &counts,
};

static void setup(void)
{
	make_requests();
	counts = (struct heap_count){.left = -1};
}

static struct fw_order_stats stats_of(const struct fw_order *order)
{
	struct fw_order_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	return stats;
}

/* It is not the first order's any more, to be put back into its heaps. */
START_TEST(test_an_admission_that_waits_elsewhere_is_not_taken_back)
{
	struct fw_order *order = open_order(NULL), *other = open_order(NULL);

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_order_add(other, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	ck_assert_int_eq(fw_pass_end(order), 0);
	ck_assert_uint_eq(stats_of(order).waiting, 0);
	ck_assert_uint_eq(stats_of(other).waiting, 1);
	fw_order_close(order);
	ck_assert_ptr_eq(take(other), &reqs[0]);
	fw_order_close(other);
}
END_TEST

START_TEST(test_requests_out_of_form_change_nothing)
{
	struct fw_order *order = open_order(NULL);
	struct fw_request before;

	reqs[0].len = 0;
	reqs[1].flags = 1;
	for (int i = 0; i < 7; i++)
		reqs[2 + i].reserved[i] = (uint64_t)1 << (i * 7);
	reqs[9].reserved32 = 1;
	reqs[10].priority = 1;
	reqs[11].max_wait = -1;
	for (int i = 0; i < 12; i++) {
		before = reqs[i];
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), -EINVAL);
		ck_assert_mem_eq(&before, &reqs[i], sizeof(before));
	}
	ck_assert_uint_eq(stats_of(order).waiting, 0);
	/* An update that is refused leaves the request waiting as it was. */
	ck_assert_int_eq(fw_order_add(order, &reqs[13]), 0);
	reqs[13].flags = 4;
	ck_assert_int_eq(fw_order_add(order, &reqs[13]), -EINVAL);
	ck_assert_uint_eq(stats_of(order).waiting, 1);
	ck_assert_ptr_eq(take(order), &reqs[13]);
	fw_order_close(order);
}
END_TEST

START_TEST(test_calls_without_a_pass_say_so)
{
	struct fw_order *order = open_order(NULL);
	uint32_t hit = 7, cost = 7;

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_ptr_null(fw_pass_peek(order));
		ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), -ENOENT);
		ck_assert_uint_eq(hit, 7);
		ck_assert_uint_eq(cost, 7);
		ck_assert_int_eq(fw_pass_admit(order, 1), -ENOENT);
		ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
		ck_assert_int_eq(fw_pass_end(order), -ENOENT);
		/* Nor is a decision left over from a pass that ended. */
		ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), 0);
		ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
		ck_assert_int_eq(fw_pass_end(order), 0);
	}
	ck_assert_ptr_eq(take(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_skip(order), -ENOENT);
	fw_order_close(order);
}
END_TEST

START_TEST(test_one_pass_at_a_time)
{
	struct fw_order *order = open_order(NULL);

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_pass_begin(order, 0, 100), 0);
	ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
	ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), -EBUSY);
	ck_assert_uint_eq(stats_of(order).passes, 1);
	ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	ck_assert_int_eq(fw_pass_end(order), 0);
	fw_order_close(order);
}
END_TEST

START_TEST(test_orders_keep_out_of_each_other)
{
	struct fw_order *a = open_order(NULL), *b = open_order(NULL);

	ck_assert_int_eq(fw_order_add(a, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[1]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[0]), -EBUSY);
	ck_assert_int_eq(fw_order_set_hit(b, &reqs[0], 1), -ENOENT);
	ck_assert_int_eq(fw_order_remove(b, &reqs[0]), -ENOENT);
	ck_assert_int_eq(fw_pass_begin(a, 0, PLENTY), 0);
	ck_assert_ptr_null(fw_pass_peek(b));
	ck_assert_int_eq(fw_pass_begin(b, 0, PLENTY), 0);
	ck_assert_ptr_eq(fw_pass_peek(a), &reqs[0]);
	ck_assert_ptr_eq(fw_pass_peek(b), &reqs[1]);
	ck_assert_int_eq(fw_pass_end(a), 0);
	ck_assert_int_eq(fw_pass_end(b), 0);
	ck_assert_int_eq(fw_order_remove(a, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[0]), 0);
	ck_assert_uint_eq(stats_of(a).waiting, 0);
	ck_assert_uint_eq(stats_of(b).waiting, 2);
	fw_order_close(a);
	fw_order_close(b);
}
END_TEST

START_TEST(test_requests_survive_the_order_they_wait_in)
{
	struct fw_order *order = open_order(NULL);

	for (int i = 0; i < MAX_REQS; i++) {
		reqs[i].id = (uint64_t)i;
		reqs[i].user = &reqs[i];
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
		if (i == MAX_REQS / 2)
			ck_assert_int_eq(fw_pass_begin(order, 0, PLENTY), 0);
	}
	ck_assert_ptr_nonnull(fw_pass_peek(order));
	fw_order_close(order);
	order = open_order(NULL);
	for (int i = MAX_REQS; i-- > 0;) {
		ck_assert_uint_eq(reqs[i].id, (uint64_t)i);
		ck_assert_ptr_eq(reqs[i].user, &reqs[i]);
		ck_assert_int_eq(fw_order_remove(order, &reqs[i]), -ENOENT);
		memset(reqs[i].priv, 0, sizeof(reqs[i].priv));
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	}
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_ptr_eq(take(order), &reqs[i]);
	ck_assert_ptr_null(take(order));
	fw_order_close(order);
}
END_TEST

START_TEST(test_counters_fill_what_the_caller_has)
{
	struct fw_order *order = open_order(NULL);
	struct fw_order_stats stats = {.size = 0, .waiting = 7, .passes = 7};

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), -EINVAL);
	ck_assert_uint_eq(stats.waiting, 7);
	stats.size = offsetof(struct fw_order_stats, passes);
	ck_assert_int_eq(fw_order_read_stats(order, &stats), 0);
	ck_assert_uint_eq(stats.waiting, 1);
	ck_assert_uint_eq(stats.passes, 7);
	ck_assert_uint_eq(stats.size, offsetof(struct fw_order_stats, passes));
	fw_order_close(order);
}
END_TEST

/* Queue all and take all; every call that fails is made again. */
static int use_order(struct fw_order *order)
{
	int failed = 0, ret;

	for (int i = 0; i < MAX_REQS; i++) {
		ret = fw_order_add(order, &reqs[i]);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert_uint_eq(stats_of(order).waiting, i);
			ck_assert_int_eq(fw_order_remove(order, &reqs[i]),
					 -ENOENT);
			failed++;
			counts.left = -1;
			ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
		}
		if (i % 8 == 7) {
			ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, 1), 0);
			ck_assert_ptr_eq(fw_pass_peek(order), &reqs[0]);
			ck_assert_int_eq(fw_pass_end(order), 0);
		}
	}
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_ptr_eq(take(order), &reqs[i]);
	ck_assert_ptr_null(take(order));
	return failed;
}

static int open_counted(struct fw_order **order)
{
	static const struct fw_cost_point table[] = {{100, 1.0}, {200, 2.0}};
	struct fw_order_config config = sized();
	struct fw_allocator allocator = counting;
	int ret;

	config.table = table;
	config.num_points = 2;
	config.allocator = &allocator;
	ret = fw_order_open(order, &config);
	/* The order keeps a copy. */
	memset(&allocator, 0, sizeof(allocator));
	return ret;
}

START_TEST(test_no_memory_at_any_call_is_survived)
{
	int most, failed = 0;

	for (most = 0;; most++) {
		struct fw_order *order = NULL;
		int ret;

		setup();
		counts.left = most;
		ret = open_counted(&order);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert_ptr_null(order);
			ck_assert_int_eq(counts.live, 0);
			counts.left = -1;
			ck_assert_int_eq(open_counted(&order), 0);
			failed++;
		}
		ret = use_order(order);
		failed += ret;
		fw_order_close(order);
		ck_assert_int_eq(counts.live, 0);
		ck_assert_uint_eq(counts.bytes, 0);
		if (counts.calls <= most)
			break;
	}
	/* Each allocation had its turn: order, table, and the lanes' arrays. */
	ck_assert_int_eq(failed, most);
	ck_assert_int_ge(most, 4);
}
END_TEST

START_TEST(test_only_adding_allocates)
{
	struct fw_order *order = NULL;
	int calls;

	ck_assert_int_eq(open_counted(&order), 0);
	for (int i = 0; i < MAX_REQS; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	calls = counts.calls;
	counts.left = 0;
	for (int round = 0; round < 20; round++) {
		struct fw_request *req;

		ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, PLENTY), 0);
		ck_assert_int_eq(fw_order_set_hit(order, &reqs[round], 9), 0);
		reqs[round].len++;
		ck_assert_int_eq(fw_order_add(order, &reqs[round]), 0);
		req = fw_pass_peek(order);
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
		ck_assert_int_eq(fw_order_add(order, req), 0);
		ck_assert_ptr_nonnull(fw_pass_peek(order));
		ck_assert_int_eq(fw_pass_skip(order), 0);
		ck_assert_int_eq(fw_pass_end(order), 0);
	}
	ck_assert_int_eq(counts.calls, calls);
	ck_assert_uint_eq(stats_of(order).waiting, MAX_REQS);
	fw_order_close(order);
	ck_assert_int_eq(counts.live, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("order");
	TCase *tcase = tcase_create("order");

	tcase_add_checked_fixture(tcase, setup, NULL);
	tcase_add_test(
		tcase,
		test_an_admission_that_waits_elsewhere_is_not_taken_back);
	tcase_add_test(tcase, test_requests_out_of_form_change_nothing);
	tcase_add_test(tcase, test_calls_without_a_pass_say_so);
	tcase_add_test(tcase, test_one_pass_at_a_time);
	tcase_add_test(tcase, test_orders_keep_out_of_each_other);
	tcase_add_test(tcase, test_requests_survive_the_order_they_wait_in);
	tcase_add_test(tcase, test_counters_fill_what_the_caller_has);
	tcase_add_test(tcase, test_no_memory_at_any_call_is_survived);
	tcase_add_test(tcase, test_only_adding_allocates);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
