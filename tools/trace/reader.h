/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_READER_H
#define TOOLS_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "tools/base/span.h"
#include "input.h"
#include "trace.h"

/*
 * The forms in which traces come. Each is one struct trace_reader in a file
 * of its own, declared here and named in the table of reader.c.
 */

/**
 * struct trace_reader - one form of traces
 * @name: as --format takes it
 * @help: what it is, a few words
 * @suffix: ends of file names that tell it where the first line does not,
 *	ended by NULL; the ends .gz and .zst are taken off first
 * @pair: it is two files, which only their names tell
 * @probe: whether a first line that is not blank looks like it
 * @read: reads all of it, in the order of the file, and adds an arrival for
 *	each request to its input; writes @trace on success only
 */
struct trace_reader {
	const char *name;
	const char *help;
	const char *const *suffix;
	bool pair;
	bool (*probe)(struct span line);
	int (*read)(struct trace *trace, struct trace_input *in,
		    struct diag *diag);
};

extern const struct trace_reader reader_azure;
extern const struct trace_reader reader_bailian;
extern const struct trace_reader reader_burstgpt;
extern const struct trace_reader reader_columns;
extern const struct trace_reader reader_docs;
extern const struct trace_reader reader_dynamo;
extern const struct trace_reader reader_mooncake;
extern const struct trace_reader reader_servegen;
extern const struct trace_reader reader_splitwise;

/* All of them, ended by NULL. */
extern const struct trace_reader *const trace_readers[];

/**
 * reader_find() - the form of a name, as --format has it
 *
 * Return: NULL with @diag set, naming the closest one.
 */
const struct trace_reader *reader_find(const char *name, struct diag *diag);

/**
 * trace_read_lines() - read lines that are open already
 * @trace: initialised here, only on success
 * @reader: their form
 * @in: path, lines and options; the rest is zero
 * @diag: what is wrong
 *
 * Return: 0 or -errno.
 */
int trace_read_lines(struct trace *trace, const struct trace_reader *reader,
		     struct trace_input *in, struct diag *diag);

/**
 * trace_read() - read a trace in whatever form it has
 * @trace: initialised here, only on success
 * @path: a file, packed by gzip or zstd or not; "-" is standard input
 * @opt: how
 * @progress: bytes read of the file so far, for an observer; may be NULL
 * @diag: what is wrong, by file, line and field
 *
 * Return: 0 or -errno.
 */
int trace_read(struct trace *trace, const char *path,
	       const struct read_options *opt, _Atomic uint64_t *progress,
	       struct diag *diag);

#endif
