/* SPDX-License-Identifier: Apache-2.0 */
#include "mooncake_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "tools/base/number.h"
#include "id_list.h"
#include "id_text.h"

/*
 * Lines of any kind of JSON, and every complaint. yajl calls back for each
 * token with the number's own text: no tree is built, and ids keep all their
 * 64 bits.
 */

/* Deeper nesting, in fields that are ignored, is no record of a request. */
enum {
	MAX_DEPTH = 64
};

/**
 * struct parser - a line that is being parsed
 * @line: filled
 * @lines: where it is from
 * @diag: the first thing that is wrong
 * @depth: objects and lists that are open
 * @done: the object was closed
 * @field: whose value is being read, while @depth is 1 or more
 * @no_memory: why a callback stopped the parser
 */
struct parser {
	struct mooncake_line *line;
	const struct lines *lines;
	struct diag *diag;
	unsigned int depth;
	bool done;
	enum field field;
	bool no_memory;
};

/* Bytes that a message repeats from where JSON ends. */
enum {
	NEAR = 12
};

enum kind {
	KIND_NUMBER,
	KIND_STRING,
	KIND_WORD, /* true, false, null, and whole objects and lists */
};

static const char *field_name(const struct parser *p)
{
	if (!p->depth || p->field == FIELD_OTHER)
		return "line";
	return mooncake_rules[p->field].name;
}

static int no_memory(const struct parser *p)
{
	return diag_set(p->diag, -ENOMEM, "%s:%llu: not enough memory",
			p->lines->path, (unsigned long long)p->lines->number);
}

/* Return: 0, which stops the parser. */
static int refuse(struct parser *p, const char *expected, enum kind kind,
		  const char *text, size_t len)
{
	const char *quote = kind == KIND_STRING ? "\"" : "";
	int shown = len > SPAN_SHOWN ? SPAN_SHOWN : (int)len;

	lines_bad(p->lines, p->diag, field_name(p), "expected %s (%s%.*s%s%s)",
		  expected, quote, shown, text, len > SPAN_SHOWN ? "..." : "",
		  quote);
	return 0;
}

static int refuse_number(struct parser *p, enum kind kind, const char *text,
			 size_t len)
{
	const struct mooncake_rule *rule = &mooncake_rules[p->field];
	char expected[96];

	snprintf(expected, sizeof(expected), "a whole number from %llu to %llu",
		 (unsigned long long)rule->min, (unsigned long long)rule->max);
	return refuse(p, expected, kind, text, len);
}

/* Ids are compared and nothing else: of a number, all that counts is there. */
static int take_id(struct parser *p, enum kind kind, const char *text,
		   size_t len)
{
	const struct span id = {text, len};
	bool whole = kind == KIND_NUMBER && !memchr(text, '.', len) &&
		     !memchr(text, 'e', len) && !memchr(text, 'E', len);

	if (!whole && (kind != KIND_STRING || !len))
		return refuse(p, "whole numbers or texts", kind, text, len);
	p->no_memory =
		id_runs_add(&p->line->list,
			    whole ? id_of_number(id) : id_of_text(id), 1);
	return !p->no_memory;
}

static int take_count(struct parser *p, enum kind kind, const char *text,
		      size_t len)
{
	const struct mooncake_rule *rule = &mooncake_rules[p->field];
	const struct span number = {text, len};
	uint64_t value;

	if (kind != KIND_NUMBER ||
	    !span_u64(number, rule->min, rule->max, &value))
		return refuse_number(p, kind, text, len);
	p->line->value[p->field] = value;
	return 1;
}

static int take_time(struct parser *p, enum kind kind, const char *text,
		     size_t len)
{
	const struct span time = {text, len};
	bool delay = p->field == FIELD_DELAY;

	if (kind != KIND_WORD && mooncake_take_time(p->line, p->field, time))
		return 1;
	return refuse(p,
		      delay ? "milliseconds from 0 to 2^53"
			    : "a time from 0 to 2^53 ms, or a day and a time",
		      kind, text, len);
}

static int take_key(struct parser *p, enum kind kind, const char *text,
		    size_t len)
{
	const struct span key = {text, len};

	if (kind == KIND_WORD)
		return refuse(p, "a number or a text", kind, text, len);
	p->line->value[p->field] =
		mooncake_rules[p->field].kind == MOONCAKE_TENANT
			? id_of_tenant(key)
			: id_of_text(key);
	return 1;
}

static int take_phase(struct parser *p, enum kind kind, const char *text,
		      size_t len)
{
	if (kind != KIND_STRING || !len || len >= sizeof(p->line->phase) ||
	    memchr(text, '\0', len))
		return refuse(p, "a name of 1 to 255 bytes", kind, text, len);
	memcpy(p->line->phase, text, len);
	p->line->phase[len] = '\0';
	return 1;
}

static int take_value(struct parser *p, enum kind kind, const char *text,
		      size_t len)
{
	switch (mooncake_rules[p->field].kind) {
	case MOONCAKE_NAME:
		return take_phase(p, kind, text, len);
	case MOONCAKE_TIME:
		return take_time(p, kind, text, len);
	case MOONCAKE_KEY:
	case MOONCAKE_TENANT:
		return take_key(p, kind, text, len);
	default:
		return take_count(p, kind, text, len);
	}
}

static int take(struct parser *p, enum kind kind, const char *text, size_t len)
{
	int go_on;

	if (!p->depth)
		return refuse(p, "a JSON object", kind, text, len);
	if (p->field == FIELD_OTHER)
		return 1;
	if (p->field == FIELD_IDS) {
		if (p->depth == 1)
			return refuse(p, "a list of block ids", kind, text,
				      len);
		return take_id(p, kind, text, len);
	}
	go_on = take_value(p, kind, text, len);
	/* Bad JSON from here to the next key is not this field's fault. */
	p->field = FIELD_OTHER;
	return go_on;
}

/* What writers have no value for, unless no request does without it. */
static int take_null(struct parser *p)
{
	const struct mooncake_rule *rule;

	if (p->depth == 1 && p->field != FIELD_OTHER) {
		rule = &mooncake_rules[p->field];
		if (!rule->needed) {
			p->line->seen[p->field] = false;
			p->field = FIELD_OTHER;
			return 1;
		}
	}
	return take(p, KIND_WORD, "null", 4);
}

static int on_null(void *ctx)
{
	return take_null(ctx);
}

static int on_boolean(void *ctx, int value)
{
	return take(ctx, KIND_WORD, value ? "true" : "false", value ? 4 : 5);
}

static int on_number(void *ctx, const char *text, size_t len)
{
	return take(ctx, KIND_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
	return take(ctx, KIND_STRING, (const char *)text, len);
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
	struct parser *p = ctx;
	bool twice;

	if (p->depth > 1)
		return 1;
	p->field = mooncake_field(p->line, (const char *)key, len, &twice);
	if (twice)
		return refuse(p, "it once", KIND_WORD, "given twice", 11);
	return 1;
}

/* Nested values are fine where they are ignored, and as the list of ids. */
static int on_open(struct parser *p, bool list)
{
	const char *what = list ? "a list" : "an object";
	bool fine = p->field == FIELD_OTHER;

	if (!p->depth)
		fine = !list;
	else if (p->field == FIELD_IDS && p->depth == 1)
		fine = list;
	if (!fine)
		return take(p, KIND_WORD, what, strlen(what));
	if (p->depth == MAX_DEPTH)
		return refuse(p, "at most 64 levels", KIND_WORD, "more", 4);
	p->depth++;
	return 1;
}

static int on_start_map(void *ctx)
{
	return on_open(ctx, false);
}

static int on_start_array(void *ctx)
{
	return on_open(ctx, true);
}

static int on_close(void *ctx)
{
	struct parser *p = ctx;

	p->done = !--p->depth;
	if (p->depth == 1)
		p->field = FIELD_OTHER;
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

/**
 * struct piece - the part of a line that yajl is given at once
 * @line: the line
 * @len: of it
 * @from: where the part begins
 * @to: and ends
 */
struct piece {
	const char *line;
	size_t len;
	size_t from;
	size_t to;
};

/* What yajl says, without its newline, and what stands at that place. */
static int refuse_syntax(struct parser *p, yajl_handle json,
			 const struct piece *piece)
{
	size_t used = yajl_get_bytes_consumed(json);
	size_t at = piece->from + (used ? used - 1 : 0);
	size_t left = piece->len - at;
	int near = left > NEAR ? NEAR : (int)left;
	unsigned char *why = yajl_get_error(json, 0, NULL, 0);

	if (!why)
		return no_memory(p);
	why[strcspn((char *)why, "\n")] = '\0';
	lines_bad(p->lines, p->diag, field_name(p),
		  "expected JSON (column %zu, near '%.*s': %s)",
		  used ? at + 1 : at, near, piece->line + at, why);
	yajl_free_error(json, why);
	return -EINVAL;
}

static int refuse_cut(struct parser *p, size_t len)
{
	return lines_bad(p->lines, p->diag, "line",
			 "expected a whole JSON object (it ends after %zu "
			 "bytes%s)",
			 len,
			 p->lines->whole ? "" : ", without a newline: cut off");
}

static yajl_status parse_piece(yajl_handle json, const struct piece *piece)
{
	return yajl_parse(json,
			  (const unsigned char *)piece->line + piece->from,
			  piece->to - piece->from);
}

/* Behind the '[' of what may be the list of ids, or 0. */
static size_t find_list(const char *line, size_t len)
{
	const char *name = mooncake_rules[FIELD_IDS].name;
	const char *at = memmem(line, len, name, strlen(name));

	if (at)
		at = memchr(at, '[', len - (size_t)(at - line));
	return at ? (size_t)(at - line) + 1 : 0;
}

/*
 * yajl knows whether it really is inside the list of ids when it was given the
 * line up to there; then the ids need not go through it one by one.
 */
static yajl_status parse_line(struct parser *p, yajl_handle json,
			      struct piece *piece)
{
	yajl_status status;

	piece->to = find_list(piece->line, piece->len);
	status = parse_piece(json, piece);
	if (status != yajl_status_ok)
		return status;
	piece->from = piece->to;
	piece->to = piece->len;
	if (p->depth == 2 && p->field == FIELD_IDS)
		piece->from +=
			id_list_scan(&p->line->list, piece->line + piece->from,
				     piece->len - piece->from);
	return parse_piece(json, piece);
}

static int run_parser(struct parser *p, yajl_handle json, const char *line,
		      size_t len)
{
	struct piece piece = {.line = line, .len = len};
	yajl_status status = parse_line(p, json, &piece);

	/* A number at the end is given out only once it cannot go on. */
	if (status == yajl_status_ok && !p->depth && !p->done &&
	    yajl_complete_parse(json) == yajl_status_client_canceled)
		status = yajl_status_client_canceled;
	if (p->no_memory)
		return no_memory(p);
	if (status == yajl_status_client_canceled)
		return -EINVAL;
	if (status == yajl_status_error)
		return refuse_syntax(p, json, &piece);
	return p->done ? 0 : refuse_cut(p, len);
}

int mooncake_json_parse(struct mooncake_line *line, const struct lines *lines,
			const char *text, size_t len, struct diag *diag)
{
	struct parser p = {
		.line = line,
		.lines = lines,
		.diag = diag,
		.field = FIELD_OTHER,
	};
	yajl_handle json = yajl_alloc(&callbacks, NULL, &p);
	int ret;

	if (!json)
		return no_memory(&p);
	ret = run_parser(&p, json, text, len);
	yajl_free(json);
	return ret;
}
