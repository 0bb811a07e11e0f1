/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include <stddef.h>

#include "tools/base/diag.h"

/*
 * gnuplot as a child process: it reads a script and prints a drawing. There is
 * no shell and no file with a name, so a signal leaves nothing behind.
 */

/**
 * gnuplot_find() - check that gnuplot is there and draws SVG
 *
 * To be called before long work that needs it at the end.
 *
 * Return: 0, or -errno with @diag naming the package that has it.
 */
int gnuplot_find(struct diag *diag);

/**
 * gnuplot_run() - run a script
 * @script: what it is to do, data included
 * @size: bytes of @script
 * @out: what it printed, ended by a NUL; the caller frees it; written only on
 *	success
 *
 * Context: One thread at a time.
 * Return: 0 or -errno with @diag set. A child that hangs is killed.
 */
int gnuplot_run(const char *script, size_t size, char **out, struct diag *diag);

/*
 * Kill the child if one runs. Async-signal-safe: a handler calls it before it
 * ends the process.
 */
void gnuplot_abort(void);

#endif
