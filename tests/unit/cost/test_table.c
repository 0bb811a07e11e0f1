/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "tests/naive/oracle.h"
#include "tests/support/read_text.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/node/load.h"
#include "tools/node/table.h"

/* Own prefill times, own step times, and arrivals scaled to a load. */

static int parse(struct cost_table *table, const char *text, struct diag *diag)
{
	struct lines_buffer from = {text, strlen(text), 0, 6};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	int ret;

	ck_assert(!lines_open_source(&lines, "t.csv", &source, NULL, diag));
	ret = table_parse(table, &lines, diag);
	lines_close(&lines);
	return ret;
}

static void good(struct cost_table *table, const char *text)
{
	struct diag diag = {""};

	ck_assert_msg(!parse(table, text, &diag), "%s", diag.text);
}

START_TEST(test_rows_are_points_of_the_cost)
{
	struct cost_table table;
	struct fw_cost cost;

	good(&table, "# measured on a quiet day\nlabel,seconds,tokens\n"
		     "x,0.1,1000\ny, 0.3 ,2000\r\n");
	ck_assert_uint_eq(table.num, 2);
	ck_assert(!table.has_device);
	ck_assert(!fw_cost_init(&cost, NULL, table.points, table.num,
				&fw_allocator_default));
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 500), 0.05, 1e-12);
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 1500), 0.2, 1e-12);
	/* The last segment goes on. */
	ck_assert_double_eq_tol(fw_cost_prefill(&cost, 4000), 0.7, 1e-12);
	fw_cost_destroy(&cost);
	table_destroy(&table);
}
END_TEST

START_TEST(test_comments_may_hold_a_device)
{
	struct cost_table table;

	good(&table, "# device=mine, t0=0.008 a=0.00012\n"
		     "#b=5.5e-9,Tw=0.025 = x=\ntokens,seconds\n1,0.1\n");
	ck_assert(table.has_device);
	ck_assert(table.device.t0 == 0.008);
	ck_assert(table.device.a == 0.00012);
	ck_assert(table.device.b == 5.5e-9);
	ck_assert(table.device.tw == 0.025);
	table_destroy(&table);
}
END_TEST

#define HEAD "tokens,seconds\n"

static const struct {
	const char *text;
	const char *message;
} bad[] = {
	{"", "t.csv: expected at least one row of tokens,seconds (none)"},
	{HEAD, "t.csv: expected at least one row of tokens,seconds (none)"},
	{"tokens\n1\n", "t.csv:1: line: expected a header with the columns "
			"tokens and seconds (no seconds)"},
	{"1,0.5\n", "t.csv:1: line: expected a header with the columns tokens "
		    "and seconds (no tokens)"},
	{"tokens,tokens,seconds\n",
	 "t.csv:1: tokens: expected one such column (two)"},
	{HEAD "1\n", "t.csv:2: line: expected 2 fields, as in the header (1)"},
	{HEAD "1,2,3\n",
	 "t.csv:2: line: expected 2 fields, as in the header (over 2)"},
	{HEAD "0,1\n",
	 "t.csv:2: tokens: expected a whole number from 1 to 2147483647 (0)"},
	{HEAD "1.5,1\n",
	 "t.csv:2: tokens: expected a whole number from 1 to 2147483647 "
	 "(1.5)"},
	{HEAD "5,1\n5,2\n",
	 "t.csv:3: tokens: expected more than 5, that of the row before (5)"},
	{HEAD "5,1\n6,0.5\n",
	 "t.csv:3: seconds: expected at least 1, that of the row before "
	 "(0.5)"},
	{HEAD "5,0\n",
	 "t.csv:2: seconds: expected seconds from 1e-9 to 86400 (0)"},
	{HEAD "5,-1\n",
	 "t.csv:2: seconds: expected seconds from 1e-9 to 86400 (-1)"},
	{HEAD "5,nan\n",
	 "t.csv:2: seconds: expected seconds from 1e-9 to 86400 (nan)"},
	{HEAD "5,0x1\n",
	 "t.csv:2: seconds: expected seconds from 1e-9 to 86400 (0x1)"},
	{HEAD "5,1e9\n",
	 "t.csv:2: seconds: expected seconds from 1e-9 to 86400 (1e9)"},
	{"# t0=1 a=x\n" HEAD "5,1\n",
	 "t.csv:1: a: expected seconds from 0 to 86400 (x)"},
	{"# t0=1 t0=1\n" HEAD "5,1\n",
	 "t.csv:1: t0: expected it once (given again)"},
	{"# t0=1 a=1 b=0\n" HEAD "5,1\n",
	 "t.csv: expected all of t0, a, b and Tw in its comments, or none (no "
	 "Tw)"},
	{"# t0=0 a=1 b=0 Tw=0\n" HEAD "5,1\n",
	 "t.csv: expected t0 or Tw over 0 (both are 0)"},
};

START_TEST(test_bad_table_is_named_by_file_line_and_column)
{
	struct cost_table table;
	struct diag diag = {""};

	ck_assert_int_eq(parse(&table, bad[_i].text, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, bad[_i].message);
}
END_TEST

/* --- what a run makes of it --- */

enum {
	NUM_REQS = 200,
	BLOCK = 16,
};

static void make_trace(struct trace *trace)
{
	trace_init(trace, BLOCK);
	for (int i = 0; i < NUM_REQS; i++) {
		uint32_t len = 200 + (uint32_t)i * 37 % 3000;
		uint64_t ids[256];
		struct trace_req req = {
			.arrival_ms = i * 90.0,
			.len = len,
			.num_ids = len / BLOCK,
		};

		for (uint32_t k = 0; k < req.num_ids; k++)
			ids[k] = (uint64_t)(i % 7) * 1000 + k;
		ck_assert(!trace_add_ids(trace, &req, ids));
	}
}

static struct sim_config make_config(void)
{
	return (struct sim_config){
		.device = "a6000",
		.budget = 2048,
		.max_running = 256,
		.kv_blocks = 2000,
		.time_scale = 1.0,
	};
}

static void run(const struct trace *trace, const struct sim_config *config,
		const char *policy, struct sim_result *result)
{
	struct diag why = {""};

	ck_assert_msg(!oracle_run(trace, config, policy, result, &why), "%s",
		      why.text);
}

START_TEST(test_device_of_the_same_constants_gives_the_same_run)
{
	static const struct fw_device same = {"table", 8e-3, 0.120e-3, 5.5e-9,
					      25e-3};
	struct sim_config config = make_config();
	struct sim_result a, b;
	struct trace trace;

	make_trace(&trace);
	run(&trace, &config, "fairway", &a);
	config.own_device = &same;
	config.device = "a6000"; /* T(len) still by name: there is no table */
	run(&trace, &config, "fairway", &b);
	for (int i = 0; i < NUM_REQS; i++)
		ck_assert(a.reqs[i].ttft_s == b.reqs[i].ttft_s);
	sim_result_destroy(&a);
	sim_result_destroy(&b);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_own_device_decides_the_step_times)
{
	static const struct fw_device slow = {"table", 1.0, 0.0, 0.0, 0.0};
	struct sim_config config = make_config();
	struct sim_result result;
	struct trace trace;

	make_trace(&trace);
	config.own_device = &slow;
	run(&trace, &config, "fcfs", &result);
	ck_assert_double_eq_tol(result.busy_s, (double)result.steps, 1e-9);
	sim_result_destroy(&result);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_load_scales_the_span_to_the_measured_busy_time)
{
	static const double loads[] = {0.5, 1.0, 3.0};
	struct sim_config config = make_config();
	struct diag diag = {""};
	struct sim_result result;
	struct trace trace;
	double scale = 0.0;
	double span;

	make_trace(&trace);
	run(&trace, &config, "fcfs", &result);
	ck_assert_msg(!load_scale(&trace, &config, "--load", loads[_i], NULL,
				  &scale, &diag),
		      "%s", diag.text);
	span = trace.reqs[NUM_REQS - 1].arrival_ms / 1000.0 * scale;
	ck_assert_double_eq_tol(result.busy_s, loads[_i] * span, 1e-9);
	sim_result_destroy(&result);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_load_needs_a_span)
{
	struct sim_config config = make_config();
	struct diag diag = {""};
	struct trace trace;
	double scale = 7.0;

	make_trace(&trace);
	trace.num_reqs = 1;
	ck_assert_int_eq(load_scale(&trace, &config, "--load", 1.0, NULL,
				    &scale, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, "--load: expected arrivals at different "
				    "times (all are the same)");
	ck_assert(scale == 7.0);
	trace_destroy(&trace);
}
END_TEST

static void add(Suite *suite, TCase *tc)
{
	tcase_add_test(tc, test_rows_are_points_of_the_cost);
	tcase_add_test(tc, test_comments_may_hold_a_device);
	tcase_add_loop_test(tc, test_bad_table_is_named_by_file_line_and_column,
			    0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc,
		       test_device_of_the_same_constants_gives_the_same_run);
	tcase_add_test(tc, test_own_device_decides_the_step_times);
	tcase_add_loop_test(tc,
			    test_load_scales_the_span_to_the_measured_busy_time,
			    0, 3);
	tcase_add_test(tc, test_load_needs_a_span);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("table");

	add(suite, tcase_create("own times"));
	return run_suite(suite);
}
