/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_HTML_HTML_H
#define TOOLS_HTML_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/base/diag.h"
#include "tools/base/grid.h"
#include "tools/plot/plot.h"

struct json_t; /* of jansson */

/*
 * A report as one page. It fetches nothing and runs no script. It follows the
 * reader's choice of light or dark and the width of the screen, and it prints.
 *
 * Nothing here returns an error: the first one is kept, later calls do nothing,
 * and html_end() returns it. Every text is escaped, and bytes that are not
 * UTF-8 are replaced. Only html_raw() takes markup.
 */

/* A stream into memory. */
struct html_text {
	FILE *to;
	char *text;
	size_t size;
};

/**
 * struct html - a page that is being written
 * @to: gets what is added: the body's stream
 * @body: kept in memory, since the list of contents stands before the sections
 * @contents: items of that list
 * @intro: bytes of the body before the first section
 * @page: gets all of it at the end
 * @diag: what failed first, in words
 * @err: that as -errno
 * @figures: plots so far
 * @sections: so far; the last one is open
 */
struct html {
	FILE *to;
	struct html_text body;
	struct html_text contents;
	size_t intro;
	FILE *page;
	struct diag *diag;
	int err;
	unsigned int figures;
	unsigned int sections;
};

/**
 * html_begin() - head of the page
 * @html: initialised here; html_end() has to follow
 * @to: gets the page when it ends; still the caller's
 * @title: of the page
 * @about: a line below it, or NULL
 * @diag: kept until html_end()
 */
void html_begin(struct html *html, FILE *to, const char *title,
		const char *about, struct diag *diag);

/**
 * html_end() - its foot
 *
 * Return: 0 or -errno with @diag set.
 */
int html_end(struct html *html);

/* For parts of a page that fail: the first error stays, with its words. */
void html_fail(struct html *html, int err, const char *why);

/* Markup, written as it is. It must hold nothing that comes from an input. */
void html_raw(struct html *html, const char *markup);

/* Formatted text, escaped. */
void html_text(struct html *html, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A paragraph of such text. */
void html_paragraph(struct html *html, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Text that no line break divides, such as a number with its unit. */
void html_unbroken(struct html *html, const char *text);

/* The paragraph with the answer, set apart. html_raw("</p>") closes it. */
void html_verdict_begin(struct html *html);

/* Lines of more styles than these are drawn in plots of their own. */
enum {
	HTML_TOGETHER = 6
};

/**
 * html_chooser() - let the reader choose a line that stands out in all plots
 * @names: of the styles, from 0 on
 * @num: how many; nothing is written where there are more than HTML_TOGETHER,
 *	or no two
 */
void html_chooser(struct html *html, const char *const *names, size_t num);

/* Begin a section; the one before ends. Its heading is in the contents. */
void html_section(struct html *html, const char *heading);

/* A block of text in the type of a terminal, such as a command line. */
void html_command(struct html *html, const char *text);

/**
 * html_grid() - a table
 * @grid: its first row is the head
 * @caption: what it shows
 * @folded: only shown when the reader asks for it
 */
void html_grid(struct html *html, const struct grid *grid, const char *caption,
	       bool folded);

/**
 * html_plot() - a figure with its legend and the table behind it
 * @plot: drawn once for each width of page. More than six lines get a small
 *	plot each, beside the first line.
 * @half: two of these stand beside each other where there is room; a row of
 *	them stands between html_raw("<div class=pair>") and its end
 * @grid: figures of the plot; NULL for none
 */
void html_plot(struct html *html, const struct plot *plot, bool half,
	       const struct grid *grid);

enum html_mark {
	HTML_PLAIN,
	HTML_BEST, /* the best of its row */
	HTML_GOOD,
	HTML_BAD,
};

/**
 * struct html_cell - one cell of a matrix
 * @text: what it says; NULL for an empty one
 * @note: a smaller line below, or NULL
 * @mark: sets it off by colour and by weight or a sign, never by colour alone
 */
struct html_cell {
	const char *text;
	const char *note;
	enum html_mark mark;
};

/**
 * struct html_matrix - scenarios or phases by policies
 * @caption: what its cells show
 * @corner: what its rows are
 * @rows: names
 * @columns: names
 * @cells: row by row
 */
struct html_matrix {
	const char *caption;
	const char *corner;
	const char *const *rows;
	size_t num_rows;
	const char *const *columns;
	size_t num_columns;
	const struct html_cell *cells;
};

void html_matrix(struct html *html, const struct html_matrix *matrix);

/**
 * html_json() - data for programs, not shown
 * @id: of the element
 * @digits: of its numbers; 17 give every double back, 6 are enough to draw
 * @json: consumed; NULL means that memory was out
 */
void html_json(struct html *html, const char *id, int digits,
	       struct json_t *json);

/* A command line as a shell takes it, or NULL; the caller frees it. */
char *html_shell(int argc, char **argv);

#endif
