/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/base/key.h"
#include "tests/support/draw.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/run.h"
#include "tools/base/key_map.h"

#define MILLION 1000000u
#define SIDE 512u
#define BUCKETS 65536u

static uint64_t seed;
static uint64_t halves[MILLION];
static struct fw_key keys[SIDE * SIDE];
static uint32_t filled[BUCKETS];

static int compare_u64(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static int compare_keys(const void *left, const void *right)
{
	const struct fw_key *a = left, *b = right;

	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	return (a->lo > b->lo) - (a->lo < b->lo);
}

static size_t count_equal_halves(void)
{
	size_t num = 0;

	qsort(halves, MILLION, sizeof(halves[0]), compare_u64);
	for (size_t i = 1; i < MILLION; i++)
		num += halves[i] == halves[i - 1];
	return num;
}

static size_t count_equal_keys(void)
{
	size_t num = 0;

	qsort(keys, ARRAY_SIZE(keys), sizeof(keys[0]), compare_keys);
	for (size_t i = 1; i < ARRAY_SIZE(keys); i++)
		num += fw_key_equal(&keys[i], &keys[i - 1]);
	return num;
}

/* Ids as they come: one after the other, high bits only, scattered. */
static uint64_t an_id(int family, uint32_t i)
{
	if (family == 0)
		return i;
	if (family == 1)
		return (uint64_t)i << 44;
	return i * 0x9e3779b97f4a7c15u;
}

START_TEST(test_a_million_ids_share_neither_half_of_a_key)
{
	for (uint32_t i = 0; i < MILLION; i++)
		halves[i] = fw_key_widen(an_id(_i, i)).hi;
	ck_assert_uint_eq(count_equal_halves(), 0);
	for (uint32_t i = 0; i < MILLION; i++)
		halves[i] = fw_key_widen(an_id(_i, i)).lo;
	ck_assert_uint_eq(count_equal_halves(), 0);
}
END_TEST

START_TEST(test_widening_is_the_same_every_time)
{
	struct fw_key a = fw_key_widen(42), b = fw_key_widen(42);

	ck_assert(fw_key_equal(&a, &b));
	ck_assert_uint_ne(a.hi, a.lo);
}
END_TEST

START_TEST(test_no_salt_leaves_a_key_as_it_is)
{
	for (uint64_t id = 0; id < 1000; id++) {
		struct fw_key key = fw_key_widen(id);
		struct fw_key salted = fw_key_salt(key, 0);

		if (!fw_key_equal(&key, &salted))
			ck_abort_msg("id %" PRIu64 " changed", id);
	}
}
END_TEST

/* Keys that share halves are the hard case for rounds that swap halves. */
START_TEST(test_one_salt_never_joins_two_keys)
{
	struct draw draw = {seed};
	uint64_t salt = _i ? draw_u64(&draw) | 1 : 1;

	for (uint32_t i = 0; i < SIDE * SIDE; i++) {
		struct fw_key key = {.hi = i / SIDE, .lo = i % SIDE};

		keys[i] = fw_key_salt(key, salt);
	}
	ck_assert_uint_eq(count_equal_keys(), 0);
}
END_TEST

START_TEST(test_salts_keep_tenants_apart)
{
	for (uint32_t i = 0; i < SIDE * SIDE; i++)
		keys[i] = fw_key_salt(fw_key_widen(i / SIDE), i % SIDE);
	ck_assert_uint_eq(count_equal_keys(), 0);
}
END_TEST

/* Keys that a weak hash would bring together. */
static struct fw_key a_key(int family, uint32_t i)
{
	switch (family) {
	case 0:
		return fw_key_widen(i);
	case 1:
		return (struct fw_key){.hi = i};
	case 2:
		return (struct fw_key){.lo = i};
	case 3:
		return (struct fw_key){.hi = i, .lo = i};
	case 4:
		return (struct fw_key){.hi = (uint64_t)i << 40};
	default:
		return (struct fw_key){.lo = (uint64_t)i << 40};
	}
}

static uint32_t bucket(const struct fw_key *key, const uint64_t secret[2])
{
	return fw_key_hash(key, secret) & (BUCKETS - 1);
}

/*
 * As many keys as buckets: 1/e of the buckets stay empty, and the fullest
 * holds some 8. A standard deviation of the empty share is 0.0012.
 */
static void check_spread(int family, const uint64_t secret[2])
{
	uint32_t empty = 0, fullest = 0;

	memset(filled, 0, sizeof(filled));
	for (uint32_t i = 0; i < BUCKETS; i++) {
		struct fw_key key = a_key(family, i);

		filled[bucket(&key, secret)]++;
	}
	for (uint32_t i = 0; i < BUCKETS; i++) {
		empty += !filled[i];
		if (filled[i] > fullest)
			fullest = filled[i];
	}
	ck_assert_msg(fullest <= 20, "family %d: %u in one bucket", family,
		      fullest);
	ck_assert_msg(fabs(empty / (double)BUCKETS - exp(-1.0)) < 0.03,
		      "family %d: %u buckets empty", family, empty);
}

START_TEST(test_hashes_spread_whatever_the_keys)
{
	struct draw draw = {seed};

	for (int i = 0; i < 8; i++) {
		uint64_t secret[2] = {draw_u64(&draw), draw_u64(&draw)};

		check_spread(_i, secret);
	}
}
END_TEST

/* Who aims keys at one bucket without the seed misses it. */
START_TEST(test_what_collides_under_one_seed_parts_under_another)
{
	struct draw draw = {seed};
	uint64_t known[2] = {draw_u64(&draw), draw_u64(&draw)};
	uint64_t secret[2] = {draw_u64(&draw), draw_u64(&draw)};
	uint32_t num = 0;

	memset(filled, 0, sizeof(filled));
	for (uint32_t i = 0; num < 64; i++) {
		struct fw_key key = fw_key_widen(i);

		if (bucket(&key, known))
			continue;
		filled[bucket(&key, secret)]++;
		num++;
	}
	for (uint32_t i = 0; i < BUCKETS; i++)
		if (filled[i] > 4)
			ck_abort_msg("%u of them meet again", filled[i]);
}
END_TEST

START_TEST(test_every_instance_has_its_own_seed)
{
	uint64_t a[2] = {0}, b[2] = {0};

	fw_key_seed(a);
	fw_key_seed(b);
	ck_assert(a[0] != b[0] && a[1] != b[1]);
	ck_assert(a[0] != a[1]);
}
END_TEST

#define UNIVERSE 48u
#define CAP 64u

static struct fail_alloc memory;
static struct fw_key_map map;
static struct fw_key universe[UNIVERSE];
static uint32_t values[UNIVERSE];

static void setup_map(void)
{
	fail_alloc_init(&memory);
	fw_key_map_init(&map, &memory.allocator);
	for (size_t i = 0; i < UNIVERSE; i++)
		values[i] = FW_KEY_MAP_NONE;
}

static void teardown_map(void)
{
	fw_key_map_destroy(&map);
	ck_assert(fail_alloc_clean(&memory));
}

/* Keys whose homes are the map's last slots and its first ones. */
static void draw_clustered_keys(struct draw *draw, uint32_t width)
{
	uint32_t num = 0;

	while (num < UNIVERSE) {
		struct fw_key key = {draw_u64(draw), draw_u64(draw)};
		uint64_t home = fw_key_hash(&key, map.seed) + width / 2;

		if ((home & (CAP - 1)) < width)
			universe[num++] = key;
	}
}

/* Plain ifs in here: each ck_assert is a write to a pipe. */
static bool map_is_right(void)
{
	size_t num = 0;

	for (size_t i = 0; i < UNIVERSE; i++) {
		if (fw_key_map_get(&map, &universe[i]) != values[i])
			return false;
		num += values[i] != FW_KEY_MAP_NONE;
	}
	return map.num == num && fw_key_map_valid(&map);
}

static void toggle(uint32_t i, uint32_t value)
{
	if (values[i] != FW_KEY_MAP_NONE) {
		fw_key_map_remove(&map, &universe[i]);
		values[i] = FW_KEY_MAP_NONE;
	} else if (map.num < CAP / 2) {
		fw_key_map_add(&map, &universe[i], value);
		values[i] = value;
	}
}

START_TEST(test_map_equals_a_list_in_any_history)
{
	static const uint32_t widths[] = {1, 2, 4, 16, CAP};
	struct draw draw = {seed + (uint64_t)_i};

	ck_assert_int_eq(fw_key_map_reserve(&map, CAP / 2), 0);
	ck_assert_uint_eq(map.cap, CAP);
	draw_clustered_keys(&draw, widths[_i]);
	for (uint32_t step = 0; step < 10000; step++) {
		toggle(draw_below(&draw, UNIVERSE), step);
		ck_assert(map_is_right());
	}
}
END_TEST

/* Sixteen keys in a run that reaches over the end; the seed is the map's. */
static void fill_over_the_end(struct draw *draw)
{
	for (;;) {
		setup_map();
		ck_assert_int_eq(fw_key_map_reserve(&map, CAP / 2), 0);
		draw_clustered_keys(draw, 6);
		for (uint32_t i = 0; i < 16; i++)
			toggle(i, i);
		if (map.slots[CAP - 1].value != FW_KEY_MAP_NONE &&
		    map.slots[0].value != FW_KEY_MAP_NONE)
			return;
		/* One draw in a thousand leaves a gap there. */
		teardown_map();
	}
}

/* A run over the end of the array, each of its keys taken out in turn. */
START_TEST(test_removal_closes_a_run_that_wraps_around)
{
	struct draw draw = {seed};

	for (uint32_t gone = 0; gone < 16; gone++) {
		fill_over_the_end(&draw);
		toggle(gone, 0);
		ck_assert(map_is_right());
		for (uint32_t i = 0; i < 16; i++)
			if (i != gone)
				toggle(i, 0);
		ck_assert(map_is_right());
		teardown_map();
	}
}
END_TEST

START_TEST(test_an_empty_map_knows_no_key)
{
	struct fw_key key = fw_key_widen(1);

	ck_assert_uint_eq(fw_key_map_get(&map, &key), FW_KEY_MAP_NONE);
	ck_assert_int_eq(fw_key_map_reserve(&map, 0), 0);
	ck_assert_uint_eq(fw_key_map_get(&map, &key), FW_KEY_MAP_NONE);
	/* Zeros are a key like any other. */
	key = (struct fw_key){0};
	ck_assert_uint_eq(fw_key_map_get(&map, &key), FW_KEY_MAP_NONE);
	fw_key_map_add(&map, &key, 3);
	ck_assert_uint_eq(fw_key_map_get(&map, &key), 3);
}
END_TEST

/* Are the first @num ids in the map, and not the next one? */
static bool holds_first(uint32_t num)
{
	for (uint32_t i = 0; i <= num; i++) {
		struct fw_key key = fw_key_widen(i);
		uint32_t value = i < num ? i : FW_KEY_MAP_NONE;

		if (fw_key_map_get(&map, &key) != value)
			return false;
	}
	return map.num == num && fw_key_map_valid(&map);
}

/* Each growth is refused once; then the next call makes it. */
START_TEST(test_growing_and_failing_to_lose_nothing)
{
	size_t refused = 0;

	for (uint32_t num = 0; num < 5000; num++) {
		struct fw_key key = fw_key_widen(num);
		int ret;

		fail_alloc_after(&memory, 0);
		ret = fw_key_map_reserve(&map, num + 1);
		fail_alloc_disarm(&memory);
		if (ret) {
			ck_assert_int_eq(ret, -ENOMEM);
			ck_assert(holds_first(num));
			refused++;
			ck_assert_int_eq(fw_key_map_reserve(&map, num + 1), 0);
			ck_assert(holds_first(num));
		}
		fw_key_map_add(&map, &key, num);
	}
	ck_assert(holds_first(5000));
	ck_assert_uint_eq(refused, memory.failed);
	ck_assert_uint_ge(refused, 8);
}
END_TEST

static TCase *key_cases(void)
{
	TCase *tcase = tcase_create("key");

	tcase_add_loop_test(tcase,
			    test_a_million_ids_share_neither_half_of_a_key, 0,
			    3);
	tcase_add_test(tcase, test_widening_is_the_same_every_time);
	tcase_add_test(tcase, test_no_salt_leaves_a_key_as_it_is);
	tcase_add_loop_test(tcase, test_one_salt_never_joins_two_keys, 0, 2);
	tcase_add_test(tcase, test_salts_keep_tenants_apart);
	tcase_add_loop_test(tcase, test_hashes_spread_whatever_the_keys, 0, 6);
	tcase_add_test(tcase,
		       test_what_collides_under_one_seed_parts_under_another);
	tcase_add_test(tcase, test_every_instance_has_its_own_seed);
	return tcase;
}

static TCase *map_cases(void)
{
	TCase *tcase = tcase_create("key_map");

	tcase_add_checked_fixture(tcase, setup_map, teardown_map);
	tcase_add_loop_test(tcase, test_map_equals_a_list_in_any_history, 0, 5);
	tcase_add_test(tcase, test_removal_closes_a_run_that_wraps_around);
	tcase_add_test(tcase, test_an_empty_map_knows_no_key);
	tcase_add_test(tcase, test_growing_and_failing_to_lose_nothing);
	return tcase;
}

int main(void)
{
	Suite *suite = suite_create("key");

	seed = draw_seed();
	suite_add_tcase(suite, key_cases());
	suite_add_tcase(suite, map_cases());
	return run_suite(suite);
}
