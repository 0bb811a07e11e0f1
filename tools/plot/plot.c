/* SPDX-License-Identifier: Apache-2.0 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "gnuplot.h"
#include "script.h"

static const struct layout layouts[] = {
	[PLOT_NARROW] = {358, 290, 13, 5, 6, 0, 0, 0, 0},
	[PLOT_HALF] = {544, 340, 13, 7, 6, 0, 0, 0, 0},
	[PLOT_WIDE] = {1112, 330, 13, 12, 6, 0, 0, 0, 0},
};

/* Only points that the axes can show count: above 0 where they are log. */
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

static int draw(struct drawing *d, const char *id, char **svg,
		struct diag *diag)
{
	char *script, *drawn;
	size_t size;
	int err = script_make(d, id, &script, &size);

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
