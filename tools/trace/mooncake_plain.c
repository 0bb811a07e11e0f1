/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_plain.h"

#include <string.h>

#include "tools/base/number.h"
#include "id_list.h"

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

static bool take_number(struct cursor *c, struct span *text)
{
	skip_blanks(c);
	text->at = c->at;
	while (c->at < c->end && (unsigned char)(*c->at - '0') <= 9)
		c->at++;
	text->len = (size_t)(c->at - text->at);
	return text->len && (text->len == 1 || *text->at != '0');
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

static bool take_value(struct cursor *c, struct mooncake_line *line,
		       enum field field)
{
	const struct mooncake_rule *rule;
	struct span text;

	if (field == FIELD_OTHER)
		return take_string(c, &text) || take_number(c, &text);
	if (line->seen[field])
		return false;
	line->seen[field] = true;
	if (field == FIELD_IDS)
		return take_ids(c, line);
	if (field == FIELD_PHASE)
		return take_phase(c, line);
	rule = &mooncake_rules[field];
	return take_number(c, &text) &&
	       span_u64(text, rule->min, rule->max, &line->value[field]);
}

bool mooncake_plain_parse(struct mooncake_line *line, const char *text,
			  size_t len)
{
	struct cursor c = {text, text + len};
	struct span key;

	if (!take(&c, '{'))
		return false;
	do {
		if (!take_string(&c, &key) || !take(&c, ':') ||
		    !take_value(&c, line, mooncake_field(key.at, key.len)))
			return false;
	} while (take(&c, ','));
	if (!take(&c, '}'))
		return false;
	skip_blanks(&c);
	return c.at == c.end;
}
