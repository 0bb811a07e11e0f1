/* SPDX-License-Identifier: Apache-2.0 */
#include "log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/unpack.h"

const struct log_reader *const log_readers[] = {
	&log_reader_csv,
	&log_reader_sglang,
	NULL,
};

const struct log_reader *log_reader_find(const char *name)
{
	for (size_t i = 0; log_readers[i]; i++)
		if (!strcmp(log_readers[i]->name, name))
			return log_readers[i];
	return NULL;
}

int log_append(struct log *log, const struct log_req *req)
{
	if (log->num == log->cap) {
		size_t cap = log->cap ? 2 * log->cap : 1024;
		struct log_req *reqs =
			reallocarray(log->reqs, cap, sizeof(*reqs));

		if (!reqs)
			return -ENOMEM;
		log->reqs = reqs;
		log->cap = cap;
	}
	log->reqs[log->num++] = *req;
	return 0;
}

/* qsort() may swap equals; the rank in the file keeps their order. */
struct ranked {
	struct log_req req;
	size_t rank;
};

static int by_arrival(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->req.arrival_s < y->req.arrival_s)
		return -1;
	if (x->req.arrival_s > y->req.arrival_s)
		return 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

static bool in_order(const struct log *log)
{
	for (size_t i = 1; i < log->num; i++)
		if (log->reqs[i].arrival_s < log->reqs[i - 1].arrival_s)
			return false;
	return true;
}

/* Engines write a line when a request ends, so arrivals come in any order. */
static int sort(struct log *log)
{
	struct ranked *all;

	if (in_order(log))
		return 0;
	all = calloc(log->num, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < log->num; i++)
		all[i] = (struct ranked){log->reqs[i], i};
	qsort(all, log->num, sizeof(*all), by_arrival);
	for (size_t i = 0; i < log->num; i++)
		log->reqs[i] = all[i].req;
	free(all);
	return 0;
}

static int finish(struct log *log, const struct lines *lines, struct diag *diag)
{
	double first;

	if (!log->num)
		return diag_set(diag, -EINVAL,
				log->left_out ? "%s: expected a request that "
						"started (none did)"
					      : "%s: expected at least one "
						"request (no requests)",
				lines->path);
	if (sort(log))
		return diag_set(diag, -ENOMEM, "%s: not enough memory",
				lines->path);
	first = log->reqs[0].arrival_s;
	for (size_t i = 0; i < log->num; i++) {
		log->reqs[i].arrival_s -= first;
		log->reqs[i].later_s -= first;
	}
	return 0;
}

int log_parse(struct log *log, const struct log_reader *reader,
	      struct lines *lines, struct diag *diag)
{
	struct log own = {.form = reader->name};
	int ret = reader->parse(&own, lines, diag);

	if (!ret)
		ret = finish(&own, lines, diag);
	if (ret)
		log_destroy(&own);
	else
		*log = own;
	return ret;
}

/* Return: 1 with @reader set, 0 when none knows the first line, -errno. */
static int probe(const struct log_reader **reader, struct lines *lines,
		 struct diag *diag)
{
	struct span line;
	int ret = lines_next(lines, &line.at, &line.len, diag);

	if (ret <= 0)
		return ret;
	lines_again(lines);
	for (size_t i = 0; log_readers[i]; i++) {
		*reader = log_readers[i];
		if ((*reader)->probe(line))
			return 1;
	}
	return 0;
}

int log_read(struct log *log, const char *path, const char *format,
	     _Atomic uint64_t *progress, struct diag *diag)
{
	bool once = !strcmp(path, "-");
	const struct log_reader *reader = NULL;
	struct lines lines;
	int ret;

	if (format) {
		reader = log_reader_find(format);
		if (!reader)
			return 0;
	}
	ret = unpack_open(&lines, path, progress, diag);
	if (ret)
		return ret;
	ret = reader ? 1 : probe(&reader, &lines, diag);
	if (!ret && once) {
		/* The reader of our own form says what it misses. */
		reader = &log_reader_csv;
		ret = 1;
	}
	if (ret > 0) {
		ret = log_parse(log, reader, &lines, diag);
		ret = ret ? ret : 1;
	}
	lines_close(&lines);
	return ret;
}

void log_destroy(struct log *log)
{
	free(log->reqs);
	log->reqs = NULL;
	log->num = 0;
	log->cap = 0;
}
