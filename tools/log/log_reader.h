/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_LOG_LOG_READER_H
#define TOOLS_LOG_LOG_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/limits.h"
#include "tools/base/lines.h"
#include "tools/base/span.h"
#include "log.h"

/*
 * The forms in which logs come. Each is one struct log_reader in a file of its
 * own, declared here and named in the table of log_reader.c.
 */

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
extern const struct log_reader log_reader_vllm;

/* All of them, ended by NULL. */
extern const struct log_reader *const log_readers[];

/* The form of a name, NULL when no log is called so. */
const struct log_reader *log_reader_find(const char *name);

/* The form that a first line looks like, or NULL. */
const struct log_reader *log_reader_of(struct span line);

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
 * @limits: how much may come of the file; NULL takes the defaults
 * @progress: bytes read of the file so far, for an observer; may be NULL
 * @diag: what is wrong
 *
 * Return: 1, 0 when the file is no log (a trace, or nothing known), -errno.
 */
int log_read(struct log *log, const char *path, const char *format,
	     const struct limits *limits, _Atomic uint64_t *progress,
	     struct diag *diag);

#endif
