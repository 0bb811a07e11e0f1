/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/naive/golden.h"
#include "tests/naive/oracle.h"
#include "tests/support/read_text.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/trace/reader.h"
#include "tools/trace/timestamp.h"

/* Forms of traces: how they are told apart, and Azure's CSV. */

static char folder[] = "/tmp/fairway-readers.XXXXXX";

#define HEADER "TIMESTAMP,ContextTokens,GeneratedTokens\n"
#define DAY "2023-11-16 18:17:03"
#define MOONCAKE "{\"timestamp\":5,\"input_length\":16,\"hash_ids\":[1]}\n"

/* --- times --- */

static int64_t ticks_of(const char *text)
{
	struct span span = {text, strlen(text)};
	int64_t ticks = -1;
	const char *why = timestamp_parse(span, &ticks);

	ck_assert_msg(!why, "%s: expected %s", text, why);
	return ticks;
}

START_TEST(test_calendar_is_gregorian)
{
	int64_t day = 86400 * TICKS_PER_S;

	ck_assert_int_eq(ticks_of("0001-01-01 00:00:00"), 0);
	/* Days to 1970 as RFC 3339's own counts have them. */
	ck_assert_int_eq(ticks_of("1970-01-01 00:00:00"), 719162 * day);
	ck_assert_int_eq(ticks_of("2024-03-01 00:00:00") -
				 ticks_of("2024-02-28 00:00:00"),
			 2 * day);
	ck_assert_int_eq(ticks_of("2023-03-01 00:00:00") -
				 ticks_of("2023-02-28 00:00:00"),
			 day);
	ck_assert_int_eq(ticks_of("2000-03-01 00:00:00") -
				 ticks_of("2000-02-29 23:59:59"),
			 TICKS_PER_S);
	ck_assert_int_eq(ticks_of("9999-12-31 23:59:59.9999999") + 1,
			 3652059 * day);
}
END_TEST

START_TEST(test_fractions_and_offsets_are_read)
{
	int64_t plain = ticks_of(DAY);

	ck_assert_int_eq(ticks_of(DAY ".9799600") - plain, 9799600);
	ck_assert_int_eq(ticks_of(DAY ".5") - plain, 5000000);
	ck_assert_int_eq(ticks_of(DAY ".000000199") - plain, 1);
	ck_assert_int_eq(ticks_of("2023-11-16T18:17:03Z"), plain);
	ck_assert_int_eq(ticks_of(DAY "+00:00"), plain);
	ck_assert_int_eq(ticks_of("2023-11-16 20:47:03+02:30"), plain);
	ck_assert_int_eq(ticks_of("2023-11-15 23:17:03-19:00"), plain);
}
END_TEST

static const char *const bad_times[] = {
	"",
	"2023",
	"2023-11-16",
	"2023-11-16 18:17",
	"2023-13-01 00:00:00",
	"2023-00-01 00:00:00",
	"2023-02-29 00:00:00",
	"1900-02-29 00:00:00",
	"2023-04-31 00:00:00",
	"2023-11-00 00:00:00",
	"0000-01-01 00:00:00",
	"2023-11-16 24:00:00",
	"2023-11-16 18:60:00",
	"2023-11-16 18:17:60",
	"-023-11-16 18:17:03",
	"2023-1a-16 18:17:03",
	DAY ".",
	DAY ".1234567890",
	DAY ".5x",
	DAY "+0000",
	DAY "+24:00",
	DAY " ",
	"16/11/2023 18:17:03",
	"1700158623",
};

START_TEST(test_times_that_are_none_are_refused)
{
	struct span span = {bad_times[_i], strlen(bad_times[_i])};
	int64_t ticks;

	ck_assert_msg(timestamp_parse(span, &ticks), "%s", bad_times[_i]);
}
END_TEST

/* --- Azure --- */

static void azure(struct trace *trace, const char *text)
{
	struct diag diag = {""};
	int ret = read_text(trace, &reader_azure, "t.csv", text, 7, &diag);

	ck_assert_msg(ret == 0, "%s", diag.text);
}

START_TEST(test_azure_requests_share_nothing)
{
	struct trace trace;

	azure(&trace, HEADER DAY ".9799600,48,10\n" DAY ".9800100,40,0\n"
				 "2023-11-16 18:17:05.0000000,15,2\n");
	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_eq(trace.num_reqs, 3);
	ck_assert_uint_eq(count_ids(&trace), 5);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	ck_assert_uint_eq(trace.reqs[0].num_ids, 3);
	ck_assert_uint_eq(trace.reqs[2].num_ids, 0);
	ck_assert_uint_eq(trace.reqs[1].len, 40);
	ck_assert_uint_eq(trace.reqs[0].output_len, 10);
	ck_assert(trace.reqs[0].arrival_ms == 0.0);
	ck_assert(trace.reqs[1].arrival_ms == 0.05);
	ck_assert(trace.reqs[2].arrival_ms == 1020.04);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_azure_columns_are_found_by_name)
{
	struct trace trace;

	azure(&trace, "\xef\xbb\xbfModel, ContextTokens ,x,TIMESTAMP\r\n"
		      "a,17,,2024-05-10 00:00:00.009930+00:00\r\n"
		      "\r\n"
		      "b,18,,2024-05-10 00:00:01.009930+00:00");
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.reqs[1].len, 18);
	ck_assert_uint_eq(trace.reqs[1].output_len, 0);
	ck_assert(trace.reqs[1].arrival_ms == 1000.0);
	trace_destroy(&trace);
}
END_TEST

static const struct {
	const char *text;
	const char *message;
} bad_azure[] = {
	{"", "t.csv: expected at least one request (no requests)"},
	{HEADER, "t.csv: expected at least one request (no requests)"},
	{"TIMESTAMP,GeneratedTokens\n",
	 "t.csv:1: ContextTokens: expected a column of this name in the header "
	 "(none)"},
	{DAY ",1,1\n", "t.csv:1: TIMESTAMP: expected a column of this name in "
		       "the header (none)"},
	{"TIMESTAMP,TIMESTAMP,ContextTokens\n",
	 "t.csv:1: TIMESTAMP: expected one such column (two)"},
	{HEADER DAY ",1,1\n" DAY ",1\n",
	 "t.csv:3: line: expected 3 fields, as in the header (2)"},
	{HEADER DAY ",1",
	 "t.csv:2: line: expected 3 fields, as in the header (2; the file may "
	 "be cut off)"},
	{HEADER DAY ",1,2,3\n",
	 "t.csv:2: line: expected 3 fields, as in the header (over 3)"},
	{HEADER "2023-02-29 00:00:00,1,1\n",
	 "t.csv:2: TIMESTAMP: expected a day that the calendar has (2023-02-29 "
	 "00:00:00)"},
	{HEADER "2023-02-28 25:00:00,1,1\n",
	 "t.csv:2: TIMESTAMP: expected a time from 00:00:00 to 23:59:59 "
	 "(2023-02-28 25:00:00)"},
	{HEADER DAY ",0,1\n", "t.csv:2: ContextTokens: expected a whole number "
			      "from 1 to 2147483647 (0)"},
	{HEADER DAY ",-5,1\n", "t.csv:2: ContextTokens: expected a whole "
			       "number from 1 to 2147483647 (-5)"},
	{HEADER DAY ",1e3,1\n", "t.csv:2: ContextTokens: expected a whole "
				"number from 1 to 2147483647 (1e3)"},
	{HEADER DAY ",99999999999999999999,1\n",
	 "t.csv:2: ContextTokens: expected a whole number from 1 to 2147483647 "
	 "(99999999999999999999)"},
	{HEADER DAY ",1,\n", "t.csv:2: GeneratedTokens: expected a whole "
			     "number from 0 to 2147483647 ()"},
	{HEADER DAY ",1,x\x1b[2J\n",
	 "t.csv:2: GeneratedTokens: expected a whole number from 0 to "
	 "2147483647 (x\\x1b[2J)"},
};

START_TEST(test_bad_azure_is_named_by_file_line_and_column)
{
	const char *text = bad_azure[_i].text;
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(read_text(&trace, &reader_azure, "t.csv", text, 5,
				   &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, bad_azure[_i].message);
}
END_TEST

START_TEST(test_real_azure_trace_is_read_whole)
{
	const char *path = shared_path("traces/azure_code.csv");
	struct read_options opt = {0};
	struct diag diag = {""};
	struct trace trace;

	if (!path) {
		fprintf(stderr, "# skipped: no azure_code.csv\n");
		return;
	}
	ck_assert_msg(!trace_read(&trace, path, &opt, NULL, &diag), "%s",
		      diag.text);
	ck_assert_uint_eq(trace.num_reqs, 8819);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	ck_assert_uint_eq(trace.reqs[0].len, 4808);
	ck_assert(trace.reqs[1].arrival_ms == 52.0);
	trace_destroy(&trace);
}
END_TEST

/* --- which form --- */

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static int read_file(const char *name, const char *text, const char *format,
		     struct diag *diag)
{
	struct read_options opt = {.format = format};
	struct trace trace;
	int ret;

	write_text(path_of(name), text);
	ret = trace_read(&trace, path_of(name), &opt, NULL, diag);
	unlink(path_of(name));
	if (!ret)
		trace_destroy(&trace);
	return ret;
}

static const struct {
	const char *name;
	const char *text;
	const char *format;
	const char *message; /* NULL: is read */
} forms[] = {
	{"a.jsonl", MOONCAKE, NULL, NULL},
	{"a.jsonl", "{\"timestamp\":5,\"input_length\":16,\"hash_ids\":[]}",
	 NULL, NULL},
	{"a.csv", HEADER DAY ",1,1\n", NULL, NULL},
	{"a", HEADER DAY ",1,1\n", NULL, NULL},
	{"a", "\n\n" HEADER DAY ",1,1\n", NULL, NULL},
	{"a", "\xef\xbb\xbf" HEADER DAY ",1,1\n", NULL, NULL},
	{"a.txt", " {\"timestamp\":5,\"input_length\":16,\"hash_ids\":[]}",
	 NULL, NULL},
	{"a.jsonl", HEADER DAY ",1,1\n", "azure", NULL},
	{"a.csv", "{\"timestamp\":5,\"input_length\":16,\"hash_ids\":[]}",
	 "mooncake", NULL},
	{"a.csv", MOONCAKE, NULL, NULL},
	{"a.jsonl", HEADER DAY ",1,1\n", NULL, NULL},
	{"a.csv", "x,y\n1,2\n", NULL,
	 "or --columns arrival=NAME,input=NAME for other CSV (its columns: "
	 "x,y"},
	{"a.csv", "arrival_s,cached_tokens,uncached_tokens\n1,2,3\n", NULL,
	 "expected a trace; this is a log of the form \"log\", which \"fairway "
	 "analyze "},
	{"a", "hello\n", NULL,
	 "neither its name nor its first line tells; --format takes dynamo"},
	{"a", "\n", NULL, "expected at least one request (no requests)"},
	{"a", "# x\n-\t-\t1\t2\n", NULL,
	 "expected a file named X.docs or X.reqs"},
	{"a.jsonl", MOONCAKE, "moncake", "did you mean \"mooncake\"?"},
	{"a.jsonl", MOONCAKE, "parquet", "unknown form \"parquet\""},
};

START_TEST(test_form_is_told_by_option_name_and_first_line)
{
	const char *message = forms[_i].message;
	struct diag diag = {""};
	int ret = read_file(forms[_i].name, forms[_i].text, forms[_i].format,
			    &diag);

	if (!message) {
		ck_assert_msg(ret == 0, "%s", diag.text);
		return;
	}
	ck_assert_int_eq(ret, -EINVAL);
	ck_assert_msg(strstr(diag.text, message), "%s", diag.text);
}
END_TEST

START_TEST(test_rate_is_refused_where_all_have_times)
{
	struct read_options opt = {.rate.rate = 1.0};
	struct diag diag = {""};
	struct trace trace;

	write_text(path_of("r.csv"), HEADER DAY ",1,1\n");
	ck_assert_int_eq(trace_read(&trace, path_of("r.csv"), &opt, NULL,
				    &diag),
			 -EINVAL);
	ck_assert_msg(strstr(diag.text, "without arrival times"), "%s",
		      diag.text);
	unlink(path_of("r.csv"));
}
END_TEST

static void add(Suite *suite, TCase *tc)
{
	int num_times = sizeof(bad_times) / sizeof(bad_times[0]);
	int num_azure = sizeof(bad_azure) / sizeof(bad_azure[0]);
	int num_forms = sizeof(forms) / sizeof(forms[0]);

	tcase_add_test(tc, test_calendar_is_gregorian);
	tcase_add_test(tc, test_fractions_and_offsets_are_read);
	tcase_add_loop_test(tc, test_times_that_are_none_are_refused, 0,
			    num_times);
	tcase_add_test(tc, test_azure_requests_share_nothing);
	tcase_add_test(tc, test_azure_columns_are_found_by_name);
	tcase_add_loop_test(tc, test_bad_azure_is_named_by_file_line_and_column,
			    0, num_azure);
	tcase_add_test(tc, test_real_azure_trace_is_read_whole);
	tcase_add_loop_test(tc, test_form_is_told_by_option_name_and_first_line,
			    0, num_forms);
	tcase_add_test(tc, test_rate_is_refused_where_all_have_times);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("readers");
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	add(suite, tcase_create("forms"));
	status = run_suite(suite);
	rmdir(folder);
	return status;
}
