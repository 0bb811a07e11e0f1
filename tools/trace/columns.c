/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "tools/base/csv.h"
#include "tools/base/number.h"
#include "id_text.h"
#include "reader.h"
#include "timestamp.h"

/*
 * CSV with a line for each request: when, how many tokens in, how many out.
 * The forms differ in the names of the columns. None says what prompts have in
 * common, so each block has an id of its own and nothing is ever hit.
 */

enum {
	DEFAULT_BLOCK = 16,
	MAX_NAMES = 512, /* bytes of what --columns says */
};

enum column {
	COLUMN_ARRIVAL,
	COLUMN_INPUT,
	COLUMN_OUTPUT,
	COLUMN_SESSION,
	COLUMN_TENANT,
	NUM_COLUMNS,
};

static const char *const azure[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "TIMESTAMP",
	[COLUMN_INPUT] = "ContextTokens",
	[COLUMN_OUTPUT] = "GeneratedTokens",
};

static const char *const burstgpt[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "Timestamp",
	[COLUMN_INPUT] = "Request tokens",
	[COLUMN_OUTPUT] = "Response tokens",
	[COLUMN_SESSION] = "Session ID",
};

static const char *const splitwise[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "arrival_timestamp",
	[COLUMN_INPUT] = "prompt_size",
	[COLUMN_OUTPUT] = "token_size",
};

static const char *const servegen[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "timestamp",
	[COLUMN_INPUT] = "input_tokens",
	[COLUMN_OUTPUT] = "output_tokens",
};

/* What --columns calls them. */
static const char *const keys[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "arrival", [COLUMN_INPUT] = "input",
	[COLUMN_OUTPUT] = "output",   [COLUMN_SESSION] = "session",
	[COLUMN_TENANT] = "tenant",
};

/**
 * struct reader - a file on its way into a trace
 * @trace: what was read so far
 * @in: what was asked for
 * @lines: the file
 * @csv: its columns
 * @field: of the line at hand
 * @ids: of the request at hand
 * @diag: the first thing that is wrong
 */
struct reader {
	struct trace trace;
	struct trace_input *in;
	struct lines *lines;
	struct csv csv;
	struct span field[NUM_COLUMNS];
	struct id_runs ids;
	struct diag *diag;
};

static const char *name_of(const struct reader *r, enum column column)
{
	return r->csv.names[column];
}

static bool has(const struct reader *r, enum column column)
{
	return name_of(r, column) && csv_has(&r->csv, column);
}

/* A column that --columns names must be there; others may be missing. */
static int read_header(struct reader *r, struct span line)
{
	int ret = csv_header(&r->csv, r->lines, line, r->diag);

	for (int i = 0; i < NUM_COLUMNS && !ret; i++)
		if (name_of(r, i) && (i <= COLUMN_INPUT || r->in->opt.columns))
			ret = csv_need(&r->csv, r->lines, i, r->diag);
	return ret;
}

static bool is_day(struct span text)
{
	return memchr(text.at, '-', text.len) || memchr(text.at, ':', text.len);
}

static int read_time(const struct reader *r, struct moment *at)
{
	struct span text = r->field[COLUMN_ARRIVAL];
	int64_t ticks;

	if (is_day(text) ? moment_of_day(text, at)
			 : moment_parse(text, r->in->unit, at))
		return 0;
	return lines_bad(r->lines, r->diag, name_of(r, COLUMN_ARRIVAL),
			 "expected %s (%.*s)", timestamp_parse(text, &ticks),
			 SPAN_ARGS(text));
}

/* Tables of numbers are often written with decimals that are 0. */
static bool whole(struct span text, uint64_t min, uint64_t max, uint64_t *value)
{
	struct span digits, zeros = text;

	if (!span_cut(&zeros, '.', &digits))
		return false;
	for (size_t i = 0; zeros.at && i < zeros.len; i++)
		if (zeros.at[i] != '0')
			return false;
	return span_u64(digits, min, max, value);
}

static int read_count(const struct reader *r, enum column column, int min,
		      uint32_t *count)
{
	struct span text = r->field[column];
	uint64_t value;

	if (!whole(text, (uint64_t)min, INT32_MAX, &value))
		return lines_bad(r->lines, r->diag, name_of(r, column),
				 "expected a whole number from %d to %d (%.*s)",
				 min, INT32_MAX, SPAN_ARGS(text));
	*count = (uint32_t)value;
	return 0;
}

static int add_arrival(struct reader *r)
{
	struct arrival arrival = {
		.has_time = has(r, COLUMN_ARRIVAL),
		.delay_ms = -1.0,
	};
	int ret = arrival.has_time ? read_time(r, &arrival.at) : 0;

	if (ret)
		return ret;
	if (has(r, COLUMN_SESSION) && r->field[COLUMN_SESSION].len)
		arrival.session = id_of_text(r->field[COLUMN_SESSION]);
	return arrival_add(&r->in->arrivals, &arrival, r->in->field,
			   r->in->opt.strict, r->lines, r->diag);
}

static int read_line(struct reader *r, struct span line)
{
	struct trace_req req = {0};
	int ret = csv_split(&r->csv, r->lines, line, r->field, r->diag);

	if (!ret)
		ret = add_arrival(r);
	if (!ret)
		ret = read_count(r, COLUMN_INPUT, 1, &req.len);
	if (!ret)
		ret = input_check_prompt(r->in, r->lines,
					 name_of(r, COLUMN_INPUT), req.len,
					 r->diag);
	if (!ret && has(r, COLUMN_OUTPUT))
		ret = read_count(r, COLUMN_OUTPUT, 0, &req.output_len);
	if (has(r, COLUMN_TENANT) && r->field[COLUMN_TENANT].len)
		req.tenant = id_of_tenant(r->field[COLUMN_TENANT]);
	req.num_ids = req.len / r->trace.block_size;
	if (!ret)
		ret = input_fresh_ids(r->in, r->lines, &r->ids, req.num_ids,
				      r->diag);
	if (ret)
		return ret;
	if (trace_add(&r->trace, &req, &r->ids))
		return diag_set(r->diag, -ENOMEM, "%s: not enough memory",
				r->lines->path);
	return 0;
}

static int read_all(struct reader *r)
{
	bool header = false;
	struct span line;
	int ret;

	while ((ret = lines_next(r->lines, &line.at, &line.len, r->diag)) > 0) {
		ret = header ? read_line(r, line) : read_header(r, line);
		if (ret)
			return ret;
		header = true;
	}
	if (ret || r->trace.num_reqs)
		return ret;
	return diag_set(r->diag, -EINVAL,
			"%s: expected at least one request (no requests)",
			r->lines->path);
}

static int parse(struct trace *trace, struct trace_input *in,
		 const char *const *names, struct diag *diag)
{
	struct reader r = {
		.in = in,
		.lines = in->lines,
		.csv = {.names = names, .num_names = NUM_COLUMNS},
		.diag = diag,
	};
	uint32_t block = in->opt.block_size;
	int ret;

	in->field = names[COLUMN_ARRIVAL] ? names[COLUMN_ARRIVAL] : "arrival";
	input_unit(in, TIME_S);
	trace_init(&r.trace, block ? block : DEFAULT_BLOCK);
	ret = read_all(&r);
	id_runs_destroy(&r.ids);
	if (ret)
		trace_destroy(&r.trace);
	else
		*trace = r.trace;
	return ret;
}

static int read_azure(struct trace *trace, struct trace_input *in,
		      struct diag *diag)
{
	return parse(trace, in, azure, diag);
}

static int read_burstgpt(struct trace *trace, struct trace_input *in,
			 struct diag *diag)
{
	return parse(trace, in, burstgpt, diag);
}

static int read_splitwise(struct trace *trace, struct trace_input *in,
			  struct diag *diag)
{
	return parse(trace, in, splitwise, diag);
}

static int read_servegen(struct trace *trace, struct trace_input *in,
			 struct diag *diag)
{
	return parse(trace, in, servegen, diag);
}

static int bad_columns(const char *columns, struct diag *diag)
{
	return diag_set(diag, -EINVAL,
			"--columns: expected arrival=NAME,input=NAME, and "
			"output=NAME, session=NAME or tenant=NAME where there "
			"are such "
			"(\"%s\")",
			columns ? columns : "");
}

/* @text is cut into the names. */
static int split_columns(char *text, const char *names[NUM_COLUMNS])
{
	char *next = text;

	while (next) {
		char *pair = strsep(&next, ",");
		char *name = strchr(pair, '=');
		int i = 0;

		if (!name || !name[1])
			return -EINVAL;
		*name++ = '\0';
		while (i < NUM_COLUMNS && strcmp(keys[i], pair))
			i++;
		if (i == NUM_COLUMNS || names[i])
			return -EINVAL;
		names[i] = name;
	}
	return names[COLUMN_INPUT] ? 0 : -EINVAL;
}

static int read_columns(struct trace *trace, struct trace_input *in,
			struct diag *diag)
{
	const char *names[NUM_COLUMNS] = {NULL};
	char text[MAX_NAMES];

	if (!in->opt.columns || strlen(in->opt.columns) >= sizeof(text))
		return bad_columns(in->opt.columns, diag);
	strcpy(text, in->opt.columns);
	if (split_columns(text, names))
		return bad_columns(in->opt.columns, diag);
	return parse(trace, in, names, diag);
}

/* Whether a header has columns of a form, all of the two or any of them. */
static bool probe(struct span line, const char *const *names, bool any)
{
	const struct csv csv = {.names = names, .num_names = NUM_COLUMNS};
	bool seen[NUM_COLUMNS] = {false};
	struct span name;

	while (span_cut(&line, ',', &name)) {
		int column = csv_find(&csv, name);

		if (column >= 0)
			seen[column] = true;
	}
	return any ? seen[COLUMN_ARRIVAL] || seen[COLUMN_INPUT]
		   : seen[COLUMN_ARRIVAL] && seen[COLUMN_INPUT];
}

static bool is_azure(struct span line)
{
	return probe(line, azure, true);
}

static bool is_burstgpt(struct span line)
{
	return probe(line, burstgpt, false);
}

static bool is_splitwise(struct span line)
{
	return probe(line, splitwise, false);
}

static bool is_servegen(struct span line)
{
	return probe(line, servegen, false);
}

static bool is_nothing(struct span line)
{
	(void)line;
	return false;
}

static const char *const no_suffix[] = {NULL};

const struct trace_reader reader_azure = {
	.name = "azure",
	.help = "CSV with TIMESTAMP and ContextTokens",
	.suffix = no_suffix,
	.probe = is_azure,
	.read = read_azure,
};

const struct trace_reader reader_burstgpt = {
	.name = "burstgpt",
	.help = "CSV with Timestamp and Request tokens",
	.suffix = no_suffix,
	.probe = is_burstgpt,
	.read = read_burstgpt,
};

const struct trace_reader reader_splitwise = {
	.name = "splitwise",
	.help = "CSV with arrival_timestamp and prompt_size",
	.suffix = no_suffix,
	.probe = is_splitwise,
	.read = read_splitwise,
};

const struct trace_reader reader_servegen = {
	.name = "servegen",
	.help = "CSV with timestamp and input_tokens",
	.suffix = no_suffix,
	.probe = is_servegen,
	.read = read_servegen,
};

const struct trace_reader reader_columns = {
	.name = "columns",
	.help = "any other CSV, its columns named by --columns",
	.suffix = no_suffix,
	.probe = is_nothing,
	.read = read_columns,
};
