/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "script.h"

/*
 * Where the names of the bands stand: above the area, in up to BAND_ROWS rows.
 * A name that fits its band stands in its middle, in the row next to the area.
 * A band may be narrower than its name, or be an instant. Then the name begins
 * at the band, in the first row that has room, and a line leads down to it.
 */

#define GAP 6.0 /* between names, pixels */
#define THIN 3.0 /* a band of fewer pixels is a line, not an area */

/* A name's ends, from the left edge of the drawing, and its row. */
struct label {
	double from;
	double to;
	int row;
};

static double at(const struct drawing *d, double x)
{
	const struct layout *l = &d->layout;

	return l->left + plot_at(&d->plot.x, x) * (l->right - l->left);
}

/* The part of a band that is on the axis. Return: false for none. */
static bool clip(const struct plot *plot, const struct plot_band *band,
		 struct band_place *place)
{
	place->from = fmax(band->from, plot->x.min);
	place->to = fmin(band->to, plot->x.max);
	return place->to >= place->from;
}

static bool is_free(const struct label *labels, size_t num,
		    const struct label *one)
{
	for (size_t i = 0; i < num; i++)
		if (labels[i].row == one->row &&
		    labels[i].from < one->to + GAP &&
		    one->from < labels[i].to + GAP)
			return false;
	return true;
}

static double name_width(const struct drawing *d, size_t i)
{
	return (double)plot_chars(d->plot.bands[i].name) * CHAR_WIDTH *
	       d->layout.font;
}

/* Names that fit their bands. */
static size_t place_wide(struct drawing *d, struct label *labels)
{
	size_t num = 0;

	for (size_t i = 0; i < d->plot.num_bands; i++) {
		struct band_place *place = &d->bands[i];
		double width = name_width(d, i);
		double from, to;

		if (!place->drawn)
			continue;
		from = at(d, place->from);
		to = at(d, place->to);
		if (width > to - from)
			continue;
		place->name_x = (from + to) / 2.0;
		place->row = 0;
		place->centred = true;
		labels[num++] = (struct label){(from + to - width) / 2.0,
					       (from + to + width) / 2.0, 0};
	}
	return num;
}

/* The others, right of the line that leads to the band, or left of it. */
static bool place_narrow(struct drawing *d, struct band_place *place,
			 double width, struct label *labels, size_t num)
{
	double from = at(d, place->from);
	bool left = from + width > d->layout.width - 2.0;
	struct label one = {left ? from - width - 3.0 : from + 3.0,
			    left ? from - 3.0 : from + width + 3.0, 0};

	for (one.row = 1; one.row < d->layout.band_rows; one.row++)
		if (is_free(labels, num, &one)) {
			labels[num] = one;
			place->name_x = one.from;
			place->row = one.row;
			return true;
		}
	return false;
}

int bands_place(struct drawing *d)
{
	struct label *labels = calloc(d->plot.num_bands + 1, sizeof(*labels));
	size_t num;

	if (!labels)
		return -ENOMEM;
	for (size_t i = 0; i < d->plot.num_bands; i++) {
		d->bands[i] = (struct band_place){.row = -1};
		d->bands[i].drawn =
			clip(&d->plot, &d->plot.bands[i], &d->bands[i]);
		d->bands[i].thin =
			at(d, d->bands[i].to) - at(d, d->bands[i].from) < THIN;
	}
	num = d->layout.band_rows ? place_wide(d, labels) : 0;
	for (size_t i = 0; i < d->plot.num_bands; i++)
		if (d->bands[i].drawn && d->bands[i].row < 0)
			num += place_narrow(d, &d->bands[i], name_width(d, i),
					    labels, num);
	for (size_t i = 0; i < num; i++)
		if (labels[i].row >= d->rows)
			d->rows = labels[i].row + 1;
	free(labels);
	return 0;
}
