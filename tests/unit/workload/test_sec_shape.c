/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "shape.h"

/*
 * Lengths, popularity and rates of questions about whole documents, at fixed
 * seeds. Tolerances are three to four standard deviations of what is measured.
 */

/* Every document is asked about equally, so the prompts' lengths are theirs. */
START_TEST(test_filings_are_lognormal)
{
	struct trace trace = make("sec-whole:documents=20000:zipf=0:partial=0:"
				  "question-min=1:question-max=1:"
				  "requests=5000",
				  1);
	uint32_t *lens = sorted_lens(&trace);

	check_near("median", lens[2500], 5001, 210);
	check_near("a deviation down", lens[793], 5001 * exp(-0.6), 160);
	check_near("a deviation up", lens[4207], 5001 * exp(0.6), 500);
	ck_assert_uint_ge(lens[0], 601);
	ck_assert_uint_eq(lens[4999], 16001);
	free(lens);
	trace_destroy(&trace);
}
END_TEST

/* Median and one deviation up as the ends: half and a sixth stand there. */
START_TEST(test_filings_are_cut_at_both_ends)
{
	struct trace trace = make("sec-whole:documents=20000:zipf=0:partial=0:"
				  "question-min=1:question-max=1:"
				  "min=5000:max=9111:requests=5000",
				  1);
	size_t least = 0;
	size_t most = 0;

	for (size_t i = 0; i < trace.num_reqs; i++) {
		uint32_t len = trace.reqs[i].len - 1;

		ck_assert(len >= 5000 && len <= 9111);
		least += len == 5000;
		most += len == 9111;
	}
	check_near("at min", (double)least / 5000, 0.5, 0.03);
	check_near("at max", (double)most / 5000, 0.1587, 0.022);
	trace_destroy(&trace);
}
END_TEST

/* Documents of 5,000 tokens: 312 ids each, in the order of popularity. */
START_TEST(test_filings_are_popular_by_zipf)
{
	struct trace trace = make("sec-whole:sigma=0:requests=5000", 2);
	double sum = 0.0;

	for (int k = 1; k <= 200; k++)
		sum += pow(k, -1.4);
	for (uint64_t k = 1; k <= 200; k = 4 * k + 1) {
		double share = pow((double)k, -1.4) / sum;
		size_t num = count_first(&trace, (k - 1) * 312);

		check_near("share", (double)num / 5000, share,
			   4.0 * sqrt(share / 5000));
	}
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_questions_are_uniform)
{
	struct trace trace =
		make("sec-whole:sigma=0:partial=0:requests=5000", 3);
	uint32_t *lens = sorted_lens(&trace);

	ck_assert_uint_eq(lens[0], 5030);
	ck_assert_uint_eq(lens[4999], 5300);
	check_near("mean", mean_len(&trace), 5165, 4.5);
	check_near("tenth", lens[500], 5057, 5);
	free(lens);
	trace_destroy(&trace);
}
END_TEST

/* A first part is from one block to all of the 5,000 tokens long. */
START_TEST(test_three_tenths_use_a_first_part)
{
	struct trace trace =
		make("sec-whole:sigma=0:question-min=1:question-max=1:"
		     "requests=5000",
		     4);
	double sum = 0.0;
	size_t num = 0;

	for (size_t i = 0; i < trace.num_reqs; i++) {
		uint32_t len = trace.reqs[i].len - 1;

		ck_assert(len >= 16 && len <= 5000);
		if (len == 5000)
			continue;
		sum += len;
		num++;
	}
	check_near("share", (double)num / 5000, 0.3, 0.024);
	check_near("mean", sum / (double)num, (16 + 5000) / 2.0, 140);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_arrivals_are_poisson)
{
	struct trace trace = make("toolagent:rate=4:seconds=2000", 5);
	double num = (double)trace.num_reqs;
	size_t empty = 2000;
	double last = -1.0;

	check_near("arrivals", num, 8000, 320);
	for (size_t i = 0; i < trace.num_reqs; i++) {
		double second = floor(trace.reqs[i].arrival_ms / 1000.0);

		empty -= second != last;
		last = second;
	}
	check_near("empty seconds", (double)empty, 2000 * exp(-4.0), 24);
	ck_assert(trace.reqs[trace.num_reqs - 1].arrival_ms <= 2e6);
	trace_destroy(&trace);
}
END_TEST

/**
 * struct window - what sec-dynamic must have in a span of time
 * @name: phase
 * @start: seconds
 * @end: seconds
 * @rate: a second
 */
struct window {
	const char *name;
	double start;
	double end;
	double rate;
};

static void check_window(const struct trace *trace, const struct window *window)
{
	double want = window->rate * (window->end - window->start);
	size_t num = 0;

	for (size_t i = 0; i < trace->num_reqs; i++) {
		double seconds = trace->reqs[i].arrival_ms / 1000.0;
		const char *phase = trace->phases[trace->reqs[i].phase];

		if (seconds <= window->start || seconds >= window->end)
			continue;
		ck_assert_str_eq(phase, window->name);
		num++;
	}
	check_near(window->name, (double)num, want, 4.0 * sqrt(want));
}

/* Ten times the seconds stretch the spans, and show the rates better. */
START_TEST(test_dynamic_has_its_phases_and_rates)
{
	static const struct window windows[] = {
		{"steady", 0, 120, 2.5},   {"burst", 120, 150, 4},
		{"steady", 150, 210, 2.5}, {"spike", 210, 270, 4.5},
		{"after", 270, 400, 2.5},
	};
	struct trace trace = make("sec-whole-dynamic", 6);
	struct trace longer = make("sec-whole-dynamic:seconds=4000", 6);

	ck_assert_uint_eq(trace.num_phases, 4);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct window window = windows[i];

		check_window(&trace, &window);
		window.start *= 10.0;
		window.end *= 10.0;
		check_window(&longer, &window);
	}
	trace_destroy(&trace);
	trace_destroy(&longer);
}
END_TEST

START_TEST(test_dynamic_takes_other_rates)
{
	struct trace trace =
		make("sec-whole-dynamic:rate=1:burst=9:spike=3", 7);
	static const struct window windows[] = {
		{"steady", 0, 120, 1},
		{"burst", 120, 150, 9},
		{"spike", 210, 270, 3},
	};

	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++)
		check_window(&trace, &windows[i]);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sec_shape");
	TCase *tcase = tcase_create("sec_shape");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_filings_are_lognormal);
	tcase_add_test(tcase, test_filings_are_cut_at_both_ends);
	tcase_add_test(tcase, test_filings_are_popular_by_zipf);
	tcase_add_test(tcase, test_questions_are_uniform);
	tcase_add_test(tcase, test_three_tenths_use_a_first_part);
	tcase_add_test(tcase, test_arrivals_are_poisson);
	tcase_add_test(tcase, test_dynamic_has_its_phases_and_rates);
	tcase_add_test(tcase, test_dynamic_takes_other_rates);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
