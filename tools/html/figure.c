/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/markup.h"

static bool is_cloud(const struct plot_series *s)
{
	return s->shape == PLOT_DISCS || s->shape == PLOT_TRIANGLES;
}

static void put_swatch(FILE *to, const struct plot_series *s)
{
	unsigned int colour = s->style % PLOT_COLOURS;

	fputs("<svg viewBox=\"0 0 30 12\" aria-hidden=\"true\">", to);
	if (is_cloud(s))
		fprintf(to,
			"<use href=\"#%s\" color=\"var(--s%u)\" "
			"transform=\"translate(15,6) scale(4)\"/>",
			s->shape == PLOT_DISCS ? "disc" : "triangle", colour);
	else
		fprintf(to,
			"<path d=\"M1,6 H29\" stroke=\"var(--s%u)\" "
			"stroke-width=\"%s\" stroke-dasharray=\"%s\"/>",
			colour, s->style ? "2" : "3", plot_dash(s->style));
	fputs("</svg>", to);
}

static void put_legend(struct html *html, const struct plot *plot)
{
	if (plot->num_series < 2)
		return;
	fputs("<ul class=\"legend\">", html->to);
	for (size_t i = 0; i < plot->num_series; i++) {
		fprintf(html->to, "<li class=\"k%u\">", plot->series[i].style);
		put_swatch(html->to, &plot->series[i]);
		markup_escape(html->to, plot->series[i].name);
		fputs("</li>", html->to);
	}
	fputs("</ul>\n", html->to);
}

static void put_plot(struct html *html, const struct plot *plot,
		     enum plot_size size, const char *shown)
{
	char id[32];
	char *svg;
	int err;

	if (html->err)
		return;
	snprintf(id, sizeof(id), "figure%u%c", html->figures, *shown);
	err = plot_draw(plot, 1, size, id, &svg, html->diag);
	if (err) {
		html->err = err;
		return;
	}
	fprintf(html->to, "<div class=\"%s\">", shown);
	fputs(svg, html->to);
	fputs("</div>\n", html->to);
	free(svg);
}

/* --- a plot for each line --- */

static bool has_many_lines(const struct plot *plot)
{
	return plot->num_series > HTML_TOGETHER && !is_cloud(&plot->series[0]);
}

/**
 * struct part - one of the small plots
 * @plot: with the axes of all
 * @series: its own line, then the first one to compare it with
 */
struct part {
	struct plot plot;
	struct plot_series series[2];
};

static void fill_part(struct part *part, const struct plot *all, size_t i)
{
	part->plot = *all;
	part->plot.title = all->series[i].name;
	part->plot.series = part->series;
	part->plot.num_series = i ? 2 : 1;
	part->series[0] = all->series[i];
	part->series[0].style = i ? 1 : 0;
	part->series[1] = all->series[0];
	part->series[1].style = 0;
}

static void put_parts(struct html *html, const struct plot *all,
		      char *const *svgs)
{
	fputs("<div class=\"many\">\n", html->to);
	for (size_t i = 0; i < all->num_series; i++) {
		fputs("<div><h4>", html->to);
		markup_escape(html->to, all->series[i].name);
		fprintf(html->to, "</h4>\n%s</div>\n", svgs[i]);
		free(svgs[i]);
	}
	fputs("</div>\n", html->to);
}

static void draw_parts(struct html *html, const struct plot *plot,
		       struct part *parts, struct plot *plots, char **svgs)
{
	struct plot all = *plot;
	char id[32];
	int err;

	plot_fit(&all);
	for (size_t i = 0; i < all.num_series; i++) {
		fill_part(&parts[i], &all, i);
		plots[i] = parts[i].plot;
	}
	snprintf(id, sizeof(id), "figure%us", html->figures);
	err = plot_draw(plots, all.num_series, PLOT_SMALL, id, svgs,
			html->diag);
	if (err)
		html->err = err;
	else
		put_parts(html, &all, svgs);
}

static void put_many(struct html *html, const struct plot *plot)
{
	size_t num = plot->num_series;
	struct part *parts = calloc(num, sizeof(*parts));
	struct plot *plots = calloc(num, sizeof(*plots));
	char **svgs = calloc(num, sizeof(*svgs));

	if (!parts || !plots || !svgs)
		html_fail(html, -ENOMEM, "out of memory");
	else if (!html->err)
		draw_parts(html, plot, parts, plots, svgs);
	free(svgs);
	free(plots);
	free(parts);
}

/* Names of the phases have no room in a small plot. */
static void put_phases(struct html *html, const struct plot *plot)
{
	if (!plot->num_bands)
		return;
	fputs("<p>Phases from left to right, every other one shaded: ",
	      html->to);
	for (size_t i = 0; i < plot->num_bands; i++)
		html_text(html, "%s%s", i ? ", " : "", plot->bands[i].name);
	fputs(".</p>\n", html->to);
}

/* The legend of all small plots, and what their axes show. */
static void put_many_legend(struct html *html, const struct plot *plot)
{
	const struct plot_series keys[] = {
		{.name = plot->series[0].name, .style = 0},
		{.name = "the policy above the plot", .style = 1},
	};
	const struct plot key = {.series = keys, .num_series = 2};

	put_legend(html, &key);
	html_paragraph(html, "Up: %s. Across: %s. All have the same axes.",
		       plot->y.title, plot->x.title);
	put_phases(html, plot);
}

/* --- figures --- */

static void put_head(struct html *html, const struct plot *plot, bool many)
{
	fprintf(html->to, "<figure%s>\n<figcaption><h3>",
		many ? " class=\"whole\"" : "");
	markup_escape(html->to, plot->title);
	fputs("</h3>\n", html->to);
	if (many)
		put_many_legend(html, plot);
	else
		put_legend(html, plot);
	fputs("</figcaption>\n", html->to);
}

void html_plot(struct html *html, const struct plot *plot, bool half,
	       const struct grid *grid)
{
	bool many = has_many_lines(plot);

	html->figures++;
	put_head(html, plot, many);
	if (many) {
		put_many(html, plot);
	} else {
		put_plot(html, plot, PLOT_NARROW, "narrow");
		put_plot(html, plot, half ? PLOT_HALF : PLOT_WIDE, "wide");
	}
	if (grid)
		html_grid(html, grid, plot->title, true);
	fputs("</figure>\n", html->to);
}

/* --- which line stands out --- */

static void put_choice(struct html *html, const char *id, const char *name,
		       const char *more)
{
	fprintf(html->to,
		"<label><input type=\"radio\" name=\"one\" id=\"one%s\"%s> ",
		id, more);
	markup_escape(html->to, name);
	fputs("</label>\n", html->to);
}

void html_chooser(struct html *html, const char *const *names, size_t num)
{
	char id[24];

	if (num < 2 || num > HTML_TOGETHER)
		return;
	fputs("<fieldset class=\"one\"><legend>Stand out:</legend>\n",
	      html->to);
	put_choice(html, "-all", "all alike", " checked");
	for (size_t i = 0; i < num; i++) {
		snprintf(id, sizeof(id), "%zu", i);
		put_choice(html, id, names[i], "");
	}
	fputs("</fieldset>\n", html->to);
}
