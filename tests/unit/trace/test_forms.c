/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/read_text.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/trace/reader.h"

/* What the traces of the field have that Mooncake's first one had not. */

static uint64_t seed;

static int read_with(struct trace *trace, const struct trace_reader *reader,
		     const struct read_options *opt, const char *text,
		     struct diag *diag)
{
	struct lines_buffer from = {text, strlen(text), 0, 11};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	struct trace_input in = {.path = "t", .lines = &lines, .opt = *opt};
	int ret = lines_open_source(&lines, "t", &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = trace_read_lines(trace, reader, &in, diag);
	lines_close(&lines);
	return ret;
}

static void good_with(struct trace *trace, const struct trace_reader *reader,
		      const struct read_options *opt, const char *text)
{
	struct diag diag = {""};
	int ret = read_with(trace, reader, opt, text, &diag);

	ck_assert_msg(!ret, "%s", diag.text);
}

static void good(struct trace *trace, const struct trace_reader *reader,
		 const char *text)
{
	const struct read_options opt = {.strict = false};

	good_with(trace, reader, &opt, text);
}

static void refused(const struct trace_reader *reader,
		    const struct read_options *opt, const char *text,
		    const char *message)
{
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(read_with(&trace, reader, opt, text, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, message);
}

static void times_are(const struct trace *trace, size_t num, const double *ms)
{
	ck_assert_uint_eq(trace->num_reqs, num);
	for (size_t i = 0; i < num; i++)
		ck_assert_msg(trace->reqs[i].arrival_ms == ms[i],
			      "%zu: %.9f, expected %.9f", i,
			      trace->reqs[i].arrival_ms, ms[i]);
}

#define ROW(time, more) "{\"timestamp\":" time ",\"input_length\":16" more "}\n"

/* --- time --- */

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

/* --- ids and blocks --- */

START_TEST(test_ids_of_any_kind_tell_prefixes_apart)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     "{\"timestamp\":0,\"input_length\":80,\"block_size\":16,"
	     "\"hash_ids\":[\"a\",\"0x1f\",-5,18446744073709551620,7]}\n"
	     "{\"timestamp\":1,\"input_length\":80,"
	     "\"hash_ids\":[\"a\",\"0x1f\",-5,18446744073709551620,8]}\n");
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_int_eq(nth_id(&trace, &trace.reqs[0], i) ==
					 nth_id(&trace, &trace.reqs[1], i),
				 i < 4);
	ck_assert_int_eq(trace_shared_ids(&trace), 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_requests_without_ids_share_nothing)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     "{\"created_time\":0,\"input_tokens\":1024,\"extra\":null}\n"
	     "{\"created_time\":5,\"input_tokens\":1024,\"hash_ids\":null}\n");
	ck_assert_uint_eq(trace.block_size, 512);
	ck_assert_uint_eq(count_ids(&trace), 4);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_block_size_follows_from_the_number_of_ids)
{
	struct trace trace;

	good(&trace, &reader_mooncake,
	     ROW("0", ",\"hash_ids\":[1]") "{\"timestamp\":1,\"input_length\":"
					   "150,\"hash_ids\":[1,2,3]}\n");
	ck_assert_uint_eq(trace.block_size, 64);
	ck_assert_uint_eq(trace.reqs[0].num_ids, 0);
	ck_assert_uint_eq(trace.reqs[1].num_ids, 2);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_no_block_size_fits_every_request)
{
	const struct read_options opt = {.strict = false};

	refused(&reader_mooncake, &opt,
		"{\"timestamp\":0,\"input_length\":600,\"hash_ids\":[1,2]}\n"
		"{\"timestamp\":1,\"input_length\":600,\"hash_ids\":[1,2,3,4,5]"
		"}\n",
		"t:2: hash_ids: expected 1 or 2 ids for 600 tokens in blocks "
		"of "
		"512 (5)");
}
END_TEST

/* --- forms --- */

START_TEST(test_bailian_counts_seconds_and_blocks_of_16)
{
	static const double want[] = {61114.0, 62500.0};
	struct trace trace;

	good(&trace, &reader_bailian,
	     "{\"chat_id\":159,\"parent_chat_id\":-1,\"timestamp\":61.114,"
	     "\"input_length\":33,\"output_length\":2,\"type\":\"text\","
	     "\"turn\":1,\"hash_ids\":[5,6,7]}\n"
	     "{\"chat_id\":160,\"parent_chat_id\":159,\"timestamp\":62.5,"
	     "\"input_length\":40,\"output_length\":8,\"type\":\"text\","
	     "\"turn\":2,\"hash_ids\":[5,6,8]}\n");
	times_are(&trace, 2, want);
	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_eq(trace.reqs[0].after, 0);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 1386.0);
	trace_destroy(&trace);
}
END_TEST

#define DYNAMO(received, ended, more)                                \
	"{\"schema\":\"dynamo.request.trace.v1\",\"event_type\":"    \
	"\"request_end\",\"event_time_unix_ms\":" ended              \
	",\"agent_context\":{\"session_id\":\"s\"},\"request\":{"    \
	"\"request_received_ms\":" received ",\"output_tokens\":16," \
	"\"finish\":{\"x\":[1,{\"input_length\":7}]},\"replay\":{"   \
	"\"trace_block_size\":64,\"input_length\":128,"              \
	"\"input_sequence_hashes\":[14879255164371896291" more "]}}}\n"

START_TEST(test_dynamo_reads_requests_and_their_sessions)
{
	static const double want[] = {0.0, 1500.0};
	struct trace trace;

	good(&trace, &reader_dynamo,
	     DYNAMO("1777312800000", "1777312801000",
		    ",274632075616497421") "{\"schema\":\"dynamo.request.trace."
					   "v1\",\"event_type\":"
					   "\"tool_end\",\"tool\":{\"duration_"
					   "ms\":420.5}}\n" DYNAMO(
						   "1777312801500",
						   "1777312803000", ",9"));
	times_are(&trace, 2, want);
	ck_assert_uint_eq(trace.block_size, 64);
	ck_assert_int_eq(trace_shared_ids(&trace), 1);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 500.0);
	ck_assert(trace.source.origin_s == 1777312800.0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_bad_dynamo_is_named_by_line_and_field)
{
	const struct read_options opt = {.strict = false};

	refused(&reader_dynamo, &opt, DYNAMO("\"x\"", "1", ",2"),
		"t:1: request.request_received_ms: expected a time in "
		"milliseconds (a string)");
	refused(&reader_dynamo, &opt, DYNAMO("5", "6", ",2,3"),
		"t:1: request.replay.input_sequence_hashes: expected one for "
		"each block of 64 of 128 tokens (3)");
	refused(&reader_dynamo, &opt, DYNAMO("5", "6", ",{}"),
		"t:1: request.replay.input_sequence_hashes: expected one for "
		"each block of 64 of 128 tokens (1)");
	refused(&reader_dynamo, &opt, "{\"event_type\":\"tool_end\"}\n",
		"t: expected at least one request (no line of the type "
		"request_end)");
	refused(&reader_dynamo, &opt, "[1]\n",
		"t:1: line: expected a JSON object (a list, not an object)");
}
END_TEST

static const struct {
	const struct trace_reader *reader;
	const char *columns;
	const char *text;
	double second_ms;
	uint32_t len;
} tables[] = {
	{&reader_burstgpt, NULL,
	 "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
	 "Type\n5,ChatGPT,472,18,490,API log\n45,GPT-4,1087,230,1317,x\n",
	 45000.0, 1087},
	{&reader_splitwise, NULL,
	 "request_id,request_type,application_id,arrival_timestamp,batch_size,"
	 "prompt_size,token_size\n0,2,0,0.5,1,100,7\n1,2,0,0.75,1,200,8\n",
	 750.0, 200},
	{&reader_servegen, NULL,
	 "request_id,timestamp,input_tokens,output_tokens\n0,0.1,5,6\n"
	 "1,1.25,70.0,8\n",
	 1250.0, 70},
	{&reader_columns, "arrival=t,input=in tokens",
	 "in tokens,t,x\n3,0.5,a\n9,1.5,b\n", 1500.0, 9},
	{&reader_columns, "input=n,arrival=when",
	 "when,n\n2024-05-10 00:00:00+00:00,3\n2024-05-10T00:00:01.5Z,9\n",
	 1500.0, 9},
};

START_TEST(test_tables_are_read_by_their_columns)
{
	const struct read_options opt = {.columns = tables[_i].columns};
	struct trace trace;

	good_with(&trace, tables[_i].reader, &opt, tables[_i].text);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert(trace.reqs[1].arrival_ms == tables[_i].second_ms);
	ck_assert_uint_eq(trace.reqs[1].len, tables[_i].len);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

static const char *const bad_columns[] = {
	"",	     "arrival",		"arrival=",
	"arrival=t", "input=a,input=b", "arrival=t,input=n,len=x",
};

START_TEST(test_columns_that_say_nothing_are_refused)
{
	const struct read_options opt = {.columns = bad_columns[_i]};
	char message[256];

	snprintf(message, sizeof(message),
		 "--columns: expected arrival=NAME,input=NAME, and output=NAME "
		 "or session=NAME where there are such (\"%s\")",
		 bad_columns[_i]);
	refused(&reader_columns, &opt, "t,n\n1,2\n", message);
}
END_TEST

START_TEST(test_a_named_column_must_be_there)
{
	const struct read_options opt = {.columns = "arrival=t,input=m"};

	refused(&reader_columns, &opt, "t,n\n1,2\n",
		"t:1: m: expected a column of this name in the header (none)");
}
END_TEST

/* --- sessions --- */

#define TURN(head, len) "{\"session_id\":" head ",\"input_length\":" len "}\n"

START_TEST(test_a_turn_without_a_time_follows_by_its_delay)
{
	static const double want[] = {1000.0, 1050.0, 1500.0, 1550.5};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     TURN("\"a\",\"timestamp\":1000", "10")
		     TURN("7,\"timestamp\":1500", "20")
			     TURN("\"a\",\"delay_ms\":50", "30")
				     TURN("7,\"delay\":50.5", "40"));
	times_are(&trace, 4, want);
	ck_assert_uint_eq(trace.reqs[1].len, 30);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	ck_assert(trace.reqs[1].delay_ms == 50.0);
	ck_assert_uint_eq(trace.reqs[3].after, 3);
	ck_assert_uint_eq(trace.reqs[2].after, 0);
	ck_assert(trace.has_sessions);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_keep_who_follows_whom)
{
	const struct trace_options cut = {.time_scale = 1.0, .max_prompt = 25};
	struct diag diag = {""};
	struct trace trace;

	good(&trace, &reader_mooncake,
	     TURN("1,\"timestamp\":0", "30") TURN("1,\"timestamp\":5", "10")
		     TURN("1,\"timestamp\":9", "20"));
	ck_assert_int_eq(trace_prepare(&trace, &cut, &diag), 0);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.reqs[0].after, 0);
	ck_assert_uint_eq(trace.reqs[1].after, 1);
	trace_destroy(&trace);
}
END_TEST

/* --- bounds --- */

START_TEST(test_bounds_are_told_and_raised)
{
	struct limits limits = limits_default;
	struct read_options opt = {.limits = &limits};
	static const char text[] = "Timestamp,Request tokens\n0,3000000\n";
	struct diag diag = {""};
	struct trace trace;

	refused(&reader_burstgpt, &opt, text,
		"t:2: Request tokens: expected a prompt of at most 2097152 "
		"tokens (3000000; --limit prompt=N raises it)");
	ck_assert_int_eq(limits_parse(&limits, "prompt=4000000", &diag), 0);
	good_with(&trace, &reader_burstgpt, &opt, text);
	trace_destroy(&trace);
	ck_assert_int_eq(limits_parse(&limits, "blocks=1000", &diag), 0);
	refused(&reader_burstgpt, &opt, text,
		"t:2: line: expected at most 1000 blocks in all prompts up to "
		"here (187500; --limit blocks=N raises it)");
}
END_TEST

static const struct {
	const char *text;
	const char *message;
} bad_limits[] = {
	{"prompt=0", "--limit: prompt: expected a whole number from 1 to "
		     "2147483647 (\"prompt=0\")"},
	{"prompt", "--limit: prompt: expected a whole number from 1 to "
		   "2147483647 (\"prompt\")"},
	{"blocks=5,rows=9", "--limit: expected unpacked, blank-lines, prompt "
			    "or blocks, each as NAME=N (\"rows=9\")"},
};

START_TEST(test_bad_limits_are_named)
{
	struct limits limits = limits_default;
	struct diag diag = {""};

	ck_assert_int_eq(limits_parse(&limits, bad_limits[_i].text, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, bad_limits[_i].message);
	ck_assert_uint_eq(limits.blocks, 0);
}
END_TEST

START_TEST(test_blank_lines_for_ever_are_refused)
{
	size_t size = 200000;
	char *text = malloc(size + 1);
	const struct read_options opt = {.strict = false};

	memset(text, '\n', size);
	text[size] = '\0';
	refused(&reader_mooncake, &opt, text,
		"t:100001: line: expected at most 100000 blank lines in a row "
		"(more; --limit blank-lines=N raises it)");
	free(text);
}
END_TEST

static void add_times(Suite *suite)
{
	TCase *tc = tcase_create("times");

	tcase_add_test(tc, test_fractions_of_a_millisecond_are_kept);
	tcase_add_loop_test(tc, test_a_unit_is_what_was_asked_for, 0,
			    sizeof(units) / sizeof(units[0]));
	tcase_add_test(
		tc,
		test_an_epoch_gives_the_times_of_its_twin_to_the_nanosecond);
	tcase_add_test(tc, test_a_clock_that_begins_with_the_trace_is_kept);
	tcase_add_test(tc, test_rows_out_of_order_are_sorted_and_counted);
	tcase_add_test(tc, test_strict_refuses_rows_out_of_order);
	tcase_add_loop_test(tc, test_a_rate_draws_gamma_times, 0, 3);
	tcase_add_test(tc, test_times_are_all_there_or_none_is);
	suite_add_tcase(suite, tc);
}

static void add_forms(Suite *suite)
{
	TCase *tc = tcase_create("forms");

	tcase_add_test(tc, test_ids_of_any_kind_tell_prefixes_apart);
	tcase_add_test(tc, test_requests_without_ids_share_nothing);
	tcase_add_test(tc, test_block_size_follows_from_the_number_of_ids);
	tcase_add_test(tc, test_no_block_size_fits_every_request);
	tcase_add_test(tc, test_bailian_counts_seconds_and_blocks_of_16);
	tcase_add_test(tc, test_dynamo_reads_requests_and_their_sessions);
	tcase_add_test(tc, test_bad_dynamo_is_named_by_line_and_field);
	tcase_add_loop_test(tc, test_tables_are_read_by_their_columns, 0,
			    sizeof(tables) / sizeof(tables[0]));
	tcase_add_loop_test(tc, test_columns_that_say_nothing_are_refused, 0,
			    sizeof(bad_columns) / sizeof(bad_columns[0]));
	tcase_add_test(tc, test_a_named_column_must_be_there);
	suite_add_tcase(suite, tc);
}

static void add_bounds(Suite *suite)
{
	TCase *tc = tcase_create("sessions and bounds");

	tcase_add_test(tc, test_a_turn_without_a_time_follows_by_its_delay);
	tcase_add_test(tc, test_cuts_keep_who_follows_whom);
	tcase_add_test(tc, test_bounds_are_told_and_raised);
	tcase_add_loop_test(tc, test_bad_limits_are_named, 0,
			    sizeof(bad_limits) / sizeof(bad_limits[0]));
	tcase_add_test(tc, test_blank_lines_for_ever_are_refused);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("forms");

	seed = draw_seed();
	add_times(suite);
	add_forms(suite);
	add_bounds(suite);
	return run_suite(suite);
}
