/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_UNPACK_H
#define TOOLS_BASE_UNPACK_H

#include <stdint.h>

#include "diag.h"
#include "limits.h"
#include "lines.h"

/*
 * Packed files read as if they were plain. The form is told by the first
 * bytes, not by the name, so that it works for standard input too. Several
 * members or frames behind each other are one file, as for gzip and zstd.
 */

/*
 * A few kilobytes can unpack to any size. Real traces pack 5 to 20 times. What
 * a file may unpack to, unless --limit says otherwise: a few megabytes in any
 * case, then so many times its own size, for a small file and for a larger
 * one, whose packed size shows that somebody meant it; and never more than the
 * last one.
 */
#define UNPACK_FREE_BYTES (UINT64_C(4) << 20)
#define UNPACK_SMALL_BYTES (UINT64_C(1) << 20)
#define UNPACK_SMALL_RATIO UINT64_C(50)
#define UNPACK_LARGE_RATIO UINT64_C(2000)
#define UNPACK_MAX_BYTES (UINT64_C(8) << 30)

/**
 * unpack_source() - put an unpacker in front of a source
 * @source: gives the plain bytes
 * @packed: gzip, zstd or neither; owned by @source from here, on an error too
 * @size: of @packed where it is known, else 0
 * @max: bytes that it may unpack to; 0 is the default
 * @progress: bytes read of @packed, for an observer; may be NULL
 *
 * Return: 0, -ENOMEM.
 */
int unpack_source(struct lines_source *source,
		  const struct lines_source *packed, uint64_t size,
		  uint64_t max, _Atomic uint64_t *progress);

/**
 * unpack_open() - begin to read the lines of a file, packed or not
 * @path: "-" is standard input, and named so in messages
 * @limits: how much may come of it; NULL takes the defaults
 * @progress: bytes read of the file so far, for an observer; may be NULL
 *
 * Return: 0 or -errno with @diag set.
 */
int unpack_open(struct lines *lines, const char *path,
		const struct limits *limits, _Atomic uint64_t *progress,
		struct diag *diag);

/**
 * unpack_read() - the same, read by one function and closed
 * @parse: gets @ctx and the lines; returns 0 or -errno with @diag set
 *
 * Return: What @parse returns, or -errno with @diag set.
 */
int unpack_read(const char *path,
		int (*parse)(void *ctx, struct lines *lines, struct diag *diag),
		void *ctx, struct diag *diag);

/**
 * unpack_stem() - a path without .gz or .zst
 *
 * Return: The bytes that are left of it.
 */
size_t unpack_stem(const char *path);

#endif
