/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/base/markup.h"

/*
 * Values under the cursor, without a script: circles that nobody sees, each
 * with a title, which browsers show and which readers of a screen read out. The
 * page's style shows the circle that the cursor is on.
 */

enum {
	MAX_POINTS = 24, /* of a line; more would be in each other's way */
	RADIUS = 5,
};

static void put_value(FILE *to, enum plot_unit unit, double value)
{
	switch (unit) {
	case PLOT_PERCENT:
		fprintf(to, "%.4g%%", value);
		break;
	case PLOT_SECONDS:
		if (value < 0.0995)
			fprintf(to, "%.3g ms", value * 1000.0);
		else
			fprintf(to, "%.4g s", value);
		break;
	case PLOT_CLOCK:
		fprintf(to, "%.4g s", value);
		break;
	default:
		fprintf(to, "%.4g", value);
	}
}

static bool on_axis(const struct plot_axis *axis, double value)
{
	double at;

	if (!isfinite(value) || (axis->log && value <= 0.0))
		return false;
	at = plot_at(axis, value);
	return at > -0.001 && at < 1.001;
}

static void put_point(const struct drawing *d, const struct plot_series *s,
		      size_t k, FILE *to)
{
	const struct layout *l = &d->layout;
	const struct plot *plot = &d->plot;

	if (!on_axis(&plot->x, s->x[k]) || !on_axis(&plot->y, s->y[k]))
		return;
	fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"><title>",
		l->left + plot_at(&plot->x, s->x[k]) * (l->right - l->left),
		l->bottom - plot_at(&plot->y, s->y[k]) * (l->bottom - l->top),
		RADIUS);
	markup_escape(to, s->name);
	fputs(": ", to);
	put_value(to, plot->x.unit, s->x[k]);
	fputs(", ", to);
	put_value(to, plot->y.unit, s->y[k]);
	fputs("</title></circle>\n", to);
}

/* The first and the last point are among them. */
static void put_series(const struct drawing *d, const struct plot_series *s,
		       FILE *to)
{
	size_t num = s->num < MAX_POINTS ? s->num : MAX_POINTS;

	if (s->shape == PLOT_DISCS || s->shape == PLOT_TRIANGLES)
		return;
	fprintf(to, "<g class=\"points l%u\" color=\"var(--s%u)\">\n", s->style,
		s->style % PLOT_COLOURS);
	for (size_t i = 0; i < num; i++)
		put_point(d, s, num > 1 ? i * (s->num - 1) / (num - 1) : 0, to);
	fputs("</g>\n", to);
}

/* The first series is above the others, as its line is. */
void points_put(const struct drawing *drawing, FILE *to)
{
	for (size_t i = drawing->plot.num_series; i-- > 0;)
		put_series(drawing, &drawing->plot.series[i], to);
}
