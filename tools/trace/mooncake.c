/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/base/lines.h"
#include "mooncake_line.h"
#include "reader.h"
#include "trace.h"

/*
 * Mooncake's JSONL and the traces that are written like it: what one line must
 * have to do with the others.
 */

/**
 * struct form - what a form takes for granted
 * @name: of the form
 * @block: tokens of a block
 * @unit: of the times
 */
struct form {
	const char *name;
	uint32_t block;
	enum time_unit unit;
};

static const struct form mooncake = {"mooncake", 512, TIME_MS};
static const struct form bailian = {"bailian", 16, TIME_S};

/*
 * Sizes of blocks in the field, likelier ones first. Where nobody says which,
 * it is the first of those that fit the number of ids of every request.
 */
static const uint32_t sizes[] = {512, 16,   64,	  128,	256, 32,
				 8,   1024, 2048, 4096, 4,   1};

enum {
	NUM_SIZES = sizeof(sizes) / sizeof(sizes[0])
};

/**
 * struct reader - a file on its way into a trace
 * @trace: what was read so far; a request has all ids that its line has
 * @in: what was asked for
 * @lines: the file
 * @form: what it takes for granted
 * @line: the line at hand
 * @block: tokens of a block, or 0 while the ids have not told
 * @fits: which of the sizes the ids leave
 * @fresh: ids for a request that lists none
 * @diag: the first thing that is wrong
 */
struct reader {
	struct trace trace;
	struct trace_input *in;
	struct lines *lines;
	const struct form *form;
	struct mooncake_line line;
	uint32_t block;
	bool fits[NUM_SIZES];
	struct id_runs fresh;
	struct diag *diag;
};

static int no_memory(const struct reader *r)
{
	return diag_set(r->diag, -ENOMEM, "%s:%llu: not enough memory",
			r->lines->path, (unsigned long long)r->lines->number);
}

/* What one line says for the whole trace stands in the first. */
static int check_first(const struct reader *r, enum field field,
		       const char *name)
{
	if (!r->line.seen[field] || !r->trace.num_reqs)
		return 0;
	return lines_bad(r->lines, r->diag, name,
			 "expected in the first line only (%llu)",
			 (unsigned long long)r->line.value[field]);
}

static int settle_pool(struct reader *r)
{
	if (r->line.seen[FIELD_POOL])
		r->trace.kv_blocks = (uint32_t)r->line.value[FIELD_POOL];
	return check_first(r, FIELD_POOL, "kv_blocks");
}

static int settle_block(struct reader *r)
{
	uint32_t given = (uint32_t)r->line.value[FIELD_BLOCK];
	uint32_t asked = r->in->opt.block_size;

	if (!r->line.seen[FIELD_BLOCK])
		return 0;
	if (r->trace.num_reqs)
		return check_first(r, FIELD_BLOCK, "block_size");
	if (asked && asked != given)
		return lines_bad(r->lines, r->diag, "block_size",
				 "expected %u as asked for (%u)", asked, given);
	r->block = given;
	return 0;
}

/* An id for the partial block at the end may be there or not. */
static bool ids_fit(const struct reader *r, uint32_t block)
{
	uint32_t len = (uint32_t)r->line.value[FIELD_INPUT];
	uint32_t full = len / block;

	return r->line.list.num_ids == full ||
	       r->line.list.num_ids == full + !!(len % block);
}

static int refuse_ids(const struct reader *r, uint32_t block)
{
	uint32_t len = (uint32_t)r->line.value[FIELD_INPUT];
	uint32_t full = len / block;
	char expected[32];

	snprintf(expected, sizeof(expected), "%u or %u", full, full + 1);
	if (!(len % block))
		snprintf(expected, sizeof(expected), "%u", full);
	return lines_bad(r->lines, r->diag, "hash_ids",
			 "expected %s ids for %u tokens in blocks of %u (%zu)",
			 expected, len, block, r->line.list.num_ids);
}

/* The likeliest size that is left, or 0. */
static uint32_t likeliest(const struct reader *r)
{
	uint32_t first = 0;

	for (int i = NUM_SIZES - 1; i >= 0; i--) {
		if (r->fits[i] && sizes[i] == r->form->block)
			return sizes[i];
		if (r->fits[i])
			first = sizes[i];
	}
	return first;
}

static int check_ids(struct reader *r)
{
	uint32_t before;
	int left = 0;

	if (!r->line.seen[FIELD_IDS])
		return 0;
	if (r->block)
		return ids_fit(r, r->block) ? 0 : refuse_ids(r, r->block);
	before = likeliest(r);
	for (int i = 0; i < NUM_SIZES; i++) {
		r->fits[i] = r->fits[i] && ids_fit(r, sizes[i]);
		left += r->fits[i];
	}
	if (!left)
		return refuse_ids(r, before);
	if (left == 1)
		r->block = likeliest(r);
	return 0;
}

/* Without ids nothing is known to be shared. */
static int make_ids(struct reader *r, const struct id_runs **ids)
{
	uint32_t len = (uint32_t)r->line.value[FIELD_INPUT];
	uint32_t block = r->block ? r->block : likeliest(r);
	int ret;

	*ids = &r->line.list;
	if (r->line.seen[FIELD_IDS])
		return 0;
	r->block = block;
	*ids = &r->fresh;
	ret = input_check_prompt(r->in, r->lines, "input_length", len, r->diag);
	return ret ? ret
		   : input_fresh_ids(r->in, r->lines, &r->fresh, len / block,
				     r->diag);
}

static int find_phase(struct reader *r)
{
	const char *name = r->line.phase[0] ? r->line.phase : "all";
	int phase = trace_phase(&r->trace, name);

	if (phase < 0)
		return no_memory(r);
	if (phase >= TRACE_MAX_PHASES)
		return lines_bad(r->lines, r->diag, "phase",
				 "expected at most %d different ones (more)",
				 TRACE_MAX_PHASES);
	return phase;
}

static int add_arrival(struct reader *r)
{
	const struct mooncake_line *line = &r->line;
	const struct moment zero = {0, 0};
	const struct arrival arrival = {
		.at = line->at,
		.has_time = line->seen[FIELD_TIMESTAMP],
		.session = line->value[FIELD_SESSION],
		.self = line->value[FIELD_SELF],
		.parent = line->value[FIELD_PARENT],
		.delay_ms = line->seen[FIELD_DELAY]
				    ? moment_between(zero, line->delay)
				    : -1.0,
	};

	return arrival_add(&r->in->arrivals, &arrival, r->in->field,
			   r->in->opt.strict, r->lines, r->diag);
}

static int keep(struct reader *r)
{
	const struct id_runs *ids;
	struct trace_req req = {
		.len = (uint32_t)r->line.value[FIELD_INPUT],
		.output_len = (uint32_t)r->line.value[FIELD_OUTPUT],
		.tenant = r->line.value[FIELD_TENANT],
	};
	int ret = make_ids(r, &ids);
	int phase;

	if (!ret)
		ret = add_arrival(r);
	if (ret)
		return ret;
	phase = find_phase(r);
	if (phase < 0)
		return phase;
	req.phase = (uint32_t)phase;
	req.num_ids = (uint32_t)ids->num_ids;
	return trace_add(&r->trace, &req, ids) ? no_memory(r) : 0;
}

static int read_line(struct reader *r, const char *text, size_t len)
{
	int ret = mooncake_line_parse(&r->line, r->lines, text, len, r->diag);

	if (!ret)
		ret = settle_block(r);
	if (!ret)
		ret = settle_pool(r);
	if (!ret)
		ret = check_ids(r);
	return ret ? ret : keep(r);
}

static int read_all(struct reader *r)
{
	const char *text;
	size_t len;
	int ret;

	while ((ret = lines_next(r->lines, &text, &len, r->diag)) > 0) {
		ret = read_line(r, text, len);
		if (ret)
			return ret;
	}
	if (ret || r->trace.num_reqs)
		return ret;
	return diag_set(r->diag, -EINVAL,
			"%s: expected at least one request (no requests)",
			r->lines->path);
}

static int parse(struct trace *trace, struct trace_input *in,
		 const struct form *form, struct diag *diag)
{
	struct reader r = {
		.in = in,
		.lines = in->lines,
		.form = form,
		.block = in->opt.block_size,
		.line.unit = input_unit(in, form->unit),
		.diag = diag,
	};
	int ret;

	in->field = "timestamp";
	memset(r.fits, true, sizeof(r.fits));
	trace_init(&r.trace, form->block);
	ret = read_all(&r);
	if (!ret) {
		r.trace.block_size = r.block ? r.block : likeliest(&r);
		trace_drop_partial(&r.trace);
		*trace = r.trace;
	} else {
		trace_destroy(&r.trace);
	}
	mooncake_line_destroy(&r.line);
	id_runs_destroy(&r.fresh);
	return ret;
}

static int read_mooncake(struct trace *trace, struct trace_input *in,
			 struct diag *diag)
{
	return parse(trace, in, &mooncake, diag);
}

static int read_bailian(struct trace *trace, struct trace_input *in,
			struct diag *diag)
{
	return parse(trace, in, &bailian, diag);
}

static bool has_chat_id(struct span line)
{
	static const char key[] = "\"chat_id\"";

	line = span_trim(line);
	return line.len && *line.at == '{' &&
	       memmem(line.at, line.len, key, sizeof(key) - 1);
}

static bool looks_like_json(struct span line)
{
	line = span_trim(line);
	return line.len && *line.at == '{';
}

static const char *const suffixes[] = {".jsonl", ".ndjson", ".json", NULL};

const struct trace_reader reader_mooncake = {
	.name = "mooncake",
	.help = "JSON lines of requests with hash_ids",
	.suffix = suffixes,
	.probe = looks_like_json,
	.read = read_mooncake,
};

static const char *const no_suffix[] = {NULL};

const struct trace_reader reader_bailian = {
	.name = "bailian",
	.help = "the same with chat_id, in seconds and blocks of 16",
	.suffix = no_suffix,
	.probe = has_chat_id,
	.read = read_bailian,
};
