/* SPDX-License-Identifier: Apache-2.0 */
#include <check.h>
#include <stdlib.h>

#include "tests/support/draw.h"
#include "tests/support/run.h"
#include "tools/plot/script.h"

/* Names of bands: each that is drawn has one, and none covers another. */

static uint64_t seed;

enum {
	MOST = 12
};

static struct drawing drawing_of(const struct plot_band *bands, size_t num,
				 struct band_place *places)
{
	return (struct drawing){
		.plot = {.x = {.min = 0.0, .max = 100.0},
			 .bands = bands,
			 .num_bands = num},
		.layout = {.width = 1000.0,
			   .font = 13.0,
			   .band_rows = 4,
			   .left = 50.0,
			   .right = 990.0},
		.bands = places,
	};
}

START_TEST(test_an_instant_has_a_name_above_the_others)
{
	const struct plot_band bands[] = {
		{0.0, 40.0, "light"},
		{40.0, 40.0, "backlog"},
		{40.0, 100.0, "flood"},
	};
	struct band_place places[3];
	struct drawing d = drawing_of(bands, 3, places);

	ck_assert_int_eq(bands_place(&d), 0);
	ck_assert(places[0].centred && places[2].centred);
	ck_assert_int_eq(places[0].row, 0);
	ck_assert(places[1].drawn && places[1].thin && !places[1].centred);
	ck_assert_int_eq(places[1].row, 1);
	ck_assert_int_eq(d.rows, 2);
}
END_TEST

START_TEST(test_a_band_off_the_axis_is_not_drawn)
{
	const struct plot_band bands[] = {{150.0, 180.0, "later"}};
	struct band_place places[1];
	struct drawing d = drawing_of(bands, 1, places);

	ck_assert_int_eq(bands_place(&d), 0);
	ck_assert(!places[0].drawn);
	ck_assert_int_eq(d.rows, 0);
}
END_TEST

/* Ends of a name in pixels, from the definition alone. */
static void ends(const struct drawing *d, size_t i, double *from, double *to)
{
	const struct band_place *place = &d->bands[i];
	double width = (double)plot_chars(d->plot.bands[i].name) * CHAR_WIDTH *
		       d->layout.font;

	*from = place->name_x - (place->centred ? width / 2.0 : 0.0);
	*to = *from + width;
}

START_TEST(test_no_name_covers_another)
{
	static const char *const names[] = {"a", "spike", "a long name"};
	struct draw draw = {seed + (uint64_t)_i};
	struct plot_band bands[MOST];
	struct band_place places[MOST];
	size_t num = 1 + draw_below(&draw, MOST);
	struct drawing d = drawing_of(bands, num, places);
	double at = 0.0;

	for (size_t i = 0; i < num; i++) {
		double to = at + (double)draw_below(&draw, 200) / 10.0;

		bands[i] =
			(struct plot_band){at, to, names[draw_below(&draw, 3)]};
		at = to;
	}
	ck_assert_int_eq(bands_place(&d), 0);
	for (size_t i = 0; i < num; i++)
		for (size_t k = 0; k < i; k++) {
			double from, to, other_from, other_to;

			if (places[i].row != places[k].row || places[i].row < 0)
				continue;
			ends(&d, i, &from, &to);
			ends(&d, k, &other_from, &other_to);
			ck_assert(from >= other_to || to <= other_from);
		}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bands");
	TCase *tcase = tcase_create("bands");

	seed = draw_seed();
	tcase_add_test(tcase, test_an_instant_has_a_name_above_the_others);
	tcase_add_test(tcase, test_a_band_off_the_axis_is_not_drawn);
	tcase_add_loop_test(tcase, test_no_name_covers_another, 0, 100);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
