/* SPDX-License-Identifier: Apache-2.0 */
#include "json_pick.h"

#include <errno.h>
#include <string.h>
#include <yajl/yajl_parse.h>

/* Deeper nesting is no record of a request. */
enum {
	MAX_DEPTH = 64,
	MAX_PATH = 256, /* a longer one is none of those that are wanted */
};

/**
 * struct parser - a line that is being parsed
 * @pick: what is wanted
 * @path: of the value at hand, keys with dots between
 * @len: of @path at each depth; MAX_PATH once it did not fit
 * @depth: objects and lists that are open
 * @list_depth: depth inside the wanted list, else 0
 * @began: the outermost object was opened
 * @err: why a callback stopped the parser
 * @why: the same in words
 */
struct parser {
	struct json_pick *pick;
	char path[MAX_PATH];
	size_t len[MAX_DEPTH + 1];
	int depth;
	int list_depth;
	bool began;
	int err;
	const char *why;
};

static int stop(struct parser *p, int err, const char *why)
{
	p->err = err;
	p->why = why;
	return 0;
}

/* Return: Index of the wanted path that the value at hand has, or -1. */
static int wanted(const struct parser *p)
{
	size_t len = p->len[p->depth];

	if (!p->depth || len >= MAX_PATH)
		return -1;
	for (int i = 0; p->pick->paths[i]; i++)
		if (strlen(p->pick->paths[i]) == len &&
		    !memcmp(p->pick->paths[i], p->path, len))
			return i;
	return -1;
}

static void keep(struct parser *p, enum json_kind kind, const char *text,
		 size_t len)
{
	int i = wanted(p);
	struct json_value *value;

	if (i < 0)
		return;
	value = &p->pick->values[i];
	value->kind = kind;
	value->cut = len > JSON_PICK_TEXT;
	value->len = value->cut ? JSON_PICK_TEXT : len;
	memcpy(value->text, text, value->len);
}

static int take(struct parser *p, enum json_kind kind, const char *text,
		size_t len)
{
	if (!p->depth)
		return stop(p, -EINVAL, "not an object");
	if (p->list_depth && p->depth == p->list_depth) {
		int err = p->pick->item(p->pick->ctx, kind,
					(struct span){text, len});

		return err ? stop(p, err, "an item of another kind") : 1;
	}
	keep(p, kind, text, len);
	return 1;
}

static int on_null(void *ctx)
{
	struct parser *p = ctx;

	return p->depth ? 1 : stop(p, -EINVAL, "not an object");
}

static int on_boolean(void *ctx, int value)
{
	return take(ctx, JSON_PICK_WORD, value ? "true" : "false",
		    value ? 4 : 5);
}

static int on_number(void *ctx, const char *text, size_t len)
{
	return take(ctx, JSON_PICK_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
	return take(ctx, JSON_PICK_STRING, (const char *)text, len);
}

/* The key replaces the one before it at this depth. */
static int on_key(void *ctx, const unsigned char *key, size_t len)
{
	struct parser *p = ctx;
	size_t from = p->depth > 1 ? p->len[p->depth - 1] : 0;
	size_t dot = from ? 1 : 0;

	p->len[p->depth] = MAX_PATH;
	if (from + dot + len + 1 > MAX_PATH)
		return 1;
	if (dot)
		p->path[from] = '.';
	memcpy(p->path + from + dot, key, len);
	p->len[p->depth] = from + dot + len;
	p->path[p->len[p->depth]] = '\0';
	return 1;
}

static int open_value(struct parser *p)
{
	if (p->depth == MAX_DEPTH)
		return stop(p, -EINVAL, "more than 64 levels");
	keep(p, JSON_PICK_NESTED, "", 0);
	p->len[p->depth + 1] = MAX_PATH;
	p->depth++;
	return 1;
}

static int on_start_map(void *ctx)
{
	struct parser *p = ctx;

	p->began = true;
	return open_value(p);
}

static int on_start_array(void *ctx)
{
	struct parser *p = ctx;
	const char *list = p->pick->list;
	size_t len = p->len[p->depth];
	bool here;

	if (!p->depth)
		return stop(p, -EINVAL, "a list, not an object");
	here = list && !p->list_depth && len < MAX_PATH &&
	       strlen(list) == len && !memcmp(list, p->path, len);
	if (!open_value(p))
		return 0;
	if (here)
		p->list_depth = p->depth;
	return 1;
}

static int on_close(void *ctx)
{
	struct parser *p = ctx;

	if (p->list_depth == p->depth)
		p->list_depth = 0;
	p->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_map,
	.yajl_map_key = on_key,
	.yajl_end_map = on_close,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_close,
};

static int refuse_syntax(yajl_handle json, const struct lines *lines,
			 struct diag *diag)
{
	size_t at = yajl_get_bytes_consumed(json);
	unsigned char *why = yajl_get_error(json, 0, NULL, 0);

	if (!why)
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	why[strcspn((char *)why, "\n")] = '\0';
	lines_bad(lines, diag, "line",
		  "expected a JSON object (%s at byte %zu%s)", why, at,
		  lines->whole ? "" : "; the file may be cut off");
	yajl_free_error(json, why);
	return -EINVAL;
}

static int finish(struct parser *p, yajl_handle json, yajl_status status,
		  const struct lines *lines, struct diag *diag)
{
	if (p->err == -ENOMEM)
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	if (p->err)
		return lines_bad(lines, diag, "line",
				 "expected a JSON object (%s)", p->why);
	if (status != yajl_status_ok)
		return refuse_syntax(json, lines, diag);
	if (!p->began || p->depth)
		return lines_bad(lines, diag, "line",
				 "expected a whole JSON object%s",
				 lines->whole ? " (it does not end)"
					      : " (the file may be cut off)");
	return 0;
}

int json_pick(struct json_pick *pick, const struct lines *lines,
	      struct span line, struct diag *diag)
{
	struct parser p = {.pick = pick};
	yajl_handle json = yajl_alloc(&callbacks, NULL, &p);
	yajl_status status;
	int ret;

	if (!json)
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	for (int i = 0; i < JSON_PICK_MAX; i++)
		pick->values[i].kind = JSON_PICK_NONE;
	status = yajl_parse(json, (const unsigned char *)line.at, line.len);
	if (status == yajl_status_ok && !p.err && !p.depth)
		status = yajl_complete_parse(json);
	ret = finish(&p, json, status, lines, diag);
	yajl_free(json);
	return ret;
}

const char *json_pick_what(const struct json_value *value)
{
	switch (value->kind) {
	case JSON_PICK_NUMBER:
		return "a number out of range";
	case JSON_PICK_STRING:
		return "a string";
	case JSON_PICK_WORD:
		return "a truth value";
	case JSON_PICK_NESTED:
		return "an object or a list";
	default:
		return "missing";
	}
}
