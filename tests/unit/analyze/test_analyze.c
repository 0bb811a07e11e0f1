/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/cost/device.h"
#include "tests/support/run.h"
#include "tools/analyze/analyze.h"
#include "tools/workload/workload.h"
#include "node.h"

/* Verdicts, and what they rest on. */

static struct analyze_options options = {.path = "t",
					 .config = &node,
					 .jobs = 1,
					 .quiet = true};

static void analyze_workload(struct analysis *a, const char *spec)
{
	struct sim_config config = node;
	struct analyze_options own = options;
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(workload_generate(&trace, spec, 1, &diag), 0);
	config.kv_blocks = 4 * trace_longest(&trace);
	own.config = &config;
	ck_assert_msg(!analyze_trace(a, &trace, &own, &diag), "%s", diag.text);
	trace_destroy(&trace);
}

START_TEST(test_reordering_a_spike_of_questions_pays)
{
	struct analysis a;
	char why[ANALYZE_REASON_SIZE];

	analyze_workload(&a, "sec-dynamic");
	ck_assert_str_eq(verdict_text(a.verdict), "reordering pays");
	ck_assert_int_eq(a.reason, REASON_WIDE);
	ck_assert(a.queue.p90_p10.p50 > 10.0);
	ck_assert_int_eq(a.from, QUEUE_SIMULATED);
	ck_assert(!a.astray);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(strstr(why, "p90/p10"), "%s", why);
	analysis_destroy(&a);
}
END_TEST

START_TEST(test_equal_prompts_that_share_nothing_gain_nothing)
{
	struct analysis a;
	struct diag diag = {""};
	struct trace trace;

	trace_init(&trace, 16384);
	for (int i = 0; i < 400; i++)
		add_req(&trace, i * 250.0, 3000);
	ck_assert_int_eq(analyze_trace(&a, &trace, &options, &diag), 0);
	ck_assert_str_eq(verdict_text(a.verdict), "not worth it");
	ck_assert_int_eq(a.reason, REASON_FEW_HITS);
	ck_assert(a.queue.max_min.p90 == 1.0);
	ck_assert(a.gains[a.best].p50 == 0.0);
	analysis_destroy(&a);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_a_short_queue_is_not_worth_it)
{
	struct analysis a;

	analyze_workload(&a, "sec:rate=0.3");
	ck_assert_str_eq(verdict_text(a.verdict), "not worth it");
	ck_assert_int_eq(a.reason, REASON_SHORT_QUEUE);
	analysis_destroy(&a);
}
END_TEST

START_TEST(test_a_trace_of_which_nothing_fits_is_told)
{
	struct sim_config config = node;
	struct analyze_options own = options;
	struct diag diag = {""};
	struct trace trace;
	struct analysis a;

	config.kv_blocks = 1;
	own.config = &config;
	trace_init(&trace, 16);
	add_req(&trace, 0.0, 17);
	ck_assert_int_eq(analyze_trace(&a, &trace, &own, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, "t: expected a request that fits the KV "
				    "pool (none does)");
	trace_destroy(&trace);
}
END_TEST

/* Eight long misses and 92 short hits in turn, @gap seconds apart. */
static void mixed_log(struct log *log, double gap, enum log_times times,
		      double wait)
{
	*log = (struct log){.form = "log", .times = times};
	for (int i = 0; i < 600; i++) {
		double now = gap * i;
		bool miss = i % 100 < 8;
		const struct log_req req = {now, now + wait, miss ? 0 : 6000,
					    miss ? 6000
						 : 100 + (uint32_t)i * 37 %
								    400};

		ck_assert_int_eq(log_append(log, &req), 0);
	}
}

static void analyze(struct analysis *a, struct log *log)
{
	struct diag diag = {""};

	ck_assert_msg(!analyze_log(a, log, &options, &diag), "%s", diag.text);
	log_destroy(log);
}

START_TEST(test_a_log_without_starts_is_simulated)
{
	struct analysis a;
	struct log log;

	mixed_log(&log, 0.12, LOG_NO_TIMES, 0.0);
	analyze(&a, &log);
	ck_assert_int_eq(a.from, QUEUE_SIMULATED);
	ck_assert_uint_eq(a.requests, 600);
	ck_assert_uint_eq(a.hits, 552);
	ck_assert_uint_eq(a.cached_tokens, 552 * 6000);
	ck_assert(a.sums[ANALYZE_FCFS].hit_rate ==
		  (double)a.cached_tokens / (double)a.prompt_tokens);
	ck_assert_int_eq(a.verdict, VERDICT_PAYS);
	analysis_destroy(&a);
}
END_TEST

START_TEST(test_a_logged_queue_that_is_short_is_of_another_node)
{
	struct analysis a;
	struct log log;
	char what[ANALYZE_REASON_SIZE];

	mixed_log(&log, 0.12, LOG_STARTS, 0.01);
	analyze(&a, &log);
	ck_assert_int_eq(a.from, QUEUE_LOGGED);
	ck_assert(a.gains[a.best].p50 > ANALYZE_GOOD_GAIN);
	ck_assert(a.astray);
	ck_assert_int_eq(a.verdict, VERDICT_OTHER_NODE);
	advice_text(&a, what, sizeof(what));
	ck_assert_msg(strstr(what, "fairway calibrate"), "%s", what);
	analysis_destroy(&a);
}
END_TEST

/* What a first-come-first-served run logs gives back that run's queue. */
START_TEST(test_logged_starts_are_the_queue)
{
	struct analysis simulated, logged;
	struct log log, with;

	mixed_log(&log, 0.12, LOG_NO_TIMES, 0.0);
	mixed_log(&with, 0.12, LOG_STARTS, 0.0);
	analyze(&simulated, &log);
	for (size_t i = 0; i < with.num; i++)
		with.reqs[i].later_s =
			simulated.results[ANALYZE_FCFS].reqs[i].start_s;
	analyze(&logged, &with);
	ck_assert_uint_eq(logged.queue.together, simulated.queue.together);
	ck_assert(logged.queue.p90_p10.p50 == simulated.queue.p90_p10.p50);
	ck_assert(logged.queue.max_waiting == simulated.queue.max_waiting);
	ck_assert(!logged.astray);
	ck_assert_int_eq(logged.verdict, VERDICT_PAYS);
	analysis_destroy(&simulated);
	analysis_destroy(&logged);
}
END_TEST

/* Alone on the node, the first token comes a prefill after the start. */
START_TEST(test_starts_are_reckoned_back_from_first_tokens)
{
	double alone =
		fw_device_prefill(fw_device_find("a6000"), 0, 6000, 2048);
	struct analysis a;
	struct log log = {.form = "log", .times = LOG_FIRST_TOKENS};
	const struct log_req waited = {0.0, 1.5 + alone, 0, 6000};
	const struct log_req at_once = {9.0, 9.0 + alone / 2.0, 0, 6000};

	ck_assert_int_eq(log_append(&log, &waited), 0);
	ck_assert_int_eq(log_append(&log, &at_once), 0);
	analyze(&a, &log);
	ck_assert_int_eq(a.from, QUEUE_FROM_TTFT);
	ck_assert_double_eq_tol(a.queue.wait_s.p90, 1.5, 1e-9);
	ck_assert(a.queue.wait_s.p50 == 0.0);
	analysis_destroy(&a);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("analyze");
	TCase *tcase = tcase_create("analyze");

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_reordering_a_spike_of_questions_pays);
	tcase_add_test(tcase,
		       test_equal_prompts_that_share_nothing_gain_nothing);
	tcase_add_test(tcase, test_a_short_queue_is_not_worth_it);
	tcase_add_test(tcase, test_a_trace_of_which_nothing_fits_is_told);
	tcase_add_test(tcase, test_a_log_without_starts_is_simulated);
	tcase_add_test(tcase,
		       test_a_logged_queue_that_is_short_is_of_another_node);
	tcase_add_test(tcase, test_logged_starts_are_the_queue);
	tcase_add_test(tcase, test_starts_are_reckoned_back_from_first_tokens);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
