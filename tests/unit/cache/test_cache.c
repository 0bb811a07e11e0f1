/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fairway/cache.h>
#include <fairway/order.h>

#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

/* Calls of a cache that make no sense, storms, fork, and lack of memory. */

#define TOKENS 16u
#define DOC 100u
#define STORM 20000u
#define NS_PER_S 1000000000

static struct fw_key doc[DOC];
static struct fw_request *reqs;

static void setup(void)
{
	for (uint32_t i = 0; i < DOC; i++)
		doc[i] = fw_key_widen(i);
	reqs = calloc(STORM, sizeof(*reqs));
	ck_assert_ptr_nonnull(reqs);
	for (uint32_t i = 0; i < STORM; i++) {
		reqs[i].len = DOC * TOKENS + 100;
		reqs[i].keys = doc;
		reqs[i].num_keys = DOC;
		reqs[i].arrival = i;
	}
}

static void teardown(void)
{
	free(reqs);
}

static struct fw_cache *open_cache(uint32_t max_moved)
{
	const struct fw_cache_config config = {
		.size = sizeof(config),
		.block_tokens = TOKENS,
		.max_moved = max_moved,
	};
	struct fw_cache *cache;

	ck_assert_int_eq(fw_cache_open(&cache, &config), 0);
	return cache;
}

static struct fw_order *open_order(struct fw_cache *cache)
{
	const struct fw_order_config config = {
		.size = sizeof(config),
		.cache = cache,
	};
	struct fw_order *order;

	ck_assert_int_eq(fw_order_open(&order, &config), 0);
	return order;
}

/* Blocks [@from, @to) of the document come, or go with the last one first. */
static void tell(struct fw_cache *cache, bool come, uint32_t from, uint32_t to)
{
	struct fw_cache_event events[DOC];
	uint32_t num = 0;

	for (uint32_t i = from; i < to; i++) {
		uint32_t at = come ? i : to - 1 - (i - from);

		events[num++] = (struct fw_cache_event){
			.kind = !come ? FW_CACHE_ABSENT
				: at  ? FW_CACHE_BEHIND
				      : FW_CACHE_FIRST,
			.key = doc[at],
			.parent = doc[at ? at - 1 : 0],
		};
	}
	ck_assert_int_eq(fw_cache_apply(cache, events, num), 0);
}

static uint64_t moved(const struct fw_cache *cache)
{
	struct fw_cache_stats stats = {.size = sizeof(stats)};

	ck_assert_int_eq(fw_cache_read_stats(cache, &stats), 0);
	return stats.moved;
}

static uint32_t hit_of(struct fw_order *order, uint32_t i)
{
	uint32_t hit;

	ck_assert_int_eq(fw_order_hit(order, &reqs[i], &hit), 0);
	return hit;
}

static void pass(struct fw_order *order)
{
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, 100), 0);
	ck_assert_ptr_nonnull(fw_pass_peek(order));
	ck_assert_int_eq(fw_pass_end(order), 0);
}

START_TEST(test_settings_out_of_range_are_refused)
{
	struct fw_cache_config config = {.size = sizeof(config)};
	struct fw_cache *cache = (void *)reqs;

	config.demand = 2;
	ck_assert_int_eq(fw_cache_open(&cache, &config), -EINVAL);
	config =
		(struct fw_cache_config){.size = sizeof(config), .reserved = 1};
	ck_assert_int_eq(fw_cache_open(&cache, &config), -EINVAL);
	config = (struct fw_cache_config){.size = sizeof(config),
					  .max_blocks = UINT32_MAX};
	ck_assert_int_eq(fw_cache_open(&cache, &config), -EINVAL);
	config = (struct fw_cache_config){.size = 4};
	ck_assert_int_eq(fw_cache_open(&cache, &config), -EINVAL);
	ck_assert_ptr_eq(cache, reqs);
	ck_assert_int_eq(fw_cache_close(NULL), 0);
}
END_TEST

START_TEST(test_a_cache_outlives_its_orders)
{
	struct fw_cache *cache = open_cache(0);
	struct fw_order *a = open_order(cache), *b = open_order(cache);

	ck_assert_int_eq(fw_order_add(a, &reqs[0]), 0);
	ck_assert_int_eq(fw_order_add(b, &reqs[1]), 0);
	ck_assert_int_eq(fw_cache_close(cache), -EBUSY);
	fw_order_close(a);
	ck_assert_int_eq(fw_cache_close(cache), -EBUSY);
	/* What the first one let go is free for the second. */
	ck_assert_int_eq(fw_order_add(b, &reqs[0]), 0);
	tell(cache, true, 0, DOC);
	pass(b);
	ck_assert_uint_eq(hit_of(b, 0), DOC * TOKENS);
	fw_order_close(b);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

START_TEST(test_calls_out_of_form_change_nothing)
{
	struct fw_cache *cache = open_cache(0);
	struct fw_order *order = open_order(cache);
	struct fw_cache_event events[2] = {
		{.kind = FW_CACHE_FIRST, .key = doc[0]},
		{.kind = FW_CACHE_CLEARED + 1},
	};
	struct fw_cache_stats stats = {.size = 0};

	ck_assert_int_eq(fw_cache_apply(cache, events, 2), -EINVAL);
	ck_assert_uint_eq(fw_cache_match(cache, doc, 1), 0);
	ck_assert_int_eq(fw_cache_read_stats(cache, &stats), -EINVAL);
	reqs[0].keys = NULL;
	ck_assert_int_eq(fw_order_add(order, &reqs[0]), -EINVAL);
	ck_assert_int_eq(fw_order_remove(order, &reqs[0]), -ENOENT);
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

START_TEST(test_digests_of_other_sizes_are_no_keys)
{
	unsigned char digest[32];
	struct fw_key key = {1, 2}, half;

	for (unsigned int i = 0; i < 32; i++)
		digest[i] = (unsigned char)(i + 1);
	ck_assert_int_eq(fw_key_digest(&key, digest, 8), -EINVAL);
	ck_assert_int_eq(fw_key_digest(&key, digest, 36), -EINVAL);
	ck_assert_uint_eq(key.hi, 1);
	ck_assert_int_eq(fw_key_digest(&key, digest, 32), 0);
	ck_assert_uint_eq(key.hi, 0x0102030405060708);
	ck_assert_uint_eq(key.lo, 0x090a0b0c0d0e0f10);
	ck_assert_int_eq(fw_key_digest(&half, digest, 16), 0);
	ck_assert_mem_eq(&key, &half, sizeof(key));
}
END_TEST

/* Tail first, as engines evict: not a move of each for each block. */
START_TEST(test_a_document_that_goes_moves_each_request_once)
{
	struct fw_cache *cache = open_cache(0);
	struct fw_order *order = open_order(cache);
	uint64_t before;

	tell(cache, true, 0, DOC);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	pass(order);
	before = moved(cache);
	tell(cache, false, 40, DOC);
	ck_assert_uint_eq(moved(cache), before);
	pass(order);
	ck_assert_uint_eq(moved(cache), before + 1000);
	ck_assert_uint_eq(hit_of(order, 7), 40 * TOKENS);
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

static void check_storm(struct fw_cache *cache, struct fw_order *order,
			uint32_t hit)
{
	uint32_t passes = 0, left;

	do {
		uint64_t before = moved(cache);

		pass(order);
		/* As many for the pass, and the heads that it corrected. */
		ck_assert_uint_le(moved(cache) - before, 1000);
		ck_assert_uint_eq(hit_of(order, passes), hit);
		left = moved(cache) != before;
	} while (left && ++passes < 1000);
	ck_assert_uint_lt(passes, 1000);
	for (uint32_t i = 0; i < STORM; i++)
		ck_assert_uint_eq(hit_of(order, i), hit);
}

START_TEST(test_no_pass_moves_a_whole_storm)
{
	struct fw_cache *cache = open_cache(500);
	struct fw_order *order = open_order(cache);

	for (uint32_t i = 0; i < STORM; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	tell(cache, true, 0, DOC);
	check_storm(cache, order, DOC * TOKENS);
	tell(cache, false, 10, DOC);
	check_storm(cache, order, 10 * TOKENS);
	tell(cache, false, 0, 10);
	check_storm(cache, order, 0);
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

/* Its hit is one that a bounded pass did not reach: it is found on the way. */
START_TEST(test_what_a_bounded_pass_offers_has_its_real_hit)
{
	struct fw_cache *cache = open_cache(2);
	struct fw_order *order = open_order(cache);
	uint32_t hit, cost;

	tell(cache, true, 0, DOC);
	for (uint32_t i = 0; i < 100; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	pass(order);
	tell(cache, false, 0, DOC);
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, 1000000), 0);
	ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
	ck_assert_uint_eq(hit, DOC * TOKENS);
	fw_pass_end(order);
	/* Once so many were put right, the pass goes on with what it knows. */
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);

	cache = open_cache(200);
	order = open_order(cache);
	tell(cache, true, 0, DOC);
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_int_eq(fw_order_add(order, &reqs[i]), 0);
	tell(cache, false, 0, DOC);
	ck_assert_int_eq(fw_pass_begin(order, NS_PER_S, 1000000), 0);
	for (uint32_t i = 0; i < 300; i++) {
		ck_assert_int_eq(fw_pass_hit(order, &hit, &cost), 0);
		ck_assert_uint_eq(hit, 0);
		ck_assert_uint_eq(cost, reqs[0].len);
		ck_assert_int_eq(fw_pass_admit(order, 1), 0);
	}
	fw_pass_end(order);
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

START_TEST(test_a_child_of_fork_goes_on_by_itself)
{
	struct fw_cache *cache = open_cache(0);
	struct fw_order *order = open_order(cache);
	int status;
	pid_t child;

	ck_assert_int_eq(fw_order_add(order, &reqs[0]), 0);
	tell(cache, true, 0, 5);
	child = fork();
	if (!child) {
		tell(cache, true, 5, 9);
		pass(order);
		_exit(hit_of(order, 0) == 9 * TOKENS ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	pass(order);
	ck_assert_uint_eq(hit_of(order, 0), 5 * TOKENS);
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
}
END_TEST

/* Opens and fills with one allocation failing; was it the last that could? */
static bool survives(struct fail_alloc *memory, size_t fail)
{
	const struct fw_cache_config cache_config = {
		.size = sizeof(cache_config),
		.max_blocks = 100,
		.allocator = &memory->allocator,
	};
	struct fw_order_config config = {
		.size = sizeof(config),
		.allocator = &memory->allocator,
	};
	struct fw_order *order = NULL;
	struct fw_cache *cache = NULL;
	uint32_t added = 0, hit;
	int ret;

	fail_alloc_after(memory, fail);
	ret = fw_cache_open(&cache, &cache_config);
	config.cache = cache;
	if (!ret)
		ret = fw_order_open(&order, &config);
	if (!ret)
		tell(cache, true, 0, DOC);
	while (!ret && added < 300) {
		ret = fw_order_add(order, &reqs[added]);
		added += !ret;
	}
	ck_assert(!ret || ret == -ENOMEM);
	fail_alloc_disarm(memory);
	if (order && added < 300) {
		ck_assert_int_eq(fw_order_hit(order, &reqs[added], &hit),
				 -ENOENT);
		ck_assert_int_eq(fw_order_add(order, &reqs[added]), 0);
		pass(order);
		ck_assert_uint_eq(hit_of(order, added), DOC * TOKENS);
	}
	fw_order_close(order);
	ck_assert_int_eq(fw_cache_close(cache), 0);
	memset(reqs[0].priv, 0, sizeof(reqs[0].priv));
	return !ret;
}

START_TEST(test_lack_of_memory_leaves_all_as_it_was)
{
	struct fail_alloc memory;
	size_t fail = 0;

	fail_alloc_init(&memory);
	while (!survives(&memory, fail)) {
		ck_assert(fail_alloc_clean(&memory));
		ck_assert_uint_lt(++fail, 1000);
	}
	ck_assert_uint_gt(fail, 5);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cache");
	TCase *tcase = tcase_create("cache");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_settings_out_of_range_are_refused);
	tcase_add_test(tcase, test_a_cache_outlives_its_orders);
	tcase_add_test(tcase, test_calls_out_of_form_change_nothing);
	tcase_add_test(tcase, test_digests_of_other_sizes_are_no_keys);
	tcase_add_test(tcase,
		       test_a_document_that_goes_moves_each_request_once);
	tcase_add_test(tcase, test_no_pass_moves_a_whole_storm);
	tcase_add_test(tcase, test_what_a_bounded_pass_offers_has_its_real_hit);
	tcase_add_test(tcase, test_a_child_of_fork_goes_on_by_itself);
	tcase_add_test(tcase, test_lack_of_memory_leaves_all_as_it_was);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
