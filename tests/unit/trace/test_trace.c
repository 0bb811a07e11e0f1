/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "requests.h"

/* Ticks and cuts, and which ids two requests share. */

static const struct trace_options as_is = {.time_scale = 1};

static void make_ticks(struct trace *trace)
{
	static const double ms[] = {0, 0, 0, 3000, 6000, 6000};
	static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};

	trace_init(trace, 16);
	for (uint32_t i = 0; i < 6; i++)
		add_request(trace, ms[i], 16 * (i + 1), 0, ids + i % 3);
}

START_TEST(test_tick_spreads_equal_timestamps)
{
	static const double want[] = {0, 1000, 2000, 3000, 6000, 7500};
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 3000;
	opt.time_scale = 0.25;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	for (int i = 0; i < 6; i++)
		ck_assert(trace.reqs[i].arrival_ms == want[i]);
	ck_assert(trace_arrival_s(&trace.reqs[5], opt.time_scale) == 1.875);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_tick_never_turns_the_order_round)
{
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 4500.5;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), -EINVAL);
	ck_assert_str_eq(diag.text,
			 "tick: expected at most the time between timestamps "
			 "(4500.5 ms, but 3000 ms follows 0 ms)");
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_take_requests_and_their_ids)
{
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 3000;
	opt.time_scale = 2;
	opt.until_s = 12;
	opt.max_prompt = 79;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	/* Left: 16, 32, 48 and 64 tokens; 80 is too long, 96 too late too. */
	ck_assert_uint_eq(trace.num_reqs, 4);
	ck_assert_uint_eq(count_ids(&trace), 1 + 2 + 3 + 4);
	ck_assert_uint_eq(trace.reqs[3].first_run, 3);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[3], 0), 1);
	trace_destroy(&trace);
	make_ticks(&trace);
	opt.tick_ms = 0;
	opt.max_prompt = 0;
	opt.until_s = 6;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	/* At the limit stays. */
	ck_assert_uint_eq(trace.num_reqs, 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_in_the_middle_move_the_ids_up)
{
	struct trace_options opt = {.time_scale = 1, .max_prompt = 20};
	static const uint64_t ids[] = {11, 12, 13};
	struct diag diag = {""};
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 1, 48, 0, ids);
	add_request(&trace, 2, 16, 0, ids + 1);
	add_request(&trace, 3, 33, 0, ids);
	add_request(&trace, 4, 20, 0, ids + 2);
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.num_runs, 2);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[0], 0), 12);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[1], 0), 13);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_nothing_left_is_an_error)
{
	struct trace_options opt = {.time_scale = 1, .max_prompt = 15};
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "none of 6 is left"));
	ck_assert_ptr_nonnull(strstr(diag.text, "max-prompt 15"));
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_ids_of_two_requests_are_shared)
{
	static const uint64_t a[] = {1, 2, 2, 3};
	static const uint64_t b[] = {1, 4, 0, UINT64_MAX};
	static const uint64_t c[] = {1, 4, UINT64_MAX, UINT64_MAX};
	struct trace trace;

	trace_init(&trace, 1);
	add_request(&trace, 0, 4, 0, a);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	add_request(&trace, 0, 4, 0, b);
	ck_assert_int_eq(trace_shared_ids(&trace), 1);
	add_request(&trace, 0, 4, 0, c);
	ck_assert_int_eq(trace_shared_ids(&trace), 3);
	trace_destroy(&trace);
}
END_TEST

static int64_t count_shared_slowly(const struct trace *trace, uint64_t max)
{
	int64_t shared = 0;

	for (uint64_t id = 0; id <= max; id++) {
		unsigned int owners = 0;

		for (size_t i = 0; i < trace->num_reqs; i++) {
			const struct trace_req *req = &trace->reqs[i];
			bool there = false;

			for (uint32_t j = 0; j < req->num_ids; j++)
				there |= nth_id(trace, req, j) == id;
			owners += there;
		}
		shared += owners >= 2;
	}
	return shared;
}

START_TEST(test_shared_ids_equal_a_slow_count)
{
	struct draw draw = {1000u + (uint64_t)_i};
	uint64_t max = 10u + 40u * (uint64_t)_i;
	struct trace trace;

	printf("# seed %d\n", 1000 + _i);
	trace_init(&trace, 1);
	for (int i = 0; i < 40; i++) {
		uint64_t ids[10];

		for (int j = 0; j < 10; j++)
			ids[j] = draw_u64(&draw) % (max + 1);
		add_request(&trace, 0, 10, 0, ids);
	}
	ck_assert_int_eq(trace_shared_ids(&trace),
			 count_shared_slowly(&trace, max));
	trace_destroy(&trace);
}
END_TEST

/* Runs that lie within each other, and cross, at both ends of all ids. */
START_TEST(test_runs_share_where_they_overlap)
{
	static const struct {
		uint64_t first;
		uint32_t num;
		int64_t shared;
	} adds[] = {
		{100, 50, 0},
		{150, 50, 0},
		{120, 10, 10},
		{140, 20, 30},
		{90, 200, 100},
		{0, 91, 101},
		{UINT64_MAX - 9, 10, 101},
		{UINT64_MAX - 4, 5, 106},
		{UINT64_MAX, 1, 106},
		{UINT64_MAX - 9, 10, 111},
	};
	struct id_runs runs = {0};
	struct trace trace;

	trace_init(&trace, 1);
	for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
		struct trace_req req = {.len = adds[i].num,
					.num_ids = adds[i].num};

		id_runs_clear(&runs);
		ck_assert(!id_runs_add(&runs, adds[i].first, adds[i].num));
		ck_assert(!trace_add(&trace, &req, &runs));
		ck_assert_int_eq(trace_shared_ids(&trace), adds[i].shared);
	}
	id_runs_destroy(&runs);
	trace_destroy(&trace);
}
END_TEST

/* Far apart, so that each is a run. */
START_TEST(test_shared_ids_are_counted_among_many)
{
	enum {
		NUM = 5000
	};
	struct trace trace;
	uint64_t ids[NUM];

	trace_init(&trace, 1);
	for (uint64_t i = 0; i < NUM; i++)
		ids[i] = i << 40;
	add_request(&trace, 0, NUM, 0, ids);
	add_request(&trace, 0, NUM - 700, 0, ids + 700);
	add_request(&trace, 0, NUM, 0, ids);
	ck_assert_int_eq(trace_shared_ids(&trace), NUM);
	trace.num_reqs = 2;
	ck_assert_int_eq(trace_shared_ids(&trace), NUM - 700);
	trace_destroy(&trace);
}
END_TEST

/* Found by the fuzzer: offsets into no ids at all. */
START_TEST(test_trace_without_full_blocks_has_a_list_of_none)
{
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 0, 15, 0, NULL);
	ck_assert_ptr_nonnull(trace.runs);
	ck_assert_uint_eq(trace.num_runs, 0);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_longest_prompt_counts_its_partial_block)
{
	static const uint64_t ids[] = {1, 2, 3};
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 0, 48, 0, ids);
	ck_assert_uint_eq(trace_longest(&trace), 3);
	add_request(&trace, 0, 49, 0, ids);
	ck_assert_uint_eq(trace_longest(&trace), 4);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace");
	TCase *tcase = tcase_create("trace");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_tick_spreads_equal_timestamps);
	tcase_add_test(tcase, test_tick_never_turns_the_order_round);
	tcase_add_test(tcase, test_cuts_take_requests_and_their_ids);
	tcase_add_test(tcase, test_cuts_in_the_middle_move_the_ids_up);
	tcase_add_test(tcase, test_nothing_left_is_an_error);
	tcase_add_test(tcase, test_ids_of_two_requests_are_shared);
	tcase_add_loop_test(tcase, test_shared_ids_equal_a_slow_count, 0, 8);
	tcase_add_test(tcase, test_runs_share_where_they_overlap);
	tcase_add_test(tcase, test_shared_ids_are_counted_among_many);
	tcase_add_test(tcase,
		       test_trace_without_full_blocks_has_a_list_of_none);
	tcase_add_test(tcase, test_longest_prompt_counts_its_partial_block);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
