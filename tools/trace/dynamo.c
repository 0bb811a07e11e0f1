/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "tools/base/json_pick.h"
#include "tools/base/number.h"
#include "id_text.h"
#include "reader.h"

/*
 * Dynamo's request trace, dynamo.request.trace.v1: JSON lines, of which those
 * of the type request_end are requests. Times are absolute, in milliseconds.
 */

#define SCHEMA "dynamo.request.trace.v1"

enum path {
	PATH_SCHEMA,
	PATH_TYPE,
	PATH_END,
	PATH_SESSION,
	PATH_ARRIVAL,
	PATH_TOTAL,
	PATH_INPUT,
	PATH_OUTPUT,
	PATH_BLOCK,
	PATH_HASHES,
	NUM_PATHS,
};

static const char *const paths[NUM_PATHS + 1] = {
	[PATH_SCHEMA] = "schema",
	[PATH_TYPE] = "event_type",
	[PATH_END] = "event_time_unix_ms",
	[PATH_SESSION] = "agent_context.session_id",
	[PATH_ARRIVAL] = "request.request_received_ms",
	[PATH_TOTAL] = "request.total_time_ms",
	[PATH_INPUT] = "request.replay.input_length",
	[PATH_OUTPUT] = "request.output_tokens",
	[PATH_BLOCK] = "request.replay.trace_block_size",
	[PATH_HASHES] = "request.replay.input_sequence_hashes",
};

/**
 * struct reader - a file on its way into a trace
 * @trace: what was read so far
 * @in: what was asked for
 * @lines: the file
 * @pick: the line at hand
 * @ids: its hashes
 * @diag: the first thing that is wrong
 */
struct reader {
	struct trace trace;
	struct trace_input *in;
	struct lines *lines;
	struct json_pick pick;
	struct id_runs ids;
	struct diag *diag;
};

static int add_hash(void *ctx, enum json_kind kind, struct span text)
{
	struct reader *r = ctx;
	uint64_t id;

	if (kind == JSON_PICK_NUMBER && !memchr(text.at, '.', text.len))
		id = id_of_number(text);
	else if (kind == JSON_PICK_STRING)
		id = id_of_text(text);
	else
		return -EINVAL;
	return id_runs_add(&r->ids, id, 1);
}

static int bad(const struct reader *r, enum path path, const char *expected)
{
	const struct json_value *value = &r->pick.values[path];

	return lines_bad(r->lines, r->diag, paths[path], "expected %s (%s)",
			 expected, json_pick_what(value));
}

static int read_count(const struct reader *r, enum path path, uint64_t min,
		      uint64_t max, uint32_t *count)
{
	const struct json_value *value = &r->pick.values[path];
	uint64_t number;

	if (value->kind != JSON_PICK_NUMBER ||
	    !span_u64(json_pick_text(value), min, max, &number))
		return bad(r, path, "a whole number of tokens");
	*count = (uint32_t)number;
	return 0;
}

static bool read_time(const struct reader *r, enum path path, struct moment *at)
{
	const struct json_value *value = &r->pick.values[path];

	return value->kind == JSON_PICK_NUMBER &&
	       moment_parse(json_pick_text(value), r->in->unit, at);
}

/* The end is when the answer ended: what comes after it waited for it. */
static int add_arrival(struct reader *r)
{
	const struct json_value *session = &r->pick.values[PATH_SESSION];
	const struct moment zero = {0, 0};
	struct arrival arrival = {.delay_ms = -1.0, .has_time = true};
	struct moment total;

	if (!read_time(r, PATH_ARRIVAL, &arrival.at))
		return bad(r, PATH_ARRIVAL, "a time in milliseconds");
	if (read_time(r, PATH_TOTAL, &total)) {
		arrival.end =
			moment_after(arrival.at, moment_between(zero, total));
		arrival.has_end = true;
	} else {
		arrival.has_end = read_time(r, PATH_END, &arrival.end);
	}
	if (session->kind == JSON_PICK_STRING)
		arrival.session = id_of_text(json_pick_text(session));
	return arrival_add(&r->in->arrivals, &arrival, r->in->field,
			   r->in->opt.strict, r->lines, r->diag);
}

static int settle_block(struct reader *r, uint32_t block)
{
	uint32_t asked = r->in->opt.block_size;

	if (!r->trace.num_reqs && (!asked || asked == block)) {
		r->trace.block_size = block;
		return 0;
	}
	if (r->trace.num_reqs && r->trace.block_size == block)
		return 0;
	return lines_bad(r->lines, r->diag, paths[PATH_BLOCK],
			 "expected %u, %s (%u)",
			 r->trace.num_reqs ? r->trace.block_size : asked,
			 r->trace.num_reqs ? "as the requests before have it"
					   : "as asked for",
			 block);
}

static int check_hashes(const struct reader *r, uint32_t len)
{
	uint32_t block = r->trace.block_size;
	uint32_t full = len / block;

	if (r->ids.num_ids == full || r->ids.num_ids == full + !!(len % block))
		return 0;
	return lines_bad(r->lines, r->diag, paths[PATH_HASHES],
			 "expected one for each block of %u of %u tokens "
			 "(%zu)",
			 block, len, r->ids.num_ids);
}

static int read_request(struct reader *r)
{
	struct trace_req req = {0};
	uint32_t block;
	int ret = read_count(r, PATH_INPUT, 1, INT32_MAX, &req.len);

	if (!ret)
		ret = read_count(r, PATH_BLOCK, 1, 65536, &block);
	if (!ret && r->pick.values[PATH_OUTPUT].kind != JSON_PICK_NONE)
		ret = read_count(r, PATH_OUTPUT, 0, INT32_MAX, &req.output_len);
	if (!ret)
		ret = settle_block(r, block);
	if (!ret)
		ret = check_hashes(r, req.len);
	if (!ret)
		ret = add_arrival(r);
	if (ret)
		return ret;
	req.num_ids = (uint32_t)r->ids.num_ids;
	if (trace_add(&r->trace, &req, &r->ids))
		return diag_set(r->diag, -ENOMEM, "%s: not enough memory",
				r->lines->path);
	return 0;
}

/* Tools that ran and payloads have lines of their own. */
static bool is_request(const struct reader *r)
{
	return span_is(json_pick_text(&r->pick.values[PATH_TYPE]),
		       "request_end") &&
	       r->pick.values[PATH_TYPE].kind == JSON_PICK_STRING;
}

static int read_all(struct reader *r)
{
	struct span line;
	int ret;

	while ((ret = lines_next(r->lines, &line.at, &line.len, r->diag)) > 0) {
		id_runs_clear(&r->ids);
		ret = json_pick(&r->pick, r->lines, line, r->diag);
		if (!ret && is_request(r))
			ret = read_request(r);
		if (ret)
			return ret;
	}
	if (ret || r->trace.num_reqs)
		return ret;
	return diag_set(r->diag, -EINVAL,
			"%s: expected at least one request (no line of the "
			"type request_end)",
			r->lines->path);
}

static int read_input(struct trace *trace, struct trace_input *in,
		      struct diag *diag)
{
	struct reader r = {.in = in, .lines = in->lines, .diag = diag};
	int ret;

	r.pick.paths = paths;
	r.pick.list = paths[PATH_HASHES];
	r.pick.item = add_hash;
	r.pick.ctx = &r;
	in->field = paths[PATH_ARRIVAL];
	input_unit(in, TIME_MS);
	trace_init(&r.trace, 1);
	ret = read_all(&r);
	id_runs_destroy(&r.ids);
	if (ret) {
		trace_destroy(&r.trace);
		return ret;
	}
	trace_drop_partial(&r.trace);
	*trace = r.trace;
	return 0;
}

static bool has_schema(struct span line)
{
	static const char schema[] = "\"" SCHEMA "\"";

	line = span_trim(line);
	return line.len && *line.at == '{' &&
	       memmem(line.at, line.len, schema, sizeof(schema) - 1);
}

static const char *const no_suffix[] = {NULL};

const struct trace_reader reader_dynamo = {
	.name = "dynamo",
	.help = "Dynamo's request trace, " SCHEMA,
	.suffix = no_suffix,
	.probe = has_schema,
	.read = read_input,
};
