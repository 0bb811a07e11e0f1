/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <fairway/cuda.h>

#include "tests/support/run.h"

enum {
	MAX_ENTRIES = 5000
};

static struct fw_cuda *cuda;
static struct fw_plan_entry entries[MAX_ENTRIES];
static uint64_t state;

/* splitmix64, so that a seed gives the same plans everywhere. */
static uint32_t draw(uint32_t below)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

static struct fw_plan plan_of(uint32_t num)
{
	struct fw_plan plan = {.entries = entries, .num_entries = num};

	for (uint32_t i = 0; i < num; i++)
		plan.num_tokens += entries[i].count;
	return plan;
}

static struct fw_plan random_plan(uint32_t num)
{
	for (uint32_t i = 0; i < num; i++) {
		entries[i] = (struct fw_plan_entry){
			.request = i,
			.first = draw(1 << 20),
			.count = 1 + draw(2048),
			.known = draw(1 << 10),
			.num_blocks = draw(1 << 10),
			.flags = draw(2),
			.sequence = i,
		};
	}
	return plan_of(num);
}

static void check_sums(const struct fw_plan *plan)
{
	struct fw_cuda_work want = {0};
	struct fw_cuda_work got;

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		uint64_t p = plan->entries[i].first;
		uint64_t q = plan->entries[i].count;

		want.tokens += q;
		want.twice_attention += q * (2 * p + q + 1);
	}
	ck_assert_int_eq(fw_cuda_plan_work(cuda, plan, &got), 0);
	ck_assert_uint_eq(got.tokens, want.tokens);
	ck_assert_uint_eq(got.twice_attention, want.twice_attention);
}

/* Sizes around those of warps and thread blocks, and over a whole grid. */
START_TEST(test_device_sums_equal_those_of_c)
{
	static const uint32_t sizes[] = {1,   2,   31,	32,   33,   255,
					 256, 257, 511, 1024, 4999, 5000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fw_plan plan = random_plan(sizes[i]);

		check_sums(&plan);
	}
}
END_TEST

/* One plan's sums must not stay for the next one. */
START_TEST(test_sums_start_anew_for_each_plan)
{
	for (int i = 0; i < 50; i++) {
		struct fw_plan plan = random_plan(draw(MAX_ENTRIES + 1));

		check_sums(&plan);
	}
}
END_TEST

START_TEST(test_largest_prompts_do_not_overflow)
{
	struct fw_plan plan;

	entries[0] = (struct fw_plan_entry){.count = INT32_MAX};
	entries[1] = (struct fw_plan_entry){.first = 0, .count = INT32_MAX};
	plan = plan_of(2);
	check_sums(&plan);
	entries[0].first = INT32_MAX - 1;
	entries[0].count = 1;
	plan = plan_of(1);
	check_sums(&plan);
}
END_TEST

START_TEST(test_a_broken_plan_changes_nothing)
{
	struct fw_cuda_work work = {17, 18};
	struct fw_plan plan = random_plan(4);

	plan.num_tokens++;
	ck_assert_int_eq(fw_cuda_plan_work(cuda, &plan, &work), -EINVAL);
	entries[2].count = 0;
	plan = plan_of(4);
	ck_assert_int_eq(fw_cuda_plan_work(cuda, &plan, &work), -EINVAL);
	entries[2].count = 2;
	entries[2].first = INT32_MAX - 1;
	plan = plan_of(4);
	ck_assert_int_eq(fw_cuda_plan_work(cuda, &plan, &work), -EINVAL);
	plan.num_entries = MAX_ENTRIES + 1;
	ck_assert_int_eq(fw_cuda_plan_work(cuda, &plan, &work), -E2BIG);
	ck_assert_uint_eq(work.tokens, 17);
	ck_assert_uint_eq(work.twice_attention, 18);
}
END_TEST

START_TEST(test_an_empty_plan_has_no_work)
{
	struct fw_cuda_work work = {17, 18};
	struct fw_plan plan = plan_of(0);

	ck_assert_int_eq(fw_cuda_plan_work(cuda, &plan, &work), 0);
	ck_assert_uint_eq(work.tokens, 0);
	ck_assert_uint_eq(work.twice_attention, 0);
}
END_TEST

START_TEST(test_unknown_devices_are_refused)
{
	struct fw_cuda *other = NULL;

	ck_assert_int_eq(fw_cuda_open(&other, 10000, 1), -ENODEV);
	ck_assert_int_eq(fw_cuda_open(&other, -1, 1), -EINVAL);
	ck_assert_int_eq(fw_cuda_open(&other, 0, 0), -EINVAL);
	ck_assert_ptr_null(other);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("cuda");
	TCase *tcase = tcase_create("plan_work");

	tcase_add_test(tcase, test_device_sums_equal_those_of_c);
	tcase_add_test(tcase, test_sums_start_anew_for_each_plan);
	tcase_add_test(tcase, test_largest_prompts_do_not_overflow);
	tcase_add_test(tcase, test_a_broken_plan_changes_nothing);
	tcase_add_test(tcase, test_an_empty_plan_has_no_work);
	tcase_add_test(tcase, test_unknown_devices_are_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	int err = fw_cuda_open(&cuda, 0, MAX_ENTRIES);
	int status;

	if (err == -ENODEV) {
		printf("1..0 # SKIP no CUDA device\n");
		return 77;
	}
	if (err) {
		printf("Bail out! fw_cuda_open: %d\n", err);
		return 1;
	}
	state = 1;
	printf("# seed %" PRIu64 "\n", state);
	/* A device that was opened does not survive fork. */
	setenv("CK_FORK", "no", 1);
	status = run_suite(make_suite());
	fw_cuda_close(cuda);
	return status;
}
