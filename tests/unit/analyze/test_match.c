/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/run.h"
#include "tools/analyze/analyze.h"
#include "tools/analyze/fixed_hits.h"
#include "tools/log/log.h"

/*
 * Logs that a simulated node wrote, so that it is known which node that was.
 */

enum {
	NUM = 1200
};

static struct sim_config node_of(const char *device)
{
	return (struct sim_config){
		.device = device,
		.budget = 2048,
		.max_running = 256,
		.kv_blocks = 1 << 20,
		.time_scale = 1.0,
	};
}

/* Eight long misses and 92 short hits in turn, @gap seconds apart. */
static void fill(struct log *log, double gap)
{
	*log = (struct log){.form = "log"};
	for (uint32_t i = 0; i < NUM; i++) {
		const struct log_req req = {
			.arrival_s = gap * i,
			.cached = i % 100 < 8 ? 0 : 6000,
			.uncached = i % 100 < 8 ? 6000 : 100 + i * 37 % 400,
		};

		ck_assert_int_eq(log_append(log, &req), 0);
	}
}

static void serve(const struct log *log, const char *device, const char *order,
		  struct sim_result *result)
{
	const struct sim_config node = node_of(device);
	struct policy_list list = {0};
	struct diag diag = {""};
	uint32_t hits[NUM];
	struct trace trace;

	trace_init(&trace, 1);
	for (size_t i = 0; i < log->num; i++) {
		const struct log_req *from = &log->reqs[i];
		const struct trace_req req = {
			.arrival_ms = from->arrival_s * 1000.0,
			.len = from->cached + from->uncached,
		};

		hits[i] = from->cached;
		ck_assert_int_eq(trace_add(&trace, &req, NULL), 0);
	}
	ck_assert_int_eq(policy_parse(&list, order, &diag), 0);
	ck_assert_int_eq(fixed_hits_run(&trace, hits, &node, &list.specs[0],
					NULL, result, &diag),
			 0);
	policy_list_destroy(&list);
	trace_destroy(&trace);
}

/* What @device logs of them under @order. */
static void log_of(struct log *log, double gap, const char *device,
		   const char *order, enum log_times times)
{
	struct sim_result result;

	fill(log, gap);
	serve(log, device, order, &result);
	log->times = times;
	for (size_t i = 0; i < log->num; i++)
		log->reqs[i].later_s = times == LOG_STARTS
					       ? result.reqs[i].start_s
					       : result.reqs[i].arrival_s +
							 result.reqs[i].ttft_s;
	sim_result_destroy(&result);
}

static void analyze_on(struct analysis *a, struct log *log,
		       const struct sim_config *node)
{
	const struct analyze_options options = {.path = "t",
						.form = "log",
						.config = node,
						.quiet = true};
	struct diag diag = {""};

	ck_assert_msg(!analyze_log(a, log, &options, &diag), "%s", diag.text);
	log_destroy(log);
}

static void assert_advice(const struct analysis *a, const char *says)
{
	char what[ANALYZE_REASON_SIZE];

	advice_text(a, what, sizeof(what));
	ck_assert_msg(strstr(what, says), "%s", what);
}

static void assert_no_advice(const struct analysis *a, const char *says)
{
	char what[ANALYZE_REASON_SIZE];

	advice_text(a, what, sizeof(what));
	ck_assert_msg(!strstr(what, says), "%s", what);
}

static const enum log_times both[] = {LOG_STARTS, LOG_FIRST_TOKENS};

/* 0.024 s apart they load an h100 and are far too much for an a6000. */
START_TEST(test_a_log_of_a_faster_device_gets_no_verdict)
{
	const struct sim_config a6000 = node_of("a6000");
	const struct sim_config h100 = node_of("h100");
	struct analysis a;
	struct log log;

	log_of(&log, 0.024, "h100", "fcfs", both[_i]);
	analyze_on(&a, &log, &a6000);
	ck_assert_int_eq(a.verdict, VERDICT_OTHER_NODE);
	ck_assert_str_eq(match_best(&a.match)->device, "h100");
	assert_advice(&a, "--device h100 fits");
	assert_no_advice(&a, "decode");
	analysis_destroy(&a);

	log_of(&log, 0.024, "h100", "fcfs", both[_i]);
	analyze_on(&a, &log, &h100);
	ck_assert_int_eq(a.verdict, VERDICT_PAYS);
	ck_assert(a.match.simulated.apart <= 1.0 + 1e-9);
	ck_assert_uint_eq(a.match.num_devices, 0);
	analysis_destroy(&a);
}
END_TEST

/* Requests wait 37 seconds, and prefill explains less than two. */
START_TEST(test_a_queue_that_waits_for_decode_gets_no_verdict)
{
	const struct sim_config h100 = node_of("h100");
	struct analysis a;
	struct log log;

	log_of(&log, 0.1, "h100", "fcfs", both[_i]);
	for (size_t i = 0; i < log.num; i++)
		log.reqs[i].later_s += 37.0;
	analyze_on(&a, &log, &h100);
	ck_assert_int_eq(a.verdict, VERDICT_OTHER_NODE);
	assert_advice(&a, "decode");
	analysis_destroy(&a);
}
END_TEST

/* Every device is slower than a node that starts all requests at once. */
START_TEST(test_a_log_that_no_device_fits_is_told_so)
{
	const struct sim_config a6000 = node_of("a6000");
	struct analysis a;
	struct log log;

	fill(&log, 0.005);
	log.times = LOG_STARTS;
	for (size_t i = 0; i < log.num; i++)
		log.reqs[i].later_s = log.reqs[i].arrival_s;
	analyze_on(&a, &log, &a6000);
	ck_assert_int_eq(a.verdict, VERDICT_OTHER_NODE);
	ck_assert_ptr_null(match_best(&a.match));
	assert_advice(&a, "No built-in device");
	assert_advice(&a, "fairway calibrate");
	analysis_destroy(&a);
}
END_TEST

/* An engine that serves by the longest prefix is compared with that. */
START_TEST(test_a_log_of_another_order_is_measured_by_it)
{
	const struct sim_config a6000 = node_of("a6000");
	struct analysis a;
	struct log log;

	log_of(&log, 0.12, "a6000", "lpm", LOG_STARTS);
	analyze_on(&a, &log, &a6000);
	ck_assert_str_eq(a.names[a.base], "lpm");
	ck_assert(!a.astray);
	ck_assert(a.gains[a.base].p50 == 0.0);
	ck_assert_uint_ne(a.best, a.base);
	analysis_destroy(&a);
}
END_TEST

/* Both times are under a step: a node does not start requests in between. */
START_TEST(test_times_below_a_step_are_the_same)
{
	const struct sim_config a6000 = node_of("a6000");
	struct analysis a;
	struct log log;

	fill(&log, 5.0);
	log.times = LOG_STARTS;
	for (size_t i = 0; i < log.num; i++)
		log.reqs[i].later_s = log.reqs[i].arrival_s + 0.1;
	analyze_on(&a, &log, &a6000);
	ck_assert(a.match.simulated.apart == 1.0);
	ck_assert_int_eq(a.verdict, VERDICT_NO);
	analysis_destroy(&a);
}
END_TEST

static Suite *match_suite(void)
{
	Suite *suite = suite_create("match");
	TCase *node = tcase_create("node");

	tcase_add_loop_test(node, test_a_log_of_a_faster_device_gets_no_verdict,
			    0, 2);
	tcase_add_loop_test(node,
			    test_a_queue_that_waits_for_decode_gets_no_verdict,
			    0, 2);
	tcase_add_test(node, test_a_log_that_no_device_fits_is_told_so);
	tcase_add_test(node, test_a_log_of_another_order_is_measured_by_it);
	tcase_add_test(node, test_times_below_a_step_are_the_same);
	tcase_set_timeout(node, 60);
	suite_add_tcase(suite, node);
	return suite;
}

int main(void)
{
	return run_suite(match_suite());
}
