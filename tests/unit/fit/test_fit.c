/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include <fairway/order.h>

#include "lib/base/alloc.h"
#include "lib/cost/cost.h"
#include "tests/support/draw.h"
#include "tests/support/lines_buffer.h"
#include "tests/support/run.h"
#include "tools/fit/fit.h"
#include "tools/fit/fit_table.h"
#include "tools/node/table.h"

/* Constants come back from steps that they made, through noise and outliers. */

static uint64_t seed;

enum {
	NUM_STEPS = 500,
};

static double uniform(struct draw *draw)
{
	return (double)(draw_u64(draw) >> 11) * 0x1p-53;
}

/* About normal, with the given deviation. */
static double noise(struct draw *draw, double deviation)
{
	double sum = 0.0;

	for (int i = 0; i < 12; i++)
		sum += uniform(draw);
	return deviation * (sum - 6.0);
}

/* As engines make them: a few chunks, some of prompts that are under way. */
static struct step make_step(struct draw *draw, const struct fw_device *device)
{
	uint32_t left = (uint32_t)exp2(4.0 + 7.0 * uniform(draw));
	struct step step = {.tokens = left};

	while (left) {
		uint32_t n = 1 + draw_below(draw, left);
		uint32_t first = one_in(draw, 2) ? draw_below(draw, 16000) : 0;

		step.pairs += fw_device_pairs(first, n);
		left -= n;
	}
	step.seconds = fw_device_step(device, step.tokens, step.pairs);
	return step;
}

static void make_steps(struct steps *steps, struct step *list, size_t num,
		       struct draw *draw, const struct fw_device *device)
{
	for (size_t i = 0; i < num; i++) {
		list[i] = make_step(draw, device);
		list[i].line = i + 2;
	}
	*steps = (struct steps){.list = list, .num = num};
}

static const struct fw_device *device_of(int i)
{
	return fw_device_find(fw_device_name((size_t)i));
}

static double apart(double x, double from)
{
	return fabs(x / from - 1.0);
}

static void expect(const struct fit *fit, const struct fw_device *device,
		   double t0, double a, double b, double tw)
{
	const struct fw_device *got = &fit->device;

	ck_assert_msg(apart(got->t0, device->t0) <= t0 &&
			      apart(got->a, device->a) <= a &&
			      apart(got->b, device->b) <= b &&
			      apart(got->tw, device->tw) <= tw,
		      "%s: t0 %g (%g), a %g (%g), b %g (%g), Tw %g (%g)",
		      device->name, got->t0, device->t0, got->a, device->a,
		      got->b, device->b, got->tw, device->tw);
}

START_TEST(test_exact_steps_give_the_constants)
{
	const struct fw_device *device = device_of(_i);
	struct draw draw = {seed + (uint64_t)_i};
	struct step list[NUM_STEPS];
	struct diag diag = {""};
	struct steps steps;
	struct fit fit;

	make_steps(&steps, list, NUM_STEPS, &draw, device);
	ck_assert_msg(!fit_steps(&fit, &steps, "s.csv", &diag), "%s",
		      diag.text);
	expect(&fit, device, 1e-4, 1e-4, 1e-4, 1e-4);
	ck_assert(fit.has_floor && fit.on_floor > 0);
	ck_assert_double_lt(fit.p90, 1e-5);
}
END_TEST

/* Two in a hundred of noise, one step in twenty far too long or short. */
START_TEST(test_noise_and_outliers_move_them_little)
{
	const struct fw_device *device = device_of(_i);
	struct draw draw = {seed + 10 + (uint64_t)_i};
	struct step list[NUM_STEPS];
	struct diag diag = {""};
	struct steps steps;
	struct fit fit;

	make_steps(&steps, list, NUM_STEPS, &draw, device);
	for (size_t i = 0; i < NUM_STEPS; i++) {
		list[i].seconds *= 1.0 + noise(&draw, 0.02);
		if (one_in(&draw, 20))
			list[i].seconds *= one_in(&draw, 3) ? 0.3 : 4.0;
	}
	ck_assert_msg(!fit_steps(&fit, &steps, "s.csv", &diag), "%s",
		      diag.text);
	expect(&fit, device, 0.15, 0.04, 0.05, 0.02);
	ck_assert_double_gt(fit.median, 0.008);
	ck_assert_double_lt(fit.median, 0.02);
	ck_assert_uint_gt(fit.set_aside, 0);
	ck_assert_double_gt(fabs(fit.worst_off), 0.5);
	for (int n = 256; n <= 2048; n *= 2)
		ck_assert_double_lt(apart(fw_device_step(&fit.device, n,
							 n * 4e3),
					  fw_device_step(device, n, n * 4e3)),
				    0.03);
}
END_TEST

START_TEST(test_steps_past_the_floor_tell_no_floor)
{
	const struct fw_device *device = device_of(_i);
	struct draw draw = {seed + 20 + (uint64_t)_i};
	struct step list[NUM_STEPS];
	struct diag diag = {""};
	struct steps steps;
	struct fit fit;

	make_steps(&steps, list, NUM_STEPS, &draw, device);
	for (size_t i = 0; i < NUM_STEPS; i++) {
		uint32_t n = 512 + draw_below(&draw, 1536);

		list[i].tokens = n;
		list[i].pairs = fw_device_pairs(draw_below(&draw, 9000), n);
		list[i].seconds = fw_device_step(device, n, list[i].pairs) *
				  (1.0 + noise(&draw, 0.01));
	}
	ck_assert_msg(!fit_steps(&fit, &steps, "s.csv", &diag), "%s",
		      diag.text);
	ck_assert(!fit.has_floor && !fit.on_floor);
	ck_assert(fit.device.tw <= fit.device.t0);
	ck_assert_double_lt(apart(fit.device.a, device->a), 0.04);
}
END_TEST

/* More values of N than places that are tried, each many times. */
START_TEST(test_many_steps_are_as_good_as_some)
{
	enum {
		MANY = 60000
	};
	const struct fw_device *device = device_of(_i);
	struct step *list = calloc(MANY, sizeof(*list));
	struct draw draw = {seed + 40 + (uint64_t)_i};
	struct diag diag = {""};
	struct steps steps;
	struct fit fit;

	ck_assert_ptr_nonnull(list);
	make_steps(&steps, list, MANY, &draw, device);
	for (size_t i = 0; i < MANY; i++)
		list[i].seconds *= 1.0 + noise(&draw, 0.03);
	ck_assert_msg(!fit_steps(&fit, &steps, "s.csv", &diag), "%s",
		      diag.text);
	expect(&fit, device, 0.02, 0.01, 0.01, 0.01);
	free(list);
}
END_TEST

/* --- what cannot be told --- */

enum degenerate {
	FEW,
	ONE_SIZE,
	ALL_ON_FLOOR,
	PAIRS_FOLLOW,
	FALLING,
	NUM_DEGENERATE,
};

static const char *const refusals[NUM_DEGENERATE] = {
	"s.csv: expected at least 8 measured steps (7)",
	"s.csv: expected steps of different numbers of tokens, some past the "
	"floor (all take one time)",
	"s.csv: expected steps of different numbers of tokens, some past the "
	"floor (all take one time)",
	"s.csv: expected pairs that do not follow from the tokens (they do: "
	"measure chunks at other positions too)",
	"s.csv: expected times that rise with the tokens (they do not)",
};

static void spoil(struct step *step, enum degenerate kind, size_t i)
{
	const struct fw_device *device = device_of(0);

	if (kind == ONE_SIZE)
		step->tokens = 512;
	else if (kind == ALL_ON_FLOOR)
		step->tokens = 1.0 + (double)(i % 100);
	else if (kind == PAIRS_FOLLOW)
		step->tokens += 512.0;
	if (kind == PAIRS_FOLLOW)
		step->pairs = 1000.0 * step->tokens;
	else
		step->pairs = step->tokens * (100.0 + (double)(i * 37 % 5000));
	step->seconds = fw_device_step(device, step->tokens, step->pairs);
	if (kind == FALLING)
		step->seconds = 1.0 / step->tokens;
}

START_TEST(test_steps_that_tell_too_little_are_refused)
{
	struct draw draw = {seed + 30};
	struct step list[NUM_STEPS];
	struct diag diag = {""};
	struct steps steps;
	struct fit fit;

	make_steps(&steps, list, NUM_STEPS, &draw, device_of(0));
	if (_i == FEW)
		steps.num = 7;
	for (size_t i = 0; i < steps.num; i++)
		spoil(&list[i], (enum degenerate)_i, i);
	ck_assert_int_eq(fit_steps(&fit, &steps, "s.csv", &diag), -EINVAL);
	ck_assert_str_eq(diag.text, refusals[_i]);
}
END_TEST

/* --- files --- */

static void open_text(struct lines *lines, struct lines_buffer *from,
		      const char *text)
{
	struct lines_source source;
	struct diag diag = {""};

	*from = (struct lines_buffer){text, strlen(text), 0, 7};
	source = lines_buffer_source(from);
	ck_assert(!lines_open_source(lines, "s.csv", &source, NULL, &diag));
}

static int parse(struct steps *steps, const char *text, struct diag *diag)
{
	struct lines_buffer from;
	struct lines lines;
	int ret;

	open_text(&lines, &from, text);
	ret = steps_parse(steps, &lines, diag);
	lines_close(&lines);
	return ret;
}

START_TEST(test_both_forms_of_steps_say_the_same)
{
	struct diag diag = {""};
	struct steps a, b;

	ck_assert(!parse(&a,
			 "# mine\nwho,requests,seconds\n"
			 "x,0+3;10+2 5+1,0.5\n",
			 &diag));
	ck_assert(!parse(&b, "seconds,tokens,pairs\n0.5,6,35\n", &diag));
	ck_assert_uint_eq(a.num, 1);
	ck_assert_double_eq(a.list[0].tokens, 6.0);
	ck_assert_double_eq(a.list[0].pairs, 6.0 + 23.0 + 6.0);
	ck_assert_double_eq(a.list[0].seconds, 0.5);
	ck_assert_uint_eq(a.list[0].line, 3);
	ck_assert_double_eq(b.list[0].pairs, a.list[0].pairs);
	steps_destroy(&a);
	steps_destroy(&b);
}
END_TEST

static const struct {
	const char *text;
	const char *message;
} bad[] = {
	{"", "s.csv: expected at least one measured step (none)"},
	{"tokens,pairs,seconds\n",
	 "s.csv: expected at least one measured step (none)"},
	{"tokens,pairs\n", "s.csv:1: line: expected a header with seconds, and "
			   "requests or tokens and pairs (no seconds)"},
	{"tokens,seconds\n", "s.csv:1: line: expected a header with seconds, "
			     "and requests or tokens and pairs (no pairs)"},
	{"seconds\n", "s.csv:1: line: expected a header with seconds, and "
		      "requests or tokens and pairs (no requests)"},
	{"tokens,pairs,seconds,tokens\n",
	 "s.csv:1: tokens: expected one such column (two)"},
	{"tokens,pairs,seconds\n1,1\n",
	 "s.csv:2: line: expected 3 fields, as in the header (2)"},
	{"tokens,pairs,seconds\n1,1,1,1\n",
	 "s.csv:2: line: expected 3 fields, as in the header (over 3)"},
	{"tokens,pairs,seconds\n0,1,1\n",
	 "s.csv:2: tokens: expected a whole number from 1 to 2147483647 (0)"},
	{"tokens,pairs,seconds\n9,8,1\n",
	 "s.csv:2: pairs: expected a number, at least the tokens (8)"},
	{"tokens,pairs,seconds\n9,nan,1\n",
	 "s.csv:2: pairs: expected a number, at least the tokens (nan)"},
	{"tokens,pairs,seconds\n9,9,0\n",
	 "s.csv:2: seconds: expected seconds from 1e-07 to 3600 (0)"},
	{"tokens,pairs,seconds\n9,9,9000\n",
	 "s.csv:2: seconds: expected seconds from 1e-07 to 3600 (9000)"},
	{"requests,seconds\n,1\n",
	 "s.csv:2: requests: expected at least one POSITION+NEW (none)"},
	{"requests,seconds\n5,1\n",
	 "s.csv:2: requests: expected POSITION+NEW, in tokens (5)"},
	{"requests,seconds\n5+0,1\n",
	 "s.csv:2: requests: expected POSITION+NEW, in tokens (5+0)"},
	{"requests,seconds\n0+1 -5+1,1\n",
	 "s.csv:2: requests: expected POSITION+NEW, in tokens (-5+1)"},
	{"requests,seconds\n2147483647+1,1\n",
	 "s.csv:2: requests: expected POSITION+NEW, in tokens (2147483647+1)"},
};

START_TEST(test_bad_steps_are_named_by_file_line_and_column)
{
	struct diag diag = {""};
	struct steps steps;

	ck_assert_int_eq(parse(&steps, bad[_i].text, &diag), -EINVAL);
	ck_assert_str_eq(diag.text, bad[_i].message);
}
END_TEST

/* Return: the text of the table of a device as it is. */
static char *table_of(const struct fw_device *device)
{
	const struct fit fit = {.device = *device, .has_floor = true};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(to);
	ck_assert_int_eq(fit_table_write(&fit, 9, to), 0);
	ck_assert_int_eq(fclose(to), 0);
	return text;
}

START_TEST(test_its_table_gives_prefill_times_within_a_thousandth)
{
	const struct fw_device *device = device_of(_i);
	char *text = table_of(device);
	struct lines_buffer from;
	struct cost_table table;
	struct diag diag = {""};
	struct lines lines;
	struct fw_cost cost;

	open_text(&lines, &from, text);
	ck_assert_msg(!table_parse(&table, &lines, &diag), "%s", diag.text);
	lines_close(&lines);
	ck_assert(table.has_device);
	ck_assert_double_eq_tol(table.device.a, device->a, 1e-8 * device->a);
	ck_assert(!fw_cost_init(&cost, NULL, table.points, table.num,
				&fw_allocator_default));
	for (uint32_t len = 1; len <= FIT_TABLE_TOKENS; len += 7)
		ck_assert_double_lt(apart(fw_cost_prefill(&cost, len),
					  fw_device_prefill(device, 0, len,
							    FW_COST_CHUNK)),
				    1e-3);
	fw_cost_destroy(&cost);
	table_destroy(&table);
	free(text);
}
END_TEST

static TCase *cases(void)
{
	TCase *tc = tcase_create("fit");

	tcase_add_loop_test(tc, test_exact_steps_give_the_constants, 0, 4);
	tcase_add_loop_test(tc, test_noise_and_outliers_move_them_little, 0, 4);
	tcase_add_loop_test(tc, test_steps_past_the_floor_tell_no_floor, 0, 4);
	tcase_add_loop_test(tc, test_many_steps_are_as_good_as_some, 0, 4);
	tcase_add_loop_test(tc, test_steps_that_tell_too_little_are_refused, 0,
			    NUM_DEGENERATE);
	tcase_add_test(tc, test_both_forms_of_steps_say_the_same);
	tcase_add_loop_test(tc,
			    test_bad_steps_are_named_by_file_line_and_column, 0,
			    sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(
		tc, test_its_table_gives_prefill_times_within_a_thousandth, 0,
		4);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("fit");

	seed = draw_seed();
	suite_add_tcase(suite, cases());
	return run_suite(suite);
}
