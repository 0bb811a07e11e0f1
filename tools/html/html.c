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
