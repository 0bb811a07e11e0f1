/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_JSON_PICK_H
#define TOOLS_BASE_JSON_PICK_H

#include <stdbool.h>
#include <stddef.h>

#include "diag.h"
#include "lines.h"
#include "span.h"

/*
 * A few values out of one line of JSON, by their paths. Nothing is built of
 * what is passed over: however large it is, it takes no memory.
 */

enum {
	JSON_PICK_MAX = 24, /* paths */
	JSON_PICK_TEXT = 128, /* bytes of a value that are kept */
};

enum json_kind {
	JSON_PICK_NONE, /* not there, or null */
	JSON_PICK_NUMBER,
	JSON_PICK_STRING,
	JSON_PICK_WORD, /* true or false */
	JSON_PICK_NESTED, /* an object or a list */
};

/**
 * struct json_value - what stands at a path
 * @kind: what it is
 * @text: its first bytes: a number as it is written, a string without quotes
 * @len: bytes of @text
 * @cut: there are more
 */
struct json_value {
	enum json_kind kind;
	char text[JSON_PICK_TEXT];
	size_t len;
	bool cut;
};

/**
 * struct json_pick - what to pick, and what was found
 * @paths: keys from the outermost object on, with dots between; ended by NULL
 * @list: one of them, the path of a list whose items are wanted, or NULL
 * @item: gets each item of that list that is a number or a string, in order;
 *	returns 0, -EINVAL where it does not take the item, -ENOMEM
 * @ctx: handed to @item
 * @values: by path; filled anew for each line
 */
struct json_pick {
	const char *const *paths;
	const char *list;
	int (*item)(void *ctx, enum json_kind kind, struct span text);
	void *ctx;
	struct json_value values[JSON_PICK_MAX];
};

/**
 * json_pick() - read one line, an object
 * @lines: where it stands
 * @diag: where it is no JSON, or no object
 *
 * Return: 0 or -errno with @diag set.
 */
int json_pick(struct json_pick *pick, const struct lines *lines,
	      struct span line, struct diag *diag);

/* What a value is, for messages: "a list", "missing" and so on. */
const char *json_pick_what(const struct json_value *value);

static inline struct span json_pick_text(const struct json_value *value)
{
	return (struct span){value->text, value->len};
}

#endif
