/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PLOT_SCRIPT_H
#define TOOLS_PLOT_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include "plot.h"

/* A plot as a script for gnuplot. */

/**
 * struct layout - a plot in the units of its SVG: pixels at full size
 * @width: of all
 * @height: of all
 * @font: size of the text
 * @most_x: ticks of an axis, at most
 * @most_y: the same
 * @titles: the axes have theirs
 * @band_rows: rows for the names of bands, at most
 * @left: edges of the drawing area, from the left and from the top
 * @right: the same
 * @top: the same
 * @bottom: the same
 */
struct layout {
	double width;
	double height;
	double font;
	unsigned int most_x;
	unsigned int most_y;
	bool titles;
	int band_rows;
	double left;
	double right;
	double top;
	double bottom;
};

/* Of the usual sans-serif fonts, by their size. */
#define CHAR_WIDTH 0.6
#define LINE_HEIGHT 1.25

/**
 * struct band_place - where a band and its name stand
 * @drawn: some of it is on the axis
 * @from: where it begins on the axis
 * @to: where it ends; an instant ends where it begins
 * @thin: it is too narrow for an area
 * @row: of its name, 0 next to the area; below 0 for none
 * @centred: @name_x is the middle of the name, else its left end
 * @name_x: in pixels from the left edge of the drawing
 */
struct band_place {
	bool drawn;
	double from;
	double to;
	bool thin;
	int row;
	bool centred;
	double name_x;
};

/**
 * struct drawing - a plot on its way into a script
 * @plot: with axes that have a range
 * @layout: where things stand
 * @x: ticks
 * @y: ticks
 * @num_x: how many
 * @num_y: how many
 * @places: of the series' names
 * @bands: one for each band
 * @rows: rows that the names of bands take
 * @to: the script, while it is written
 */
struct drawing {
	struct plot plot;
	struct layout layout;
	struct plot_tick x[PLOT_MAX_TICKS];
	struct plot_tick y[PLOT_MAX_TICKS];
	unsigned int num_x;
	unsigned int num_y;
	struct plot_place *places;
	struct band_place *bands;
	int rows;
	FILE *to;
};

/* Fills @d's bands and rows; its left and right are known. 0 or -ENOMEM. */
int bands_place(struct drawing *d);

/* Write what shows values under the cursor, as SVG. */
void points_put(const struct drawing *drawing, FILE *to);

/* Write @drawing, which is laid out. Any number may follow each other. */
void script_put(const struct drawing *drawing, const char *id, FILE *to);

#endif
