/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/csv.h"
#include "tools/base/number.h"
#include "tools/base/unpack.h"

/* A step or a prompt of a day is a mistake of units. */
#define MAX_SECONDS 86400.0

enum constant {
	CONSTANT_T0,
	CONSTANT_A,
	CONSTANT_B,
	CONSTANT_TW,
	NUM_CONSTANTS,
};

enum column {
	COLUMN_TOKENS,
	COLUMN_SECONDS,
	NUM_COLUMNS,
};

static const char *const columns[NUM_COLUMNS] = {"tokens", "seconds"};

static const char *const constants[NUM_CONSTANTS] = {"t0", "a", "b", "Tw"};

/**
 * struct reader - a file on its way into a table
 * @table: what was read so far
 * @lines: the file
 * @constant: of the device
 * @seen: those that were given
 * @csv: its columns
 * @diag: the first thing that is wrong
 */
struct reader {
	struct cost_table table;
	struct lines *lines;
	double constant[NUM_CONSTANTS];
	bool seen[NUM_CONSTANTS];
	struct csv csv;
	struct diag *diag;
};

static int read_constant(struct reader *r, int i, struct span text)
{
	if (r->seen[i])
		return lines_bad(r->lines, r->diag, constants[i],
				 "expected it once (given again)");
	if (!span_real(text, 0.0, MAX_SECONDS, &r->constant[i]))
		return lines_bad(r->lines, r->diag, constants[i],
				 "expected seconds from 0 to %g (%.*s)",
				 MAX_SECONDS, SPAN_ARGS(text));
	r->seen[i] = true;
	return 0;
}

static int read_word(struct reader *r, struct span word)
{
	struct span name;

	span_cut(&word, '=', &name);
	if (!word.at)
		return 0;
	for (int i = 0; i < NUM_CONSTANTS; i++)
		if (span_is(name, constants[i]))
			return read_constant(r, i, span_trim(word));
	return 0;
}

/* Words of other meaning are a comment's own business. */
static int read_comment(struct reader *r, struct span line)
{
	struct span part, word;

	line.at++;
	line.len--;
	while (span_cut(&line, ',', &part))
		while (span_cut(&part, ' ', &word)) {
			int ret = read_word(r, word);

			if (ret)
				return ret;
		}
	return 0;
}

static int read_header(struct reader *r, struct span line)
{
	int ret = csv_header(&r->csv, r->lines, line, r->diag);

	for (int i = 0; i < NUM_COLUMNS && !ret; i++)
		if (!csv_has(&r->csv, i))
			return lines_bad(r->lines, r->diag, "line",
					 "expected a header with the columns "
					 "tokens and seconds (no %s)",
					 columns[i]);
	return ret;
}

static int check_order(const struct reader *r, uint64_t tokens, double seconds)
{
	const struct fw_cost_point *last;

	if (!r->table.num)
		return 0;
	last = &r->table.points[r->table.num - 1];
	if (tokens <= last->tokens)
		return lines_bad(r->lines, r->diag, "tokens",
				 "expected more than %u, that of the row "
				 "before (%llu)",
				 last->tokens, (unsigned long long)tokens);
	if (seconds < last->seconds)
		return lines_bad(r->lines, r->diag, "seconds",
				 "expected at least %.9g, that of the row "
				 "before (%.9g)",
				 last->seconds, seconds);
	return 0;
}

static int add_row(struct reader *r, uint32_t tokens, double seconds)
{
	struct cost_table *table = &r->table;

	if (table->num == table->cap) {
		size_t cap = table->cap ? 2 * table->cap : 64;
		struct fw_cost_point *grown =
			realloc(table->points, cap * sizeof(*grown));

		if (!grown)
			return diag_set(r->diag, -ENOMEM,
					"%s: not enough memory",
					r->lines->path);
		table->points = grown;
		table->cap = cap;
	}
	table->points[table->num++] =
		(struct fw_cost_point){.tokens = tokens, .seconds = seconds};
	return 0;
}

static int read_row(struct reader *r, struct span line)
{
	struct span fields[NUM_COLUMNS];
	uint64_t tokens;
	double seconds;
	int ret = csv_split(&r->csv, r->lines, line, fields, r->diag);

	if (ret)
		return ret;
	if (!span_u64(fields[COLUMN_TOKENS], 1, INT32_MAX, &tokens))
		return lines_bad(r->lines, r->diag, "tokens",
				 "expected a whole number from 1 to %d (%.*s)",
				 INT32_MAX, SPAN_ARGS(fields[COLUMN_TOKENS]));
	/* The least that is no time at all: a nanosecond. */
	if (!span_real(fields[COLUMN_SECONDS], 1e-9, MAX_SECONDS, &seconds))
		return lines_bad(r->lines, r->diag, "seconds",
				 "expected seconds from 1e-9 to %g (%.*s)",
				 MAX_SECONDS,
				 SPAN_ARGS(fields[COLUMN_SECONDS]));
	ret = check_order(r, tokens, seconds);
	return ret ? ret : add_row(r, (uint32_t)tokens, seconds);
}

static int read_lines(struct reader *r)
{
	struct span line;
	int ret;

	while ((ret = lines_next(r->lines, &line.at, &line.len, r->diag)) > 0) {
		if (*line.at == '#')
			ret = read_comment(r, line);
		else if (!r->csv.num_columns)
			ret = read_header(r, line);
		else
			ret = read_row(r, line);
		if (ret)
			return ret;
	}
	if (ret || r->table.num)
		return ret;
	return diag_set(
		r->diag, -EINVAL,
		"%s: expected at least one row of tokens,seconds (none)",
		r->lines->path);
}

/* Half a device is none; a step must take some time. */
static int settle_device(struct reader *r)
{
	const double *c = r->constant;
	int missing = -1;
	int num = 0;

	for (int i = 0; i < NUM_CONSTANTS; i++) {
		num += r->seen[i];
		if (!r->seen[i] && missing < 0)
			missing = i;
	}
	if (!num)
		return 0;
	if (num < NUM_CONSTANTS)
		return diag_set(r->diag, -EINVAL,
				"%s: expected all of t0, a, b and Tw in its "
				"comments, or none (no %s)",
				r->lines->path, constants[missing]);
	if (c[CONSTANT_T0] <= 0.0 && c[CONSTANT_TW] <= 0.0)
		return diag_set(r->diag, -EINVAL,
				"%s: expected t0 or Tw over 0 (both are 0)",
				r->lines->path);
	r->table.has_device = true;
	r->table.device = (struct fw_device){
		.name = "table",
		.t0 = c[CONSTANT_T0],
		.a = c[CONSTANT_A],
		.b = c[CONSTANT_B],
		.tw = c[CONSTANT_TW],
	};
	return 0;
}

int table_parse(struct cost_table *table, struct lines *lines,
		struct diag *diag)
{
	struct reader r = {
		.lines = lines,
		.csv = {.names = columns, .num_names = NUM_COLUMNS},
		.diag = diag,
	};
	int ret = read_lines(&r);

	if (!ret)
		ret = settle_device(&r);
	if (ret)
		table_destroy(&r.table);
	else
		*table = r.table;
	return ret;
}

static int parse(void *table, struct lines *lines, struct diag *diag)
{
	return table_parse(table, lines, diag);
}

int table_read(struct cost_table *table, const char *path, struct diag *diag)
{
	return unpack_read(path, parse, table, diag);
}

void table_destroy(struct cost_table *table)
{
	free(table->points);
	table->points = NULL;
	table->num = 0;
}
