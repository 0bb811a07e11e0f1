/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_SPAN_H
#define TOOLS_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct span - a piece of a line: no copy, no NUL behind it
 * @at: its first byte
 * @len: bytes
 */
struct span {
	const char *at;
	size_t len;
};

/* A wrong value is repeated in a message up to here. */
enum {
	SPAN_SHOWN = 40
};

/* For "%.*s" in messages. */
#define SPAN_ARGS(span) \
	(span).len > SPAN_SHOWN ? SPAN_SHOWN : (int)(span).len, (span).at

static inline bool span_is(struct span span, const char *text)
{
	return span.len == strlen(text) && !memcmp(span.at, text, span.len);
}

/**
 * span_cut() - take the first field off
 * @rest: what follows its separator; at NULL once the last field was taken
 * @field: without blanks around it
 *
 * Return: Whether there was a field; an empty text has one.
 */
bool span_cut(struct span *rest, char separator, struct span *field);

/* Without blanks at its ends. */
struct span span_trim(struct span span);

#endif
