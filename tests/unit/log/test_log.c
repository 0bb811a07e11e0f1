/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tests/support/lines_buffer.h"
#include "tests/support/run.h"
#include "tools/log/log_reader.h"

/* Logs of engines: what is read of them, and what is told of bad ones. */

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

/* The first record is of a request that was aborted: no times, no tokens. */
START_TEST(test_incomplete_records_are_counted_and_left_out)
{
	struct log log;

	log_from(
		&log, &log_reader_sglang,
		"{\"request_parameters\":\"{}\",\"id\":\"a\",\"prompt_tokens\":"
		"null,\"finish_reason\":{\"type\":\"abort\"}}\n"
		"{\"prompt_tokens\":16,\"cached_tokens\":0,"
		"\"request_received_ts\":1700000002,"
		"\"forward_entry_time\":0.0,\"queue_time\":0.0}\n"
		"{\"prompt_tokens\":0,\"cached_tokens\":0,"
		"\"request_received_ts\":1700000002,"
		"\"forward_entry_time\":1700000003}\n"
		"{\"prompt_tokens\":32,\"cached_tokens\":16,"
		"\"request_received_ts\":1700000004,"
		"\"forward_entry_time\":1700000005.5}\n");
	ck_assert_uint_eq(log.num, 1);
	ck_assert_uint_eq(log.left_out, 3);
	assert_req(&log.reqs[0], 0.0, 1.5, 16, 16);
	log_destroy(&log);
}
END_TEST

#define META(more)                                                            \
	"{\"out\":{\"meta_info\":{\"prompt_tokens\":32,\"cached_tokens\":16," \
	"\"request_received_ts\":1700000002," more "}}}\n"

static const struct {
	const char *text;
	enum log_times times;
	double later;
} sglang_times[] = {
	{META("\"queue_time\":0.75"), LOG_STARTS, 0.75},
	{META("\"prefill_finished_ts\":1700000003.25"), LOG_FIRST_TOKENS, 1.25},
	{META("\"prefill_finished_time\":1700000003.25"), LOG_FIRST_TOKENS,
	 1.25},
	{META("\"queue_time\":0.5,\"prefill_finished_ts\":1700000003"),
	 LOG_STARTS, 0.5},
};

START_TEST(test_sglang_without_a_first_step_has_other_times)
{
	struct log log;

	log_from(&log, &log_reader_sglang, sglang_times[_i].text);
	ck_assert_int_eq(log.times, sglang_times[_i].times);
	assert_req(&log.reqs[0], 0.0, sglang_times[_i].later, 16, 16);
	log_destroy(&log);
}
END_TEST

#define ANSWER(time)                                                  \
	"{\"id\":\"chatcmpl-a\",\"created\":" time                    \
	",\"choices\":[{\"x\":[]}],"                                  \
	"\"usage\":{\"prompt_tokens\":42,\"prompt_tokens_details\":{" \
	"\"cached_tokens\":32}},\"metrics\":{\"queue_time_ms\":250}}\n"
#define OUTPUT(time)                                                   \
	"{\"request_id\":\"0\",\"num_prompt_tokens\":42,"              \
	"\"num_cached_tokens\":32,\"metrics\":{\"arrival_time\":" time \
	".0,\"queued_ts\":5001.5,\"scheduled_ts\":5001.75}}\n"
#define FINISHED(time)                                                      \
	"{\"prompt_tokens\":42,\"cached_tokens\":32,\"arrival_time\":" time \
	",\"time_in_queue\":0.25,\"first_scheduled_time\":null}\n"

static const char *const vllm[] = {
	ANSWER("1700000009") ANSWER("1700000002"),
	OUTPUT("1700000009") OUTPUT("1700000002"),
	FINISHED("1700000009") FINISHED("1700000002"),
};

START_TEST(test_vllm_records_are_read)
{
	struct log log;

	log_from(&log, &log_reader_vllm, vllm[_i]);
	ck_assert_uint_eq(log.num, 2);
	ck_assert_int_eq(log.times, LOG_STARTS);
	assert_req(&log.reqs[0], 0.0, 0.25, 32, 10);
	assert_req(&log.reqs[1], 7.0, 7.25, 32, 10);
	log_destroy(&log);
}
END_TEST

#define NONE                                                           \
	"{\"created\":5,\"usage\":{\"prompt_tokens\":9},\"metrics\":{" \
	"\"queue_time_ms\":1}}\n"

/* Where nothing was cached the server leaves the figure out. */
START_TEST(test_vllm_says_cached_tokens_only_where_there_are_some)
{
	struct diag diag = {""};
	struct log log;

	log_from(&log, &log_reader_vllm, NONE ANSWER("7"));
	ck_assert_uint_eq(log.num, 2);
	assert_req(&log.reqs[0], 0.0, 0.001, 0, 9);
	log_destroy(&log);
	ck_assert_int_eq(parse_log(&log, &log_reader_vllm, NONE, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, "t.log: expected how much of a prompt was "
				    "cached (no request says it)");
}
END_TEST

START_TEST(test_a_start_of_0_is_none)
{
	struct log log;

	log_from(&log, &log_reader_csv,
		 "arrival_s,cached_tokens,uncached_tokens,start_s\n"
		 "5,0,10,0.0\n6,0,10,6.5\n");
	ck_assert_uint_eq(log.num, 1);
	ck_assert_uint_eq(log.left_out, 1);
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
	 "{\"a\":", "t.log:1: line: expected a whole JSON object"},
	{&log_reader_sglang, "[1]\n",
	 "t.log:1: line: expected a JSON object (a list, not an object)"},
	{&log_reader_sglang, "{\"prompt_tokens\":1}\n",
	 "t.log: request_received_ts: expected the arrival (missing in all 1 "
	 "lines)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":-1}\n",
	 "t.log:1: prompt_tokens: expected a whole number from 0 to 16777216 "
	 "(a number out of range)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":1,"
	 "\"cached_tokens\":\"x\"}\n",
	 "t.log:1: cached_tokens: expected a whole number from 0 to 16777216 "
	 "(a string)"},
	{&log_reader_sglang,
	 "{\"request_received_ts\":1,\"prompt_tokens\":2,\"cached_tokens\":1,"
	 "\"forward_entry_time\":true}\n",
	 "t.log:1: forward_entry_time: expected a time from 0 to 1e+11 (a "
	 "truth value)"},
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

int main(void)
{
	Suite *suite = suite_create("log");
	TCase *tcase = tcase_create("log");

	tcase_add_test(tcase, test_csv_columns_go_by_name_and_rows_by_arrival);
	tcase_add_test(tcase, test_who_never_started_is_counted_and_left_out);
	tcase_add_test(tcase, test_incomplete_records_are_counted_and_left_out);
	tcase_add_loop_test(tcase,
			    test_sglang_without_a_first_step_has_other_times, 0,
			    sizeof(sglang_times) / sizeof(sglang_times[0]));
	tcase_add_loop_test(tcase, test_vllm_records_are_read, 0,
			    sizeof(vllm) / sizeof(vllm[0]));
	tcase_add_test(tcase,
		       test_vllm_says_cached_tokens_only_where_there_are_some);
	tcase_add_test(tcase, test_a_start_of_0_is_none);
	tcase_add_test(tcase, test_a_prompt_cached_whole_has_a_token_left);
	tcase_add_test(tcase, test_sglang_exports_are_read);
	tcase_add_test(tcase, test_sglang_without_starts_has_none);
	tcase_add_loop_test(tcase, test_a_bad_log_is_told_by_line_and_field, 0,
			    ARRAY_SIZE(bad_logs));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
