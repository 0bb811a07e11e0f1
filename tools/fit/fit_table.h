/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_FIT_FIT_TABLE_H
#define TOOLS_FIT_FIT_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "fit.h"

/* The longest prompt that a table has a row for. */
#define FIT_TABLE_TOKENS 131072u

/**
 * fit_table_write() - prefill times of whole prompts as table.h reads them
 * @num: steps that were measured
 *
 * T(len) bends and jumps at the edges of chunks only, so there is a row at
 * each edge: between rows the straight line is within a thousandth.
 *
 * Return: 0 or -errno.
 */
int fit_table_write(const struct fit *fit, size_t num, FILE *to);

#endif
