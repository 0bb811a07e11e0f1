/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_TRACE_READER_H
#define TOOLS_TRACE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/diag.h"
#include "tools/base/lines.h"
#include "tools/base/span.h"
#include "trace.h"

/*
 * The forms in which traces come. Each is one struct trace_reader in a file
 * of its own, declared here and named in the table of reader.c.
 */

/*
 * Longest prompt that a reader makes ids for itself: a few bytes of a file must
 * not ask for gigabytes, and no engine takes more.
 */
enum {
	READER_MAX_PROMPT = 1 << 24
};

/**
 * struct trace_input - what a reader gets
 * @path: as the user gave it, "-" is standard input
 * @lines: the file, unpacked, from its first line on; the caller closes it
 * @block_size: asked for; 0 takes what the file says, else the form's default
 * @rate: requests a second for those without an arrival; 0 where not given
 * @seed: of these arrivals
 * @timeless: set by the reader: the requests had no arrivals of their own
 */
struct trace_input {
	const char *path;
	struct lines *lines;
	uint32_t block_size;
	double rate;
	uint64_t seed;
	bool timeless;
};

/**
 * struct trace_reader - one form of traces
 * @name: as --format takes it
 * @help: what it is, a few words
 * @suffix: ends of file names that tell it, ended by NULL; the ends .gz and
 *	.zst are taken off first
 * @probe: whether a first line that is not blank looks like it; asked where
 *	the name tells nothing
 * @read: reads all of it; writes @trace on success only
 */
struct trace_reader {
	const char *name;
	const char *help;
	const char *const *suffix;
	bool (*probe)(struct span line);
	int (*read)(struct trace *trace, struct trace_input *in,
		    struct diag *diag);
};

extern const struct trace_reader reader_mooncake;
extern const struct trace_reader reader_azure;
extern const struct trace_reader reader_docs;

/* All of them, ended by NULL. */
extern const struct trace_reader *const trace_readers[];

/**
 * struct read_options - how to read a trace
 * @format: name of its form; NULL looks at the file
 * @block_size: as in struct trace_input
 * @rate: as in struct trace_input
 * @seed: as in struct trace_input
 */
struct read_options {
	const char *format;
	uint32_t block_size;
	double rate;
	uint64_t seed;
};

/**
 * reader_find() - the form of a name, as --format has it
 *
 * Return: NULL with @diag set, naming the closest one.
 */
const struct trace_reader *reader_find(const char *name, struct diag *diag);

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
