/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/base/markup.h"
#include "tools/html/html.h"
#include "tools/plot/plot.h"

/* Axes, places of names, texts: what a page needs and gnuplot is not told. */

static uint64_t seed;

static char *escaped(const char *text)
{
	char *out = NULL;
	size_t size;
	FILE *to = open_memstream(&out, &size);

	ck_assert_ptr_nonnull(to);
	markup_escape(to, text);
	ck_assert_int_eq(fclose(to), 0);
	return out;
}

static const struct {
	const char *text;
	const char *as;
} texts[] = {
	{"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	 "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
	{"<script>&\"'", "&lt;script&gt;&amp;&quot;&#39;"},
	{"a\x01\x1b\x7fz", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz"},
	/* Cut off, too long, a surrogate, past the end, a lone byte, C1. */
	{"\xc3", "\xef\xbf\xbd"},
	{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xe0\x80\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xf4\x90\x80\x80",
	 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"\xffz", "\xef\xbf\xbdz"},
	{"\xc2\x85z", "\xef\xbf\xbd\xef\xbf\xbdz"},
};

START_TEST(test_text_is_never_markup_and_always_utf8)
{
	char *as = escaped(texts[_i].text);

	ck_assert_str_eq(as, texts[_i].as);
	free(as);
}
END_TEST

START_TEST(test_a_command_line_is_what_a_shell_takes)
{
	char sim[] = "sim", option[] = "--trace", blank[] = "a b.jsonl",
	     quote[] = "x'y", none[] = "", dollar[] = "$(id)";
	char *argv[] = {sim, option, blank, quote, none, dollar};
	char *line = html_shell(6, argv);

	ck_assert_str_eq(line, "fairway sim --trace 'a b.jsonl' 'x'\\''y' '' "
			       "'$(id)'");
	free(line);
}
END_TEST

/* --- axes --- */

START_TEST(test_an_axis_holds_its_data_and_ticks_lie_on_it)
{
	struct draw draw = {seed + (uint64_t)_i};

	for (int i = 0; i < 2000; i++) {
		double low = exp2((double)draw_below(&draw, 60) - 30.0);
		double high =
			low * exp2((double)draw_below(&draw, 3000) / 100.0);
		struct plot_axis axis = {
			.unit = (enum plot_unit)draw_below(&draw, 4),
			.log = one_in(&draw, 2),
		};
		struct plot_tick ticks[PLOT_MAX_TICKS];
		unsigned int most = 3 + draw_below(&draw, 12);
		unsigned int num;

		plot_axis_fit(&axis, low, high);
		ck_assert_msg(axis.min <= low * 1.0000001 &&
				      axis.max >= high * 0.9999999,
			      "%g to %g for %g to %g", axis.min, axis.max, low,
			      high);
		num = plot_axis_ticks(&axis, most, ticks);
		ck_assert_uint_le(num, most);
		for (unsigned int k = 0; k < num; k++) {
			double at = plot_at(&axis, ticks[k].value);

			ck_assert(at >= -1e-3 && at <= 1.0 + 1e-3);
			ck_assert(!k || ticks[k].value > ticks[k - 1].value);
			ck_assert(*ticks[k].text);
		}
	}
}
END_TEST

START_TEST(test_ticks_are_round_and_have_units)
{
	struct plot_axis seconds = {"", PLOT_SECONDS, true, 0.02, 20.0};
	struct plot_axis clock = {"", PLOT_CLOCK, false, 0.0, 7200.0};
	struct plot_axis tokens = {"", PLOT_NUMBER, false, 0.0, 200000.0};
	struct plot_tick ticks[PLOT_MAX_TICKS];

	ck_assert_uint_eq(plot_axis_ticks(&seconds, 10, ticks), 10);
	ck_assert_str_eq(ticks[0].text, "20 ms");
	ck_assert_str_eq(ticks[2].text, "0.1 s");
	ck_assert_uint_eq(plot_axis_ticks(&clock, 7, ticks), 7);
	ck_assert_str_eq(ticks[6].text, "120 min");
	ck_assert_uint_eq(plot_axis_ticks(&tokens, 6, ticks), 5);
	ck_assert_str_eq(ticks[1].text, "50k");
}
END_TEST

/* One tick says nothing of the scale: there are two wherever two fit. */
START_TEST(test_few_ticks_still_show_the_scale)
{
	struct plot_axis percent = {"", PLOT_PERCENT, false, 0.0, 100.0};
	struct plot_axis seconds = {"", PLOT_SECONDS, true, 0.02, 50.0};
	struct plot_axis narrow = {"", PLOT_SECONDS, true, 2.0, 50.0};
	struct plot_tick ticks[PLOT_MAX_TICKS];

	ck_assert_uint_eq(plot_axis_ticks(&percent, 5, ticks), 3);
	ck_assert_str_eq(ticks[2].text, "100%");
	ck_assert_uint_eq(plot_axis_ticks(&seconds, 2, ticks), 2);
	ck_assert_str_eq(ticks[0].text, "0.1 s");
	ck_assert_str_eq(ticks[1].text, "10 s");
	ck_assert_uint_eq(plot_axis_ticks(&narrow, 4, ticks), 3);
	ck_assert_str_eq(ticks[0].text, "5 s");
}
END_TEST

/* --- names --- */

static const double x_all[] = {0.0, 1.0};
static const double y_low[] = {0.2, 0.2};
static const double y_high[] = {0.8, 0.8};

START_TEST(test_lines_apart_are_named_beside_themselves)
{
	const struct plot_series series[] = {
		{"low", 0, PLOT_LINE, 2, x_all, y_low},
		{"high", 1, PLOT_LINE, 2, x_all, y_high},
	};
	const struct plot plot = {
		.x = {.min = 0.0, .max = 1.0},
		.y = {.min = 0.0, .max = 1.0},
		.series = series,
		.num_series = 2,
	};
	struct plot_place places[2];

	ck_assert_int_eq(plot_place_names(&plot, 60, 20, places), 0);
	ck_assert(places[0].found && places[1].found);
	ck_assert_double_lt(fabs(places[0].y - 0.2), 0.15);
	ck_assert_double_lt(fabs(places[1].y - 0.8), 0.15);
}
END_TEST

START_TEST(test_lines_on_each_other_are_not_named)
{
	const struct plot_series series[] = {
		{"one", 0, PLOT_LINE, 2, x_all, y_low},
		{"other", 1, PLOT_LINE, 2, x_all, y_low},
	};
	const struct plot plot = {
		.x = {.min = 0.0, .max = 1.0},
		.y = {.min = 0.0, .max = 1.0},
		.series = series,
		.num_series = 2,
	};
	struct plot_place places[2];

	ck_assert_int_eq(plot_place_names(&plot, 60, 20, places), 0);
	ck_assert(!places[0].found && !places[1].found);
}
END_TEST

/* --- what gnuplot drew --- */

static const char drawn[] =
	"<svg viewBox=\"0 0 358 290\"><defs>x</defs>\n"
	"<g fill=\"none\" color=\"black\">\n</g>\n"
	"<g id=\"f1_plot_1\" ><title>f1_plot_1</title>\n"
	"<path stroke='rgb(  1,   1,  16)' d='M0,0'/>\n"
	"<text> LY</text><text>10 s</text><text>LB0</text><text>LN9</text>\n"
	"<use xlink:href='#gpPt6' color='rgb(  1,   1,  17)'/></g>\n"
	"</g>\n</svg>\n";

START_TEST(test_a_drawing_gets_the_texts_and_colours_of_the_page)
{
	const struct plot_series series[] = {
		{"<fair&way>", 0, PLOT_LINE, 2, x_all, y_low},
	};
	const struct plot_band band = {0.0, 1.0, "\"phase\""};
	const struct plot plot = {
		.title = "t<",
		.alt = "d&",
		.x = {.title = "x"},
		.y = {.title = "y>"},
		.series = series,
		.num_series = 1,
		.bands = &band,
		.num_bands = 1,
	};
	static const char *const parts[] = {
		"<title id=\"f1-t\">t&lt;</title>",
		"<desc id=\"f1-d\">d&amp;</desc>",
		"<g class=\"line l0\"><title>&lt;fair&amp;way&gt;</title>",
		"stroke='var(--s0)'",
		"<text>y&gt;</text><text>10 s</text>",
		"<text>&quot;phase&quot;</text><text>LN9</text>",
		"<use href='#disc' color='var(--s1)'/>",
	};
	char *svg;

	ck_assert_int_eq(plot_svg(drawn, &plot, "f1", "", &svg), 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		ck_assert_msg(strstr(svg, parts[i]), "no %s in %s", parts[i],
			      svg);
	/* A tooltip of gnuplot's own would be "f1_plot_1". */
	ck_assert(!strstr(svg, "rgb(") && !strstr(svg, "plot_1") &&
		  !strstr(svg, "color=\"black\""));
	free(svg);
	ck_assert_int_lt(plot_svg("no svg", &plot, "f1", "", &svg), 0);
	ck_assert_int_lt(plot_svg("<svg viewBox=\"0 0 1 1\">", &plot, "f1", "",
				  &svg),
			 0);
}
END_TEST

static TCase *cases(void)
{
	TCase *tc = tcase_create("plot");

	tcase_add_loop_test(tc, test_text_is_never_markup_and_always_utf8, 0,
			    sizeof(texts) / sizeof(texts[0]));
	tcase_add_test(tc, test_a_command_line_is_what_a_shell_takes);
	tcase_add_loop_test(tc, test_an_axis_holds_its_data_and_ticks_lie_on_it,
			    0, 3);
	tcase_add_test(tc, test_ticks_are_round_and_have_units);
	tcase_add_test(tc, test_few_ticks_still_show_the_scale);
	tcase_add_test(tc, test_lines_apart_are_named_beside_themselves);
	tcase_add_test(tc, test_lines_on_each_other_are_not_named);
	tcase_add_test(tc,
		       test_a_drawing_gets_the_texts_and_colours_of_the_page);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("plot");

	seed = draw_seed();
	suite_add_tcase(suite, cases());
	return run_suite(suite);
}
