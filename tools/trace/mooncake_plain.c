/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_plain.h"

#include <string.h>

#include "tools/base/number.h"
#include "id_list.h"
#include "id_text.h"

/*
 * Nearly all lines of all traces are one flat object of whole numbers, plain
 * words and a list of ids. On short lines a JSON parser costs several times
 * what these take; whatever else there may be, and all that is wrong, is left
 * to it.
 */

/**
 * struct cursor - the text that is left
 * @at: next byte
 * @end: behind the last one
 */
struct cursor {
	const char *at;
	const char *end;
};

static inline void skip_blanks(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t'))
		c->at++;
}

/* Past blanks and this byte? */
static inline bool take(struct cursor *c, char byte)
{
	skip_blanks(c);
	if (c->at == c->end || *c->at != byte)
		return false;
	c->at++;
	return true;
}

/* A string without escapes, of ASCII: nothing in it is to be checked. */
static bool take_string(struct cursor *c, struct span *text)
{
	if (!take(c, '"'))
		return false;
	text->at = c->at;
	for (; c->at < c->end; c->at++) {
		unsigned char byte = (unsigned char)*c->at;

		if (byte == '"') {
			text->len = (size_t)(c->at++ - text->at);
			return true;
		}
		if (byte < ' ' || byte >= 0x80 || byte == '\\')
			return false;
	}
	return false;
}

/* A whole number; its sign and its decimals where @real. */
static bool take_number(struct cursor *c, bool real, struct span *text)
{
	const char *digits;

	skip_blanks(c);
	text->at = c->at;
	if (real && c->at < c->end && *c->at == '-')
		c->at++;
	digits = c->at;
	while (c->at < c->end && (unsigned char)(*c->at - '0') <= 9)
		c->at++;
	if (c->at == digits || (c->at - digits > 1 && *digits == '0'))
		return false;
	if (real && c->at < c->end && *c->at == '.') {
		digits = ++c->at;
		while (c->at < c->end && (unsigned char)(*c->at - '0') <= 9)
			c->at++;
		if (c->at == digits)
			return false;
	}
	text->len = (size_t)(c->at - text->at);
	return true;
}

static bool take_ids(struct cursor *c, struct mooncake_line *line)
{
	size_t len;

	if (!take(c, '['))
		return false;
	if (take(c, ']'))
		return true;
	len = id_list_scan(&line->list, c->at, (size_t)(c->end - c->at));
	c->at += len;
	return len && take(c, ']');
}

static bool take_phase(struct cursor *c, struct mooncake_line *line)
{
	struct span text;

	if (!take_string(c, &text) || !text.len ||
	    text.len >= sizeof(line->phase))
		return false;
	memcpy(line->phase, text.at, text.len);
	line->phase[text.len] = '\0';
	return true;
}

static bool take_key(struct cursor *c, uint64_t (*id)(struct span),
		     uint64_t *value)
{
	struct span text;

	if (!take_string(c, &text) && !take_number(c, true, &text))
		return false;
	*value = id(text);
	return true;
}

static bool take_value(struct cursor *c, struct mooncake_line *line,
		       enum field field)
{
	const struct mooncake_rule *rule;
	struct span text;

	if (field == FIELD_OTHER)
		return take_string(c, &text) || take_number(c, true, &text);
	rule = &mooncake_rules[field];
	switch (rule->kind) {
	case MOONCAKE_LIST:
		return take_ids(c, line);
	case MOONCAKE_NAME:
		return take_phase(c, line);
	case MOONCAKE_TIME:
		return take_number(c, true, &text) &&
		       mooncake_take_time(line, field, text);
	case MOONCAKE_KEY:
		return take_key(c, id_of_text, &line->value[field]);
	case MOONCAKE_TENANT:
		return take_key(c, id_of_tenant, &line->value[field]);
	default:
		return take_number(c, false, &text) &&
		       span_u64(text, rule->min, rule->max,
				&line->value[field]);
	}
}

static bool take_pair(struct cursor *c, struct mooncake_line *line)
{
	struct span key;
	enum field field;
	bool twice;

	if (!take_string(c, &key) || !take(c, ':'))
		return false;
	field = mooncake_field(line, key.at, key.len, &twice);
	return !twice && take_value(c, line, field);
}

bool mooncake_plain_parse(struct mooncake_line *line, const char *text,
			  size_t len)
{
	struct cursor c = {text, text + len};

	if (!take(&c, '{'))
		return false;
	do {
		if (!take_pair(&c, line))
			return false;
	} while (take(&c, ','));
	if (!take(&c, '}'))
		return false;
	skip_blanks(&c);
	return c.at == c.end;
}
