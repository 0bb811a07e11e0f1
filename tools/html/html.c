/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include <fairway/fairway.h>

#include "tools/base/markup.h"
#include "style.h"

void html_fail(struct html *html, int err, const char *why)
{
	if (html->err)
		return;
	html->err = diag_set(html->diag, err, "%s", why);
}

/* With this policy a browser loads nothing and runs nothing for the page. */
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

static bool text_open(struct html_text *text)
{
	*text = (struct html_text){
		.to = open_memstream(&text->text, &text->size)};
	return text->to;
}

/* Whether all of it is there. The text is freed by the caller. */
static bool text_close(struct html_text *text)
{
	bool bad = !text->to || ferror(text->to);

	if (text->to && fclose(text->to))
		bad = true;
	text->to = NULL;
	return !bad;
}

void html_begin(struct html *html, FILE *to, const char *title,
		const char *about, struct diag *diag)
{
	*html = (struct html){.to = to, .page = to, .diag = diag};
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
	if (!text_open(&html->body) || !text_open(&html->contents))
		html_fail(html, -ENOMEM, "out of memory");
	else
		html->to = html->body.to;
}

static void put_contents(struct html *html)
{
	if (html->sections < 2)
		return;
	fprintf(html->page,
		"<nav aria-label=\"Contents\">\n<ul>\n%s</ul>\n</nav>\n",
		html->contents.text);
}

static void put_body(struct html *html)
{
	const struct html_text *body = &html->body;
	size_t intro = html->sections ? html->intro : body->size;

	fwrite(body->text, 1, intro, html->page);
	put_contents(html);
	fwrite(body->text + intro, 1, body->size - intro, html->page);
}

int html_end(struct html *html)
{
	bool whole;

	if (html->sections)
		fputs("</section>\n", html->to);
	whole = text_close(&html->body);
	if (!text_close(&html->contents) || !whole)
		html_fail(html, -ENOMEM, "out of memory");
	else
		put_body(html);
	free(html->contents.text);
	free(html->body.text);
	fprintf(html->page,
		"</main>\n<footer>fairway %s. This file is whole: it loads "
		"nothing and runs nothing.</footer>\n</body>\n</html>\n",
		fw_version());
	errno = 0;
	if (ferror(html->page))
		html_fail(html, errno ? -errno : -EIO, "cannot write the page");
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
		html_fail(html, -ENOMEM, "out of memory");
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

void html_unbroken(struct html *html, const char *text)
{
	fputs("<span class=\"nb\">", html->to);
	markup_escape(html->to, text);
	fputs("</span>", html->to);
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

/* The list's link to a section, and the section's name for it. */
static void put_item(struct html *html, const char *heading)
{
	if (!html->contents.to)
		return;
	fprintf(html->contents.to, "<li><a href=\"#part-%u\">", html->sections);
	markup_escape(html->contents.to, heading);
	fputs("</a></li>\n", html->contents.to);
}

void html_section(struct html *html, const char *heading)
{
	if (html->sections) {
		fputs("</section>\n", html->to);
	} else {
		fflush(html->to);
		html->intro = html->body.size;
	}
	html->sections++;
	put_item(html, heading);
	fprintf(html->to, "<section id=\"part-%u\">\n<h2>", html->sections);
	markup_escape(html->to, heading);
	fputs("</h2>\n", html->to);
}

void html_command(struct html *html, const char *text)
{
	fputs("<pre>", html->to);
	markup_escape(html->to, text);
	fputs("</pre>\n", html->to);
}
