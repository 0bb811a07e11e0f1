/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "shape.h"

/*
 * Lengths, popularity and rates of the workloads beside sec, at fixed seeds.
 * Tolerances are three to four standard deviations of what is measured.
 */

/* Tenants 1 to 3 ask for 2 hits and half a miss a second; 0 for 1.2. */
START_TEST(test_tenants_flood_as_asked_for)
{
	struct trace trace = make("tenants:tenants=4:hits=2:misses=0.5:"
				  "seconds=2000:miss-tokens=9000",
				  6);
	uint64_t num[4] = {0}, misses = 0, fresh = 0;

	for (size_t i = 0; i < trace.num_reqs; i++) {
		const struct trace_req *req = &trace.reqs[i];
		const char *phase = trace.phases[req->phase];

		ck_assert_uint_lt(req->tenant, 4);
		if (!strcmp(phase, "warm"))
			continue;
		ck_assert_str_eq(phase, req->tenant ? "flood" : "quiet");
		num[req->tenant]++;
		misses += req->len == 9000;
		fresh += !req->tenant && req->num_runs == 1;
	}
	check_near("quiet", (double)num[0] / 2000, 1.2, 0.09);
	for (int i = 1; i < 4; i++)
		check_near("flood", (double)num[i] / 2000, 2.5, 0.13);
	check_near("misses", (double)misses / 6000, 0.5, 0.04);
	check_near("fresh", (double)fresh / (double)num[0], 0.1, 0.025);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_mixed_is_half_short_and_half_shared)
{
	struct trace trace = make("mixed-halves:requests=4000", 8);
	size_t num_short = 0;

	for (size_t i = 0; i < trace.num_reqs; i++) {
		uint32_t len = trace.reqs[i].len;

		ck_assert(len <= 16000 && (len < 1000 || len >= 8000));
		num_short += len < 1000;
	}
	check_near("short", (double)num_short / 4000, 0.5, 0.03);
	check_near("mean", mean_len(&trace), (549.5 + 12000) / 2, 400);
	check_near("reuse", reuse(&trace), 0.5, 0.02);
	trace_destroy(&trace);
}
END_TEST

/* Short prompts alone: they must be half cached for themselves. */
START_TEST(test_mixed_shares_what_is_asked_for)
{
	static const double shares[] = {0.0, 0.2, 0.5, 0.8, 1.0};
	char spec[64];

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		struct trace trace;

		snprintf(spec, sizeof(spec),
			 "mixed-halves:long=0:requests=8000:"
			 "cached=%g",
			 shares[i]);
		trace = make(spec, 9);
		check_near(spec, reuse(&trace), shares[i], 0.03);
		trace_destroy(&trace);
	}
}
END_TEST

/* A turn continues the session's last prompt: the same ids, and more. */
static void check_turn(const struct trace *trace, size_t i, size_t before)
{
	const struct trace_req *req = &trace->reqs[i];
	const struct trace_req *last = &trace->reqs[before];
	uint32_t grown = req->len - last->len;

	ck_assert(grown >= 200 && grown <= 2000);
	for (uint32_t k = 0; k < last->num_ids; k++)
		ck_assert_uint_eq(nth_id(trace, req, k),
				  nth_id(trace, last, k));
}

struct sessions {
	size_t last; /* its latest request */
	uint32_t turns;
};

START_TEST(test_agent_sessions_grow_by_turns)
{
	struct trace trace = make("agent:sessions=300", 10);
	struct sessions *sessions =
		calloc(largest_id(&trace) + 1, sizeof(*sessions));
	size_t think = 0;
	size_t num = 0;

	ck_assert_ptr_nonnull(sessions);
	for (size_t i = 0; i < trace.num_reqs; i++) {
		struct sessions *session = &sessions[first_id(&trace, i)];
		const struct trace_req *req = &trace.reqs[i];

		if (session->turns++) {
			double before = trace.reqs[session->last].arrival_ms;

			check_turn(&trace, i, session->last);
			think += req->arrival_ms - before < 5000.0;
		} else {
			ck_assert(req->len >= 200 && req->len <= 2000);
			num++;
		}
		session->last = i;
		ck_assert_uint_le(session->turns, 40);
	}
	ck_assert_uint_eq(num, 300);
	for (size_t i = 0; i < trace.num_reqs; i++)
		ck_assert_uint_ge(sessions[first_id(&trace, i)].turns, 5);
	check_near("turns", (double)trace.num_reqs / 300, 22.5, 2.2);
	check_near("median think time", (double)think,
		   (double)(trace.num_reqs - 300) / 2, 160);
	free(sessions);
	trace_destroy(&trace);
}
END_TEST

/* What comes along is drawn once a session, and nothing else changes. */
START_TEST(test_agent_sessions_bring_a_history)
{
	struct trace trace =
		make("agent:sessions=300:history-min=2000:history-max=9000",
		     10);
	uint32_t *first = calloc(largest_id(&trace) + 1, sizeof(*first));
	size_t num = 0, upper = 0;

	ck_assert_ptr_nonnull(first);
	for (size_t i = 0; i < trace.num_reqs; i++) {
		uint32_t *len = &first[first_id(&trace, i)];

		if (*len)
			continue;
		*len = trace.reqs[i].len;
		ck_assert(*len >= 2200 && *len <= 11000);
		num++;
		upper += *len > 5500 + 1100;
	}
	ck_assert_uint_eq(num, 300);
	check_near("upper half", (double)upper, 150, 35);
	free(first);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_toolagent_shares_one_prefix)
{
	struct trace trace = make("toolagent:requests=4000", 11);
	uint32_t *lens = sorted_lens(&trace);

	ck_assert_uint_eq(count_first(&trace, first_id(&trace, 0)), 4000);
	ck_assert(lens[0] >= 6050 && lens[0] < 6060);
	ck_assert(lens[3999] > 7990 && lens[3999] <= 8000);
	check_near("mean", mean_len(&trace), 7025, 36);
	check_near("reuse", reuse(&trace), 6000.0 / 7025, 0.01);
	free(lens);
	trace_destroy(&trace);
}
END_TEST

/* Twenty paragraphs of exp(0.55^2 / 2) times 95 tokens, and the question. */
START_TEST(test_musique_is_long_and_hardly_reused)
{
	struct trace trace = make("musique-unique:requests=3000", 12);

	check_near("mean", mean_len(&trace), 20 * 95 * exp(0.15125) + 19, 30);
	ck_assert_double_lt(reuse(&trace), 0.01);
	ck_assert_double_gt(reuse(&trace), 0.0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_musique_repeats_as_asked)
{
	struct trace all =
		make("musique-unique:paragraphs=1:repeat=1:requests=3000", 13);
	struct trace none = make("musique-unique:repeat=0:requests=300", 13);

	ck_assert_double_gt(reuse(&all), 0.6);
	ck_assert(reuse(&none) == 0.0);
	trace_destroy(&all);
	trace_destroy(&none);
}
END_TEST

START_TEST(test_retrieved_paragraphs_are_popular)
{
	struct trace trace = make("musique:requests=5000:min=32", 14);
	double sum = 0.0;
	size_t most = 0;

	for (int k = 1; k <= 5021; k++)
		sum += pow(k, -1.1);
	/* The most popular one is first somewhere early. */
	for (size_t i = 0; i < 20; i++) {
		size_t num = count_first(&trace, first_id(&trace, i));

		if (num > most)
			most = num;
	}
	check_near("first", (double)most / 5000, 1.0 / sum, 0.02);
	check_near("mean", mean_len(&trace), 5 * 110 + 19, 60);
	trace_destroy(&trace);
}
END_TEST

/* More paragraphs than are likely at once: each still stands there once. */
START_TEST(test_prompts_hold_no_paragraph_twice)
{
	struct trace trace = make("musique:documents=5:zipf=10:"
				  "sigma=0:median=100:requests=50:"
				  "question-min=1:question-max=1",
				  15);

	for (size_t i = 0; i < trace.num_reqs; i++)
		ck_assert_uint_eq(trace.reqs[i].len, 501);
	trace_destroy(&trace);
}
END_TEST

static void check_flood_request(const struct trace *trace, size_t i)
{
	const struct trace_req *req = &trace->reqs[i];
	const char *phase = trace->phases[req->phase];
	bool is_warm = first_id(trace, i) < 8 * 375;
	double ms = req->arrival_ms;

	if (!strcmp(phase, "warm")) {
		ck_assert(is_warm && req->len == 6000 &&
			  ms == 1000.0 * (double)i);
	} else if (!strcmp(phase, "light")) {
		ck_assert(is_warm && req->len == 6545);
		ck_assert(ms > 8000.0 && ms <= 30000.0);
	} else if (!strcmp(phase, "backlog")) {
		ck_assert(!is_warm && req->len == 8000);
		ck_assert(ms >= 40000.0 && ms <= 40190.0);
		ck_assert(fmod(ms, 10.0) == 0.0);
	} else {
		ck_assert_str_eq(phase, "flood");
		ck_assert(is_warm && req->len == 6545 && ms >= 40200.0);
	}
}

START_TEST(test_flood_is_as_written)
{
	struct trace trace = make("flood", 16);
	size_t num[4] = {0};

	ck_assert_uint_eq(trace.num_phases, 4);
	for (size_t i = 0; i < trace.num_reqs; i++) {
		check_flood_request(&trace, i);
		num[trace.reqs[i].phase]++;
	}
	ck_assert_uint_eq(num[0], 8);
	check_near("light", (double)num[1], 11, 11);
	ck_assert_uint_eq(num[2], 20);
	ck_assert_uint_eq(num[3], 1400);
	check_near("end", trace.reqs[trace.num_reqs - 1].arrival_ms,
		   40200 + 1400 / 0.01, 15000);
	trace_destroy(&trace);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("workloads");
	TCase *tcase = tcase_create("workloads");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_tenants_flood_as_asked_for);
	tcase_add_test(tcase, test_mixed_is_half_short_and_half_shared);
	tcase_add_test(tcase, test_mixed_shares_what_is_asked_for);
	tcase_add_test(tcase, test_agent_sessions_grow_by_turns);
	tcase_add_test(tcase, test_agent_sessions_bring_a_history);
	tcase_add_test(tcase, test_toolagent_shares_one_prefix);
	tcase_add_test(tcase, test_musique_is_long_and_hardly_reused);
	tcase_add_test(tcase, test_musique_repeats_as_asked);
	tcase_add_test(tcase, test_retrieved_paragraphs_are_popular);
	tcase_add_test(tcase, test_prompts_hold_no_paragraph_twice);
	tcase_add_test(tcase, test_flood_is_as_written);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
