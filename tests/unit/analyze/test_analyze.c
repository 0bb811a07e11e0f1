/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "lib/cost/device.h"
#include "tests/support/draw.h"
#include "tests/support/lines_buffer.h"
#include "tests/support/run.h"
#include "tools/analyze/analyze.h"
#include "tools/analyze/fixed_hits.h"
#include "tools/log/log_reader.h"
#include "tools/policy/policy.h"
#include "tools/workload/workload.h"

static uint64_t seed;

static struct draw draw_of(int number)
{
	return (struct draw){seed + (uint64_t)number * 0x632be59bd9b4e019};
}

static const struct sim_config node = {
	.device = "a6000",
	.budget = 2048,
	.max_running = 256,
	.kv_blocks = 1 << 20,
	.time_scale = 1.0,
};

static int parse_log(struct log *log, const struct log_reader *reader,
		     const char *text, struct diag *diag)
{
	struct lines_buffer from = {.data = text,
				    .size = strlen(text),
				    .step = 7};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	int ret = lines_open_source(&lines, "t.log", &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = log_parse(log, reader, &lines, diag);
	lines_close(&lines);
	return ret;
}

static void log_from(struct log *log, const struct log_reader *reader,
		     const char *text)
{
	struct diag diag = {""};

	ck_assert_msg(!parse_log(log, reader, text, &diag), "%s", diag.text);
}

static void assert_req(const struct log_req *req, double arrival, double later,
		       uint32_t cached, uint32_t uncached)
{
	ck_assert_double_eq_tol(req->arrival_s, arrival, 1e-6);
	ck_assert_double_eq_tol(req->later_s, later, 1e-6);
	ck_assert_uint_eq(req->cached, cached);
	ck_assert_uint_eq(req->uncached, uncached);
}

START_TEST(test_csv_columns_go_by_name_and_rows_by_arrival)
{
	struct log log;

	log_from(&log, &log_reader_csv,
		 "model,start_s,uncached_tokens, arrival_s ,cached_tokens\n"
		 "x,12.5,300,12,1024\n\n"
		 "y,10,6000,10,0\n"
		 "z,12.25,7,12,0\r\n");
	ck_assert_uint_eq(log.num, 3);
	ck_assert_int_eq(log.times, LOG_STARTS);
	ck_assert_str_eq(log.form, "log");
	assert_req(&log.reqs[0], 0.0, 0.0, 0, 6000);
	assert_req(&log.reqs[1], 2.0, 2.5, 1024, 300);
	assert_req(&log.reqs[2], 2.0, 2.25, 0, 7);
	log_destroy(&log);
}
END_TEST

START_TEST(test_who_never_started_is_counted_and_left_out)
{
	struct log log;

	log_from(&log, &log_reader_csv,
		 "arrival_s,cached_tokens,uncached_tokens,ttft_s\n"
		 "1,0,10,0.5\n2,0,10,\n3,0,10,0\n");
	ck_assert_uint_eq(log.num, 2);
	ck_assert_uint_eq(log.left_out, 1);
	ck_assert_int_eq(log.times, LOG_FIRST_TOKENS);
	assert_req(&log.reqs[0], 0.0, 0.5, 0, 10);
	assert_req(&log.reqs[1], 2.0, 2.0, 0, 10);
	log_destroy(&log);
}
END_TEST

START_TEST(test_a_prompt_cached_whole_has_a_token_left)
{
	struct log log;

	log_from(&log, &log_reader_csv,
		 "arrival_s,cached_tokens,uncached_tokens\n1,64,0\n");
	ck_assert_int_eq(log.times, LOG_NO_TIMES);
	assert_req(&log.reqs[0], 0.0, log.reqs[0].later_s, 63, 1);
	log_destroy(&log);
}
END_TEST

START_TEST(test_sglang_exports_are_read)
{
	struct log log;

	log_from(&log, &log_reader_sglang,
		 "{\"request_parameters\": \"{\\\"text\\\": \\\"a\\\"}\","
		 "\"id\":\"b\",\"prompt_tokens\":1324,\"cached_tokens\":1024,"
		 "\"request_received_ts\":1700000003.5,"
		 "\"forward_entry_time\":1700000004.0}\n"
		 "{\"prompt_tokens\":16,\"cached_tokens\":0,"
		 "\"request_received_ts\":1700000002}\n"
		 "{\"prompt_tokens\":16,\"cached_tokens\":48,"
		 "\"request_received_ts\":1700000001.5,"
		 "\"forward_entry_time\":1700000001.4999}\n");
	ck_assert_uint_eq(log.num, 2);
	ck_assert_uint_eq(log.left_out, 1);
	ck_assert_int_eq(log.times, LOG_STARTS);
	assert_req(&log.reqs[0], 0.0, 0.0, 15, 1);
	assert_req(&log.reqs[1], 2.0, 2.5, 1024, 300);
	log_destroy(&log);
}
END_TEST

START_TEST(test_sglang_without_starts_has_none)
{
	struct log log;

	log_from(&log, &log_reader_sglang,
		 "{\"prompt_tokens\":16,\"cached_tokens\":0,"
		 "\"request_received_ts\":1700000002}\n");
	ck_assert_uint_eq(log.num, 1);
	ck_assert_uint_eq(log.left_out, 0);
	ck_assert_int_eq(log.times, LOG_NO_TIMES);
	log_destroy(&log);
}
END_TEST

#define HEAD "arrival_s,cached_tokens,uncached_tokens"

static const struct {
	const struct log_reader *reader;
	const char *text;
	const char *says;
} bad_logs[] = {
	{&log_reader_csv, "", "t.log: expected at least one request"},
	{&log_reader_csv, HEAD "\n", "t.log: expected at least one request"},
	{&log_reader_csv, "arrival_s,cached_tokens\n",
	 "t.log:1: uncached_tokens: expected a column"},
	{&log_reader_csv, HEAD ",arrival_s\n",
	 "t.log:1: arrival_s: expected one such column (two)"},
	{&log_reader_csv, HEAD "\n1,2\n",
	 "t.log:2: line: expected 3 fields, as in the header (2)"},
	{&log_reader_csv, HEAD "\n1,2",
	 "t.log:2: line: expected 3 fields, as in the header (2; the file may "
	 "be cut off)"},
	{&log_reader_csv, HEAD "\n1,2,3,4\n", "(over 3)"},
	{&log_reader_csv, HEAD "\n-1,2,3\n",
	 "t.log:2: arrival_s: expected a number of seconds from 0 to 1e+11 "
	 "(-1)"},
	{&log_reader_csv, HEAD "\n1700000000000,2,3\n", "arrival_s: expected"},
	{&log_reader_csv, HEAD "\nnan,2,3\n", "arrival_s: expected"},
	{&log_reader_csv, HEAD "\n1,2.5,3\n",
	 "t.log:2: cached_tokens: expected a whole number from 0 to 16777216 "
	 "(2.5)"},
	{&log_reader_csv, HEAD "\n1,2,99999999\n", "uncached_tokens: expected"},
	{&log_reader_csv, HEAD "\n1,0,0\n",
	 "t.log:2: uncached_tokens: expected a prompt of at least one token"},
	{&log_reader_csv, HEAD ",start_s\n5,2,3,4.5\n",
	 "t.log:2: start_s: expected a time in seconds from the arrival at 5 "
	 "on, or nothing (4.5)"},
	{&log_reader_csv, HEAD ",ttft_s\n5,2,3,x\n",
	 "t.log:2: ttft_s: expected a number of seconds"},
	{&log_reader_csv, HEAD ",ttft_s\n5,2,3,\n",
	 "t.log: expected a request that started (none did)"},
	{&log_reader_sglang,
	 "{\"a\":", "t.log:1: line: expected a JSON object"},
	{&log_reader_sglang, "[1]\n",
	 "t.log:1: line: expected a JSON object (a list)"},
	{&log_reader_sglang, "{\"prompt_tokens\":1}\n",
	 "t.log:1: request_received_ts: expected seconds from 0 to 1e+11 "
	 "(missing)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":0}\n",
	 "t.log:1: prompt_tokens: expected a whole number from 1 to 16777216 "
	 "(a number out of range)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":1,"
	 "\"cached_tokens\":\"x\"}\n",
	 "t.log:1: cached_tokens: expected a whole number from 0 to 16777216 "
	 "(a string)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":2,\"cached_tokens\":1,"
	 "\"forward_entry_time\":true}\n",
	 "t.log:1: forward_entry_time: expected seconds"},
};

START_TEST(test_a_bad_log_is_told_by_line_and_field)
{
	struct diag diag = {""};
	struct log log;

	ck_assert_int_eq(parse_log(&log, bad_logs[_i].reader, bad_logs[_i].text,
				   &diag),
			 -EINVAL);
	ck_assert_msg(strstr(diag.text, bad_logs[_i].says), "%s", diag.text);
}
END_TEST

/* Eleven wait at once; nearest rank: p90 is the 10th, p10 the 2nd. */
START_TEST(test_spread_as_worked_out_by_hand)
{
	struct queued reqs[12];
	struct queue_spread spread;

	for (uint32_t i = 0; i < 11; i++)
		reqs[i] = (struct queued){1.0, 10.0, 10 * (i + 1)};
	/* The others are gone when it arrives, and it starts at once. */
	reqs[11] = (struct queued){10.0, 10.0, 5};
	ck_assert_int_eq(queue_spread_init(&spread, reqs, 12), 0);
	ck_assert_uint_eq(spread.arrivals, 12);
	ck_assert_uint_eq(spread.together, 11);
	ck_assert(spread.waiting.p50 == 11.0 && spread.max_waiting == 11.0);
	ck_assert(spread.max_min.p50 == 11.0 && spread.max_min.p90 == 11.0);
	ck_assert(spread.p90_p10.p50 == 5.0);
	ck_assert(spread.wait_s.p50 == 9.0);
}
END_TEST

START_TEST(test_a_queue_of_one_has_no_spread)
{
	const struct queued req = {0.0, 1.0, 7};
	struct queue_spread spread;

	ck_assert_int_eq(queue_spread_init(&spread, &req, 1), 0);
	ck_assert_uint_eq(spread.together, 0);
	ck_assert(isnan(spread.max_min.p50) && isnan(spread.p90_p10.p90));
	ck_assert_int_eq(queue_spread_init(&spread, NULL, 0), 0);
	ck_assert_uint_eq(spread.arrivals, 0);
	ck_assert(isnan(spread.waiting.p50));
}
END_TEST

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(double *values, size_t num, unsigned int percent)
{
	qsort(values, num, sizeof(*values), by_value);
	return values[(num * percent + 99) / 100 - 1];
}

enum {
	MOST = 300
};

/* By definition: at every arrival, look at all requests. */
static void naive_spread(const struct queued *reqs, size_t num,
			 struct queue_spread *spread)
{
	double waiting[MOST], max_min[MOST], p90_p10[MOST], work[MOST];

	spread->together = 0;
	for (size_t i = 0; i < num; i++) {
		double now = reqs[i].arrival_s;
		size_t n = 0;

		for (size_t j = 0; j < num; j++)
			if (reqs[j].arrival_s <= now && reqs[j].start_s > now)
				work[n++] = reqs[j].work;
		waiting[i] = (double)n;
		if (n < 2)
			continue;
		p90_p10[spread->together] =
			percentile(work, n, 90) / percentile(work, n, 10);
		max_min[spread->together++] = work[n - 1] / work[0];
	}
	spread->waiting.p90 = percentile(waiting, num, 90);
	spread->max_waiting = waiting[num - 1];
	if (!spread->together)
		return;
	spread->max_min.p50 = percentile(max_min, spread->together, 50);
	spread->max_min.p90 = percentile(max_min, spread->together, 90);
	spread->p90_p10.p50 = percentile(p90_p10, spread->together, 50);
	spread->p90_p10.p90 = percentile(p90_p10, spread->together, 90);
}

/* Few different times and works, so that ties of all kinds come up. */
START_TEST(test_spread_equals_its_definition)
{
	struct draw draw = draw_of(_i);
	size_t num = 1 + draw_below(&draw, MOST);
	struct queue_spread got, want;
	struct queued reqs[MOST];
	double now = 0.0;

	for (size_t i = 0; i < num; i++) {
		now += (double)draw_below(&draw, 3);
		reqs[i].arrival_s = now;
		reqs[i].start_s = now + (double)draw_below(&draw, 20);
		reqs[i].work = 1 + draw_below(&draw, _i % 2 ? 5 : 100000);
	}
	naive_spread(reqs, num, &want);
	ck_assert_int_eq(queue_spread_init(&got, reqs, num), 0);
	ck_assert_uint_eq(got.together, want.together);
	ck_assert(got.waiting.p90 == want.waiting.p90);
	ck_assert(got.max_waiting == want.max_waiting);
	if (!want.together)
		return;
	ck_assert(got.max_min.p50 == want.max_min.p50);
	ck_assert(got.max_min.p90 == want.max_min.p90);
	ck_assert(got.p90_p10.p50 == want.p90_p10.p50);
	ck_assert(got.p90_p10.p90 == want.p90_p10.p90);
}
END_TEST

static void add_req(struct trace *trace, double arrival_ms, uint32_t len)
{
	const struct trace_req req = {.arrival_ms = arrival_ms, .len = len};

	ck_assert_int_eq(trace_add(trace, &req, NULL), 0);
}

START_TEST(test_one_request_alone_takes_its_prefill_time)
{
	static const uint32_t hit = 5000;
	struct policy_list list = {0};
	struct diag diag = {""};
	struct sim_result result;
	struct trace trace;
	double want =
		fw_device_prefill(fw_device_find("a6000"), hit, 12000, 2048);

	trace_init(&trace, 16);
	add_req(&trace, 0.0, 12000);
	ck_assert_int_eq(policy_parse(&list, "fairway", &diag), 0);
	ck_assert_int_eq(fixed_hits_run(&trace, &hit, &node, &list.specs[0],
					NULL, &result, &diag),
			 0);
	ck_assert_double_eq_tol(result.reqs[0].ttft_s, want, 1e-12);
	ck_assert(result.reqs[0].start_s == 0.0);
	ck_assert_uint_eq(result.reqs[0].cached, 5000);
	sim_result_destroy(&result);
	policy_list_destroy(&list);
	trace_destroy(&trace);
}
END_TEST

static void assert_same_runs(const struct sim_result *a,
			     const struct sim_result *b)
{
	ck_assert_uint_eq(a->steps, b->steps);
	ck_assert(a->busy_s == b->busy_s && a->end_s == b->end_s);
	for (size_t i = 0; i < a->num_reqs; i++) {
		ck_assert(a->reqs[i].ttft_s == b->reqs[i].ttft_s);
		ck_assert(a->reqs[i].start_s == b->reqs[i].start_s);
	}
}

/* Nothing shared and memory for all: the pool then decides nothing. */
START_TEST(test_without_hits_it_is_the_simulated_node)
{
	struct draw draw = draw_of(_i);
	struct sim_config config = node;
	static const uint32_t hits[200];
	struct policy_list list = {0};
	struct diag diag = {""};
	struct trace trace;
	double now = 0.0;

	config.max_running = 1 + draw_below(&draw, 8);
	trace_init(&trace, 1u << 15);
	for (int i = 0; i < 200; i++) {
		now += (double)draw_below(&draw, 800);
		add_req(&trace, now, 1 + draw_below(&draw, 9000));
	}
	ck_assert_int_eq(policy_parse(&list, "fcfs,lpm,fairway", &diag), 0);
	for (unsigned int i = 0; i < list.num; i++) {
		struct sim_result own, sim;

		ck_assert_int_eq(fixed_hits_run(&trace, hits, &config,
						&list.specs[i], NULL, &own,
						&diag),
				 0);
		ck_assert_int_eq(sim_run(&trace, &config, &list.specs[i], NULL,
					 &sim, &diag),
				 0);
		assert_same_runs(&own, &sim);
		sim_result_destroy(&own);
		sim_result_destroy(&sim);
	}
	policy_list_destroy(&list);
	trace_destroy(&trace);
}
END_TEST

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
	char why[400];

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
	ck_assert(a.gain_p50 == 0.0);
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

START_TEST(test_a_logged_queue_that_is_short_beats_a_simulated_one)
{
	struct analysis a;
	struct log log;
	char why[400];

	mixed_log(&log, 0.12, LOG_STARTS, 0.01);
	analyze(&a, &log);
	ck_assert_int_eq(a.from, QUEUE_LOGGED);
	ck_assert(a.gain_p50 > ANALYZE_GOOD_GAIN);
	ck_assert(a.astray);
	ck_assert_int_eq(a.verdict, VERDICT_NO);
	ck_assert_int_eq(a.reason, REASON_SHORT_QUEUE);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(strstr(why, "--device"), "%s", why);
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

/* Figures of a queue for which nothing is in the way. */
static struct analysis good(void)
{
	const struct queue_spread queue = {.arrivals = 100,
					   .together = 80,
					   .p90_p10 = {10.0, 20.0}};

	return (struct analysis){.prompt_tokens = 100,
				 .cached_tokens = 50,
				 .from = QUEUE_LOGGED,
				 .queue = queue,
				 .simulated = queue,
				 .gain_p50 = 0.3};
}

static void assert_verdict(struct analysis a, enum verdict verdict,
			   enum reason reason, const char *says)
{
	char why[400];

	analyze_judge(&a);
	reason_text(&a, why, sizeof(why));
	ck_assert_msg(a.verdict == verdict && a.reason == reason &&
			      strstr(why, says) && !strstr(why, "nan"),
		      "%d %d %s", a.verdict, a.reason, why);
}

START_TEST(test_verdicts_at_their_thresholds)
{
	struct analysis a = good();

	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "spread 10.0 times");
	a.gain_p50 = 0.19;
	assert_verdict(a, VERDICT_LITTLE, REASON_WIDE, "although");
	a.gain_p50 = 0.09;
	assert_verdict(a, VERDICT_NO, REASON_WIDE, "although");
	a.gain_p50 = 0.0;
	assert_verdict(a, VERDICT_NO, REASON_WIDE, "the same as");
	a = good();
	a.gain_p99 = -0.26;
	assert_verdict(a, VERDICT_LITTLE, REASON_TAIL, "26% longer");
	a.gain_p99 = -0.25;
	assert_verdict(a, VERDICT_PAYS, REASON_WIDE, "25% longer");
}
END_TEST

START_TEST(test_what_stands_in_the_way_is_named)
{
	struct analysis a = good();

	a.gain_p50 = 0.05;
	a.queue.together = a.simulated.together = 49;
	assert_verdict(a, VERDICT_NO, REASON_SHORT_QUEUE, "at 51.0%");
	a.gain_p50 = 0.3; /* the simulation has the same queue, and gains */
	assert_verdict(a, VERDICT_PAYS, REASON_SHORT_QUEUE, "although");
	a.simulated.together = 99; /* it has not */
	assert_verdict(a, VERDICT_NO, REASON_SHORT_QUEUE, "far from");
	a = good();
	a.gain_p50 = 0.05;
	a.cached_tokens = 4;
	assert_verdict(a, VERDICT_NO, REASON_FEW_HITS, "only 4.0%");
	a = good();
	a.gain_p50 = 0.05;
	a.queue.p90_p10.p50 = 2.9;
	assert_verdict(a, VERDICT_NO, REASON_NARROW, "only 2.9 times");
}
END_TEST

static Suite *analyze_suite(void)
{
	Suite *suite = suite_create("analyze");
	TCase *logs = tcase_create("logs");
	TCase *spread = tcase_create("spread");
	TCase *runs = tcase_create("runs");
	TCase *verdicts = tcase_create("verdicts");

	tcase_add_test(logs, test_csv_columns_go_by_name_and_rows_by_arrival);
	tcase_add_test(logs, test_who_never_started_is_counted_and_left_out);
	tcase_add_test(logs, test_a_prompt_cached_whole_has_a_token_left);
	tcase_add_test(logs, test_sglang_exports_are_read);
	tcase_add_test(logs, test_sglang_without_starts_has_none);
	tcase_add_loop_test(logs, test_a_bad_log_is_told_by_line_and_field, 0,
			    ARRAY_SIZE(bad_logs));
	tcase_add_test(spread, test_spread_as_worked_out_by_hand);
	tcase_add_test(spread, test_a_queue_of_one_has_no_spread);
	tcase_add_loop_test(spread, test_spread_equals_its_definition, 0, 100);
	tcase_add_test(runs, test_one_request_alone_takes_its_prefill_time);
	tcase_add_loop_test(runs, test_without_hits_it_is_the_simulated_node, 0,
			    20);
	tcase_add_test(verdicts, test_reordering_a_spike_of_questions_pays);
	tcase_add_test(verdicts,
		       test_equal_prompts_that_share_nothing_gain_nothing);
	tcase_add_test(verdicts, test_a_short_queue_is_not_worth_it);
	tcase_add_test(verdicts, test_a_trace_of_which_nothing_fits_is_told);
	tcase_add_test(verdicts, test_a_log_without_starts_is_simulated);
	tcase_add_test(verdicts,
		       test_a_logged_queue_that_is_short_beats_a_simulated_one);
	tcase_add_test(verdicts, test_logged_starts_are_the_queue);
	tcase_add_test(verdicts,
		       test_starts_are_reckoned_back_from_first_tokens);
	tcase_add_test(verdicts, test_verdicts_at_their_thresholds);
	tcase_add_test(verdicts, test_what_stands_in_the_way_is_named);
	tcase_set_timeout(verdicts, 60);
	suite_add_tcase(suite, logs);
	suite_add_tcase(suite, spread);
	suite_add_tcase(suite, runs);
	suite_add_tcase(suite, verdicts);
	return suite;
}

int main(void)
{
	seed = draw_seed();
	return run_suite(analyze_suite());
}
