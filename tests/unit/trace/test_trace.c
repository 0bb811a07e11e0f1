/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/lines_buffer.h"
#include "tests/support/run.h"
#include "tests/support/trace_ids.h"
#include "tools/trace/trace.h"

static char folder[] = "/tmp/fairway-trace.XXXXXX";

static int parse_bytes(struct trace *trace, const char *text, size_t size,
		       size_t step, uint32_t block, struct diag *diag)
{
	struct lines_buffer from = {.data = text, .size = size, .step = step};
	struct lines_source source = lines_buffer_source(&from);
	struct lines lines;
	int ret = lines_open_source(&lines, "t.jsonl", &source, NULL, diag);

	ck_assert_int_eq(ret, 0);
	ret = trace_parse_mooncake(trace, &lines, block, diag);
	lines_close(&lines);
	return ret;
}

static int parse(struct trace *trace, const char *text, uint32_t block,
		 struct diag *diag)
{
	return parse_bytes(trace, text, strlen(text), 7, block, diag);
}

static const char *path_of(const char *name)
{
	static char path[4][128];
	static unsigned int turn;
	char *to = path[turn++ % 4];

	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

static void assert_same(const struct trace *a, const struct trace *b)
{
	ck_assert_uint_eq(a->block_size, b->block_size);
	ck_assert_uint_eq(a->kv_blocks, b->kv_blocks);
	ck_assert_uint_eq(a->num_reqs, b->num_reqs);
	ck_assert_uint_eq(a->num_runs, b->num_runs);
	ck_assert_uint_eq(a->num_phases, b->num_phases);
	for (uint32_t i = 0; i < a->num_phases; i++)
		ck_assert_str_eq(a->phases[i], b->phases[i]);
	for (size_t i = 0; i < a->num_reqs; i++) {
		const struct trace_req *x = &a->reqs[i];
		const struct trace_req *y = &b->reqs[i];

		ck_assert(x->arrival_ms == y->arrival_ms);
		ck_assert_uint_eq(x->first_run, y->first_run);
		ck_assert_uint_eq(x->num_runs, y->num_runs);
		ck_assert_uint_eq(x->num_ids, y->num_ids);
		ck_assert_uint_eq(x->len, y->len);
		ck_assert_uint_eq(x->output_len, y->output_len);
		ck_assert_uint_eq(x->phase, y->phase);
	}
	for (size_t i = 0; i < a->num_runs; i++) {
		ck_assert_uint_eq(id_run_first(&a->runs[i]),
				  id_run_first(&b->runs[i]));
		ck_assert_uint_eq(a->runs[i].num, b->runs[i].num);
	}
}

/* --- what is wrong is named by file, line and field --- */

#define GOOD "{\"timestamp\":5,\"input_length\":16,\"hash_ids\":[1]}"
#define OPEN "{\"timestamp\":5,\"input_length\":"
#define CUT " (it ends after 24 bytes, without a newline: cut off)"
#define U64 "whole numbers from 0 to 18446744073709551615"
#define LEN                                                           \
	"t.jsonl:1: input_length: expected a whole number from 1 to " \
	"2147483647"
#define MS                                                         \
	"t.jsonl:1: timestamp: expected a whole number from 0 to " \
	"9007199254740992"

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
	{"{\"timestamp\":0.5}", MS " (0.5)"},
	{"{\"timestamp\":9007199254740993}", MS " (9007199254740993)"},
	{"{\"output_length\":-1}",
	 "t.jsonl:1: output_length: expected a whole number from 0 to "
	 "2147483647 (-1)"},
	{"{\"hash_ids\":7}",
	 "t.jsonl:1: hash_ids: expected a list of block ids (7)"},
	{"{\"hash_ids\":{}}",
	 "t.jsonl:1: hash_ids: expected a list of block ids (an object)"},
	{"{\"hash_ids\":[1,-2]}", "t.jsonl:1: hash_ids: expected " U64 " (-2)"},
	{"{\"hash_ids\":[1,[2]]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (a list)"},
	{"{\"hash_ids\":[1,\"2\"]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (\"2\")"},
	{"{\"hash_ids\":[18446744073709551616]}",
	 "t.jsonl:1: hash_ids: expected " U64 " (18446744073709551616)"},
	{"{\"input_length\":16,\"hash_ids\":[1]}",
	 "t.jsonl:1: timestamp: expected a whole number of milliseconds "
	 "(missing)"},
	{"{\"timestamp\":5,\"hash_ids\":[1]}",
	 "t.jsonl:1: input_length: expected a whole number of tokens "
	 "(missing)"},
	{OPEN "16}",
	 "t.jsonl:1: hash_ids: expected a list of block ids (missing)"},
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
	{GOOD "\n{\"timestamp\":4,\"input_length\":16,\"hash_ids\":[1]}",
	 "t.jsonl:2: timestamp: expected at least 5, that of the request "
	 "before (4)"},
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
	ck_assert_int_eq(trace_parse_mooncake(&trace, &lines, 16, &diag), -EIO);
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

	ck_assert_int_eq(trace_read_mooncake(&trace, path_of("none"), 0, NULL,
					     &diag),
			 -ENOENT);
	ck_assert_ptr_nonnull(strstr(diag.text, "/none: expected a file"));
	ck_assert_ptr_nonnull(strstr(diag.text, "No such file"));
	ck_assert_int_eq(trace_read_mooncake(&trace, folder, 0, NULL, &other),
			 -EISDIR);
	ck_assert_ptr_nonnull(strstr(other.text, folder));
	ck_assert_ptr_nonnull(strstr(other.text, "directory"));
}
END_TEST

/* --- what is right is read --- */

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

/* --- what is written is read back equal --- */

/* Small and seeded; the range is what matters here, not the draw. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 16;
}

static void add_request(struct trace *trace, double ms, uint32_t len,
			uint32_t phase, const uint64_t *ids)
{
	struct trace_req req = {
		.arrival_ms = ms,
		.len = len,
		.num_ids = len / trace->block_size,
		.output_len = len % 100,
		.phase = phase,
	};

	ck_assert_int_eq(trace_add_ids(trace, &req, ids), 0);
}

static void make_random(struct trace *trace, uint64_t *state)
{
	static const char *const names[] = {"calm", "a \"b\"\t\\/\x7f",
					    "\xc3\xa4", "all"};
	uint32_t num_phases = 1 + (uint32_t)(next_random(state) % 4);
	double ms = 0;
	uint64_t ids[400];

	trace_init(trace, 1 + (uint32_t)(next_random(state) % 40));
	for (uint32_t i = 0; i < num_phases; i++)
		ck_assert_int_eq(trace_phase(trace, names[i]), (int)i);
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t phase = i * num_phases / 50;

		for (int j = 0; j < 400; j++)
			ids[j] = next_random(state) * next_random(state);
		ms += (double)(next_random(state) % 1000);
		add_request(trace, ms, 1 + (uint32_t)(next_random(state) % 400),
			    phase, ids);
	}
}

static void assert_round_trip(const struct trace *trace)
{
	const char *path = path_of("round.jsonl");
	struct diag diag = {""};
	struct trace back;

	ck_assert_msg(!trace_write_mooncake(trace, path, &diag), "%s",
		      diag.text);
	ck_assert_msg(!trace_read_mooncake(&back, path, 0, NULL, &diag), "%s",
		      diag.text);
	assert_same(trace, &back);
	trace_destroy(&back);
	unlink(path);
}

START_TEST(test_written_trace_reads_back_equal)
{
	uint64_t seed = (uint64_t)_i;
	struct trace trace;

	printf("# seed %d\n", _i);
	make_random(&trace, &seed);
	assert_round_trip(&trace);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_single_phase_is_named_unless_it_is_all)
{
	const char *path = path_of("phase.jsonl");
	struct diag diag = {""};
	struct trace trace;
	char text[256] = "";
	FILE *file;

	trace_init(&trace, 16);
	add_request(&trace, 3, 15, 0, NULL);
	ck_assert_int_eq(trace_write_mooncake(&trace, path, &diag), 0);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	ck_assert_str_eq(text, "{\"timestamp\":3,\"input_length\":15,"
			       "\"output_length\":15,\"block_size\":16,"
			       "\"hash_ids\":[]}\n");
	fclose(file);
	trace_destroy(&trace);
	trace_init(&trace, 16);
	ck_assert_int_eq(trace_phase(&trace, "spike"), 0);
	trace.kv_blocks = 8000;
	add_request(&trace, 3, 15, 0, NULL);
	assert_round_trip(&trace);
	trace_destroy(&trace);
	unlink(path);
}
END_TEST

START_TEST(test_real_trace_reads_back_equal)
{
	const char *shared = getenv("FAIRWAY_SHARED");
	struct diag diag = {""};
	_Atomic uint64_t progress = 0;
	struct trace trace;
	struct stat st;
	char path[512];

	snprintf(path, sizeof(path), "%s/traces/mooncake_conversation.jsonl",
		 shared ? shared : "");
	if (stat(path, &st)) {
		printf("# skipped: no %s\n", path);
		return;
	}
	ck_assert_int_eq(trace_read_mooncake(&trace, path, 0, &progress, &diag),
			 0);
	ck_assert_uint_eq(progress, (uint64_t)st.st_size);
	ck_assert_uint_eq(trace.num_reqs, 12031);
	assert_round_trip(&trace);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_what_could_not_be_read_is_not_written)
{
	static const struct trace_req wrong[] = {
		{.arrival_ms = 0.5, .len = 16, .num_ids = 1},
		{.arrival_ms = -1, .len = 16, .num_ids = 1},
		{.arrival_ms = 1e300, .len = 16, .num_ids = 1},
		{.len = 0},
		{.len = 1u << 31, .num_ids = 0},
		{.len = 16, .num_ids = 0},
		{.len = 16, .num_ids = 1, .output_len = 1u << 31},
	};
	const char *path = path_of("wrong.jsonl");
	const uint64_t id = 7;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct diag diag = {""};
		struct trace trace;

		trace_init(&trace, 16);
		ck_assert_int_eq(trace_add_ids(&trace, &wrong[i], &id), 0);
		ck_assert_int_eq(trace_write_mooncake(&trace, path, &diag),
				 -EINVAL);
		ck_assert_ptr_nonnull(
			strstr(diag.text, "wrong.jsonl: request 0: "));
		ck_assert_int_ne(access(path, F_OK), 0);
		trace_destroy(&trace);
	}
}
END_TEST

START_TEST(test_empty_trace_is_not_written)
{
	struct diag diag = {""};
	struct trace trace;

	trace_init(&trace, 16);
	ck_assert_int_eq(trace_write_mooncake(&trace, path_of("e"), &diag),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "no requests"));
	trace_destroy(&trace);
}
END_TEST

/* --- tick and cuts --- */

static const struct trace_options as_is = {.time_scale = 1};

static void make_ticks(struct trace *trace)
{
	static const double ms[] = {0, 0, 0, 3000, 6000, 6000};
	static const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};

	trace_init(trace, 16);
	for (uint32_t i = 0; i < 6; i++)
		add_request(trace, ms[i], 16 * (i + 1), 0, ids + i % 3);
}

START_TEST(test_tick_spreads_equal_timestamps)
{
	static const double want[] = {0, 1000, 2000, 3000, 6000, 7500};
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 3000;
	opt.time_scale = 0.25;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	for (int i = 0; i < 6; i++)
		ck_assert(trace.reqs[i].arrival_ms == want[i]);
	ck_assert(trace_arrival_s(&trace.reqs[5], opt.time_scale) == 1.875);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_tick_never_turns_the_order_round)
{
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 4500.5;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), -EINVAL);
	ck_assert_str_eq(diag.text,
			 "tick: expected at most the time between timestamps "
			 "(4500.5 ms, but 3000 ms follows 0 ms)");
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_take_requests_and_their_ids)
{
	struct trace_options opt = as_is;
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	opt.tick_ms = 3000;
	opt.time_scale = 2;
	opt.until_s = 12;
	opt.max_prompt = 79;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	/* Left: 16, 32, 48 and 64 tokens; 80 is too long, 96 too late too. */
	ck_assert_uint_eq(trace.num_reqs, 4);
	ck_assert_uint_eq(count_ids(&trace), 1 + 2 + 3 + 4);
	ck_assert_uint_eq(trace.reqs[3].first_run, 3);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[3], 0), 1);
	trace_destroy(&trace);
	make_ticks(&trace);
	opt.tick_ms = 0;
	opt.max_prompt = 0;
	opt.until_s = 6;
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	/* At the limit stays. */
	ck_assert_uint_eq(trace.num_reqs, 4);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_cuts_in_the_middle_move_the_ids_up)
{
	struct trace_options opt = {.time_scale = 1, .max_prompt = 20};
	static const uint64_t ids[] = {11, 12, 13};
	struct diag diag = {""};
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 1, 48, 0, ids);
	add_request(&trace, 2, 16, 0, ids + 1);
	add_request(&trace, 3, 33, 0, ids);
	add_request(&trace, 4, 20, 0, ids + 2);
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), 0);
	ck_assert_uint_eq(trace.num_reqs, 2);
	ck_assert_uint_eq(trace.num_runs, 2);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[0], 0), 12);
	ck_assert_uint_eq(nth_id(&trace, &trace.reqs[1], 0), 13);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_nothing_left_is_an_error)
{
	struct trace_options opt = {.time_scale = 1, .max_prompt = 15};
	struct diag diag = {""};
	struct trace trace;

	make_ticks(&trace);
	ck_assert_int_eq(trace_prepare(&trace, &opt, &diag), -EINVAL);
	ck_assert_ptr_nonnull(strstr(diag.text, "none of 6 is left"));
	ck_assert_ptr_nonnull(strstr(diag.text, "max-prompt 15"));
	trace_destroy(&trace);
}
END_TEST

/* --- shared ids --- */

START_TEST(test_ids_of_two_requests_are_shared)
{
	static const uint64_t a[] = {1, 2, 2, 3};
	static const uint64_t b[] = {1, 4, 0, UINT64_MAX};
	static const uint64_t c[] = {1, 4, UINT64_MAX, UINT64_MAX};
	struct trace trace;

	trace_init(&trace, 1);
	add_request(&trace, 0, 4, 0, a);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	add_request(&trace, 0, 4, 0, b);
	ck_assert_int_eq(trace_shared_ids(&trace), 1);
	add_request(&trace, 0, 4, 0, c);
	ck_assert_int_eq(trace_shared_ids(&trace), 3);
	trace_destroy(&trace);
}
END_TEST

static int64_t count_shared_slowly(const struct trace *trace, uint64_t max)
{
	int64_t shared = 0;

	for (uint64_t id = 0; id <= max; id++) {
		unsigned int owners = 0;

		for (size_t i = 0; i < trace->num_reqs; i++) {
			const struct trace_req *req = &trace->reqs[i];
			bool there = false;

			for (uint32_t j = 0; j < req->num_ids; j++)
				there |= nth_id(trace, req, j) == id;
			owners += there;
		}
		shared += owners >= 2;
	}
	return shared;
}

START_TEST(test_shared_ids_equal_a_slow_count)
{
	uint64_t seed = 1000u + (uint64_t)_i;
	uint64_t max = 10u + 40u * (uint64_t)_i;
	struct trace trace;

	printf("# seed %llu\n", (unsigned long long)seed);
	trace_init(&trace, 1);
	for (int i = 0; i < 40; i++) {
		uint64_t ids[10];

		for (int j = 0; j < 10; j++)
			ids[j] = next_random(&seed) % (max + 1);
		add_request(&trace, 0, 10, 0, ids);
	}
	ck_assert_int_eq(trace_shared_ids(&trace),
			 count_shared_slowly(&trace, max));
	trace_destroy(&trace);
}
END_TEST

/* Runs that lie within each other, and cross, at both ends of all ids. */
START_TEST(test_runs_share_where_they_overlap)
{
	static const struct {
		uint64_t first;
		uint32_t num;
		int64_t shared;
	} adds[] = {
		{100, 50, 0},
		{150, 50, 0},
		{120, 10, 10},
		{140, 20, 30},
		{90, 200, 100},
		{0, 91, 101},
		{UINT64_MAX - 9, 10, 101},
		{UINT64_MAX - 4, 5, 106},
		{UINT64_MAX, 1, 106},
		{UINT64_MAX - 9, 10, 111},
	};
	struct id_runs runs = {0};
	struct trace trace;

	trace_init(&trace, 1);
	for (size_t i = 0; i < sizeof(adds) / sizeof(adds[0]); i++) {
		struct trace_req req = {.len = adds[i].num,
					.num_ids = adds[i].num};

		id_runs_clear(&runs);
		ck_assert(!id_runs_add(&runs, adds[i].first, adds[i].num));
		ck_assert(!trace_add(&trace, &req, &runs));
		ck_assert_int_eq(trace_shared_ids(&trace), adds[i].shared);
	}
	id_runs_destroy(&runs);
	trace_destroy(&trace);
}
END_TEST

/* Far apart, so that each is a run. */
START_TEST(test_shared_ids_are_counted_among_many)
{
	enum {
		NUM = 5000
	};
	struct trace trace;
	uint64_t ids[NUM];

	trace_init(&trace, 1);
	for (uint64_t i = 0; i < NUM; i++)
		ids[i] = i << 40;
	add_request(&trace, 0, NUM, 0, ids);
	add_request(&trace, 0, NUM - 700, 0, ids + 700);
	add_request(&trace, 0, NUM, 0, ids);
	ck_assert_int_eq(trace_shared_ids(&trace), NUM);
	trace.num_reqs = 2;
	ck_assert_int_eq(trace_shared_ids(&trace), NUM - 700);
	trace_destroy(&trace);
}
END_TEST

/* Found by the fuzzer: offsets into no ids at all. */
START_TEST(test_trace_without_full_blocks_has_a_list_of_none)
{
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 0, 15, 0, NULL);
	ck_assert_ptr_nonnull(trace.runs);
	ck_assert_uint_eq(trace.num_runs, 0);
	ck_assert_int_eq(trace_shared_ids(&trace), 0);
	trace_destroy(&trace);
}
END_TEST

START_TEST(test_longest_prompt_counts_its_partial_block)
{
	static const uint64_t ids[] = {1, 2, 3};
	struct trace trace;

	trace_init(&trace, 16);
	add_request(&trace, 0, 48, 0, ids);
	ck_assert_uint_eq(trace_longest(&trace), 3);
	add_request(&trace, 0, 49, 0, ids);
	ck_assert_uint_eq(trace_longest(&trace), 4);
	trace_destroy(&trace);
}
END_TEST

/* --- messages --- */

START_TEST(test_closest_name_is_found)
{
	static const char *const names[] = {"fcfs",    "lpm",
					    "fairway", "sec-dynamic",
					    "musique", "musique-retrieved",
					    NULL};

	ck_assert_str_eq(closest("fcsf", names), "fcfs");
	ck_assert_str_eq(closest("FCFS", names), "fcfs");
	ck_assert_str_eq(closest("lmp", names), "lpm");
	ck_assert_str_eq(closest("fareway", names), "fairway");
	ck_assert_str_eq(closest("fair", names), "fairway");
	ck_assert_str_eq(closest("musiq", names), "musique");
	ck_assert_str_eq(closest("musique-ret", names), "musique-retrieved");
	ck_assert_str_eq(closest("secdynamic", names), "sec-dynamic");
	ck_assert_ptr_null(closest("", names));
	ck_assert_ptr_null(closest("xyz", names));
	ck_assert_ptr_null(closest("dynamic", names));
}
END_TEST

START_TEST(test_first_cause_stays)
{
	struct diag diag = {""};

	ck_assert_int_eq(diag_set(&diag, -EINVAL, "first"), -EINVAL);
	ck_assert_int_eq(diag_set(&diag, -EIO, "second"), -EIO);
	ck_assert_str_eq(diag.text, "first");
}
END_TEST

START_TEST(test_messages_obey_no_terminal)
{
	struct diag diag = {""};

	diag_set(&diag, -EINVAL, "%s",
		 "a\x1b[2J\n\x7f \xc2\x9b \x9b \xc3\xa4 \xe2\x82\xac "
		 "\xf0\x9f\x98\x80 \xe2\x82");
	ck_assert_str_eq(diag.text, "a\\x1b[2J\\x0a\\x7f \\xc2\\x9b \\x9b "
				    "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 "
				    "\\xe2\\x82");
}
END_TEST

START_TEST(test_long_messages_are_cut_with_dots)
{
	struct diag diag = {""};
	char text[2000];

	memset(text, '\x01', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	diag_set(&diag, -EINVAL, "%s", text);
	ck_assert_uint_lt(strlen(diag.text), sizeof(diag.text));
	ck_assert_str_eq(diag.text + strlen(diag.text) - 7, "\\x01...");
}
END_TEST

static void add_reading(TCase *tc)
{
	tcase_add_loop_test(tc, test_bad_input_is_named_by_file_line_and_field,
			    0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_test(tc, test_deep_nesting_is_refused);
	tcase_add_test(tc, test_long_line_is_refused);
	tcase_add_test(tc, test_too_many_phases_are_refused);
	tcase_add_test(tc, test_read_error_is_said);
	tcase_add_test(tc, test_missing_file_and_directory_are_said);
	tcase_add_test(tc, test_lines_of_every_system_are_read);
	tcase_add_test(tc, test_ids_keep_all_their_bits);
	tcase_add_test(tc, test_block_size_is_512_where_nobody_says);
	tcase_add_test(tc, test_chunks_do_not_change_what_is_read);
}

static void add_writing(TCase *tc)
{
	tcase_add_loop_test(tc, test_written_trace_reads_back_equal, 0, 20);
	tcase_add_test(tc, test_single_phase_is_named_unless_it_is_all);
	tcase_add_test(tc, test_real_trace_reads_back_equal);
	tcase_add_test(tc, test_what_could_not_be_read_is_not_written);
	tcase_add_test(tc, test_empty_trace_is_not_written);
}

static void add_preparing(TCase *tc)
{
	tcase_add_test(tc, test_tick_spreads_equal_timestamps);
	tcase_add_test(tc, test_tick_never_turns_the_order_round);
	tcase_add_test(tc, test_cuts_take_requests_and_their_ids);
	tcase_add_test(tc, test_cuts_in_the_middle_move_the_ids_up);
	tcase_add_test(tc, test_nothing_left_is_an_error);
	tcase_add_test(tc, test_ids_of_two_requests_are_shared);
	tcase_add_loop_test(tc, test_shared_ids_equal_a_slow_count, 0, 8);
	tcase_add_test(tc, test_runs_share_where_they_overlap);
	tcase_add_test(tc, test_shared_ids_are_counted_among_many);
	tcase_add_test(tc, test_trace_without_full_blocks_has_a_list_of_none);
	tcase_add_test(tc, test_longest_prompt_counts_its_partial_block);
}

static void add_messages(TCase *tc)
{
	tcase_add_test(tc, test_closest_name_is_found);
	tcase_add_test(tc, test_first_cause_stays);
	tcase_add_test(tc, test_messages_obey_no_terminal);
	tcase_add_test(tc, test_long_messages_are_cut_with_dots);
}

static void add_case(Suite *suite, const char *name, void (*add)(TCase *))
{
	TCase *tc = tcase_create(name);

	tcase_set_timeout(tc, 60);
	add(tc);
	suite_add_tcase(suite, tc);
}

int main(void)
{
	Suite *suite = suite_create("trace");
	int status;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	add_case(suite, "reading", add_reading);
	add_case(suite, "writing", add_writing);
	add_case(suite, "preparing", add_preparing);
	add_case(suite, "messages", add_messages);
	status = run_suite(suite);
	rmdir(folder);
	return status;
}
