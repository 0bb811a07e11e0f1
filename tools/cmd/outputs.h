/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_CMD_OUTPUTS_H
#define TOOLS_CMD_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/diag.h"
#include "tools/base/out.h"

/* The files of a command: all are written, or none. */

/**
 * struct output - one report that goes to a file
 * @option: what asked for it
 * @path: NULL when nothing did
 * @write: fills it from what outputs_fill() gets
 * @out: open from outputs_open() until outputs_commit() or outputs_abort()
 */
struct output {
	const char *option;
	const char *path;
	int (*write)(const void *report, FILE *to);
	struct out out;
};

/* All of a command. */
struct outputs {
	struct output *list;
	size_t num;
};

/* Each that can fail returns 0 or -errno with @diag set. */
int outputs_open(struct outputs *outputs, struct diag *diag);
int outputs_fill(struct outputs *outputs, const void *report,
		 struct diag *diag);
int outputs_commit(struct outputs *outputs, struct diag *diag);
void outputs_abort(struct outputs *outputs);

/* Does one of them go to standard output, so that a table cannot? */
bool outputs_take_stdout(const struct outputs *outputs);

#endif
