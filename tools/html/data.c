/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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
		html_fail(html, -ENOMEM, "out of memory");
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
