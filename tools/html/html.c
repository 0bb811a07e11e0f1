/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <fairway/fairway.h>

#include "tools/base/markup.h"
#include "style.h"

static void fail(struct html *html, int err, const char *why)
{
	if (html->err)
		return;
	html->err = diag_set(html->diag, err, "%s", why);
}

/* The policy says what the page is: it can load nothing and run nothing. */
static void put_head(struct html *html, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "img-src data:\">\n"
	      "<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n"
	      "<link rel=\"icon\" href=\"data:,\">\n<title>",
	      html->to);
	markup_escape(html->to, title);
	fprintf(html->to,
		"</title>\n<style>\n%s</style>\n</head>\n<body>\n"
		"<svg class=\"defs\" aria-hidden=\"true\"><defs>"
		"<circle id=\"disc\" r=\"1\" fill=\"currentColor\" "
		"stroke=\"none\"/>"
		"<path id=\"triangle\" fill=\"currentColor\" stroke=\"none\" "
		"d=\"M0,-1.33 L-1.33,0.67 L1.33,0.67 z\"/></defs></svg>\n",
		html_style);
}

void html_begin(struct html *html, FILE *to, const char *title,
		const char *about, struct diag *diag)
{
	*html = (struct html){.to = to, .diag = diag};
	put_head(html, title);
	fputs("<header>\n<h1>", to);
	markup_escape(to, title);
	fputs("</h1>\n", to);
	if (about) {
		fputs("<p class=\"about\">", to);
		markup_escape(to, about);
		fputs("</p>\n", to);
	}
	fputs("</header>\n<main>\n", to);
}

int html_end(struct html *html)
{
	if (html->section)
		fputs("</section>\n", html->to);
	fprintf(html->to,
		"</main>\n<footer>fairway %s. This file is whole: it loads "
		"nothing and runs nothing.</footer>\n</body>\n</html>\n",
		fw_version());
	errno = 0;
	if (ferror(html->to))
		fail(html, errno ? -errno : -EIO, "cannot write the page");
	return html->err;
}

void html_raw(struct html *html, const char *markup)
{
	fputs(markup, html->to);
}

__attribute__((format(printf, 2, 0))) static void
put_formatted(struct html *html, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		fail(html, -ENOMEM, "out of memory");
		return;
	}
	markup_escape(html->to, text);
	free(text);
}

void html_text(struct html *html, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_formatted(html, fmt, ap);
	va_end(ap);
}

void html_paragraph(struct html *html, const char *fmt, ...)
{
	va_list ap;

	fputs("<p>", html->to);
	va_start(ap, fmt);
	put_formatted(html, fmt, ap);
	va_end(ap);
	fputs("</p>\n", html->to);
}

void html_verdict_begin(struct html *html)
{
	fputs("<p class=\"verdict\">", html->to);
}

void html_section(struct html *html, const char *heading)
{
	if (html->section)
		fputs("</section>\n", html->to);
	html->section = true;
	fputs("<section>\n<h2>", html->to);
	markup_escape(html->to, heading);
	fputs("</h2>\n", html->to);
}

void html_command(struct html *html, const char *text)
{
	fputs("<pre>", html->to);
	markup_escape(html->to, text);
	fputs("</pre>\n", html->to);
}

/* --- figures --- */

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

/* --- tables --- */

/* Reached by the keyboard, since it may have to be scrolled. */
static void begin_table(FILE *to, const char *caption, bool shown,
			const char *class)
{
	if (shown) {
		fputs("<p class=\"caption\">", to);
		markup_escape(to, caption);
		fputs("</p>\n", to);
	}
	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
	      "aria-label=\"",
	      to);
	markup_escape(to, caption);
	fprintf(to, "\"><table%s>\n", class);
}

static const char *cell_class(const struct grid *grid, size_t i)
{
	if (i % grid->columns >= grid->left)
		return "";
	return *grid->cells[i] == ' ' ? " class=\"l in\"" : " class=\"l\"";
}

/* The first row and the first column are heads. */
static void put_cell(struct html *html, const struct grid *grid, size_t i)
{
	const char *text = grid->cells[i];
	bool top = i < grid->columns;
	const char *tag = top || !(i % grid->columns) ? "th" : "td";
	const char *scope = top		    ? " scope=\"col\""
			    : tag[1] == 'h' ? " scope=\"row\""
					    : "";

	fprintf(html->to, "<%s%s%s>", tag, scope, cell_class(grid, i));
	markup_escape(html->to, text + strspn(text, " "));
	fprintf(html->to, "</%s>", tag);
}

static void put_rows(struct html *html, const struct grid *grid)
{
	for (size_t i = 0; i < grid->num; i++) {
		if (!i)
			fputs("<thead>", html->to);
		else if (i == grid->columns)
			fputs("<tbody>", html->to);
		if (!(i % grid->columns))
			fputs("<tr>", html->to);
		put_cell(html, grid, i);
		if (i % grid->columns == grid->columns - 1)
			fputs("</tr>\n", html->to);
		if (i == grid->columns - 1)
			fputs("</thead>\n", html->to);
	}
	if (grid->num > grid->columns)
		fputs("</tbody>\n", html->to);
}

void html_grid(struct html *html, const struct grid *grid, const char *caption,
	       bool folded)
{
	if (grid->err) {
		fail(html, grid->err, strerror(-grid->err));
		return;
	}
	if (folded)
		fputs("<details><summary>The figures as a table</summary>\n",
		      html->to);
	begin_table(html->to, caption, !folded, "");
	put_rows(html, grid);
	fputs("</table></div>\n", html->to);
	if (folded)
		fputs("</details>\n", html->to);
}

static void put_matrix_cell(FILE *to, const struct html_cell *cell)
{
	static const char *const classes[] = {"", " class=\"best\"",
					      " class=\"good\"",
					      " class=\"bad\""};
	static const char *const signs[] = {"", "", "\xe2\x9c\x93 ",
					    "\xe2\x9c\x97 "};

	fprintf(to, "<td%s>", classes[cell->mark]);
	if (cell->text) {
		fputs(signs[cell->mark], to);
		markup_escape(to, cell->text);
	}
	if (cell->note) {
		fputs("<small>", to);
		markup_escape(to, cell->note);
		fputs("</small>", to);
	}
	fputs("</td>", to);
}

static void put_matrix_row(FILE *to, const struct html_matrix *m, size_t row)
{
	fputs("<tr><th scope=\"row\" class=\"l\">", to);
	markup_escape(to, m->rows[row]);
	fputs("</th>", to);
	for (size_t i = 0; i < m->num_columns; i++)
		put_matrix_cell(to, &m->cells[row * m->num_columns + i]);
	fputs("</tr>\n", to);
}

void html_matrix(struct html *html, const struct html_matrix *m)
{
	FILE *to = html->to;

	begin_table(to, m->caption, true, " class=\"matrix\"");
	fputs("<thead><tr><th scope=\"col\" class=\"l\">", to);
	markup_escape(to, m->corner);
	fputs("</th>", to);
	for (size_t i = 0; i < m->num_columns; i++) {
		fputs("<th scope=\"col\">", to);
		markup_escape(to, m->columns[i]);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>", to);
	for (size_t i = 0; i < m->num_rows; i++)
		put_matrix_row(to, m, i);
	fputs("</tbody></table></div>\n", to);
}

/* --- data --- */

/* In a script element "<" could end it, or begin a comment. */
static void put_json(FILE *to, const char *json)
{
	for (; *json; json++)
		if (*json == '<')
			fputs("\\u003c", to);
		else
			fputc(*json, to);
}

void html_json(struct html *html, const char *id, int digits,
	       struct json_t *json)
{
	char *text =
		json ? json_dumps(json,
				  JSON_COMPACT | JSON_REAL_PRECISION(digits))
		     : NULL;

	if (!text) {
		fail(html, -ENOMEM, "out of memory");
	} else {
		fprintf(html->to,
			"<script type=\"application/json\" id=\"%s\">\n", id);
		put_json(html->to, text);
		fputs("\n</script>\n", html->to);
	}
	free(text);
	json_decref(json);
}

static bool plain(const char *word)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789-_=+:,./@%";

	return *word && !word[strspn(word, safe)];
}

static void put_word(FILE *to, const char *word)
{
	if (plain(word)) {
		fputs(word, to);
		return;
	}
	fputc('\'', to);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", to);
		else
			fputc(*word, to);
	fputc('\'', to);
}

char *html_shell(int argc, char **argv)
{
	char *line = NULL;
	size_t size;
	FILE *to = open_memstream(&line, &size);
	int bad;

	if (!to)
		return NULL;
	fputs("fairway", to);
	for (int i = 0; i < argc; i++) {
		fputc(' ', to);
		put_word(to, argv[i]);
	}
	bad = ferror(to);
	if (!fclose(to) && !bad)
		return line;
	free(line);
	return NULL;
}
