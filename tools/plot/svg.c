/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/compiler.h"
#include "tools/base/markup.h"
#include "plot.h"

/**
 * struct rewrite - gnuplot's SVG while it is rewritten for a page
 * @at: first byte that is left to do
 * @end: end of the drawing
 * @plot: has the texts
 * @id: of the drawing; gnuplot makes names of groups from it
 * @to: gets the element
 */
struct rewrite {
	const char *at;
	const char *end;
	const struct plot *plot;
	const char *id;
	FILE *to;
};

/* Attributes that the page's style sets, and gnuplot's names of points. */
static const struct {
	const char *from;
	const char *to;
} words[] = {
	{"font-family=\"Arial\" ", ""},
	{"stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", ""},
	{"stroke-width=\"1.00\" ", ""},
	{"class=\"gridline\" ", ""},
	{"color=\"black\" ", ""},
	{"color=\"white\" ", ""},
	{"color=\"gray\" ", ""},
	{"fill=\"black\"", "fill=\"currentColor\""},
	{"stroke=\"black\"", "stroke=\"currentColor\""},
	{"xlink:href='#gpPt5'", "href='#disc'"},
	{"xlink:href='#gpPt6'", "href='#disc'"},
	{"xlink:href='#gpPt7'", "href='#triangle'"},
	{"xlink:href='#gpPt8'", "href='#triangle'"},
	{"\n\t", "\n"},
};

static bool starts(const struct rewrite *r, const char *with)
{
	return !strncmp(r->at, with, strlen(with));
}

static bool word(struct rewrite *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (starts(r, words[i].from)) {
			r->at += strlen(words[i].from);
			fputs(words[i].to, r->to);
			return true;
		}
	return false;
}

/* Blue tells which of the page's colours to use, see the inks of script.c. */
static void put_ink(FILE *to, unsigned int blue)
{
	static const char *const names[] = {"", "axis", "grid", "band", "soft"};

	if (blue >= 32)
		fprintf(to, "var(--t%u)", blue - 32);
	else if (blue >= 16)
		fprintf(to, "var(--s%u)", blue - 16);
	else if (blue < ARRAY_SIZE(names) && blue)
		fprintf(to, "var(--%s)", names[blue]);
	else
		fputs("currentColor", to);
}

static bool ink(struct rewrite *r)
{
	unsigned int red, green, blue;
	int len = 0;

	if (sscanf(r->at, "rgb(%u,%u,%u)%n", &red, &green, &blue, &len) != 3 ||
	    !len)
		return false;
	put_ink(r->to, blue);
	r->at += len;
	return true;
}

/* The text that a name in the script stands for, NULL for any other text. */
static const char *meant(const struct plot *plot, const char *at, int *len)
{
	char kind;
	size_t i;

	*len = 2;
	if (!strncmp(at, "LX<", 3))
		return plot->x.title;
	if (!strncmp(at, "LY<", 3))
		return plot->y.title;
	if (sscanf(at, "L%c%zu<%n", &kind, &i, len) != 2)
		return NULL;
	*len -= 1;
	if (kind == 'N' && i < plot->num_series)
		return plot->series[i].name;
	if (kind == 'B' && i < plot->num_bands)
		return plot->bands[i].name;
	return NULL;
}

/*
 * A line's tooltip. gnuplot has no key to take it from, so it is "ID_plot_1"
 * for what the script draws first, which is the last series.
 */
static const char *line_name(const struct rewrite *r, int *len)
{
	size_t id_len = strlen(r->id);
	size_t nth;
	int digits = 0;

	if (strncmp(r->at, r->id, id_len) ||
	    sscanf(r->at + id_len, "_plot_%zu%n", &nth, &digits) != 1 ||
	    !digits || !nth || nth > r->plot->num_series)
		return NULL;
	*len = (int)id_len + digits;
	return r->plot->series[r->plot->num_series - nth].name;
}

static bool text(struct rewrite *r)
{
	const char *tag = starts(r, "<text>")	 ? "<text>"
			  : starts(r, "<title>") ? "<title>"
						 : NULL;
	const char *is;
	int len;

	if (!tag)
		return false;
	fputs(tag, r->to);
	r->at += strlen(tag);
	while (*r->at == ' ')
		r->at++;
	is = meant(r->plot, r->at, &len);
	if (!is && tag[2] == 'i')
		is = line_name(r, &len);
	if (is) {
		markup_escape(r->to, is);
		r->at += len;
	}
	return true;
}

/* The series that gnuplot drew as the @nth; NULL where there is none. */
static const struct plot_series *drawn_as(const struct rewrite *r, size_t nth)
{
	if (!nth || nth > r->plot->num_series)
		return NULL;
	return &r->plot->series[r->plot->num_series - nth];
}

/* The group of a line has its style as a class, for the page's style. */
static void put_group(struct rewrite *r)
{
	size_t before = strlen("<g id=\"") + strlen(r->id);
	const struct plot_series *s = NULL;
	size_t nth;

	if (!strncmp(r->at + strlen("<g id=\""), r->id, strlen(r->id)) &&
	    sscanf(r->at + before, "_plot_%zu\"", &nth) == 1)
		s = drawn_as(r, nth);
	if (s)
		fprintf(r->to, "<g class=\"line l%u\">", s->style);
	else
		fputs("<g>", r->to);
}

/* Names of groups go, since they repeat on a page. Empty groups go too. */
static bool group(struct rewrite *r)
{
	const char *end, *next;

	if (!starts(r, "<g "))
		return false;
	end = strchr(r->at, '>');
	if (!end)
		return false;
	next = end + 1 + strspn(end + 1, " \t\n");
	if (!strncmp(next, "</g>", 4)) {
		r->at = next + 4;
		r->at += *r->at == '\n';
		return true;
	}
	if (!starts(r, "<g id=\""))
		return false;
	put_group(r);
	r->at = end + 1;
	return true;
}

static void rewrite(struct rewrite *r)
{
	while (r->at < r->end)
		if (!word(r) && !ink(r) && !text(r) && !group(r))
			fputc(*r->at++, r->to);
}

/* Between gnuplot's own definitions and the end of its canvas. */
static bool find_drawing(struct rewrite *r, const char *drawn)
{
	const char *defs = strstr(drawn, "</defs>");
	const char *end = NULL;

	for (const char *at = drawn; (at = strstr(at, "</g>")); at++)
		end = at;
	if (!defs || !end || end < defs)
		return false;
	r->at = defs + strlen("</defs>");
	r->end = end;
	return true;
}

static void put_head(FILE *to, const struct plot *plot, const char *id,
		     double width, double height)
{
	fprintf(to,
		"<svg viewBox=\"0 0 %g %g\" role=\"img\" "
		"aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
		width, height, id, id, id);
	markup_escape(to, plot->title);
	fprintf(to, "</title>\n<desc id=\"%s-d\">", id);
	markup_escape(to, plot->alt);
	fputs("</desc>", to);
}

int plot_svg(const char *drawn, const struct plot *plot, const char *id,
	     const char *more, char **svg)
{
	const char *box = strstr(drawn, "viewBox=\"0 0 ");
	struct rewrite r = {.plot = plot, .id = id};
	double width, height;
	size_t size;
	int bad;

	if (!box || sscanf(box, "viewBox=\"0 0 %lf %lf", &width, &height) != 2)
		return -EPROTO;
	if (!find_drawing(&r, drawn))
		return -EPROTO;
	r.to = open_memstream(svg, &size);
	if (!r.to)
		return -ENOMEM;
	put_head(r.to, plot, id, width, height);
	rewrite(&r);
	fputs(more, r.to);
	fputs("</svg>\n", r.to);
	bad = ferror(r.to);
	if (!fclose(r.to) && !bad)
		return 0;
	free(*svg);
	return -ENOMEM;
}
