/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "tools/base/lines.h"
#include "mooncake_line.h"
#include "reader.h"
#include "trace.h"

/* Mooncake's JSONL: what one line must have to do with the others. */

enum {
	DEFAULT_BLOCK = 512
};

/**
 * struct reader - a file on its way into a trace
 * @trace: what was read so far
 * @lines: the file
 * @line: the line at hand
 * @asked_block: block size asked for, or 0
 * @diag: the first thing that is wrong
 */
struct reader {
	struct trace trace;
	struct lines *lines;
	struct mooncake_line line;
	uint32_t asked_block;
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

	if (!r->line.seen[FIELD_BLOCK])
		return 0;
	if (r->trace.num_reqs)
		return check_first(r, FIELD_BLOCK, "block_size");
	if (r->asked_block && r->asked_block != given)
		return lines_bad(r->lines, r->diag, "block_size",
				 "expected %u as asked for (%u)",
				 r->asked_block, given);
	r->trace.block_size = given;
	return 0;
}

static int check_timestamp(const struct reader *r)
{
	const struct trace *trace = &r->trace;
	uint64_t last;

	if (!trace->num_reqs)
		return 0;
	last = (uint64_t)trace->reqs[trace->num_reqs - 1].arrival_ms;
	if (r->line.value[FIELD_TIMESTAMP] >= last)
		return 0;
	return lines_bad(r->lines, r->diag, "timestamp",
			 "expected at least %llu, that of the request before "
			 "(%llu)",
			 (unsigned long long)last,
			 (unsigned long long)r->line.value[FIELD_TIMESTAMP]);
}

/* An id for the partial block at the end may be there or not. */
static int check_ids(const struct reader *r)
{
	uint32_t block = r->trace.block_size;
	uint32_t len = (uint32_t)r->line.value[FIELD_INPUT];
	uint32_t full = len / block;
	uint32_t all = full + !!(len % block);
	char expected[32];

	if (r->line.list.num_ids == full || r->line.list.num_ids == all)
		return 0;
	snprintf(expected, sizeof(expected), "%u or %u", full, all);
	if (full == all)
		snprintf(expected, sizeof(expected), "%u", full);
	return lines_bad(r->lines, r->diag, "hash_ids",
			 "expected %s ids for %u tokens in blocks of %u (%zu)",
			 expected, len, block, r->line.list.num_ids);
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

static int keep(struct reader *r)
{
	uint32_t len = (uint32_t)r->line.value[FIELD_INPUT];
	int phase = find_phase(r);
	struct trace_req req = {
		.arrival_ms = (double)r->line.value[FIELD_TIMESTAMP],
		.len = len,
		.num_ids = len / r->trace.block_size,
		.output_len = (uint32_t)r->line.value[FIELD_OUTPUT],
		.phase = (uint32_t)phase,
	};

	if (phase < 0)
		return phase;
	return trace_add(&r->trace, &req, &r->line.list) ? no_memory(r) : 0;
}

static int read_line(struct reader *r, const char *text, size_t len)
{
	int ret = mooncake_line_parse(&r->line, r->lines, text, len, r->diag);

	if (!ret)
		ret = settle_block(r);
	if (!ret)
		ret = settle_pool(r);
	if (!ret)
		ret = check_timestamp(r);
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

int trace_parse_mooncake(struct trace *trace, struct lines *lines,
			 uint32_t block_size, struct diag *diag)
{
	struct reader r = {
		.lines = lines,
		.asked_block = block_size,
		.diag = diag,
	};
	int ret;

	trace_init(&r.trace, block_size ? block_size : DEFAULT_BLOCK);
	ret = read_all(&r);
	mooncake_line_destroy(&r.line);
	if (ret)
		trace_destroy(&r.trace);
	else
		*trace = r.trace;
	return ret;
}

int trace_read_mooncake(struct trace *trace, const char *path,
			uint32_t block_size, _Atomic uint64_t *progress,
			struct diag *diag)
{
	struct lines lines;
	int ret = lines_open(&lines, path, progress, diag);

	if (ret)
		return ret;
	ret = trace_parse_mooncake(trace, &lines, block_size, diag);
	lines_close(&lines);
	return ret;
}

static int read_input(struct trace *trace, struct trace_input *in,
		      struct diag *diag)
{
	return trace_parse_mooncake(trace, in->lines, in->block_size, diag);
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
	.read = read_input,
};
