/* SPDX-License-Identifier: Apache-2.0 */
#include "log_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/json_pick.h"
#include "tools/base/mem.h"
#include "tools/base/number.h"

#define MAX_SECONDS 1e11

/**
 * struct record - one request as the log has it
 * @req: its arrival and tokens
 * @start_s: below 0 where it is not known
 * @first_s: time of the first token, below 0 where it is not known
 */
struct record {
	struct log_req req;
	double start_s;
	double first_s;
};

/**
 * struct reader - a log that is being read
 * @log: filled at the end
 * @form: where the figures stand
 * @lines: the file
 * @diag: the first thing that is wrong
 * @pick: the line at hand
 * @list: complete records so far
 * @num: how many
 * @cap: room for
 * @starts: of them, those with a start
 * @firsts: those with a first token
 * @cached: those that say how much was cached
 * @timeless: of the lines so far, those without an arrival
 * @total: lines so far
 */
struct reader {
	struct log *log;
	const struct log_json_form *form;
	struct lines *lines;
	struct diag *diag;
	struct json_pick pick;
	struct record *list;
	size_t num;
	size_t cap;
	size_t starts;
	size_t firsts;
	size_t cached;
	size_t timeless;
	size_t total;
};

/* Index of the first path of @figure that has a value, or -1. */
static int find(const struct reader *r, enum log_figure figure)
{
	for (int i = 0; r->form->paths[i]; i++)
		if (r->form->figures[i] == figure &&
		    r->pick.values[i].kind != JSON_PICK_NONE)
			return i;
	return -1;
}

/* Return: 0 with @seconds below 0 where there is none, -errno. */
static int read_seconds(const struct reader *r, enum log_figure figure,
			double max, double *seconds)
{
	int i = find(r, figure);
	const struct json_value *value = &r->pick.values[i < 0 ? 0 : i];

	*seconds = -1.0;
	if (i < 0)
		return 0;
	if (value->kind == JSON_PICK_NUMBER &&
	    span_real(json_pick_text(value), 0.0, max, seconds))
		return 0;
	return lines_bad(r->lines, r->diag, r->form->paths[i],
			 "expected a time from 0 to %g (%s)", max,
			 json_pick_what(value));
}

/* Return: 1, 0 where there is none, -errno. */
static int read_tokens(const struct reader *r, enum log_figure figure,
		       uint32_t *tokens)
{
	int i = find(r, figure);
	const struct json_value *value = &r->pick.values[i < 0 ? 0 : i];
	uint64_t number;

	*tokens = 0;
	if (i < 0)
		return 0;
	if (value->kind != JSON_PICK_NUMBER ||
	    !span_u64(json_pick_text(value), 0, LOG_MAX_TOKENS, &number))
		return lines_bad(r->lines, r->diag, r->form->paths[i],
				 "expected a whole number from 0 to %d (%s)",
				 LOG_MAX_TOKENS, json_pick_what(value));
	*tokens = (uint32_t)number;
	return 1;
}

/* After the arrival: clocks of different processes differ a little. */
static double not_before(double arrival, double at)
{
	return at > arrival ? at : arrival;
}

static int read_start(const struct reader *r, struct record *record)
{
	double arrival = record->req.arrival_s;
	double start, queued, scheduled, wait, wait_ms;
	int ret = read_seconds(r, LOG_START, MAX_SECONDS, &start);

	if (!ret)
		ret = read_seconds(r, LOG_QUEUED, MAX_SECONDS, &queued);
	if (!ret)
		ret = read_seconds(r, LOG_SCHEDULED, MAX_SECONDS, &scheduled);
	if (!ret)
		ret = read_seconds(r, LOG_WAIT, MAX_SECONDS, &wait);
	if (!ret)
		ret = read_seconds(r, LOG_WAIT_MS, MAX_SECONDS, &wait_ms);
	if (ret)
		return ret;
	if (start > 0.0)
		record->start_s = not_before(arrival, start);
	else if (queued > 0.0 && scheduled > 0.0)
		record->start_s =
			not_before(arrival, arrival + scheduled - queued);
	else if (wait >= 0.0 && find(r, LOG_START) < 0)
		record->start_s = arrival + wait;
	else if (wait_ms >= 0.0)
		record->start_s = arrival + wait_ms / 1000.0;
	return 0;
}

static int read_times(const struct reader *r, struct record *record)
{
	double first;
	int ret;

	record->start_s = record->first_s = -1.0;
	ret = read_start(r, record);
	if (!ret)
		ret = read_seconds(r, LOG_FIRST_TOKEN, MAX_SECONDS, &first);
	if (!ret && first > 0.0)
		record->first_s = not_before(record->req.arrival_s, first);
	return ret;
}

/*
 * After a retraction the tokens that were generated may count as cached too.
 *
 * Return: 1, 0 where the record is incomplete, -errno.
 */
static int read_prompt(struct reader *r, struct log_req *req)
{
	uint32_t prompt;
	int ret = read_tokens(r, LOG_PROMPT, &prompt);
	int cached = read_tokens(r, LOG_CACHED, &req->cached);

	if (ret < 0 || cached < 0)
		return ret < 0 ? ret : cached;
	if (!ret || !prompt || (!cached && !r->form->cached_may_miss))
		return 0;
	r->cached += cached > 0;
	if (req->cached >= prompt)
		req->cached = prompt - 1;
	req->uncached = prompt - req->cached;
	return 1;
}

static int add(struct reader *r, const struct record *record)
{
	struct record *list =
		mem_grow(r->list, &r->cap, r->num + 1, sizeof(*list));

	if (!list)
		return diag_set(r->diag, -ENOMEM, "%s: not enough memory",
				r->lines->path);
	r->list = list;
	r->list[r->num++] = *record;
	r->starts += record->start_s >= 0.0;
	r->firsts += record->first_s >= 0.0;
	return 0;
}

static int read_line(struct reader *r, struct span line)
{
	struct record record = {.start_s = -1.0};
	int ret = json_pick(&r->pick, r->lines, line, r->diag);

	if (!ret)
		ret = read_seconds(r, LOG_ARRIVAL, MAX_SECONDS,
				   &record.req.arrival_s);
	if (ret)
		return ret;
	r->total++;
	r->timeless += record.req.arrival_s <= 0.0;
	ret = read_prompt(r, &record.req);
	if (ret < 0)
		return ret;
	if (!ret || record.req.arrival_s <= 0.0) {
		r->log->left_out++;
		return 0;
	}
	ret = read_times(r, &record);
	return ret ? ret : add(r, &record);
}

/* The field that a form's arrival is mostly in. */
static const char *arrival_name(const struct reader *r)
{
	int i = 0;

	while (r->form->figures[i] != LOG_ARRIVAL)
		i++;
	return r->form->paths[i];
}

static int check_arrivals(const struct reader *r)
{
	if (!r->total || r->timeless < r->total)
		return 0;
	return diag_set(r->diag, -EINVAL,
			"%s: %s: expected the arrival (missing in all %zu "
			"lines)",
			r->lines->path, arrival_name(r), r->total);
}

/* Where some started, the others were given up before they did. */
static int settle(struct reader *r)
{
	enum log_times times = r->starts   ? LOG_STARTS
			       : r->firsts ? LOG_FIRST_TOKENS
					   : LOG_NO_TIMES;

	if (r->num && !r->cached)
		return diag_set(r->diag, -EINVAL,
				"%s: expected how much of a prompt was cached "
				"(no request says it)",
				r->lines->path);
	r->log->times = times;
	for (size_t i = 0; i < r->num; i++) {
		struct log_req *req = &r->list[i].req;

		req->later_s = times == LOG_STARTS ? r->list[i].start_s
						   : r->list[i].first_s;
		if (times == LOG_NO_TIMES)
			req->later_s = req->arrival_s;
		if (req->later_s < 0.0)
			r->log->left_out++;
		else if (log_append(r->log, req))
			return diag_set(r->diag, -ENOMEM,
					"%s: not enough memory",
					r->lines->path);
	}
	return 0;
}

int log_json_parse(struct log *log, const struct log_json_form *form,
		   struct lines *lines, struct diag *diag)
{
	struct reader r = {
		.log = log,
		.form = form,
		.lines = lines,
		.diag = diag,
		.pick.paths = form->paths,
	};
	struct span line;
	int ret;

	while ((ret = lines_next(lines, &line.at, &line.len, diag)) > 0) {
		ret = read_line(&r, line);
		if (ret)
			break;
	}
	if (!ret)
		ret = check_arrivals(&r);
	if (!ret)
		ret = settle(&r);
	free(r.list);
	return ret;
}

bool log_json_has(struct span line, const char *const *keys)
{
	char quoted[64];

	line = span_trim(line);
	if (!line.len || *line.at != '{')
		return false;
	for (; *keys; keys++) {
		int len = snprintf(quoted, sizeof(quoted), "\"%s\"", *keys);

		if (memmem(line.at, line.len, quoted, (size_t)len))
			return true;
	}
	return false;
}
