/* SPDX-License-Identifier: Apache-2.0 */
#include "stats_text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NSEC_PER_SEC 1000000000u

void fw_stats_text_init(struct fw_stats_text *text, char *buf, size_t size)
{
	*text = (struct fw_stats_text){.buf = buf, .size = size};
	if (size)
		buf[0] = '\0';
}

static void put_char(struct fw_stats_text *text, char c)
{
	if (text->len + 1 < text->size) {
		text->buf[text->len] = c;
		text->buf[text->len + 1] = '\0';
	}
	text->len++;
}

static void put(struct fw_stats_text *text, const char *s)
{
	for (; *s; s++)
		put_char(text, *s);
}

static bool in_name(char c, bool first, bool colon)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9' && !first) || (c == ':' && colon);
}

/* A name of a metric may have colons, that of a label not. */
static void put_name(struct fw_stats_text *text, const char *name, bool colon)
{
	size_t i;

	if (!*name)
		put_char(text, '_');
	for (i = 0; name[i]; i++)
		put_char(text, in_name(name[i], !i, colon) ? name[i] : '_');
}

/* The least code point that may take so many bytes. */
static const uint32_t utf8_least[] = {0, 0, 0x80, 0x800, 0x10000};

/* Bytes of the UTF-8 character at @s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc0 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf8 ? 4
				   : 0;
	uint32_t code;
	size_t i;

	if (len < 2)
		return len;
	code = s[0] & (0xffu >> (len + 1));
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (s[i] & 0x3f);
	}
	if (code < utf8_least[len] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000))
		return 0;
	return len;
}

/*
 * Both kinds of text escape backslash and line feed, label values the quote as
 * well. Returns how many bytes of @s it wrote.
 */
static size_t put_escaped_char(struct fw_stats_text *text, const char *s,
			       bool quotes)
{
	size_t len = utf8_length((const unsigned char *)s);
	size_t i;

	if (!len) {
		put_char(text, '?');
		return 1;
	}
	if (*s == '\n') {
		put(text, "\\n");
		return 1;
	}
	if (*s == '\\' || (*s == '"' && quotes))
		put_char(text, '\\');
	for (i = 0; i < len; i++)
		put_char(text, s[i]);
	return len;
}

static void put_escaped(struct fw_stats_text *text, const char *s, bool quotes)
{
	while (*s)
		s += put_escaped_char(text, s, quotes);
}

static void put_number(struct fw_stats_text *text, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	put(text, digits);
}

/* In the family's unit. Seconds always with nine decimals. */
static void put_value(struct fw_stats_text *text, uint64_t value)
{
	char decimals[16];

	if (text->unit == FW_STATS_NUMBER) {
		put_number(text, value);
		return;
	}
	put_number(text, value / NSEC_PER_SEC);
	snprintf(decimals, sizeof(decimals), ".%09u",
		 (unsigned int)(value % NSEC_PER_SEC));
	put(text, decimals);
}

static void put_signed(struct fw_stats_text *text, int64_t value)
{
	if (value < 0)
		put_char(text, '-');
	put_value(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void fw_stats_text_family(struct fw_stats_text *text, const char *name,
			  const char *type, const char *help,
			  enum fw_stats_unit unit)
{
	text->name = name;
	text->unit = unit;
	put(text, "# HELP ");
	put_name(text, name, true);
	put_char(text, ' ');
	put_escaped(text, help, false);
	put(text, "\n# TYPE ");
	put_name(text, name, true);
	put_char(text, ' ');
	put(text, type);
	put_char(text, '\n');
}

/*
 * Name and labels of a sample up to where the braces close; the caller may add
 * one more label. Returns what must stand before that one.
 */
static char put_sample(struct fw_stats_text *text, const char *suffix,
		       const struct fw_stats_label *labels, size_t num)
{
	char before = '{';
	size_t i;

	put_name(text, text->name, true);
	put(text, suffix);
	for (i = 0; i < num; i++) {
		put_char(text, before);
		put_name(text, labels[i].name, false);
		put(text, "=\"");
		put_escaped(text, labels[i].value, true);
		put_char(text, '"');
		before = ',';
	}
	return before;
}

static void close_sample(struct fw_stats_text *text, char before)
{
	put(text, before == ',' ? "} " : " ");
}

void fw_stats_text_value(struct fw_stats_text *text,
			 const struct fw_stats_label *labels, size_t num,
			 int64_t value)
{
	close_sample(text, put_sample(text, "", labels, num));
	put_signed(text, value);
	put_char(text, '\n');
}

/* A bucket up to 2^bit - 1, or up to infinity when @bit is 64. */
static void put_bucket(struct fw_stats_text *text,
		       const struct fw_stats_label *labels, size_t num,
		       unsigned int bit, uint64_t values)
{
	put_char(text, put_sample(text, "_bucket", labels, num));
	put(text, "le=\"");
	if (bit < 64)
		put_value(text, ((uint64_t)1 << bit) - 1);
	else
		put(text, "+Inf");
	put(text, "\"} ");
	put_number(text, values);
	put_char(text, '\n');
}

void fw_stats_text_histogram(struct fw_stats_text *text,
			     const struct fw_stats_label *labels, size_t num,
			     const struct fw_histogram_view *view,
			     unsigned int first_bit, unsigned int last_bit)
{
	uint64_t values = 0;
	uint32_t bucket = 0;
	unsigned int bit;
	int64_t bound;

	assert(first_bit <= last_bit && last_bit <= 62);
	for (bit = first_bit; bit <= last_bit; bit++) {
		bound = ((int64_t)1 << bit) - 1;
		while (fw_histogram_top(bucket) <= bound)
			values += view->counts[bucket++];
		put_bucket(text, labels, num, bit, values);
	}
	put_bucket(text, labels, num, 64, view->num);
	close_sample(text, put_sample(text, "_sum", labels, num));
	put_value(text, view->sum);
	put_char(text, '\n');
	close_sample(text, put_sample(text, "_count", labels, num));
	put_number(text, view->num);
	put_char(text, '\n');
}
