/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/base/csv.h"
#include "tools/base/number.h"
#include "log_reader.h"

/*
 * Fairway's own form of a log: CSV whose header names the columns, in any
 * order; others are ignored.
 */

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

static const struct csv columns = {.names = names, .num_names = NUM_COLUMNS};

/**
 * struct reader - a log that is being read
 * @log: filled
 * @lines: the file
 * @diag: the first thing that is wrong
 * @csv: its columns
 * @field: of the line at hand
 */
struct reader {
	struct log *log;
	struct lines *lines;
	struct diag *diag;
	struct csv csv;
	struct span field[NUM_COLUMNS];
};

static int read_header(struct reader *r, struct span line)
{
	int ret = csv_header(&r->csv, r->lines, line, r->diag);

	for (int i = 0; i < NUM_NEEDED && !ret; i++)
		ret = csv_need(&r->csv, r->lines, i, r->diag);
	if (csv_has(&r->csv, COLUMN_START))
		r->log->times = LOG_STARTS;
	else if (csv_has(&r->csv, COLUMN_TTFT))
		r->log->times = LOG_FIRST_TOKENS;
	return ret;
}

static int read_seconds(struct reader *r, enum column column, double min,
			double *value)
{
	struct span text = r->field[column];

	if (span_real(text, min, MAX_SECONDS, value))
		return 0;
	/* Only a start has another least value than 0. */
	if (min > 0.0)
		return lines_bad(r->lines, r->diag, names[column],
				 "expected a time in seconds from the arrival "
				 "at %.9g on, or nothing (%.*s)",
				 min, SPAN_ARGS(text));
	return lines_bad(r->lines, r->diag, names[column],
			 "expected a number of seconds from 0 to %.0e (%.*s)",
			 MAX_SECONDS, SPAN_ARGS(text));
}

static int read_tokens(struct reader *r, enum column column, uint32_t *tokens)
{
	struct span text = r->field[column];
	uint64_t value;

	if (!span_u64(text, 0, LOG_MAX_TOKENS, &value))
		return lines_bad(r->lines, r->diag, names[column],
				 "expected a whole number from 0 to %d (%.*s)",
				 LOG_MAX_TOKENS, SPAN_ARGS(text));
	*tokens = (uint32_t)value;
	return 0;
}

/* Of a prompt that was cached whole, an engine still computes the end. */
static int read_prompt(struct reader *r, struct log_req *req)
{
	int ret = read_tokens(r, COLUMN_CACHED, &req->cached);

	if (!ret)
		ret = read_tokens(r, COLUMN_UNCACHED, &req->uncached);
	if (ret)
		return ret;
	if (!req->cached && !req->uncached)
		return lines_bad(r->lines, r->diag, names[COLUMN_UNCACHED],
				 "expected a prompt of at least one token (0 "
				 "cached, 0 not)");
	if (!req->uncached) {
		req->uncached = 1;
		req->cached--;
	}
	return 0;
}

/* Return: 0, 1 when the request never started, -errno. */
static int read_later(struct reader *r, struct log_req *req)
{
	bool start = r->log->times == LOG_STARTS;
	enum column column = start ? COLUMN_START : COLUMN_TTFT;
	int ret;

	if (r->log->times == LOG_NO_TIMES)
		return 0;
	/* Engines write 0 where they have no time. */
	if (!r->field[column].len ||
	    (start && req->arrival_s > 0.0 &&
	     span_real(r->field[column], 0.0, 0.0, &req->later_s)))
		return 1;
	ret = read_seconds(r, column, start ? req->arrival_s : 0.0,
			   &req->later_s);
	if (!ret && !start)
		req->later_s += req->arrival_s;
	return ret;
}

static int read_line(struct reader *r, struct span line)
{
	struct log_req req = {0};
	int ret = csv_split(&r->csv, r->lines, line, r->field, r->diag);

	if (!ret)
		ret = read_seconds(r, COLUMN_ARRIVAL, 0.0, &req.arrival_s);
	if (!ret)
		ret = read_prompt(r, &req);
	if (!ret)
		ret = read_later(r, &req);
	if (ret > 0) {
		r->log->left_out++;
		return 0;
	}
	if (!ret && log_append(r->log, &req))
		ret = diag_set(r->diag, -ENOMEM, "%s:%llu: not enough memory",
			       r->lines->path,
			       (unsigned long long)r->lines->number);
	return ret;
}

static int parse(struct log *log, struct lines *lines, struct diag *diag)
{
	struct reader r = {
		.log = log,
		.lines = lines,
		.diag = diag,
		.csv = columns,
	};
	bool header = false;
	struct span line;
	int ret;

	while ((ret = lines_next(lines, &line.at, &line.len, diag)) > 0) {
		ret = header ? read_line(&r, line) : read_header(&r, line);
		if (ret)
			break;
		header = true;
	}
	return ret;
}

/*
 * The arrival and one more of our own names: what is missing is then said.
 * Others call a column cached_tokens too.
 */
static bool probe(struct span line)
{
	struct span name;
	bool arrival = false;
	int others = 0;

	while (span_cut(&line, ',', &name)) {
		int column = csv_find(&columns, name);

		arrival |= column == COLUMN_ARRIVAL;
		others += column > COLUMN_ARRIVAL;
	}
	return arrival && others;
}

const struct log_reader log_reader_csv = {
	.name = "log",
	.help = "CSV with arrival_s, cached_tokens and uncached_tokens",
	.probe = probe,
	.parse = parse,
};
