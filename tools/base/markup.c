/* SPDX-License-Identifier: Apache-2.0 */
#include "markup.h"

#include <stddef.h>
#include <stdint.h>

/* A lead byte of UTF-8: how many bytes follow, and the least value allowed. */
static int sequence(unsigned char lead, uint32_t *value, uint32_t *least)
{
	if (lead >= 0xf0 && lead < 0xf5) {
		*value = lead & 7u;
		*least = 0x10000;
		return 3;
	}
	if (lead >= 0xe0 && lead < 0xf0) {
		*value = lead & 15u;
		*least = 0x800;
		return 2;
	}
	if (lead >= 0xc2 && lead < 0xe0) {
		*value = lead & 31u;
		*least = 0x80;
		return 1;
	}
	return -1;
}

/* Return: bytes of the character at @text, 0 when it is none. */
static int utf8(const unsigned char *text)
{
	uint32_t value, least;
	int more = sequence(text[0], &value, &least);

	for (int i = 1; i <= more; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (text[i] & 0x3fu);
	}
	/* U+FFFE and U+FFFF, C1 controls and surrogates are no text. */
	if (more < 0 || value < least || value > 0x10ffff || value < 0xa0 ||
	    (value >= 0xd800 && value < 0xe000) || (value & 0xfffe) == 0xfffe)
		return 0;
	return more + 1;
}

static const char *entity(unsigned char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

static int escape_one(FILE *to, const unsigned char *at)
{
	const char *as = entity(*at);
	int len = 1;

	if (as) {
		fputs(as, to);
	} else if (*at >= 0x80 && (len = utf8(at))) {
		fwrite(at, 1, (size_t)len, to);
	} else if (*at >= 0x80 || *at == 0x7f ||
		   (*at < ' ' && *at != '\n' && *at != '\t')) {
		fputs("\xef\xbf\xbd", to);
		len = 1;
	} else {
		fputc(*at, to);
	}
	return len;
}

void markup_escape(FILE *to, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at)
		at += escape_one(to, at);
}
