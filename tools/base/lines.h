/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_LINES_H
#define TOOLS_BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"

/*
 * A text file, one line after the other, in memory bounded by the longest
 * line. Every reader of a trace stands on it, so that all of them name file
 * and line alike. What the bytes come from is the source's business.
 */

/* Blank lines in a row that lines_next() passes over, unless told otherwise. */
#define LINES_MAX_BLANK UINT64_C(100000)

/**
 * struct lines_source - where the bytes come from
 * @read: as read(2): bytes put into @buf, 0 at the end, or -errno
 * @why: what the last error of @read was, in words; NULL, or returning NULL,
 *	where -errno says it all
 * @file_bytes: bytes read of the file itself, where @read gives others; may be
 *	NULL
 * @close: may be NULL
 * @ctx: handed to all
 */
struct lines_source {
	ssize_t (*read)(void *ctx, void *buf, size_t size);
	const char *(*why)(void *ctx);
	uint64_t (*file_bytes)(void *ctx);
	void (*close)(void *ctx);
	void *ctx;
};

/* A longer line is no request of any engine, and is refused. */
enum {
	LINES_MAX = 64 << 20
};

/**
 * struct lines - a file that is being read by lines
 * @source: its bytes
 * @path: its name, for messages
 * @progress: bytes read so far, for an observer; may be NULL
 * @bytes: that the source gave
 * @max_blank: blank lines in a row that are passed over
 * @number: of the last line that was given out, from 1
 * @whole: that line ended in a newline
 * @last: bytes of that line in the file, its newline included
 * @buf: the lines read ahead
 * @cap: size of @buf
 * @start: where the next line begins
 * @end: bytes in @buf
 * @eof: the source has no more
 */
struct lines {
	struct lines_source source;
	char *path;
	_Atomic uint64_t *progress;
	uint64_t bytes;
	uint64_t max_blank;
	uint64_t number;
	bool whole;
	size_t last;
	char *buf;
	size_t cap;
	size_t start;
	size_t end;
	bool eof;
};

/**
 * lines_file() - the bytes of a plain file as a source
 * @source: to be closed
 * @path: "-" is standard input, which stays open
 *
 * Return: 0 or -errno with @diag set.
 */
int lines_file(struct lines_source *source, const char *path,
	       struct diag *diag);

/**
 * lines_open() - begin to read a file
 *
 * Return: 0 or -errno with @diag set.
 */
int lines_open(struct lines *lines, const char *path,
	       _Atomic uint64_t *progress, struct diag *diag);

/**
 * lines_open_source() - begin to read what is no plain file
 * @path: name for messages
 * @source: owned by @lines from here, on an error too
 *
 * Return: 0 or -errno with @diag set.
 */
int lines_open_source(struct lines *lines, const char *path,
		      const struct lines_source *source,
		      _Atomic uint64_t *progress, struct diag *diag);

/**
 * lines_next() - the next line that is not blank
 * @line: without its newline; valid until the next call, no NUL behind it
 * @len: bytes of it
 *
 * A byte order mark before the first line and a carriage return at a line's
 * end are taken off. More than @max_blank blank lines in a row are refused: a
 * file of nothing else would be read for ever.
 *
 * Return: 1, 0 at the end, or -errno with @diag set.
 */
int lines_next(struct lines *lines, const char **line, size_t *len,
	       struct diag *diag);

/* Bytes read of the file so far, packed ones where it is packed. */
uint64_t lines_file_bytes(const struct lines *lines);

/**
 * lines_again() - put the line that lines_next() just gave back in front
 *
 * For who looks at a first line to choose its reader. Once for each line, and
 * only after a line was given out.
 */
void lines_again(struct lines *lines);

/**
 * lines_bad() - say what is wrong with the line that was given out last
 * @field: the field, or "line"
 * @fmt: "expected this (that)"
 *
 * Return: -EINVAL.
 */
int lines_bad(const struct lines *lines, struct diag *diag, const char *field,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

void lines_close(struct lines *lines);

#endif
