/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <fairway/runtime.h>
#include <fairway/stats.h>

#include "tests/support/hand.h"
#include "tests/support/run.h"

/*
 * A runtime whose engine keeps the cache: it learns of blocks by events, from
 * any thread, and asks before it admits.
 */

#define BLOCK 16u
#define NUM_KEYS 6u
#define SOURCES 4u
#define EVENTS 3000u

static struct hand hand;
static struct fw *fw;
static struct fw_key keys[NUM_KEYS];
static struct fw_result result;
static uint32_t num_ended;
static uint32_t offered;
static enum fw_admit answer;
static uint32_t num_decided, num_scored;

static void on_done(void *ctx, struct fw_request *req,
		    const struct fw_result *ended)
{
	(void)ctx;
	(void)req;
	result = *ended;
	num_ended++;
}

static enum fw_admit on_admit(void *ctx, struct fw_request *req,
			      uint32_t cached)
{
	(void)ctx;
	(void)req;
	offered = cached;
	return answer;
}

static void on_decided(void *ctx, const struct fw_decision *decision)
{
	(void)ctx;
	num_decided++;
	num_scored += decision->hit > 0;
	if (decision->hit)
		ck_assert_uint_eq(decision->hit, decision->cached);
}

static void open_bounded(uint32_t max_events, uint32_t flags,
			 uint32_t max_rescored)
{
	const struct fw_executor executor = hand_executor(&hand, 1);
	const struct fw_config config = {
		.size = sizeof(config),
		.executor = &executor,
		.done = on_done,
		.admit = on_admit,
		.decided = on_decided,
		.block_tokens = BLOCK,
		.max_events = max_events,
		.max_cached = 4096,
		.shards = 2,
		.flags = flags,
		.max_rescored = max_rescored,
	};

	num_ended = 0;
	answer = FW_ADMIT_FITS;
	for (uint32_t i = 0; i < NUM_KEYS; i++)
		keys[i] = fw_key_widen(i);
	ck_assert_int_eq(fw_open(&fw, &config), 0);
}

static void open_runtime(uint32_t max_events, uint32_t flags)
{
	open_bounded(max_events, flags, 0);
}

/* Cached tokens that a prompt of all keys and one more token is served with. */
static uint32_t served_hit(void)
{
	struct fw_request req = {
		.keys = keys,
		.num_keys = NUM_KEYS,
		.len = NUM_KEYS * BLOCK + 1,
	};
	uint32_t before = num_ended;

	ck_assert_int_eq(fw_submit(fw, &req, NULL), 0);
	while (num_ended == before) {
		fw_step(fw);
		if (hand.num) {
			ck_assert_uint_eq(hand.plans[0]->entries[0].num_blocks,
					  0);
			hand_end(&hand, 0, 0);
		}
	}
	ck_assert_int_eq(result.outcome, FW_DONE);
	ck_assert_uint_eq(offered, result.cached);
	ck_assert_uint_eq(result.cached % BLOCK, 0);
	return result.cached / BLOCK;
}

static void stored(uint32_t i, const struct fw_key *parent)
{
	ck_assert_int_eq(fw_block_stored(fw, &keys[i], parent), 0);
}

static void removed(uint32_t i)
{
	ck_assert_int_eq(fw_block_removed(fw, &keys[i]), 0);
}

START_TEST(test_hits_follow_the_engines_cache)
{
	open_runtime(0, _i ? FW_MATCH_AT_SUBMIT : 0);
	ck_assert_uint_eq(served_hit(), 0);
	stored(0, NULL);
	stored(1, &keys[0]);
	ck_assert_uint_eq(served_hit(), 2);
	/* A child before its parent counts when that comes. */
	stored(3, &keys[2]);
	ck_assert_uint_eq(served_hit(), 2);
	stored(2, &keys[1]);
	ck_assert_uint_eq(served_hit(), 4);
	/* A second copy must go as well. */
	stored(1, &keys[0]);
	removed(1);
	ck_assert_uint_eq(served_hit(), 4);
	removed(1);
	ck_assert_uint_eq(served_hit(), 1);
	stored(1, &keys[0]);
	ck_assert_uint_eq(served_hit(), 4);
	ck_assert_int_eq(fw_block_cleared(fw), 0);
	ck_assert_uint_eq(served_hit(), 0);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

START_TEST(test_parents_are_learned_from_those_who_wait)
{
	open_runtime(0, 0);
	for (uint32_t i = 0; i < NUM_KEYS; i++)
		stored(i, FW_PARENT_UNKNOWN);
	ck_assert_uint_eq(served_hit(), NUM_KEYS);
	removed(NUM_KEYS - 1);
	ck_assert_uint_eq(served_hit(), NUM_KEYS - 1);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

START_TEST(test_too_many_events_are_refused_not_dropped)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	open_runtime(3, 0);
	stored(0, NULL);
	stored(1, &keys[0]);
	stored(2, &keys[1]);
	ck_assert_int_eq(fw_block_stored(fw, &keys[3], &keys[2]), -EAGAIN);
	ck_assert_int_eq(fw_block_cleared(fw), -EAGAIN);
	fw_step(fw);
	stored(3, &keys[2]);
	ck_assert_uint_eq(served_hit(), 4);
	ck_assert_int_eq(fw_read_stats(fw, &stats), 0);
	ck_assert_uint_eq(stats.events, 4);
	ck_assert_uint_eq(stats.events_refused, 2);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

/* Stores and removes a block of its own, ends with it stored. */
static void *report(void *arg)
{
	const struct fw_key *key = arg;

	for (uint32_t i = 0; i < EVENTS; i++) {
		int ret;

		do {
			ret = i % 2 ? fw_block_removed(fw, key)
				    : fw_block_stored(fw, key,
						      FW_PARENT_UNKNOWN);
			if (ret == -EAGAIN)
				sched_yield();
		} while (ret == -EAGAIN);
		if (ret)
			return arg;
	}
	while (fw_block_stored(fw, key, FW_PARENT_UNKNOWN) == -EAGAIN)
		sched_yield();
	return NULL;
}

START_TEST(test_events_of_each_source_keep_their_order)
{
	struct fw_stats stats = {.size = sizeof(stats)};
	pthread_t sources[SOURCES];
	void *failed = NULL;

	open_runtime(16, 0);
	for (uint32_t i = 0; i < SOURCES; i++)
		pthread_create(&sources[i], NULL, report, &keys[i]);
	do {
		fw_step(fw);
		fw_wait(fw, 1000000);
		ck_assert_int_eq(fw_read_stats(fw, &stats), 0);
	} while (stats.events < SOURCES * (EVENTS + 1));
	for (uint32_t i = 0; i < SOURCES; i++) {
		pthread_join(sources[i], &failed);
		ck_assert_ptr_null(failed);
	}
	/* Every remove found what the same thread had stored before it. */
	ck_assert_uint_eq(served_hit(), SOURCES);
	for (uint32_t i = SOURCES; i-- > 0;) {
		removed(i);
		ck_assert_uint_eq(served_hit(), i);
	}
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

/* Many wait for one block: a step scores as many of them as it may. */
START_TEST(test_rescoring_is_spread_and_none_loses_its_hit)
{
	const uint32_t bounds[] = {0, 1, 3}, scored[] = {8, 1, 3};
	struct fw_request reqs[8];

	open_bounded(0, 0, bounds[_i]);
	answer = FW_ADMIT_FULL;
	for (uint32_t i = 0; i < 8; i++) {
		reqs[i] = (struct fw_request){
			.keys = keys,
			.num_keys = 1,
			.len = 2 * BLOCK,
		};
		ck_assert_int_eq(fw_submit(fw, &reqs[i], NULL), 0);
	}
	num_decided = num_scored = 0;
	fw_step(fw);
	ck_assert_uint_eq(num_decided, 0);
	stored(0, NULL);
	answer = FW_ADMIT_FITS;
	ck_assert_int_eq(fw_step(fw), 1);
	ck_assert_uint_eq(num_decided, 8);
	ck_assert_uint_eq(num_scored, scored[_i]);
	hand_end(&hand, 0, 0);
	fw_step(fw);
	ck_assert_uint_eq(num_ended, 8);
	ck_assert_uint_eq(result.cached, BLOCK);
	ck_assert_int_eq(fw_close(fw, -1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("runtime_events");
	TCase *tcase = tcase_create("runtime_events");

	tcase_set_timeout(tcase, 20);
	tcase_add_loop_test(tcase, test_hits_follow_the_engines_cache, 0, 2);
	tcase_add_test(tcase, test_parents_are_learned_from_those_who_wait);
	tcase_add_test(tcase, test_too_many_events_are_refused_not_dropped);
	tcase_add_test(tcase, test_events_of_each_source_keep_their_order);
	tcase_add_loop_test(tcase,
			    test_rescoring_is_spread_and_none_loses_its_hit, 0,
			    3);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
