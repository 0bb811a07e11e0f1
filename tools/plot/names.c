/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "plot.h"

/*
 * The drawing area is a raster of cells, a character wide and half a line high.
 * A cell has a bit for each series whose line goes through it. A name may stand
 * where no line goes through its own cells, and where only its own line goes
 * through the cells around them. So no reader takes it for another line's name.
 */

enum {
	MAX_NAMED = 8, /* more lines than that have no room between them */
	CELLS_A_LINE = 2,
};

/* Marks the cells of a name that was placed. No series has this bit. */
#define TAKEN 0x8000u

struct raster {
	uint16_t *cells;
	int width;
	int height;
};

static uint16_t *cell(const struct raster *r, int x, int y)
{
	return &r->cells[y * r->width + x];
}

static void mark(const struct raster *r, double x, double y, uint16_t bit)
{
	int col = (int)(x * r->width);
	int row = (int)(y * r->height);

	if (col >= 0 && col < r->width && row >= 0 && row < r->height)
		*cell(r, col, row) |= bit;
}

static void mark_line(const struct raster *r, double x0, double y0, double x1,
		      double y1, uint16_t bit)
{
	double cells =
		fmax(fabs(x1 - x0) * r->width, fabs(y1 - y0) * r->height);
	int steps = (int)fmin(ceil(cells * 2.0), 4096.0);

	for (int i = 0; i <= steps; i++) {
		double at = steps ? (double)i / steps : 0.0;

		mark(r, x0 + at * (x1 - x0), y0 + at * (y1 - y0), bit);
	}
}

static void mark_series(const struct raster *r, const struct plot *plot,
			const struct plot_series *s, uint16_t bit)
{
	for (size_t i = 1; i < s->num; i++) {
		double x0 = plot_at(&plot->x, s->x[i - 1]);
		double y0 = plot_at(&plot->y, s->y[i - 1]);
		double x1 = plot_at(&plot->x, s->x[i]);
		double y1 = plot_at(&plot->y, s->y[i]);

		if (!isfinite(x0 + y0 + x1 + y1))
			continue;
		if (s->shape == PLOT_STEPS) {
			mark_line(r, x0, y0, x1, y0, bit);
			mark_line(r, x1, y0, x1, y1, bit);
		} else {
			mark_line(r, x0, y0, x1, y1, bit);
		}
	}
}

/* The bits of a name's box and @around cells more; -1 past the edge. */
static int look(const struct raster *r, int x, int y, int chars, int around)
{
	int seen = 0;

	if (x < 0 || y < 0 || x + chars > r->width ||
	    y + CELLS_A_LINE > r->height)
		return -1;
	for (int row = y - around; row < y + CELLS_A_LINE + around; row++)
		for (int col = x - around; col < x + chars + around; col++)
			if (row >= 0 && row < r->height && col >= 0 &&
			    col < r->width)
				seen |= *cell(r, col, row);
	return seen;
}

static bool fits(const struct raster *r, int x, int y, int chars, int around,
		 uint16_t bit)
{
	return !look(r, x, y, chars, 0) && look(r, x, y, chars, around) == bit;
}

/*
 * Try the places beside a cell of the line: right, left, above, below. The box
 * touches that cell, so that fits() sees the line in the cells around the box.
 */
static bool try_around(const struct raster *r, int x, int y, int chars,
		       int around, uint16_t bit, struct plot_place *place)
{
	const int tries[][2] = {
		{x + 1, y - 1},		{x - chars, y - 1},
		{x - chars / 2, y + 1}, {x - chars / 2, y - CELLS_A_LINE},
		{x + 1, y + 1},		{x - chars, y + 1},
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		int col = tries[i][0], row = tries[i][1];

		if (!fits(r, col, row, chars, around, bit))
			continue;
		for (int k = 0; k < chars * CELLS_A_LINE; k++)
			*cell(r, col + k % chars, row + k / chars) |= TAKEN;
		place->x = (double)col / r->width;
		place->y = (row + CELLS_A_LINE / 2.0) / r->height;
		place->found = true;
		return true;
	}
	return false;
}

/* Try every cell of the line, from the middle of the area outwards. */
static void place_one(const struct raster *r, const struct plot_series *s,
		      uint16_t bit, struct plot_place *place)
{
	int chars = (int)plot_chars(s->name) + 1;

	for (int around = 3; around > 0; around--)
		for (int i = 0; i < r->width; i++) {
			int step = (i + 1) / 2;
			int x = r->width / 2 + (i % 2 ? step : -step);

			for (int y = r->height - 1; y >= 0; y--)
				if (x >= 0 && x < r->width &&
				    (*cell(r, x, y) & bit) &&
				    try_around(r, x, y, chars, around, bit,
					       place))
					return;
		}
}

static bool is_line(const struct plot_series *s)
{
	return s->shape != PLOT_DISCS && s->shape != PLOT_TRIANGLES;
}

int plot_place_names(const struct plot *plot, unsigned int width,
		     unsigned int height, struct plot_place *places)
{
	struct raster r = {.width = (int)width,
			   .height = (int)height * CELLS_A_LINE};

	for (size_t i = 0; i < plot->num_series; i++)
		places[i] = (struct plot_place){0.0, 0.0, false};
	if (plot->num_series < 2 || plot->num_series > MAX_NAMED)
		return 0;
	r.cells = calloc((size_t)r.width * (size_t)r.height + 1,
			 sizeof(*r.cells));
	if (!r.cells)
		return -ENOMEM;
	for (size_t i = 0; i < plot->num_series; i++)
		mark_series(&r, plot, &plot->series[i], (uint16_t)(1u << i));
	for (size_t i = 0; i < plot->num_series; i++)
		if (is_line(&plot->series[i]))
			place_one(&r, &plot->series[i], (uint16_t)(1u << i),
				  &places[i]);
	free(r.cells);
	return 0;
}
