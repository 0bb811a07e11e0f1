/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/runtime/stats_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/exposition.h"
#include "tests/support/run.h"

static uint64_t seed;
static char buf[16384];
static struct fw_stats_text text;

static void setup(void)
{
	fw_stats_text_init(&text, buf, sizeof(buf));
}

START_TEST(test_plain_metrics_are_as_documented)
{
	static const struct fw_stats_label labels[] = {
		{"lane", "fast"},
		{"device", "a6000"},
	};

	fw_stats_text_family(&text, "fw_released_total", "counter",
			     "Requests released.", FW_STATS_NUMBER);
	fw_stats_text_value(&text, labels, 2, 12);
	fw_stats_text_value(&text, NULL, 0, INT64_MIN);
	fw_stats_text_family(&text, "fw_oldest_seconds", "gauge",
			     "Wait of the oldest.", FW_STATS_NS);
	fw_stats_text_value(&text, labels, 1, 1500000001);
	fw_stats_text_value(&text, NULL, 0, -1);
	ck_assert_str_eq(
		buf, "# HELP fw_released_total Requests released.\n"
		     "# TYPE fw_released_total counter\n"
		     "fw_released_total{lane=\"fast\",device=\"a6000\"} 12\n"
		     "fw_released_total -9223372036854775808\n"
		     "# HELP fw_oldest_seconds Wait of the oldest.\n"
		     "# TYPE fw_oldest_seconds gauge\n"
		     "fw_oldest_seconds{lane=\"fast\"} 1.500000001\n"
		     "fw_oldest_seconds -0.000000001\n");
	ck_assert_uint_eq(text.len, strlen(buf));
	ck_assert(exposition_valid(buf));
}
END_TEST

START_TEST(test_histogram_is_cumulative)
{
	static struct fw_histogram histogram;
	static struct fw_histogram_view view;
	static const struct fw_stats_label label = {"class", "0"};

	fw_histogram_init(&histogram);
	fw_histogram_record(&histogram, 3);
	fw_histogram_record(&histogram, 4);
	fw_histogram_record(&histogram, 7);
	fw_histogram_record(&histogram, 100);
	fw_histogram_read(&histogram, &view);
	fw_stats_text_family(&text, "fw_tokens", "histogram", "Tokens.",
			     FW_STATS_NUMBER);
	fw_stats_text_histogram(&text, &label, 1, &view, 2, 4);
	ck_assert_str_eq(buf, "# HELP fw_tokens Tokens.\n"
			      "# TYPE fw_tokens histogram\n"
			      "fw_tokens_bucket{class=\"0\",le=\"3\"} 1\n"
			      "fw_tokens_bucket{class=\"0\",le=\"7\"} 3\n"
			      "fw_tokens_bucket{class=\"0\",le=\"15\"} 3\n"
			      "fw_tokens_bucket{class=\"0\",le=\"+Inf\"} 4\n"
			      "fw_tokens_sum{class=\"0\"} 114\n"
			      "fw_tokens_count{class=\"0\"} 4\n");
	ck_assert(exposition_valid(buf));
}
END_TEST

START_TEST(test_hostile_text_is_escaped)
{
	static const struct fw_stats_label labels[] = {
		{"1 na:me\n", "a\"b\\c\nd\xc3\xa9\xff\xc3"},
		{"", ""},
	};

	fw_stats_text_family(&text, "9fw-x{y}\n:z", "gauge",
			     "one\ntwo \\ \"three\" \xed\xa0\x80",
			     FW_STATS_NUMBER);
	fw_stats_text_value(&text, labels, 2, 0);
	ck_assert_str_eq(buf, "# HELP _fw_x_y__:z one\\ntwo \\\\ \"three\" "
			      "???\n"
			      "# TYPE _fw_x_y__:z gauge\n"
			      "_fw_x_y__:z{__na_me_=\"a\\\"b\\\\c\\nd"
			      "\xc3\xa9??\",_=\"\"} 0\n");
	ck_assert(exposition_valid(buf));
}
END_TEST

/* Bytes of any kind, 0 alone left out. */
static void draw_text(struct draw *draw, char *out, size_t size)
{
	static const char few[] = "\\\"\n{}=,: #aZ_9\x80\xc3\xa9\xe2\x82\xf0";
	size_t len = draw_below(draw, (uint32_t)size);
	size_t i;

	for (i = 0; i < len; i++)
		out[i] = one_in(draw, 3)
				 ? (char)(1 + draw_below(draw, 255))
				 : few[draw_below(draw, sizeof(few) - 1)];
	out[len] = '\0';
}

START_TEST(test_any_text_gives_valid_lines)
{
	struct draw draw = {seed};
	static struct fw_histogram_view view;
	struct fw_stats_label label;
	char name[16], help[32], label_name[12], value[24];
	int i;

	for (i = 0; i < 2000; i++) {
		setup();
		draw_text(&draw, name, sizeof(name));
		draw_text(&draw, help, sizeof(help));
		draw_text(&draw, label_name, sizeof(label_name));
		draw_text(&draw, value, sizeof(value));
		label = (struct fw_stats_label){label_name, value};
		fw_stats_text_family(&text, name, "histogram", help,
				     one_in(&draw, 2) ? FW_STATS_NS
						      : FW_STATS_NUMBER);
		fw_stats_text_histogram(&text, &label, 1, &view, 0, 3);
		ck_assert_msg(exposition_valid(buf), "%s", buf);
	}
}
END_TEST

START_TEST(test_length_is_that_of_a_buffer_with_room)
{
	static const struct fw_stats_label label = {"a", "b\"c"};
	char part[64];
	size_t size;

	fw_stats_text_family(&text, "fw_x", "gauge", "X.", FW_STATS_NUMBER);
	fw_stats_text_value(&text, &label, 1, 42);
	for (size = 0; size < sizeof(part); size++) {
		struct fw_stats_text cut;

		memset(part, '#', sizeof(part));
		fw_stats_text_init(&cut, size ? part : NULL, size);
		fw_stats_text_family(&cut, "fw_x", "gauge", "X.",
				     FW_STATS_NUMBER);
		fw_stats_text_value(&cut, &label, 1, 42);
		ck_assert_uint_eq(cut.len, text.len);
		if (!size)
			continue;
		ck_assert_uint_eq(strlen(part),
				  size <= text.len ? size - 1 : text.len);
		ck_assert_mem_eq(part, buf, strlen(part));
		if (size < sizeof(part))
			ck_assert_int_eq(part[size], '#');
	}
}
END_TEST

START_TEST(test_checker_finds_what_is_wrong)
{
	static const char *const bad[] = {
		"fw_x 1",
		"fw_x\n",
		"9x 1\n",
		"fw_x{a=\"b} 1\n",
		"fw_x{a=\"b\"c=\"d\"} 1\n",
		"fw_x{a=\"\\q\"} 1\n",
		"fw_x{a:b=\"c\"} 1\n",
		"fw_x 1,5\n",
		"fw_x 1 2 3\n",
		"# TYPE fw_x nonsense\n",
		"# TYPE fw_x histogram\nfw_x_bucket{le=\"1\"} 2\n"
		"fw_x_bucket{le=\"+Inf\"} 1\nfw_x_sum 1\nfw_x_count 1\n",
		"# TYPE fw_x histogram\nfw_x_bucket{le=\"1\"} 1\n"
		"fw_x_sum 1\nfw_x_count 1\n",
		"# TYPE fw_x histogram\nfw_x_bucket{le=\"1\"} 1\n"
		"fw_x_bucket{le=\"+Inf\"} 1\nfw_x_sum 1\nfw_x_count 2\n",
		"fw_x{a=\"\xff\"} 1\n",
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!exposition_valid(bad[i]), "%s", bad[i]);
	ck_assert(exposition_valid("# a comment\nfw_x{a=\"b\",} 1e5\n"
				   "fw_y +Inf\nfw_z 0.5 1700000000\n"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("stats_text");
	TCase *tc = tcase_create("stats_text");

	seed = draw_seed();
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, test_plain_metrics_are_as_documented);
	tcase_add_test(tc, test_histogram_is_cumulative);
	tcase_add_test(tc, test_hostile_text_is_escaped);
	tcase_add_test(tc, test_any_text_gives_valid_lines);
	tcase_add_test(tc, test_length_is_that_of_a_buffer_with_room);
	tcase_add_test(tc, test_checker_finds_what_is_wrong);
	suite_add_tcase(suite, tc);
	return run_suite(suite);
}
