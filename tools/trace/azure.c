/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "reader.h"
#include "timestamp.h"

/*
 * The CSV of Azure's public traces of LLM inference: when, how many tokens in,
 * how many out. It says nothing of what prompts have in common, so each block
 * has an id of its own and nothing is ever hit.
 */

enum {
	DEFAULT_BLOCK = 16,
	MAX_COLUMNS = 64,
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

/**
 * struct azure - a file on its way into a trace
 * @trace: what was read so far
 * @lines: the file
 * @place: of each column in a line, -1 where there is none
 * @num_places: columns of the header
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
	int place[NUM_COLUMNS];
	int num_places;
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

static int find_column(struct span name)
{
	for (int i = 0; i < NUM_COLUMNS; i++)
		if (span_is(name, names[i]))
			return i;
	return -1;
}

static int check_header(const struct azure *a)
{
	for (int i = 0; i <= COLUMN_INPUT; i++)
		if (a->place[i] < 0)
			return lines_bad(a->lines, a->diag, names[i],
					 "expected a column of this name in "
					 "the header (none)");
	return 0;
}

static int read_header(struct azure *a, struct span line)
{
	struct span name;

	for (int i = 0; i < NUM_COLUMNS; i++)
		a->place[i] = -1;
	while (span_cut(&line, ',', &name)) {
		int column = find_column(name);

		if (a->num_places == MAX_COLUMNS)
			return lines_bad(a->lines, a->diag, "line",
					 "expected at most %d columns (more)",
					 MAX_COLUMNS);
		if (column >= 0 && a->place[column] >= 0)
			return lines_bad(a->lines, a->diag, names[column],
					 "expected one such column (two)");
		if (column >= 0)
			a->place[column] = a->num_places;
		a->num_places++;
	}
	return check_header(a);
}

static int split_line(struct azure *a, struct span line)
{
	struct span field;
	int num = 0;

	while (num <= a->num_places && span_cut(&line, ',', &field)) {
		for (int i = 0; i < NUM_COLUMNS; i++)
			if (a->place[i] == num)
				a->field[i] = field;
		num++;
	}
	if (num == a->num_places)
		return 0;
	return lines_bad(a->lines, a->diag, "line",
			 "expected %d fields, as in the header (%s%d%s)",
			 a->num_places, num > a->num_places ? "over " : "",
			 num > a->num_places ? a->num_places : num,
			 a->lines->whole ? "" : "; the file may be cut off");
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
	int ret = split_line(a, line);

	if (!ret)
		ret = read_time(a, &ticks);
	if (!ret)
		ret = read_count(a, COLUMN_INPUT, 1, READER_MAX_PROMPT,
				 &req.len);
	if (!ret && a->place[COLUMN_OUTPUT] >= 0)
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
	struct azure a = {.lines = in->lines, .diag = diag};
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
	bool seen[NUM_COLUMNS] = {false};
	struct span name;

	while (span_cut(&line, ',', &name)) {
		int column = find_column(name);

		if (column >= 0)
			seen[column] = true;
	}
	return seen[COLUMN_TIME] || seen[COLUMN_INPUT];
}

static const char *const suffixes[] = {".csv", NULL};

const struct trace_reader reader_azure = {
	.name = "azure",
	.help = "CSV with TIMESTAMP and ContextTokens",
	.suffix = suffixes,
	.probe = has_columns,
	.read = read_input,
};
