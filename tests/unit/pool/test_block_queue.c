/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <string.h>

#include "lib/pool/block_queue.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define BLOCKS 40u

/* What a queue is compared with: all of it is looked at for the first. */
struct model {
	bool queued;
	double key;
	uint64_t age;
};

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_kv_block blocks[BLOCKS];
static struct fw_block_queue queue;
static struct model model[BLOCKS];
static uint64_t age;

static void setup(void)
{
	fail_alloc_init(&memory);
	memset(blocks, 0, sizeof(blocks));
	memset(model, 0, sizeof(model));
	age = 0;
	fw_block_queue_init(&queue, &memory.allocator);
	ck_assert_int_eq(fw_block_queue_reserve(&queue, blocks, BLOCKS), 0);
}

static void teardown(void)
{
	fw_block_queue_destroy(&queue);
	ck_assert(fail_alloc_clean(&memory));
}

static uint32_t naive_first(void)
{
	uint32_t best = FW_BLOCK_NONE;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		const struct model *m = &model[i];

		if (!m->queued)
			continue;
		if (best == FW_BLOCK_NONE || m->key < model[best].key ||
		    (m->key == model[best].key && m->age < model[best].age))
			best = i;
	}
	return best;
}

static void insert(uint32_t i, double key)
{
	model[i] = (struct model){true, key, blocks[i].age};
	fw_block_queue_insert(&queue, i, key);
}

static void release(uint32_t i, double key)
{
	blocks[i].age = ++age;
	insert(i, key);
}

static void take(uint32_t i)
{
	model[i].queued = false;
	fw_block_queue_remove(&queue, i);
}

static bool as_the_model(void)
{
	size_t num = 0;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		if (fw_block_queued(&blocks[i]) != model[i].queued)
			return false;
		num += model[i].queued;
	}
	return queue.num == num &&
	       (!num || fw_block_queue_first(&queue) == naive_first()) &&
	       fw_block_queue_valid(&queue);
}

static double draw_key(struct draw *draw, bool keys)
{
	return keys && one_in(draw, 2) ? (double)draw_below(draw, 5) - 1.0
				       : 0.0;
}

static void random_step(struct draw *draw, bool keys)
{
	uint32_t i = draw_below(draw, BLOCKS);

	if (!model[i].queued) {
		/* Some come back at the age that they had. */
		if (blocks[i].age && one_in(draw, 3))
			insert(i, draw_key(draw, keys));
		else
			release(i, draw_key(draw, keys));
	} else if (keys && one_in(draw, 3)) {
		model[i].key = draw_key(draw, keys);
		fw_block_queue_update(&queue, i, model[i].key);
	} else {
		take(one_in(draw, 2) ? i : naive_first());
	}
}

/* Without keys, as by age alone, and with them, as an owner's priority. */
START_TEST(test_the_first_is_that_of_a_search_through_all)
{
	struct draw draw = {seed + (uint64_t)_i};

	for (int step = 0; step < 4000; step++) {
		random_step(&draw, _i);
		ck_assert(as_the_model());
	}
}
END_TEST

/* What is released and used again never costs a sift. */
START_TEST(test_releases_in_rising_age_stay_out_of_the_heap)
{
	struct draw draw = {seed};

	for (int step = 0; step < 2000; step++) {
		uint32_t i = draw_below(&draw, BLOCKS);

		if (model[i].queued)
			take(i);
		else
			release(i, 0.0);
		ck_assert_uint_eq(queue.others.num, 0);
	}
	ck_assert(as_the_model());
}
END_TEST

/* A prefix that comes into demand comes from its last block on. */
START_TEST(test_a_prefix_that_changes_queues_stays_out_of_the_heap)
{
	for (uint32_t i = BLOCKS; i-- > 0;)
		release(i, 0.0);
	for (uint32_t i = BLOCKS; i-- > 0;)
		take(i);
	for (uint32_t i = BLOCKS; i-- > 0;)
		insert(i, 0.0);
	ck_assert_uint_eq(queue.others.num, 0);
	ck_assert(as_the_model());
}
END_TEST

static Suite *suite(void)
{
	Suite *suite = suite_create("block_queue");
	TCase *tcase = tcase_create("order");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase,
			    test_the_first_is_that_of_a_search_through_all, 0,
			    2);
	tcase_add_test(tcase, test_releases_in_rising_age_stay_out_of_the_heap);
	tcase_add_test(tcase,
		       test_a_prefix_that_changes_queues_stays_out_of_the_heap);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(suite());
}
