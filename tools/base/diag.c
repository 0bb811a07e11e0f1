/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"

/* A longer word is not taken for a misspelt name. */
enum {
	WORD_MAX_LEN = 48
};

static bool is_tail(const unsigned char *s, unsigned int n)
{
	for (unsigned int i = 1; i <= n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return false;
	}
	return true;
}

/*
 * Bytes of the printable character at @s, or 0. Terminals obey control
 * characters in all their forms: ASCII's, U+0080 to U+009F, and stray bytes.
 * @s ends in a NUL, which is no tail byte.
 */
static unsigned int printable(const unsigned char *s)
{
	if (s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	if (s[0] < 0xc2 || s[0] > 0xf4)
		return 0;
	if (s[0] < 0xe0)
		return is_tail(s, 1) && (s[0] > 0xc2 || s[1] >= 0xa0) ? 2 : 0;
	if (s[0] < 0xf0)
		return is_tail(s, 2) ? 3 : 0;
	return is_tail(s, 3) ? 4 : 0;
}

static void copy_visible(char *to, size_t size, const char *from)
{
	static const char more[] = "...";
	const unsigned char *s = (const unsigned char *)from;
	size_t used = 0;

	while (*s) {
		char hex[5];
		unsigned int n = printable(s);
		size_t len = n ? n : sizeof(hex) - 1;

		snprintf(hex, sizeof(hex), "\\x%02x", *s);
		if (used + len + sizeof(more) > size) {
			memcpy(to + used, more, sizeof(more));
			return;
		}
		memcpy(to + used, n ? (const char *)s : hex, len);
		used += len;
		s += n ? n : 1;
	}
	to[used] = '\0';
}

int diag_set(struct diag *diag, int err, const char *fmt, ...)
{
	char text[2 * sizeof(diag->text)];
	va_list args;

	if (diag->text[0])
		return err;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	copy_visible(diag->text, sizeof(diag->text), text);
	return err;
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Insertions, deletions, substitutions and swaps of neighbours. */
static unsigned int distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned int d[WORD_MAX_LEN + 1][WORD_MAX_LEN + 1];

	for (unsigned int j = 0; j <= lb; j++)
		d[0][j] = j;
	for (unsigned int i = 1; i <= la; i++) {
		d[i][0] = i;
		for (unsigned int j = 1; j <= lb; j++) {
			unsigned int cost = !same(a[i - 1], b[j - 1]);

			d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				       d[i - 1][j - 1] + cost);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]) &&
			    d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	}
	return d[la][lb];
}

const char *closest(const char *word, const char *const *names)
{
	size_t len = strlen(word);
	size_t near = len < 5 ? 1 : len < 9 ? 2 : len / 3;
	const char *best = NULL;
	unsigned int least = UINT32_MAX;

	if (!len || len > WORD_MAX_LEN)
		return NULL;
	for (; *names; names++) {
		size_t name_len = strlen(*names);
		unsigned int d;

		if (name_len > WORD_MAX_LEN)
			continue;
		d = distance(word, len, *names, name_len);
		if (d < least && (d <= near || !strncmp(word, *names, len))) {
			best = *names;
			least = d;
		}
	}
	return best;
}

void list_names(char *buf, size_t size, const char *const *names,
		const char *last)
{
	size_t used = 0;

	*buf = '\0';
	for (size_t i = 0; names[i] && used < size; i++) {
		int n;

		if (i && !names[i + 1])
			n = snprintf(buf + used, size - used, " %s %s", last,
				     names[i]);
		else
			n = snprintf(buf + used, size - used, "%s%s",
				     i ? ", " : "", names[i]);
		used += (size_t)n;
	}
}
