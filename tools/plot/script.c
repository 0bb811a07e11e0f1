/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <math.h>

/*
 * The blue part of a colour in the script. svg.c puts a colour of the page in
 * its place.
 */
enum {
	INK_AXIS = 1,
	INK_GRID = 2,
	INK_BAND = 3,
	INK_TEXT = 4,
	INK_LINE = 16, /* and the next ones, by style */
	INK_NAME = 32, /* the same for text */
};

static const char *const dashes[PLOT_DASHES] = {"", "9,4", "2,3", "9,3,2,3",
						"16,4"};

const char *plot_dash(unsigned int style)
{
	return dashes[style % PLOT_DASHES];
}

static void put_frame(const struct drawing *d, const char *id)
{
	const struct layout *l = &d->layout;

	fprintf(d->to,
		"reset\n"
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

/* gnuplot reads the text of a tick as a format: "%" is doubled. */
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

static void put_grid(const struct drawing *d)
{
	fprintf(d->to, "set grid ytics back lt 1 lw 1 lc rgb '#0101%02x'\n",
		INK_GRID);
}

/* Both titles are horizontal: the one of y stands above the area. */
static void put_titles(const struct drawing *d)
{
	const struct layout *l = &d->layout;

	fprintf(d->to,
		"set label 'LY' at screen %.6f,%.6f left textcolor rgb "
		"'#0101%02x'\n"
		"set label 'LX' at screen %.6f,%.6f right textcolor rgb "
		"'#0101%02x'\n",
		2.0 / l->width, 1.0 - 0.65 * LINE_HEIGHT * l->font / l->height,
		INK_TEXT, l->right / l->width,
		0.5 * LINE_HEIGHT * l->font / l->height, INK_TEXT);
}

/* A line from a name down to its band, which is narrower than the name. */
static void put_lead(const struct drawing *d, const struct band_place *place)
{
	const struct layout *l = &d->layout;
	double top = l->top - place->row * LINE_HEIGHT * l->font - 4.0;

	fprintf(d->to,
		"set arrow from %.17g,screen %.6f to %.17g,graph 0 nohead back "
		"lw 1 lc rgb '#0101%02x'\n",
		place->from, 1.0 - (top - l->font) / l->height, place->from,
		INK_AXIS);
}

static void put_band_name(const struct drawing *d, size_t i)
{
	const struct band_place *place = &d->bands[i];
	const struct layout *l = &d->layout;
	double y = l->top - (0.75 + place->row) * LINE_HEIGHT * l->font;

	fprintf(d->to,
		"set label 'LB%zu' at screen %.6f,%.6f %s textcolor rgb "
		"'#0101%02x'\n",
		i, place->name_x / l->width, 1.0 - y / l->height,
		place->centred ? "center" : "left", INK_TEXT);
	if (!place->centred)
		put_lead(d, place);
}

/* Every other band is shaded, thin ones aside. */
static void put_bands(const struct drawing *d)
{
	bool shaded = false;

	for (size_t i = 0; i < d->plot.num_bands; i++) {
		const struct band_place *place = &d->bands[i];

		if (!place->drawn)
			continue;
		if (!place->thin && shaded)
			fprintf(d->to,
				"set object rect from %.17g,graph 0 to "
				"%.17g,graph 1 fc rgb '#0101%02x' fs solid 1 "
				"noborder behind\n",
				place->from, place->to, INK_BAND);
		if (!place->thin)
			shaded = !shaded;
		if (place->row >= 0)
			put_band_name(d, i);
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
		/* gnuplot fails on a block without a point. */
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

void script_put(const struct drawing *drawing, const char *id, FILE *to)
{
	struct drawing d = *drawing;

	d.to = to;
	put_frame(&d, id);
	put_axis(&d, 'x', &d.plot.x, d.x, d.num_x);
	put_axis(&d, 'y', &d.plot.y, d.y, d.num_y);
	put_grid(&d);
	if (d.layout.titles)
		put_titles(&d);
	put_bands(&d);
	put_names(&d);
	put_data(&d);
	for (size_t i = d.plot.num_series; i-- > 0;)
		put_series(&d, i, i + 1 == d.plot.num_series);
	fputc('\n', to);
}
