/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_OUT_H
#define TOOLS_BASE_OUT_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "diag.h"

/**
 * struct out - a file that is either written whole or not at all
 * @file: write here with stdio
 * @path: its name when it is done; "-" is standard output
 * @temp: the temporary file beside it, which out_commit() renames; NULL for
 *	devices, pipes and standard output, which no rename can replace
 * @old: the file that the rename will replace, if @replaces
 * @replaces: there is such a file
 */
struct out {
	FILE *file;
	char *path;
	char *temp;
	struct stat old;
	bool replaces;
};

/**
 * out_open() - begin a file
 * @path: NULL for none; @out is then nothing, which can be committed
 *
 * A command opens all its outputs before any long work. So a path that cannot
 * be written is known at once, not after an hour. A file that the command reads
 * is refused; one that it reads later is refused there, see guard.h.
 *
 * Return: 0 or -errno with @diag set.
 */
int out_open(struct out *out, const char *path, struct diag *diag);

/**
 * out_commit() - flush, check, sync and rename
 *
 * Return: 0 or -errno with @diag set; the temporary file is gone in both cases.
 */
int out_commit(struct out *out, struct diag *diag);

/* Give up: remove the temporary file. Does nothing after out_commit(). */
void out_abort(struct out *out);

/* Remove all temporary files. Async-signal-safe: a handler calls it. */
void out_abort_all(void);

#endif
