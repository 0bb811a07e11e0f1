/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <string.h>

#include "tools/base/markup.h"

/* It has the focus by keyboard too, since a reader may have to scroll it. */
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

/* The first row and the first column hold heads. */
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
		html_fail(html, grid->err, strerror(-grid->err));
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
