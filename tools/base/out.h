/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_OUT_H
#define TOOLS_BASE_OUT_H

#include <stdio.h>

#include "diag.h"

/**
 * struct out - a file that is either written whole or not at all
 * @file: write here with stdio
 * @path: where it will stand; "-" is standard output
 * @temp: written beside, renamed by out_commit(); NULL for devices, pipes and
 *	standard output, which cannot be renamed over
 */
struct out {
	FILE *file;
	char *path;
	char *temp;
};

/**
 * out_open() - begin a file
 *
 * Called for every output before any long work, so that a path that cannot be
 * written costs nobody an hour.
 *
 * Return: 0 or -errno with @diag set.
 */
int out_open(struct out *out, const char *path, struct diag *diag);

/**
 * out_commit() - flush, check, sync and rename
 *
 * Return: 0 or -errno with @diag set; the temporary is gone either way.
 */
int out_commit(struct out *out, struct diag *diag);

/* Give up: the temporary is removed. Harmless after out_commit(). */
void out_abort(struct out *out);

/* Remove all temporaries that are open; async-signal-safe, for SIGINT. */
void out_abort_all(void);

#endif
