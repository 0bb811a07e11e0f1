/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LOG_LOG_H
#define TOOLS_LOG_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "tools/base/span.h"

/*
 * A log says of each request how much of its prompt was cached and how much
 * was not, and nothing of what prompts have in common: that is a trace. Each
 * form has one struct log_reader, named in the table of log.c.
 */

/**
 * struct log_req - one request of a log
 * @arrival_s: seconds since the log's first arrival
 * @later_s: as the log's times say, on the same clock
 * @cached: tokens of the prompt that were cached
 * @uncached: those that were not, at least 1
 */
struct log_req {
	double arrival_s;
	double later_s;
	uint32_t cached;
	uint32_t uncached;
};

/* What a request's later time is. */
enum log_times {
	LOG_NO_TIMES,
	LOG_STARTS, /* its first step began */
	LOG_FIRST_TOKENS, /* its first token came */
};

/**
 * struct log - requests by rising arrival, equal ones as in the file
 * @reqs: the requests
 * @num: how many, at least 1 once it was read
 * @cap: room for
 * @form: name of its form
 * @times: what all of their later times are
 * @left_out: requests of the file that never started, by its own account
 */
struct log {
	struct log_req *reqs;
	size_t num;
	size_t cap;
	const char *form;
	enum log_times times;
	uint64_t left_out;
};

/**
 * struct log_reader - one form of logs
 * @name: as --format takes it
 * @help: what it is, a few words
 * @probe: whether a first line that is not blank looks like it
 * @parse: appends what the lines say, in any order, times on any clock
 */
struct log_reader {
	const char *name;
	const char *help;
	bool (*probe)(struct span line);
	int (*parse)(struct log *log, struct lines *lines, struct diag *diag);
};

extern const struct log_reader log_reader_csv;
extern const struct log_reader log_reader_sglang;

/* All of them, ended by NULL. */
extern const struct log_reader *const log_readers[];

/* The form of a name, NULL when no log is called so. */
const struct log_reader *log_reader_find(const char *name);

/**
 * log_append() - for readers: one more request
 *
 * Return: 0, -ENOMEM.
 */
int log_append(struct log *log, const struct log_req *req);

/**
 * log_parse() - read a log from lines that are open already
 * @log: initialised here, only on success
 * @reader: its form
 * @lines: still the caller's to close
 * @diag: what is wrong, by file, line and field
 *
 * Return: 0 or -errno.
 */
int log_parse(struct log *log, const struct log_reader *reader,
	      struct lines *lines, struct diag *diag);

/**
 * log_read() - read a file if it is a log
 * @log: initialised here, only when the result is 1
 * @path: a file, packed by gzip or zstd or not; "-" is standard input, which
 *	is a log unless @format says otherwise: it cannot be read twice
 * @format: name of a form, or NULL to look at the first line
 * @progress: bytes read of the file so far, for an observer; may be NULL
 * @diag: what is wrong
 *
 * Return: 1, 0 when the file is no log (a trace, or nothing known), -errno.
 */
int log_read(struct log *log, const char *path, const char *format,
	     _Atomic uint64_t *progress, struct diag *diag);

void log_destroy(struct log *log);

#endif
