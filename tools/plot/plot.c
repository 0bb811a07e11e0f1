/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gnuplot.h"

/*
 * Colours that gnuplot is told: each stands for one of the page, see
 * plot_svg.c.
 */
enum {
	INK_AXIS = 1,
	INK_GRID = 2,
	INK_BAND = 3,
	INK_TEXT = 4,
	INK_LINE = 16, /* and the next ones, by style */
	INK_NAME = 32, /* the same for text */
};

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

static const struct layout layouts[] = {
	[PLOT_NARROW] = {358, 290, 13, 5, 6, 0, 0, 0, 0},
	[PLOT_HALF] = {544, 340, 13, 7, 6, 0, 0, 0, 0},
	[PLOT_WIDE] = {1112, 330, 13, 12, 6, 0, 0, 0, 0},
};

static const char *const dashes[PLOT_DASHES] = {"", "9,4", "2,3", "9,3,2,3",
						"16,4"};

const char *plot_dash(unsigned int style)
{
	return dashes[style % PLOT_DASHES];
}

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

/* Ranges of the data that can be drawn on these axes. */
static void fit_axes(struct plot *plot)
{
	double low[2] = {HUGE_VAL, HUGE_VAL};
	double high[2] = {-HUGE_VAL, -HUGE_VAL};

	for (size_t i = 0; i < plot->num_series; i++)
		for (size_t k = 0; k < plot->series[i].num; k++) {
			double x = plot->series[i].x[k];
			double y = plot->series[i].y[k];

			if (!isfinite(y) || (plot->x.log && x <= 0.0) ||
			    (plot->y.log && y <= 0.0))
				continue;
			low[0] = fmin(low[0], x);
			high[0] = fmax(high[0], x);
			low[1] = fmin(low[1], y);
			high[1] = fmax(high[1], y);
		}
	plot_axis_fit(&plot->x, low[0], high[0]);
	plot_axis_fit(&plot->y, low[1], high[1]);
}

static void lay_out(struct drawing *d)
{
	struct layout *l = &d->layout;
	size_t longest = 0;

	for (unsigned int i = 0; i < d->num_y; i++) {
		size_t chars = plot_chars(d->y[i].text);

		longest = chars > longest ? chars : longest;
	}
	l->left = 20.0 + (double)longest * CHAR_WIDTH * l->font;
	l->right = l->width - 18.0;
	l->top = (d->plot.num_bands ? 3.2 : 1.9) * LINE_HEIGHT * l->font;
	l->bottom = l->height - 3.1 * LINE_HEIGHT * l->font;
}

static void put_frame(const struct drawing *d, const char *id)
{
	const struct layout *l = &d->layout;

	fprintf(d->to,
		"set terminal svg size %g,%g font 'Arial,%g' noenhanced "
		"name '%s' linewidth 1\n"
		"set encoding utf8\n"
		"unset key\n"
		"set lmargin at screen %.6f\n"
		"set rmargin at screen %.6f\n"
		"set tmargin at screen %.6f\n"
		"set bmargin at screen %.6f\n"
		"set border 1 lc rgb '#0101%02x'\n"
		"set tics nomirror out scale 0.5\n",
		l->width, l->height, l->font, id, l->left / l->width,
		l->right / l->width, 1.0 - l->top / l->height,
		1.0 - l->bottom / l->height, INK_AXIS);
}

/* gnuplot takes the text of a tick for a format. */
static void put_tick(FILE *to, const char *before, const struct plot_tick *tick)
{
	fprintf(to, "%s'", before);
	for (const char *c = tick->text; *c; c++)
		fputs(*c == '%' ? "%%" : (char[2]){*c, '\0'}, to);
	fprintf(to, "' %.17g", tick->value);
}

static void put_axis(const struct drawing *d, char name,
		     const struct plot_axis *axis, const struct plot_tick *tick,
		     unsigned int num)
{
	if (axis->log)
		fprintf(d->to, "set logscale %c\n", name);
	fprintf(d->to,
		"set %crange [%.17g:%.17g]\n"
		"set %ctics textcolor rgb '#0101%02x' (",
		name, axis->min, axis->max, name, INK_TEXT);
	for (unsigned int i = 0; i < num; i++)
		put_tick(d->to, i ? "," : "", &tick[i]);
	fputs(")\n", d->to);
}

/* Titles stand level: the one of y above the area, where it is read. */
static void put_titles(const struct drawing *d)
{
	const struct layout *l = &d->layout;

	fprintf(d->to,
		"set grid ytics back lt 1 lw 1 lc rgb '#0101%02x'\n"
		"set label 'LY' at screen %.6f,%.6f left textcolor rgb "
		"'#0101%02x'\n"
		"set label 'LX' at screen %.6f,%.6f right textcolor rgb "
		"'#0101%02x'\n",
		INK_GRID, 2.0 / l->width,
		1.0 - 0.65 * LINE_HEIGHT * l->font / l->height, INK_TEXT,
		l->right / l->width, 0.5 * LINE_HEIGHT * l->font / l->height,
		INK_TEXT);
}

/* Edges of a band inside of the axis; nothing where it lies beyond. */
static bool clip_band(const struct plot *plot, const struct plot_band *band,
		      double *from, double *to)
{
	*from = fmax(band->from, plot->x.min);
	*to = fmin(band->to, plot->x.max);
	return *to > *from;
}

static void put_bands(const struct drawing *d)
{
	const struct layout *l = &d->layout;
	double area = l->right - l->left;

	for (size_t i = 0; i < d->plot.num_bands; i++) {
		const struct plot_band *band = &d->plot.bands[i];
		double from, to, room;

		if (!clip_band(&d->plot, band, &from, &to))
			continue;
		if (i % 2)
			fprintf(d->to,
				"set object rect from %.17g,graph 0 to "
				"%.17g,graph 1 fc rgb '#0101%02x' fs solid 1 "
				"noborder behind\n",
				from, to, INK_BAND);
		room = area *
		       (plot_at(&d->plot.x, to) - plot_at(&d->plot.x, from));
		if ((double)plot_chars(band->name) * CHAR_WIDTH * l->font >
		    room)
			continue;
		fprintf(d->to,
			"set label 'LB%zu' at %.17g,graph 1 center offset "
			"0,0.75 textcolor rgb '#0101%02x'\n",
			i, (from + to) / 2.0, INK_TEXT);
	}
}

static void put_names(const struct drawing *d)
{
	for (size_t i = 0; i < d->plot.num_series; i++)
		if (d->places[i].found)
			fprintf(d->to,
				"set label 'LN%zu' at graph %.6f,%.6f left "
				"front textcolor rgb '#0101%02x'\n",
				i, d->places[i].x, d->places[i].y,
				INK_NAME +
					d->plot.series[i].style % PLOT_COLOURS);
}

static void put_data(const struct drawing *d)
{
	for (size_t i = 0; i < d->plot.num_series; i++) {
		const struct plot_series *s = &d->plot.series[i];

		fprintf(d->to, "$D%zu << EOD\n", i);
		for (size_t k = 0; k < s->num; k++)
			if (isfinite(s->y[k]))
				fprintf(d->to, "%.9g %.9g\n", s->x[k], s->y[k]);
			else
				fputs("\n", d->to);
		/* A cloud or a line of nothing is no error. */
		fputs("NaN NaN\nEOD\n", d->to);
	}
}

static void put_series(const struct drawing *d, size_t i, bool first)
{
	const struct plot_series *s = &d->plot.series[i];
	unsigned int ink = INK_LINE + s->style % PLOT_COLOURS;
	const char *dash = plot_dash(s->style);

	fprintf(d->to, "%s $D%zu title 'LN%zu' with ", first ? "plot" : ",", i,
		i);
	switch (s->shape) {
	case PLOT_DISCS:
	case PLOT_TRIANGLES:
		fprintf(d->to, "points pt %d ps %s lc rgb '#0101%02x'",
			s->shape == PLOT_DISCS ? 6 : 8,
			s->shape == PLOT_DISCS ? "0.35" : "0.5", ink);
		break;
	default:
		fprintf(d->to, "%s lw %s lc rgb '#0101%02x'",
			s->shape == PLOT_STEPS	 ? "steps"
			: s->shape == PLOT_KNOTS ? "linespoints pt 6 ps 0.5"
						 : "lines",
			s->style ? "2" : "2.8", ink);
		if (*dash)
			fprintf(d->to, " dt (%s)", dash);
	}
}

static void put_script(const struct drawing *d, const char *id)
{
	put_frame(d, id);
	put_axis(d, 'x', &d->plot.x, d->x, d->num_x);
	put_axis(d, 'y', &d->plot.y, d->y, d->num_y);
	put_titles(d);
	put_bands(d);
	put_names(d);
	put_data(d);
	for (size_t i = d->plot.num_series; i-- > 0;)
		put_series(d, i, i + 1 == d->plot.num_series);
	fputc('\n', d->to);
}

static int make_script(struct drawing *d, const char *id, char **script,
		       size_t *size)
{
	int bad;

	d->to = open_memstream(script, size);
	if (!d->to)
		return -ENOMEM;
	put_script(d, id);
	bad = ferror(d->to);
	if (!fclose(d->to) && !bad)
		return 0;
	free(*script);
	return -ENOMEM;
}

static int draw(struct drawing *d, const char *id, char **svg,
		struct diag *diag)
{
	char *script, *drawn;
	size_t size;
	int err = make_script(d, id, &script, &size);

	if (err)
		return err;
	err = gnuplot_run(script, size, &drawn, diag);
	free(script);
	if (err)
		return err;
	err = plot_svg(drawn, &d->plot, id, svg);
	free(drawn);
	return err;
}

int plot_draw(const struct plot *plot, enum plot_size size, const char *id,
	      char **svg, struct diag *diag)
{
	struct drawing d = {.plot = *plot, .layout = layouts[size]};
	const struct layout *l = &d.layout;
	int err;

	fit_axes(&d.plot);
	d.num_x = plot_axis_ticks(&d.plot.x, l->most_x, d.x);
	d.num_y = plot_axis_ticks(&d.plot.y, l->most_y, d.y);
	lay_out(&d);
	d.places = calloc(plot->num_series + 1, sizeof(*d.places));
	if (!d.places)
		return diag_set(diag, -ENOMEM, "out of memory");
	err = plot_place_names(
		&d.plot,
		(unsigned int)((l->right - l->left) / (CHAR_WIDTH * l->font)),
		(unsigned int)((l->bottom - l->top) / (LINE_HEIGHT * l->font)),
		d.places);
	if (!err)
		err = draw(&d, id, svg, diag);
	free(d.places);
	if (err)
		diag_set(diag, err, "cannot draw \"%s\"", plot->title);
	return err;
}
