/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PLOT_GNUPLOT_H
#define TOOLS_PLOT_GNUPLOT_H

#include <stddef.h>

#include "tools/base/diag.h"

/*
 * gnuplot as a child process: a script in, what it prints out. No shell, no
 * file with a name, so that a signal leaves nothing behind.
 */

/**
 * gnuplot_find() - is it there, and does it draw SVG?
 *
 * For before any long work.
 *
 * Return: 0, or -errno with @diag naming the package that has it.
 */
int gnuplot_find(struct diag *diag);

/**
 * gnuplot_run() - let it draw
 * @script: what it is to do, data included
 * @size: bytes of @script
 * @out: what it printed, ended by a NUL; the caller frees it; written only on
 *	success
 *
 * Context: One thread at a time.
 * Return: 0 or -errno with @diag set; a child that hangs is ended.
 */
int gnuplot_run(const char *script, size_t size, char **out, struct diag *diag);

/* End a child that runs; async-signal-safe, for who is about to end. */
void gnuplot_abort(void);

#endif
