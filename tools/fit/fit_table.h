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
 * @fit: the constants
 * @num: steps that were measured
 * @to: where the table goes
 *
 * T(len) bends and jumps only at the edges of chunks, and each edge has a row.
 * Between two rows the straight line is off by a thousandth at most.
 *
 * Return: 0 or -errno.
 */
int fit_table_write(const struct fit *fit, size_t num, FILE *to);

#endif
