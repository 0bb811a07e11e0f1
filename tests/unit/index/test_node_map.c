/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "lib/index/node_arena.h"
#include "lib/index/node_map.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"

#define MANY 1000000u
#define SOME 20000u

static uint64_t seed;
static struct fail_alloc memory;
static struct fw_node_arena arena;
static struct fw_node_map map;

static void open_with(size_t num, const struct fw_allocator *allocator)
{
	fail_alloc_init(&memory);
	fw_arena_init(&arena, 1024, allocator);
	ck_assert_int_eq(fw_arena_reserve(&arena, num), 0);
	ck_assert_int_eq(fw_map_init(&map, 16, allocator), 0);
}

static void open_table(size_t num)
{
	open_with(num, &memory.allocator);
}

static void close_table(void)
{
	fw_map_destroy(&map);
	fw_arena_destroy(&arena);
	ck_assert(fail_alloc_clean(&memory));
}

static uint32_t add(struct fw_key key, size_t expect)
{
	uint32_t id = fw_arena_get(&arena);
	uint64_t hash = fw_map_hash(&map, &key);

	ck_assert_int_eq(fw_map_reserve(&map, &arena, expect), 0);
	*fw_arena_key(&arena, id) = key;
	fw_node_set_hash(fw_arena_node(&arena, id), hash);
	fw_map_add(&map, id, hash);
	return id;
}

static uint32_t find(struct fw_key key)
{
	return fw_map_find(&map, &arena, &key, fw_map_hash(&map, &key));
}

static bool open_to_readers(struct fw_key key)
{
	return fw_view_find(fw_map_view(&map), &arena, &key,
			    fw_map_hash(&map, &key)) != FW_NODE_NONE;
}

/* Without the seed these share all that a hash could be made of. */
static struct fw_key crafted(uint64_t i, int how)
{
	if (how == 0)
		return (struct fw_key){.hi = i << 40, .lo = 0};
	if (how == 1)
		return (struct fw_key){.hi = 0, .lo = i << 40};
	return (struct fw_key){.hi = i, .lo = ~i};
}

/* A million keys that were made to collide: look-ups are as short as ever. */
START_TEST(test_crafted_keys_do_not_slow_a_look_up)
{
	uint64_t sum = 0, worst = 0;

	/* Not the test's allocator, which writes all that it gives. */
	open_with(MANY, &fw_allocator_default);
	for (uint64_t i = 0; i < MANY; i++)
		add(crafted(i, _i), i + 1);
	for (uint64_t i = 0; i < MANY; i++) {
		struct fw_key key = crafted(i, _i);
		uint64_t reach = fw_map_reach(&map, fw_map_hash(&map, &key));

		sum += reach;
		if (reach > worst)
			worst = reach;
	}
	/* Half full: one bucket as a rule, and a few where one runs over. */
	ck_assert_uint_lt(sum, MANY * 3ull / 2);
	ck_assert_uint_le(worst, 16);
	close_table();
}
END_TEST

/* At every size on the way, whatever a growth has left to do. */
START_TEST(test_growth_hides_nothing_and_brings_nothing_back)
{
	struct draw draw = {seed};
	static uint8_t state[SOME];
	size_t num = 0;

	open_table(SOME);
	for (uint32_t i = 0; i < SOME; i++) {
		uint32_t j = draw_below(&draw, i + 1);
		struct fw_key key = fw_key_widen(j);

		add(fw_key_widen(i), ++num);
		state[i] = 1;
		if (state[j] && one_in(&draw, 2)) {
			fw_map_open(&map, find(key), fw_map_hash(&map, &key),
				    true);
			state[j] = 2;
		} else if (state[j]) {
			uint64_t hash = fw_map_hash(&map, &key);
			uint32_t id = find(key);

			fw_map_open(&map, id, hash, false);
			fw_map_remove(&map, id, hash);
			state[j] = 0;
			num--;
		}
		j = draw_below(&draw, i + 1);
		ck_assert_int_eq(find(fw_key_widen(j)) != FW_NODE_NONE,
				 state[j] > 0);
		ck_assert_int_eq(open_to_readers(fw_key_widen(j)),
				 state[j] == 2);
		if (!(i % 1999))
			ck_assert(fw_map_valid(&map, &arena));
	}
	for (uint32_t i = 0; i < SOME; i++)
		ck_assert_int_eq(open_to_readers(fw_key_widen(i)),
				 state[i] == 2);
	ck_assert(fw_map_valid(&map, &arena));
	ck_assert_uint_eq(map.num, num);
	close_table();
}
END_TEST

/* Keys that share a bucket, as only who knows the seed can choose them. */
START_TEST(test_buckets_that_run_over_lose_nothing)
{
	struct draw draw = {seed};
	struct fw_key keys[60];
	uint32_t num = 0;

	open_table(4096);
	while (num < ARRAY_SIZE(keys)) {
		struct fw_key key = fw_key_widen(draw_u64(&draw));

		if ((fw_map_hash(&map, &key) & 0xff) < 2)
			keys[num++] = key;
	}
	for (uint32_t i = 0; i < num; i++) {
		add(keys[i], i + 1);
		ck_assert(fw_map_valid(&map, &arena));
	}
	/* Every second goes, and the table doubles over the rest. */
	for (uint32_t i = 0; i < num; i += 2)
		fw_map_remove(&map, find(keys[i]), fw_map_hash(&map, &keys[i]));
	for (uint32_t i = 0; i < 2000; i++)
		add(fw_key_widen(i), num / 2 + i + 1);
	for (uint32_t i = 0; i < num; i++)
		ck_assert_int_eq(find(keys[i]) != FW_NODE_NONE, i % 2);
	ck_assert(fw_map_valid(&map, &arena));
	close_table();
}
END_TEST

/* Each call to make room touches a bounded piece, however large it is. */
START_TEST(test_no_call_pays_for_a_whole_growth)
{
	uint64_t begun = 0;

	open_with(MANY / 4, &fw_allocator_default);
	for (uint64_t i = 0; i < MANY / 4; i++) {
		uint64_t done = map.done;
		const struct fw_map_array *next = map.next;

		add(fw_key_widen(i), i + 1);
		begun += !next && map.next;
		if (next == map.next)
			ck_assert_uint_le(map.done - done, 8);
	}
	ck_assert_uint_ge(begun, 8);
	ck_assert(fw_map_valid(&map, &arena));
	close_table();
}
END_TEST

/* No memory to grow: nothing changed, and the next call works. */
START_TEST(test_a_growth_without_memory_changes_nothing)
{
	uint64_t i = 0;
	int failed = 0;

	open_table(SOME);
	for (; i < SOME / 2; i++) {
		fail_alloc_after(&memory, i % 2);
		if (fw_map_reserve(&map, &arena, i + 1)) {
			failed++;
			ck_assert(fw_map_valid(&map, &arena));
			ck_assert_int_eq(fw_map_reserve(&map, &arena, i + 1),
					 0);
		}
		fail_alloc_disarm(&memory);
		add(fw_key_widen(i), i + 1);
	}
	ck_assert_int_gt(failed, 0);
	ck_assert(fw_map_valid(&map, &arena));
	close_table();
}
END_TEST

/* Numbers stay, nodes do not move, and what is put back comes back first. */
START_TEST(test_nodes_stay_where_they_are)
{
	struct fw_index_node *first;
	uint32_t a, b;

	fail_alloc_init(&memory);
	fw_arena_init(&arena, 64, &memory.allocator);
	ck_assert_int_eq(fw_arena_reserve(&arena, 64), 0);
	a = fw_arena_get(&arena);
	first = fw_arena_node(&arena, a);
	ck_assert_int_eq(fw_arena_reserve(&arena, 100000), 0);
	ck_assert_ptr_eq(fw_arena_node(&arena, a), first);
	ck_assert_uint_eq((uintptr_t)first % 64, 0);
	b = fw_arena_get(&arena);
	fw_arena_put_later(&arena, a);
	ck_assert(fw_arena_advance(&arena));
	ck_assert_uint_ne(fw_arena_get(&arena), a);
	fw_arena_put_later(&arena, b);
	ck_assert(fw_arena_advance(&arena));
	ck_assert_uint_eq(fw_arena_get(&arena), a);
	ck_assert(!fw_arena_advance(&arena));
	ck_assert_uint_eq(fw_arena_get(&arena), b);
	ck_assert_int_eq(fw_arena_reserve(&arena, FW_ARENA_MAX + 1ull),
			 -ENOMEM);
	fw_arena_destroy(&arena);
	ck_assert(fail_alloc_clean(&memory));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("node_map");
	TCase *tcase = tcase_create("node_map");

	seed = draw_seed();
	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, test_crafted_keys_do_not_slow_a_look_up, 0,
			    3);
	tcase_add_test(tcase,
		       test_growth_hides_nothing_and_brings_nothing_back);
	tcase_add_test(tcase, test_buckets_that_run_over_lose_nothing);
	tcase_add_test(tcase, test_no_call_pays_for_a_whole_growth);
	tcase_add_test(tcase, test_a_growth_without_memory_changes_nothing);
	tcase_add_test(tcase, test_nodes_stay_where_they_are);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
