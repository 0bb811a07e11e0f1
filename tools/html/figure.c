/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

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
		fputs("<li>", html->to);
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
	err = plot_draw(plot, size, id, &svg, html->diag);
	if (err) {
		html->err = err;
		return;
	}
	fprintf(html->to, "<div class=\"%s\">", shown);
	fputs(svg, html->to);
	fputs("</div>\n", html->to);
	free(svg);
}

void html_plot(struct html *html, const struct plot *plot, bool half,
	       const struct grid *grid)
{
	html->figures++;
	fputs("<figure>\n<figcaption><h3>", html->to);
	markup_escape(html->to, plot->title);
	fputs("</h3>\n", html->to);
	put_legend(html, plot);
	fputs("</figcaption>\n", html->to);
	put_plot(html, plot, PLOT_NARROW, "narrow");
	put_plot(html, plot, half ? PLOT_HALF : PLOT_WIDE, "wide");
	if (grid)
		html_grid(html, grid, plot->title, true);
	fputs("</figure>\n", html->to);
}
