/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "read_as.h"
#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"

/* Times of arrival: units, clocks, order, and those that are drawn. */

static uint64_t seed;

START_TEST(test_fractions_of_a_millisecond_are_kept)
{
	static const double want[] = {0.0, 0.25, 1000.000001, 1500.5};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     ROW("0.0", "") ROW("0.25", "") ROW("1000.000001999", "")
		     ROW("1.5005e3", ""));
	times_are(&trace, 4, want);
	trace_destroy(&trace);
}
END_TEST

static const struct {
	enum time_unit unit;
	const char *text;
	double ms;
} units[] = {
	{TIME_S, "3", 3000.0},	       {TIME_S, "0.000000001", 0.000001},
	{TIME_MS, "3", 3.0},	       {TIME_US, "3500", 3.5},
	{TIME_US, "1.5", 0.0015},      {TIME_NS, "1500000", 1.5},
	{TIME_NS, "\"2000000\"", 2.0}, {TIME_S, "1e2", 100000.0},
};

START_TEST(test_a_unit_is_what_was_asked_for)
{
	const struct read_options opt = {.unit = units[_i].unit};
	char text[160];
	struct trace trace;

	snprintf(text, sizeof(text), ROW("%s", ""), units[_i].text);
	good_with(&trace, &reader_mooncake, &opt, text);
	ck_assert_msg(trace.reqs[0].arrival_ms == units[_i].ms, "%.12f",
		      trace.reqs[0].arrival_ms);
	ck_assert(trace.source.unit_asked);
	trace_destroy(&trace);
}
END_TEST

/* A clock that began in 1970 against one that began with the trace. */
START_TEST(test_an_epoch_gives_the_times_of_its_twin_to_the_nanosecond)
{
	const struct read_options opt = {.unit = TIME_NS};
	uint64_t epoch = UINT64_C(1753780607550317897);
	char plain[8192] = "", shifted[8192] = "";
	struct draw draw = {seed};
	uint64_t at = 0;
	struct trace a, b;

	for (int i = 0; i < 50; i++) {
		size_t x = strlen(plain), y = strlen(shifted);

		snprintf(plain + x, sizeof(plain) - x, ROW("%llu", ""),
			 (unsigned long long)at);
		snprintf(shifted + y, sizeof(shifted) - y, ROW("%llu", ""),
			 (unsigned long long)(epoch + at));
		at += draw_below(&draw, 3000000000u);
	}
	good_with(&a, &reader_mooncake, &opt, plain);
	good_with(&b, &reader_mooncake, &opt, shifted);
	for (size_t i = 0; i < a.num_reqs; i++)
		ck_assert(a.reqs[i].arrival_ms == b.reqs[i].arrival_ms);
	ck_assert(b.source.origin_s > 1.7e9);
	ck_assert(a.source.origin_s <= 0.0);
	trace_destroy(&a);
	trace_destroy(&b);
}
END_TEST

START_TEST(test_an_epoch_of_another_unit_is_refused)
{
	const struct read_options none = {.strict = false};
	const struct read_options asked = {.unit = TIME_MS};
	struct trace trace;

	refused(&reader_mooncake, &none, ROW("1796000000.124", ""),
		"t: timestamp: expected times in ms (the first, 1796000000, "
		"looks like s since 1970; --time-unit s reads it so, "
		"--time-unit ms as it is)");
	refused(&reader_mooncake, &none, ROW("1796000000124000", ""),
		"t: timestamp: expected times in ms (the first, "
		"1796000000124000, looks like us since 1970; --time-unit us "
		"reads it so, --time-unit ms as it is)");
	refused(&reader_servegen, &none,
		"timestamp,input_tokens\n1796000000124,9\n",
		"t: timestamp: expected times in s (the first, 1796000000124, "
		"looks like ms since 1970; --time-unit ms reads it so, "
		"--time-unit s as it is)");
	good_with(&trace, &reader_mooncake, &asked, ROW("1796000000.124", ""));
	trace_destroy(&trace);
	good(&trace, &reader_mooncake, ROW("1796000000124", ""));
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_a_clock_that_begins_with_the_trace_is_kept)
{
	static const double want[] = {5000.0, 9000.0};
	struct trace trace;

	good(&trace, &reader_mooncake, ROW("5000", "") ROW("9000", ""));
	times_are(&trace, 2, want);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_rows_out_of_order_are_sorted_and_counted)
{
	static const double want[] = {3.0, 5.0, 5.0, 9.0};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     ROW("5", ",\"hash_ids\":[1],\"block_size\":16")
		     ROW("9", ",\"hash_ids\":[2]") ROW("3", ",\"hash_ids\":[3]")
			     ROW("5", ",\"hash_ids\":[4]"));
	times_are(&trace, 4, want);
	ck_assert_uint_eq(trace.source.late, 2);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[0], 0), 3);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[1], 0), 1);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[2], 0), 4);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[3], 0), 2);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_strict_refuses_rows_out_of_order)
{
	const struct read_options opt = {.strict = true};

	refused(&reader_mooncake, &opt, ROW("5", "") ROW("4.5", ""),
		"t:2: timestamp: expected no time before that of the request "
		"before (0.5 ms earlier)");
	refused(&reader_azure, &opt,
		"TIMESTAMP,ContextTokens\n2023-11-16 18:17:03,1\n"
		"2023-11-16 18:17:02,1\n",
		"t:3: TIMESTAMP: expected no time before that of the request "
		"before (1000 ms earlier)");
}
END_TEST

/* Mean and variance of the times between, for bursty and even arrivals. */
START_TEST(test_a_rate_draws_gamma_times)
{
	static const double shapes[] = {1.0, 0.25, 4.0};
	enum {
		NUM = 4000
	};
	double shape = shapes[_i], mean, deviation, last = 0.0, sum = 0.0;
	const struct read_options opt = {
		.rate = {.rate = 2.0, .shape = shape, .seed = 7}};
	char *text = malloc(NUM * 32 + 1);
	struct trace trace;

	text[0] = '\0';
	for (size_t i = 0, at = 0; i < NUM; i++)
		at += (size_t)sprintf(text + at, "{\"input_length\":%d}\n", 9);
	good_with(&trace, &reader_mooncake, &opt, text);
	free(text);
	ck_assert_uint_eq(trace.num_reqs, NUM);
	ck_assert(trace.source.drawn);
	mean = trace.reqs[NUM - 1].arrival_ms / NUM;
	for (size_t i = 0; i < NUM; i++) {
		double gap = trace.reqs[i].arrival_ms - last;

		ck_assert(gap >= 0.0);
		sum += (gap - mean) * (gap - mean);
		last = trace.reqs[i].arrival_ms;
	}
	deviation = sqrt(sum / NUM);
	/* Of a gamma draw deviation / mean is 1 / sqrt(shape). */
	ck_assert_msg(fabs(mean - 500.0) < 500.0 * 4.0 / sqrt(shape * NUM),
		      "mean %f", mean);
	ck_assert_msg(fabs(deviation / mean * sqrt(shape) - 1.0) < 0.12,
		      "deviation %f of mean %f", deviation, mean);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_times_are_all_there_or_none_is)
{
	const struct read_options none = {.strict = false};
	const struct read_options rate = {.rate.rate = 1.0};

	refused(&reader_mooncake, &none, ROW("5", "") "{\"input_length\":9}\n",
		"t:2: timestamp: expected a time, as the requests before have "
		"one (none)");
	refused(&reader_mooncake, &rate, ROW("5", ""),
		"--rate: expected requests without arrival times (those in t "
		"have them; --time-scale and --load change them)");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("times");
	TCase *tc = tcase_create("times");

	seed = draw_seed();
	tcase_add_test(tc, test_fractions_of_a_millisecond_are_kept);
	tcase_add_loop_test(tc, test_a_unit_is_what_was_asked_for, 0,
			    sizeof(units) / sizeof(units[0]));
	tcase_add_test(
		tc,
		test_an_epoch_gives_the_times_of_its_twin_to_the_nanosecond);
	tcase_add_test(tc, test_an_epoch_of_another_unit_is_refused);
	tcase_add_test(tc, test_a_clock_that_begins_with_the_trace_is_kept);
	tcase_add_test(tc, test_rows_out_of_order_are_sorted_and_counted);
	tcase_add_test(tc, test_strict_refuses_rows_out_of_order);
	tcase_add_loop_test(tc, test_a_rate_draws_gamma_times, 0, 3);
	tcase_add_test(tc, test_times_are_all_there_or_none_is);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
