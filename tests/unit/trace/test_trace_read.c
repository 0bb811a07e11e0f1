/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/support/read_text.h"
#include "tests/support/lines_buffer.h"
#include "tests/support/trace_ids.h"
#include "folder.h"

/* What is right is read; what is wrong is named by file, line and field. */

static int parse_bytes(struct trace *trace, const char *text, size_t size,
		       size_t step, uint32_t block, struct diag *diag)
{
	struct lines_buffer from = {.data = text, .size = size, .step = step};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	int ret = lines_open_source(&lines, "t.jsonl", &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = read_mooncake(trace, &lines, block, diag);
	lines_close(&lines);
	return ret;
}

static int parse(struct trace *trace, const char *text, uint32_t block,
		 struct diag *diag)
{
	return parse_bytes(trace, text, strlen(text), 7, block, diag);
}

#define GOOD "{\"timestamp\":5,\"input_length\":16,\"hash_ids\":[1]}"
#define OPEN "{\"timestamp\":5,\"input_length\":"
#define CUT " (it ends after 24 bytes, without a newline: cut off)"
#define U64 "whole numbers or texts"
#define LEN                                                           \
	"t.jsonl:1: input_length: expected a whole number from 1 to " \
	"2147483647"
#define MS                                                          \
	"t.jsonl:1: timestamp: expected a time from 0 to 2^53 ms, " \
	"or a day and a time"

/* Blocks of 16 tokens. */
static const struct {
	const char *text;
	const char *message;
} bad[] = {
	{"", "t.jsonl: expected at least one request (no requests)"},
	{"\n \r\n", "t.jsonl: expected at least one request (no requests)"},
	{GOOD "\n{\"timestamp\":6,\"input_le",
	 "t.jsonl:2: line: expected a whole JSON object" CUT},
	{"{\"timestamp\":5\n",
	 "t.jsonl:1: line: expected a whole JSON object (it ends after 14 "
	 "bytes)"},
	{"\"abc", "t.jsonl:1: line: expected a whole JSON object (it ends "
		  "after 4 bytes, without a newline: cut off)"},
	{GOOD "\n\nhello\n",
	 "t.jsonl:3: line: expected JSON (column 1, near 'hello': "},
	{"{\"timestamp\":NaN}",
	 "t.jsonl:1: timestamp: expected JSON (column 14, near 'NaN}': "},
	{"{\"x\":1,}", "t.jsonl:1: line: expected JSON (column 8, near '}': "},
	{GOOD GOOD, "t.jsonl:1: line: expected JSON (column 49, near '"},
	{"12", "t.jsonl:1: line: expected a JSON object (12)"},
	{"[1]\n", "t.jsonl:1: line: expected a JSON object (a list)"},
	{"null\n", "t.jsonl:1: line: expected a JSON object (null)"},
	{OPEN "\"16\"}", LEN " (\"16\")"},
	{OPEN "true}", LEN " (true)"},
	{OPEN "null}", LEN " (null)"},
	{OPEN "[16]}", LEN " (a list)"},
	{OPEN "{}}", LEN " (an object)"},
	{OPEN "-16}", LEN " (-16)"},
	{OPEN "0}", LEN " (0)"},
	{OPEN "1.5}", LEN " (1.5)"},
	{OPEN "1e3}", LEN " (1e3)"},
	{OPEN "2147483648}", LEN " (2147483648)"},
	{OPEN "18446744073709551632}", LEN " (18446744073709551632)"},
	{OPEN "\"\\u001b[2J\\n\"}", LEN " (\"\\x1b[2J\\x0a\")"},
	{"{\"timestamp\":-1}", MS " (-1)"},
	{"{\"timestamp\":\"x\"}", MS " (\"x\")"},
	{"{\"timestamp\":9007199254740993}", MS " (9007199254740993)"},
	{"{\"output_length\":-1}",
	 "t.jsonl:1: output_length: expected a whole number from 0 to "
	 "2147483647 (-1)"},
	{"{\"hash_ids\":7}",
	 "t.jsonl:1: hash_ids: expected a list of block ids (7)"},
	{"{\"hash_ids\":{}}",
	 "t.jsonl:1: hash_ids: expected a list of block ids (an object)"},
	{"{\"hash_ids\":[1,2.5]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (2.5)"},
	{"{\"hash_ids\":[1,[2]]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (a list)"},
	{"{\"hash_ids\":[1,\"\"]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (\"\")"},
	{"{\"input_length\":16,\"hash_ids\":[1]}",
	 "t.jsonl: timestamp: expected times, or --rate R to draw them (1 of 1 "
	 "requests have none)"},
	{"{\"timestamp\":5,\"hash_ids\":[1]}",
	 "t.jsonl:1: input_length: expected a whole number of tokens "
	 "(missing; input_tokens is taken too)"},
	{OPEN "16,\"input_length\":16,\"hash_ids\":[1]}",
	 "t.jsonl:1: input_length: expected it once (given twice)"},
	{OPEN "40,\"hash_ids\":[1]}",
	 "t.jsonl:1: hash_ids: expected 2 or 3 ids for 40 tokens in blocks of "
	 "16 (1)"},
	{OPEN "40,\"hash_ids\":[1,2,3,4]}",
	 "t.jsonl:1: hash_ids: expected 2 or 3 ids for 40 tokens in blocks of "
	 "16 (4)"},
	{OPEN "32,\"hash_ids\":[1]}",
	 "t.jsonl:1: hash_ids: expected 2 ids for 32 tokens in blocks of 16 "
	 "(1)"},
	{"{\"block_size\":0}",
	 "t.jsonl:1: block_size: expected a whole number from 1 to 65536 "
	 "(0)"},
	{"{\"block_size\":65537}",
	 "t.jsonl:1: block_size: expected a whole number from 1 to 65536 "
	 "(65537)"},
	{OPEN "16,\"hash_ids\":[1],\"block_size\":32}",
	 "t.jsonl:1: block_size: expected 16 as asked for (32)"},
	{"{\"kv_blocks\":0}",
	 "t.jsonl:1: kv_blocks: expected a whole number from 1 to 2147483647 "
	 "(0)"},
	{GOOD "\n" OPEN "16,\"hash_ids\":[1],\"kv_blocks\":16}",
	 "t.jsonl:2: kv_blocks: expected in the first line only (16)"},
	{GOOD "\n" OPEN "16,\"hash_ids\":[1],\"block_size\":16}",
	 "t.jsonl:2: block_size: expected in the first line only (16)"},
	{"{\"phase\":7}",
	 "t.jsonl:1: phase: expected a name of 1 to 255 bytes (7)"},
	{"{\"phase\":\"\"}",
	 "t.jsonl:1: phase: expected a name of 1 to 255 bytes (\"\")"},
	{"{\"phase\":\"a\\u0000b\"}",
	 "t.jsonl:1: phase: expected a name of 1 to 255 bytes (\"a\")"},
};

START_TEST(test_bad_input_is_named_by_file_line_and_field)
{
	struct diag diag = {""};
	struct trace trace;
	const char *want = bad[_i].message;

	ck_assert_int_eq(parse(&trace, bad[_i].text, 16, &diag), -EINVAL);
	ck_assert_msg(!strncmp(diag.text, want, strlen(want)),
		      "for %s:\nexpected %s\ngot      %s", bad[_i].text, want,
		      diag.text);
	ck_assert_ptr_null(strchr(diag.text, '\n'));
}
END_TEST

START_TEST(test_deep_nesting_is_refused)
{
	struct diag diag = {""};
	struct trace trace;
	char text[512] = "{\"x\":";

	memset(text + 5, '[', 400);
	ck_assert_int_eq(parse(&trace, text, 16, &diag), -EINVAL);
	ck_assert_str_eq(diag.text,
			 "t.jsonl:1: line: expected at most 64 levels (more)");
}
END_TEST

START_TEST(test_long_line_is_refused)
{
	size_t size = 100u << 20;
	char *text = malloc(size);
	struct diag diag = {""};
	struct trace trace;

	ck_assert_ptr_nonnull(text);
	memset(text, ' ', size);
	memcpy(text, GOOD "\n{", sizeof(GOOD "\n{") - 1);
	ck_assert_int_eq(parse_bytes(&trace, text, size, 1 << 20, 16, &diag),
			 -EINVAL);
	ck_assert_str_eq(diag.text, "t.jsonl:2: line: expected at most "
				    "67108864 bytes (more)");
	free(text);
}
END_TEST

START_TEST(test_too_many_phases_are_refused)
{
	size_t used = 0;
	char *text = malloc(128 * 1100);
	struct diag diag = {""};
	struct trace trace;

	ck_assert_ptr_nonnull(text);
	for (int i = 0; i < 1100; i++)
		used += (size_t)sprintf(text + used,
					OPEN "1,\"hash_ids\":[],"
					     "\"phase\":\"p%d\"}\n",
					i);
	ck_assert_int_eq(parse(&trace, text, 16, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, "t.jsonl:1025: phase: expected at most "
				    "1024 different ones (more)");
	free(text);
}
END_TEST

static ssize_t failing_read(void *ctx, void *buf, size_t size)
{
	(void)ctx;
	(void)buf;
	(void)size;
	return -EIO;
}

START_TEST(test_read_error_is_said)
{
	struct lines_source source = {.read = failing_read};
	struct diag diag = {""};
	struct lines lines;
	struct trace trace;

	ck_assert_int_eq(lines_open_source(&lines, "bad.disk", &source, NULL,
					   &diag),
			 0);
	ck_assert_int_eq(read_mooncake(&trace, &lines, 16, &diag), -EIO);
	ck_assert_str_eq(diag.text, "bad.disk: cannot read "
				    "(Input/output error)");
	lines_close(&lines);
}
END_TEST

START_TEST(test_missing_file_and_directory_are_said)
{
	struct diag diag = {""};
	struct diag other = {""};
	struct trace trace;

	ck_assert_int_eq(read_mooncake_file(&trace, path_of("none"), 0, NULL,
					    &diag),
			 -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "/none: expected a file"));
	ck_assert_ptr_nonnull(strstr(diag.text, "No such file"));
	ck_assert_int_eq(read_mooncake_file(&trace, folder, 0, NULL, &other),
			 -EISDIR);
	ck_assert_ptr_nonnull(strstr(other.text, folder));
	ck_assert_ptr_nonnull(strstr(other.text, "directory"));
}
END_TEST

START_TEST(test_lines_of_every_system_are_read)
{
	static const char text[] =
		"\xef\xbb\xbf" GOOD "\r\n"
		"\r\n"
		"  {\"timestamp\": 5, \"session\": {\"a\":[1,{}]}, "
		"\"input_length\": 20, \"output_length\": 9, "
		"\"hash_ids\": [1, 18446744073709551615]}\t\n"
		"{\"time\\u0073tamp\":9007199254740992,"
		"\"input_length\":2147483647,\"hash_ids\":[]}";
	struct diag diag = {""};
	struct trace trace;

	/* Escaped keys count, and so does the line's number behind blanks. */
	ck_assert_int_eq(parse(&trace, text, 16, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "t.jsonl:4: hash_ids: "));
	diag.text[0] = '\0';
	ck_assert_int_eq(parse_bytes(&trace, text,
				     (size_t)(strstr(text, "\t\n") - text), 1,
				     16, &diag),
			 0);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.block_size, 16);
	ck_assert_uint_eq(trace.reqs[1].num_ids, 1);
	ck_assert_uint_eq(trace.reqs[1].len, 20);
	ck_assert_uint_eq(trace.reqs[1].output_len, 9);
	ck_assert_uint_eq(trace.num_phases, 1);
	ck_assert_str_eq(trace.phases[0], "all");
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_ids_keep_all_their_bits)
{
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(parse(&trace,
			       OPEN "4,\"hash_ids\":[18446744073709551615,"
				    "18446744073709551614,0,9223372036854775808"
				    "],\"block_size\":1}",
			       0, &diag),
			 0);
	ck_assert_uint_eq(trace.block_size, 1);
	ck_assert(nth_id(&trace, trace.reqs, 0) == UINT64_MAX);
	ck_assert(nth_id(&trace, trace.reqs, 1) == UINT64_MAX - 1);
	ck_assert(nth_id(&trace, trace.reqs, 2) == 0);
	ck_assert(nth_id(&trace, trace.reqs, 3) == UINT64_C(1) << 63);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_block_size_is_512_where_nobody_says)
{
	struct diag diag = {""};
	struct trace trace;

	ck_assert_int_eq(parse(&trace, OPEN "513,\"hash_ids\":[7,8]}", 0,
			       &diag),
			 0);
	ck_assert_uint_eq(trace.block_size, 512);
	ck_assert_uint_eq(trace.reqs[0].num_ids, 1);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_chunks_do_not_change_what_is_read)
{
	static const char text[] = GOOD "\n" GOOD "\r\n" GOOD;
	struct diag diag = {""};
	struct trace one, other;

	ck_assert_int_eq(parse_bytes(&one, text, strlen(text), 1 << 20, 16,
				     &diag),
			 0);
	for (size_t step = 1; step <= strlen(text); step++) {
		ck_assert_int_eq(parse_bytes(&other, text, strlen(text), step,
					     16, &diag),
				 0);
		assert_same(&one, &other);
		trace_destroy(&other);
	}
	trace_destroy(&one);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("trace_read");
	TCase *tcase = tcase_create("trace_read");

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase,
			    test_bad_input_is_named_by_file_line_and_field, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tcase, test_deep_nesting_is_refused);
	tcase_add_test(tcase, test_long_line_is_refused);
	tcase_add_test(tcase, test_too_many_phases_are_refused);
	tcase_add_test(tcase, test_read_error_is_said);
	tcase_add_test(tcase, test_missing_file_and_directory_are_said);
	tcase_add_test(tcase, test_lines_of_every_system_are_read);
	tcase_add_test(tcase, test_ids_keep_all_their_bits);
	tcase_add_test(tcase, test_block_size_is_512_where_nobody_says);
	tcase_add_test(tcase, test_chunks_do_not_change_what_is_read);
	suite_add_tcase(suite, tcase);
	return run_in_folder(suite);
}
