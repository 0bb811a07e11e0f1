/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"
#include "script.h"

static const struct layout layouts[] = {
	[PLOT_SMALL] = {176, 140, 12, 4, 5, false, 0, 0, 0, 0, 0},
	[PLOT_NARROW] = {358, 290, 13, 5, 6, true, 4, 0, 0, 0, 0},
	[PLOT_HALF] = {544, 340, 13, 7, 6, true, 4, 0, 0, 0, 0},
	[PLOT_WIDE] = {1112, 330, 13, 12, 6, true, 3, 0, 0, 0, 0},
};

/* Only points that the axes can show count: above 0 where they are log. */
void plot_fit(struct plot *plot)
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

/* Room for ticks and titles. The rows of names are placed by what is left. */
static int lay_out(struct drawing *d)
{
	struct layout *l = &d->layout;
	double line = LINE_HEIGHT * l->font;
	size_t longest = 0;
	int err;

	for (unsigned int i = 0; i < d->num_y; i++) {
		size_t chars = plot_chars(d->y[i].text);

		longest = chars > longest ? chars : longest;
	}
	l->left = (l->titles ? 20.0 : 17.0) +
		  (double)longest * CHAR_WIDTH * l->font;
	l->right = l->width - (l->titles ? 18.0 : 12.0);
	l->bottom = l->height - (l->titles ? 3.1 : 1.7) * line;
	err = bands_place(d);
	l->top = (l->titles ? 1.9 : 0.5) * line +
		 (d->rows ? (d->rows + 0.3) * line : 0.0);
	return err;
}

/* Do two labels of the x axis run into each other? */
static bool crowded(const struct drawing *d)
{
	const struct layout *l = &d->layout;
	double end = -HUGE_VAL;

	for (unsigned int i = 0; i < d->num_x; i++) {
		const struct plot_tick *tick = &d->x[i];
		double half = (double)plot_chars(tick->text) * CHAR_WIDTH *
			      l->font / 2.0;
		double at =
			plot_at(&d->plot.x, tick->value) * (l->right - l->left);

		if (at - half < end)
			return true;
		end = at + half + CHAR_WIDTH * l->font;
	}
	return false;
}

/* As many as the axis has room for, at least two. */
static void place_x_ticks(struct drawing *d)
{
	unsigned int most = d->layout.most_x;

	do
		d->num_x = plot_axis_ticks(&d->plot.x, most, d->x);
	while (--most > 1 && crowded(d));
}

static int name_lines(struct drawing *d)
{
	const struct layout *l = &d->layout;

	if (!l->titles)
		return 0;
	return plot_place_names(
		&d->plot,
		(unsigned int)((l->right - l->left) / (CHAR_WIDTH * l->font)),
		(unsigned int)((l->bottom - l->top) / (LINE_HEIGHT * l->font)),
		d->places);
}

/* @d is to be destroyed, also after an error. */
static int prepare(struct drawing *d, const struct plot *plot,
		   enum plot_size size)
{
	const struct layout *l = &layouts[size];
	int err;

	*d = (struct drawing){.plot = *plot, .layout = *l};
	d->places = calloc(plot->num_series + 1, sizeof(*d->places));
	d->bands = calloc(plot->num_bands + 1, sizeof(*d->bands));
	if (!d->places || !d->bands)
		return -ENOMEM;
	plot_fit(&d->plot);
	d->num_y = plot_axis_ticks(&d->plot.y, l->most_y, d->y);
	err = lay_out(d);
	place_x_ticks(d);
	return err ? err : name_lines(d);
}

static void forget(struct drawing *d)
{
	free(d->bands);
	free(d->places);
}

/* Ids of several drawings are numbered; a single one has @id itself. */
static void number(char *buf, size_t size, const char *id, size_t i, size_t num)
{
	if (num > 1)
		snprintf(buf, size, "%s_%zu", id, i + 1);
	else
		snprintf(buf, size, "%s", id);
}

static int make_script(const struct drawing *drawings, size_t num,
		       const char *id, char **script, size_t *size)
{
	FILE *to = open_memstream(script, size);
	char one[64];
	int bad;

	if (!to)
		return -ENOMEM;
	for (size_t i = 0; i < num; i++) {
		number(one, sizeof(one), id, i, num);
		script_put(&drawings[i], one, to);
	}
	bad = ferror(to);
	if (!fclose(to) && !bad)
		return 0;
	free(*script);
	return -ENOMEM;
}

/* With the values under the cursor, where there is room for a cursor. */
static int make_svg(const char *drawn, const struct drawing *d, const char *id,
		    char **svg)
{
	char *points = NULL;
	size_t size;
	FILE *to = open_memstream(&points, &size);
	int err = -ENOMEM;

	if (!to)
		return -ENOMEM;
	if (d->layout.titles)
		points_put(d, to);
	if (!fclose(to))
		err = plot_svg(drawn, &d->plot, id, points, svg);
	free(points);
	return err;
}

/* gnuplot prints one document after the other; @drawn is cut up. */
static int take_apart(char *drawn, const struct drawing *drawings, size_t num,
		      const char *id, char **svgs)
{
	static const char last[] = "</svg>";
	char one[64];
	size_t i = 0;
	int err = 0;

	for (; i < num && !err; i++) {
		char *end = strstr(drawn, last);

		if (!end) {
			err = -EPROTO;
			break;
		}
		end[sizeof(last) - 2] = '\0';
		number(one, sizeof(one), id, i, num);
		err = make_svg(drawn, &drawings[i], one, &svgs[i]);
		drawn = end + sizeof(last) - 1;
		if (err)
			break;
	}
	while (err && i)
		free(svgs[--i]);
	return err;
}

static int draw(const struct drawing *drawings, size_t num, const char *id,
		char **svgs, struct diag *diag)
{
	char *script, *drawn;
	size_t size;
	int err = make_script(drawings, num, id, &script, &size);

	if (err)
		return err;
	err = gnuplot_run(script, size, &drawn, diag);
	free(script);
	if (err)
		return err;
	err = take_apart(drawn, drawings, num, id, svgs);
	free(drawn);
	return err;
}

int plot_draw(const struct plot *plots, size_t num, enum plot_size size,
	      const char *id, char **svgs, struct diag *diag)
{
	struct drawing *drawings = calloc(num, sizeof(*drawings));
	int err = drawings ? 0 : -ENOMEM;

	for (size_t i = 0; i < num && !err; i++)
		err = prepare(&drawings[i], &plots[i], size);
	if (!err)
		err = draw(drawings, num, id, svgs, diag);
	for (size_t i = 0; drawings && i < num; i++)
		forget(&drawings[i]);
	free(drawings);
	if (err)
		diag_set(diag, err, "cannot draw \"%s\"", plots->title);
	return err;
}
