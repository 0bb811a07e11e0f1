/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/trace/reader.h"
#include "log.h"

/*
 * Fairway's own form of a log: CSV whose header names the columns, in any
 * order; others are ignored.
 */

enum {
	MAX_COLUMNS = 256,
};

/* A clock in milliseconds since 1970 is past this; one in seconds is not. */
#define MAX_SECONDS 1e11

enum column {
	COLUMN_ARRIVAL,
	COLUMN_CACHED,
	COLUMN_UNCACHED,
	NUM_NEEDED,
	COLUMN_START = NUM_NEEDED,
	COLUMN_TTFT,
	NUM_COLUMNS,
};

static const char *const names[NUM_COLUMNS] = {
	[COLUMN_ARRIVAL] = "arrival_s",
	[COLUMN_CACHED] = "cached_tokens",
	[COLUMN_UNCACHED] = "uncached_tokens",
	[COLUMN_START] = "start_s",
	[COLUMN_TTFT] = "ttft_s",
};

/**
 * struct csv - a log that is being read
 * @log: filled
 * @lines: the file
 * @diag: the first thing that is wrong
 * @place: of each column in a line, -1 where there is none
 * @num_places: columns of the header
 * @field: of the line at hand
 */
struct csv {
	struct log *log;
	struct lines *lines;
	struct diag *diag;
	int place[NUM_COLUMNS];
	int num_places;
	struct span field[NUM_COLUMNS];
};

static int find_column(struct span name)
{
	for (int i = 0; i < NUM_COLUMNS; i++)
		if (span_is(name, names[i]))
			return i;
	return -1;
}

static int check_header(struct csv *csv)
{
	for (int i = 0; i < NUM_NEEDED; i++)
		if (csv->place[i] < 0)
			return lines_bad(csv->lines, csv->diag, names[i],
					 "expected a column of this name in "
					 "the header (none)");
	if (csv->place[COLUMN_START] >= 0)
		csv->log->times = LOG_STARTS;
	else if (csv->place[COLUMN_TTFT] >= 0)
		csv->log->times = LOG_FIRST_TOKENS;
	return 0;
}

static int read_header(struct csv *csv, struct span line)
{
	struct span name;

	for (int i = 0; i < NUM_COLUMNS; i++)
		csv->place[i] = -1;
	while (span_cut(&line, ',', &name)) {
		int column = find_column(name);

		if (csv->num_places == MAX_COLUMNS)
			return lines_bad(csv->lines, csv->diag, "line",
					 "expected at most %d columns (more)",
					 MAX_COLUMNS);
		if (column >= 0 && csv->place[column] >= 0)
			return lines_bad(csv->lines, csv->diag, names[column],
					 "expected one such column (two)");
		if (column >= 0)
			csv->place[column] = csv->num_places;
		csv->num_places++;
	}
	return check_header(csv);
}

static int split_line(struct csv *csv, struct span line)
{
	struct span field;
	int num = 0;

	while (num <= csv->num_places && span_cut(&line, ',', &field)) {
		for (int i = 0; i < NUM_COLUMNS; i++)
			if (csv->place[i] == num)
				csv->field[i] = field;
		num++;
	}
	if (num == csv->num_places)
		return 0;
	return lines_bad(csv->lines, csv->diag, "line",
			 "expected %d fields, as in the header (%s%d%s)",
			 csv->num_places, num > csv->num_places ? "over " : "",
			 num > csv->num_places ? csv->num_places : num,
			 csv->lines->whole ? "" : "; the file may be cut off");
}

static int read_seconds(struct csv *csv, enum column column, double min,
			double *value)
{
	struct span text = csv->field[column];

	if (span_real(text, min, MAX_SECONDS, value))
		return 0;
	/* Only a start has another least value than 0. */
	if (min > 0.0)
		return lines_bad(csv->lines, csv->diag, names[column],
				 "expected a time in seconds from the arrival "
				 "at %.9g on, or nothing (%.*s)",
				 min, SPAN_ARGS(text));
	return lines_bad(csv->lines, csv->diag, names[column],
			 "expected a number of seconds from 0 to %.0e (%.*s)",
			 MAX_SECONDS, SPAN_ARGS(text));
}

static int read_tokens(struct csv *csv, enum column column, uint32_t *tokens)
{
	struct span text = csv->field[column];
	uint64_t value;

	if (!span_u64(text, 0, READER_MAX_PROMPT, &value))
		return lines_bad(csv->lines, csv->diag, names[column],
				 "expected a whole number from 0 to %d (%.*s)",
				 READER_MAX_PROMPT, SPAN_ARGS(text));
	*tokens = (uint32_t)value;
	return 0;
}

/* Of a prompt that was cached whole, an engine still computes the end. */
static int read_prompt(struct csv *csv, struct log_req *req)
{
	int ret = read_tokens(csv, COLUMN_CACHED, &req->cached);

	if (!ret)
		ret = read_tokens(csv, COLUMN_UNCACHED, &req->uncached);
	if (ret)
		return ret;
	if (!req->cached && !req->uncached)
		return lines_bad(csv->lines, csv->diag, names[COLUMN_UNCACHED],
				 "expected a prompt of at least one token (0 "
				 "cached, 0 not)");
	if (!req->uncached) {
		req->uncached = 1;
		req->cached--;
	}
	return 0;
}

/* Return: 0, 1 when the request never started, -errno. */
static int read_later(struct csv *csv, struct log_req *req)
{
	bool start = csv->log->times == LOG_STARTS;
	enum column column = start ? COLUMN_START : COLUMN_TTFT;
	int ret;

	if (csv->log->times == LOG_NO_TIMES)
		return 0;
	if (!csv->field[column].len)
		return 1;
	ret = read_seconds(csv, column, start ? req->arrival_s : 0.0,
			   &req->later_s);
	if (!ret && !start)
		req->later_s += req->arrival_s;
	return ret;
}

static int read_line(struct csv *csv, struct span line)
{
	struct log_req req = {0};
	int ret = split_line(csv, line);

	if (!ret)
		ret = read_seconds(csv, COLUMN_ARRIVAL, 0.0, &req.arrival_s);
	if (!ret)
		ret = read_prompt(csv, &req);
	if (!ret)
		ret = read_later(csv, &req);
	if (ret > 0) {
		csv->log->left_out++;
		return 0;
	}
	if (!ret && log_append(csv->log, &req))
		ret = diag_set(csv->diag, -ENOMEM, "%s:%llu: not enough memory",
			       csv->lines->path,
			       (unsigned long long)csv->lines->number);
	return ret;
}

static int parse(struct log *log, struct lines *lines, struct diag *diag)
{
	struct csv csv = {.log = log, .lines = lines, .diag = diag};
	bool header = false;
	struct span line;
	int ret;

	while ((ret = lines_next(lines, &line.at, &line.len, diag)) > 0) {
		ret = header ? read_line(&csv, line) : read_header(&csv, line);
		if (ret)
			break;
		header = true;
	}
	return ret;
}

/* One of our own names is enough: what is missing is then said. */
static bool probe(struct span line)
{
	struct span name;

	while (span_cut(&line, ',', &name))
		if (find_column(name) >= 0)
			return true;
	return false;
}

const struct log_reader log_reader_csv = {
	.name = "log",
	.help = "CSV with arrival_s, cached_tokens and uncached_tokens",
	.probe = probe,
	.parse = parse,
};
