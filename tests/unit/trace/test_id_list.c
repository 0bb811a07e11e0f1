/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/naive/oracle.h"
#include "tests/support/run.h"
#include "tools/trace/id_list.h"
#include "tools/trace/mooncake_json.h"
#include "tools/trace/mooncake_line.h"
#include "tools/trace/mooncake_plain.h"

/*
 * Lists of ids are scanned past the JSON parser. A carriage return is a blank
 * to the parser and nothing that the scan takes, so one sends a whole list
 * through the parser: both ways must agree.
 */

static const struct lines where = {.path = (char *)"t", .number = 1};

static int parse(struct mooncake_line *line, const char *text,
		 struct diag *diag)
{
	return mooncake_line_parse(line, &where, text, strlen(text), diag);
}

static const struct {
	const char *text;
	size_t scanned;
	size_t num;
} scans[] = {
	{"1]", 1, 1},	     {"0,18]", 4, 2},
	{" 1 ,\t2 ]", 7, 2}, {"9999999999999999999]", 19, 1},
	{"]", 0, 0},	     {"", 0, 0},
	{"1", 0, 0},	     {"1,", 0, 0},
	{"1,]", 0, 0},	     {",1]", 0, 0},
	{"1 2]", 0, 0},	     {"01]", 0, 0},
	{"-1]", 0, 0},	     {"1.5]", 0, 0},
	{"1e3]", 0, 0},	     {"1,[2]]", 0, 0},
	{"1,\"2\"]", 0, 0},  {"1}", 0, 0},
	{"1\r]", 0, 0},	     {"18446744073709551615]", 0, 0},
};

START_TEST(test_only_plain_lists_are_scanned)
{
	struct id_runs list = {0};
	const char *text = scans[_i].text;

	ck_assert_int_eq(id_runs_add(&list, 77, 1), 0);
	ck_assert_uint_eq(id_list_scan(&list, text, strlen(text)),
			  scans[_i].scanned);
	ck_assert_uint_eq(list.num_ids, 1 + scans[_i].num);
	ck_assert_uint_eq(id_run_first(&list.runs[0]), 77);
	id_runs_destroy(&list);
}
END_TEST

/* The end of every list is the same, its begin is where the ways part. */
static void write_line(char *text, const char *begin, const char *list)
{
	sprintf(text,
		"{\"x\":[1,\"hash_ids\"],\"timestamp\":1,\"hash_ids\":[%s%s],"
		"\"input_length\":9}",
		begin, list);
}

static void draw_list(struct draw *draw, char *list)
{
	static const char *const odd[] = {"x",	 "-1",	 "1.5", "1 2",
					  "[3]", "null", "01",	""};
	uint32_t num = draw_below(draw, 40);

	*list = '\0';
	for (uint32_t i = 0; i < num; i++) {
		if (i)
			list += sprintf(list, one_in(draw, 3) ? " , " : ",");
		if (one_in(draw, 200))
			list += sprintf(list, "%s", odd[draw_below(draw, 8)]);
		else
			list += sprintf(list, "%" PRIu64,
					draw_u64(draw) >> draw_below(draw, 64));
	}
}

START_TEST(test_scan_and_parser_agree)
{
	struct mooncake_line fast = {.unit = TIME_MS}, slow = {.unit = TIME_MS};
	struct draw draw = {(uint64_t)_i + 1};
	char list[4096], text[8192];

	for (int k = 0; k < 500; k++) {
		struct diag a = {""}, b = {""};
		int ret;

		draw_list(&draw, list);
		write_line(text, "", list);
		ret = parse(&fast, text, &a);
		write_line(text, "\r", list);
		ck_assert_msg(ret == parse(&slow, text, &b), "seed %d: %s", _i,
			      text);
		if (ret) {
			ck_assert(a.text[0] && b.text[0]);
			continue;
		}
		ck_assert_uint_eq(fast.list.num_ids, slow.list.num_ids);
		ck_assert_uint_eq(fast.list.num_runs, slow.list.num_runs);
		if (fast.list.num_runs)
			ck_assert_mem_eq(fast.list.runs, slow.list.runs,
					 fast.list.num_runs *
						 sizeof(*fast.list.runs));
	}
	mooncake_line_destroy(&fast);
	mooncake_line_destroy(&slow);
}
END_TEST

/* Lines as traces have them, and one change in most. */
static void draw_line(struct draw *draw, char *text)
{
	static const char *const others[] = {
		"\"type\": \"chat\", ", "\"n\":0,", "\"n\":-1,", "\"n\":[1],",
		"\"\":\"\",",		"",	    "",		 "",
	};
	static const char odd[] = "{}[]\",:\\ 0.-e\t\x80\x1f";
	char list[4096];
	size_t len;

	draw_list(draw, list);
	sprintf(text,
		"{\"timestamp\":%s%u, %s\"input_length\": %u,"
		"\"phase\":\"%s\",\"hash_ids\":[%s]%s}%s",
		one_in(draw, 9) ? " " : "", draw_below(draw, 2000),
		others[draw_below(draw, 8)], draw_below(draw, 3),
		one_in(draw, 9) ? "" : "a b", list,
		one_in(draw, 3) ? ",\"block_size\":16" : "",
		one_in(draw, 9) ? " " : "");
	len = strlen(text);
	if (one_in(draw, 2))
		text[draw_below(draw, (uint32_t)len)] =
			odd[draw_below(draw, sizeof(odd) - 1)];
	if (one_in(draw, 9))
		text[draw_below(draw, (uint32_t)len)] = '\0';
}

static void check_same(const struct mooncake_line *a,
		       const struct mooncake_line *b, const char *text)
{
	ck_assert_msg(!memcmp(a->seen, b->seen, sizeof(a->seen)), "%s", text);
	ck_assert_msg(!memcmp(a->value, b->value, sizeof(a->value)), "%s",
		      text);
	ck_assert_str_eq(a->phase, b->phase);
	ck_assert_uint_eq(a->list.num_runs, b->list.num_runs);
	if (a->list.num_runs)
		ck_assert_mem_eq(a->list.runs, b->list.runs,
				 a->list.num_runs * sizeof(*a->list.runs));
}

/* What the fast way takes, the parser takes too, and reads the same in it. */
START_TEST(test_plain_lines_are_what_the_parser_reads)
{
	struct draw draw = {(uint64_t)_i + 1};
	size_t plain = 0;
	char text[8192];

	for (int k = 0; k < 1000; k++) {
		struct mooncake_line fast = {.unit = TIME_MS},
				     slow = {.unit = TIME_MS};
		struct diag diag = {""};
		size_t len;

		draw_line(&draw, text);
		len = strlen(text);
		if (mooncake_plain_parse(&fast, text, len)) {
			ck_assert_msg(!mooncake_json_parse(&slow, &where, text,
							   len, &diag),
				      "seed %d: %s: %s", _i, text, diag.text);
			check_same(&fast, &slow, text);
			plain++;
		}
		mooncake_line_destroy(&fast);
		mooncake_line_destroy(&slow);
	}
	ck_assert_uint_ge(plain, 50);
}
END_TEST

/* The lines of published traces, and of our own, need no parser. */
START_TEST(test_published_lines_are_plain)
{
	static const char *const texts[] = {
		"{\"timestamp\": 0, \"input_length\": 6758, "
		"\"output_length\": 500, \"hash_ids\": [0, 1, 13]}",
		"{\"timestamp\":3,\"input_length\":7,\"output_length\":1,"
		"\"phase\":\"warm\",\"block_size\":16,\"kv_blocks\":8000,"
		"\"hash_ids\":[]}",
		"{\"timestamp\":2587,\"input_length\":1370,"
		"\"output_length\":88,\"hash_ids\":[9513,9514],"
		"\"session_id\":\"mini-1\"}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct mooncake_line line = {.unit = TIME_MS};

		ck_assert_msg(mooncake_plain_parse(&line, texts[i],
						   strlen(texts[i])),
			      "%s", texts[i]);
		mooncake_line_destroy(&line);
	}
}
END_TEST

START_TEST(test_columns_count_from_the_line)
{
	static const struct {
		const char *text;
		const char *message;
	} bad[] = {
		{"{\"hash_ids\":[1,2],}", "column 19, near '}'"},
		{"{\"hash_ids\":[1,2", "it ends after 16 bytes"},
		{"{\"hash_ids\":[1,,2]}", "column 16, near ',2]}'"},
		{"{\"hash_ids\":[1,2]}x", "column 19, near 'x'"},
		{"{\"hash_ids\":{\"a\":[1,2]}}", "a list of block ids"},
		{"{\"hash_ids\":1,\"b\":[1,2]}", "a list of block ids (1)"},
		{"{\"hash_ids\":[1,2],\"hash_ids\":[1]}", "given twice"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct mooncake_line line = {.unit = TIME_MS};
		struct diag diag = {""};

		ck_assert_int_eq(parse(&line, bad[i].text, &diag), -EINVAL);
		ck_assert_msg(strstr(diag.text, bad[i].message), "%s",
			      diag.text);
		mooncake_line_destroy(&line);
	}
}
END_TEST

START_TEST(test_other_lists_are_not_taken_for_ids)
{
	static const char text[] =
		"{\"hash_idsx\":[5,6],\"s\":\"hash_ids:[7\",\"timestamp\":1,"
		"\"input_length\":9,\"hash_ids\":[8]}";
	struct mooncake_line line = {.unit = TIME_MS};
	struct diag diag = {""};

	ck_assert_msg(!parse(&line, text, &diag), "%s", diag.text);
	ck_assert_uint_eq(line.list.num_ids, 1);
	ck_assert_uint_eq(id_run_first(&line.list.runs[0]), 8);
	mooncake_line_destroy(&line);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("id_list");
	TCase *tc = tcase_create("ids of a line");

	tcase_add_loop_test(tc, test_only_plain_lists_are_scanned, 0,
			    sizeof(scans) / sizeof(scans[0]));
	tcase_add_loop_test(tc, test_scan_and_parser_agree, 0, 6);
	tcase_add_loop_test(tc, test_plain_lines_are_what_the_parser_reads, 0,
			    20);
	tcase_add_test(tc, test_published_lines_are_plain);
	tcase_add_test(tc, test_columns_count_from_the_line);
	tcase_add_test(tc, test_other_lists_are_not_taken_for_ids);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
