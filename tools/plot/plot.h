/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PLOT_PLOT_H
#define TOOLS_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/base/diag.h"

/*
 * A plot as SVG for a page of html.h. gnuplot draws it. Then svg.c rewrites the
 * drawing: its colours become those of the page (light, dark, print), and it
 * scales with the page. No text of a plot reaches gnuplot, which would read
 * markup in it. The script has names like LN3 instead, and svg.c puts the
 * escaped text in their place.
 */

/* A style is a colour and a dash. */
enum {
	PLOT_COLOURS = 7,
	PLOT_DASHES = 5,
};

enum plot_shape {
	PLOT_LINE,
	PLOT_STEPS, /* stays until the next point */
	PLOT_KNOTS, /* a line whose points are shown */
	PLOT_DISCS,
	PLOT_TRIANGLES,
};

/**
 * struct plot_series - a line, or a cloud of points
 * @name: as in the legend
 * @style: which colour and dash, from 0; the same policy has the same one
 *	everywhere, and 0 is the one that stands out
 * @shape: how it is drawn
 * @num: points
 * @x: of each point
 * @y: of each point; one that is not finite interrupts the line
 */
struct plot_series {
	const char *name;
	unsigned int style;
	enum plot_shape shape;
	size_t num;
	const double *x;
	const double *y;
};

/* A span of the x axis with a name, such as a phase. */
struct plot_band {
	double from;
	double to;
	const char *name;
};

/* How the ticks of an axis are written. */
enum plot_unit {
	PLOT_NUMBER, /* 1.5k, 3M */
	PLOT_PERCENT,
	PLOT_SECONDS, /* a span: ms, s */
	PLOT_CLOCK, /* a time in a run: s, or min, or h throughout */
};

/**
 * struct plot_axis - one axis
 * @title: what it shows
 * @unit: of its ticks
 * @log: logarithmic
 * @min: where it begins
 * @max: where it ends. Where @min equals @max the data choose both, and a
 *	linear axis begins at 0.
 */
struct plot_axis {
	const char *title;
	enum plot_unit unit;
	bool log;
	double min;
	double max;
};

/**
 * struct plot - what to draw
 * @title: heading of the figure
 * @alt: the plot in words, for readers who cannot see it
 * @x: axis
 * @y: axis
 * @series: what is drawn, at least one; the first is drawn over the others
 * @num_series: how many
 * @bands: every other one is shaded; names stand at the top; may be NULL
 * @num_bands: how many
 */
struct plot {
	const char *title;
	const char *alt;
	struct plot_axis x;
	struct plot_axis y;
	const struct plot_series *series;
	size_t num_series;
	const struct plot_band *bands;
	size_t num_bands;
};

/* A plot is drawn once for each, so that its text has the same size on all. */
enum plot_size {
	PLOT_SMALL, /* one of several beside each other, without titles */
	PLOT_NARROW, /* a phone */
	PLOT_HALF, /* one of two columns */
	PLOT_WIDE, /* a whole page */
};

/**
 * plot_draw() - draw plots of one size
 * @plots: the plots
 * @num: how many, at least 1
 * @size: for which page
 * @id: unique on the page, letters and digits; several get "_1", "_2" behind it
 * @svgs: an element for each, to be freed by the caller; written only on
 *	success
 *
 * Return: 0 or -errno with @diag set.
 */
int plot_draw(const struct plot *plots, size_t num, enum plot_size size,
	      const char *id, char **svgs, struct diag *diag);

/* Give the axes that have no range the one that holds all series. */
void plot_fit(struct plot *plot);

/* The dash of a style as SVG has it, "" for a whole line. */
const char *plot_dash(unsigned int style);

/**
 * struct plot_place - where a series' name stands
 * @x: left end of the text, from 0 to 1 across the drawing area
 * @y: its middle, from 0 (below) to 1
 * @found: there is room
 */
struct plot_place {
	double x;
	double y;
	bool found;
};

/**
 * plot_place_names() - find room for the name of each line beside it
 * @plot: its axes have a range
 * @width: of the drawing area, in widths of a character
 * @height: of the drawing area, in lines of text
 * @places: one for each series
 *
 * A name is left out where it would cover a line or another name.
 *
 * Return: 0, -ENOMEM.
 */
int plot_place_names(const struct plot *plot, unsigned int width,
		     unsigned int height, struct plot_place *places);

/* Where a value stands on an axis with a range: 0 at @min, 1 at @max. */
double plot_at(const struct plot_axis *axis, double value);

/* Characters of a text in UTF-8. */
size_t plot_chars(const char *text);

/**
 * struct plot_tick - a labelled place on an axis
 * @value: where
 * @text: what stands there
 */
struct plot_tick {
	double value;
	char text[24];
};

enum {
	PLOT_MAX_TICKS = 16
};

/* Give an axis that has no range one that holds @low to @high. */
void plot_axis_fit(struct plot_axis *axis, double low, double high);

/**
 * plot_axis_ticks() - round values over an axis with a range
 * @most: at most so many, up to PLOT_MAX_TICKS
 *
 * Return: How many.
 */
unsigned int plot_axis_ticks(const struct plot_axis *axis, unsigned int most,
			     struct plot_tick *ticks);

/**
 * plot_svg() - what gnuplot drew, as an element of the page
 * @drawn: its whole output
 * @plot: for its texts
 * @id: unique on the page
 * @more: what stands before the element's end; "" for nothing
 * @svg: to be freed by the caller; written only on success
 *
 * Return: 0 or -errno.
 */
int plot_svg(const char *drawn, const struct plot *plot, const char *id,
	     const char *more, char **svg);

#endif
