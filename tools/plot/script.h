/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PLOT_SCRIPT_H
#define TOOLS_PLOT_SCRIPT_H

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
	double left;
	double right;
	double top;
	double bottom;
};

/* Of the usual sans-serif fonts, by their size. */
#define CHAR_WIDTH 0.6
#define LINE_HEIGHT 1.25

/**
 * struct drawing - a plot on its way into a script
 * @plot: with axes that have a range
 * @layout: where things stand
 * @x: ticks
 * @y: ticks
 * @num_x: how many
 * @num_y: how many
 * @places: of the series' names
 * @to: the script
 */
struct drawing {
	struct plot plot;
	struct layout layout;
	struct plot_tick x[PLOT_MAX_TICKS];
	struct plot_tick y[PLOT_MAX_TICKS];
	unsigned int num_x;
	unsigned int num_y;
	struct plot_place *places;
	FILE *to;
};

/**
 * script_make() - write it
 * @d: laid out; its @to is set here
 * @id: unique on the page
 * @script: to be freed by the caller; written only on success
 * @size: bytes of @script
 *
 * Return: 0, -ENOMEM.
 */
int script_make(struct drawing *d, const char *id, char **script, size_t *size);

#endif
