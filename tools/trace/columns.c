/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tools/base/csv.h"
#include "tools/base/number.h"
#include "reader.h"
#include "timestamp.h"

/*
 * The CSV of Azure's public traces of LLM inference: when, how many tokens in,
 * how many out. It says nothing of what prompts have in common, so each block
 * has an id of its own and nothing is ever hit.
 */

enum {
	DEFAULT_BLOCK = 16
};

enum column {
	COLUMN_TIME,
	COLUMN_INPUT,
	COLUMN_OUTPUT,
	NUM_COLUMNS,
};

static const char *const names[NUM_COLUMNS] = {
	[COLUMN_TIME] = "TIMESTAMP",
	[COLUMN_INPUT] = "ContextTokens",
	[COLUMN_OUTPUT] = "GeneratedTokens",
};

static const struct csv columns = {.names = names, .num_names = NUM_COLUMNS};

/**
 * struct azure - a file on its way into a trace
 * @trace: what was read so far
 * @lines: the file
 * @csv: its columns
 * @field: of the line at hand
 * @first: ticks of the first request
 * @last: ticks of the last one
 * @next_id: of the next block
 * @ids: of the request at hand
 * @diag: the first thing that is wrong
 */
struct azure {
	struct trace trace;
	struct lines *lines;
	struct csv csv;
	struct span field[NUM_COLUMNS];
	int64_t first;
	int64_t last;
	uint64_t next_id;
	struct id_runs ids;
	struct diag *diag;
};

static int no_memory(const struct azure *a)
{
	return diag_set(a->diag, -ENOMEM, "%s:%llu: not enough memory",
			a->lines->path, (unsigned long long)a->lines->number);
}

static int read_header(struct azure *a, struct span line)
{
	int ret = csv_header(&a->csv, a->lines, line, a->diag);

	if (!ret)
		ret = csv_need(&a->csv, a->lines, COLUMN_TIME, a->diag);
	if (!ret)
		ret = csv_need(&a->csv, a->lines, COLUMN_INPUT, a->diag);
	return ret;
}

static int read_time(struct azure *a, int64_t *ticks)
{
	struct span text = a->field[COLUMN_TIME];
	const char *why = timestamp_parse(text, ticks);

	if (why)
		return lines_bad(a->lines, a->diag, names[COLUMN_TIME],
				 "expected %s (%.*s)", why, SPAN_ARGS(text));
	if (!a->trace.num_reqs)
		a->first = a->last = *ticks;
	if (*ticks < a->last)
		return lines_bad(a->lines, a->diag, names[COLUMN_TIME],
				 "expected no time before that of the request "
				 "before (%.*s)",
				 SPAN_ARGS(text));
	a->last = *ticks;
	return 0;
}

static int read_count(const struct azure *a, enum column column, int min,
		      int max, uint32_t *count)
{
	struct span text = a->field[column];
	uint64_t value;

	if (!span_u64(text, (uint64_t)min, (uint64_t)max, &value))
		return lines_bad(a->lines, a->diag, names[column],
				 "expected a whole number from %d to %d (%.*s)",
				 min, max, SPAN_ARGS(text));
	*count = (uint32_t)value;
	return 0;
}

static int fresh_ids(struct azure *a, uint32_t num)
{
	id_runs_clear(&a->ids);
	if (id_runs_add(&a->ids, a->next_id, num))
		return no_memory(a);
	a->next_id += num;
	return 0;
}

static int read_line(struct azure *a, struct span line)
{
	struct trace_req req = {0};
	int64_t ticks;
	int ret = csv_split(&a->csv, a->lines, line, a->field, a->diag);

	if (!ret)
		ret = read_time(a, &ticks);
	if (!ret)
		ret = read_count(a, COLUMN_INPUT, 1, READER_MAX_PROMPT,
				 &req.len);
	if (!ret && csv_has(&a->csv, COLUMN_OUTPUT))
		ret = read_count(a, COLUMN_OUTPUT, 0, INT32_MAX,
				 &req.output_len);
	req.num_ids = req.len / a->trace.block_size;
	if (!ret)
		ret = fresh_ids(a, req.num_ids);
	if (ret)
		return ret;
	req.arrival_ms = (double)(ticks - a->first) / TICKS_PER_MS;
	return trace_add(&a->trace, &req, &a->ids) ? no_memory(a) : 0;
}

static int read_all(struct azure *a)
{
	bool header = false;
	struct span line;
	int ret;

	while ((ret = lines_next(a->lines, &line.at, &line.len, a->diag)) > 0) {
		ret = header ? read_line(a, line) : read_header(a, line);
		if (ret)
			return ret;
		header = true;
	}
	if (ret || a->trace.num_reqs)
		return ret;
	return diag_set(a->diag, -EINVAL,
			"%s: expected at least one request (no requests)",
			a->lines->path);
}

static int read_input(struct trace *trace, struct trace_input *in,
		      struct diag *diag)
{
	struct azure a = {.csv = columns, .lines = in->lines, .diag = diag};
	int ret;

	trace_init(&a.trace, in->block_size ? in->block_size : DEFAULT_BLOCK);
	ret = read_all(&a);
	id_runs_destroy(&a.ids);
	if (ret)
		trace_destroy(&a.trace);
	else
		*trace = a.trace;
	return ret;
}

static bool has_columns(struct span line)
{
	struct span name;

	while (span_cut(&line, ',', &name)) {
		int column = csv_find(&columns, name);

		if (column == COLUMN_TIME || column == COLUMN_INPUT)
			return true;
	}
	return false;
}

static const char *const suffixes[] = {".csv", NULL};

const struct trace_reader reader_azure = {
	.name = "azure",
	.help = "CSV with TIMESTAMP and ContextTokens",
	.suffix = suffixes,
	.probe = has_columns,
	.read = read_input,
};
