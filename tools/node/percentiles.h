/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_PERCENTILES_H
#define TOOLS_NODE_PERCENTILES_H

#include <stdint.h>

#include "tools/base/diag.h"

enum {
	PERCENTILES_SHOWN = 6, /* columns that a table has room for */
	PERCENTILES_MAX = 16, /* with those that targets ask for */
};

/**
 * struct percentiles - those that a command line asks for; begins as zeros
 * @at: in thousandths of a percent: 99900 is p99.9
 * @num: how many
 * @shown: so many of them, from the first on, stand in the reports
 */
struct percentiles {
	uint32_t at[PERCENTILES_MAX];
	unsigned int num;
	unsigned int shown;
};

/* "p95" or "p99.9", up to p100. Return: 0, -EINVAL. */
int percentile_read(const char *name, uint32_t *at);

/* Such a name, of at most 16 bytes. */
void percentile_name(char *buf, size_t size, uint32_t at);

/**
 * percentiles_parse() - add those that reports shall show
 * @text: names, several separated by commas; the "p" may be left out
 *
 * Call it before percentiles_need().
 *
 * Return: 0 or -EINVAL with @diag set.
 */
int percentiles_parse(struct percentiles *list, const char *text,
		      struct diag *diag);

/* Add one that is only reckoned with, unless it is there; there is room. */
void percentiles_need(struct percentiles *list, uint32_t at);

/* The nearest rank, exactly: the ceil(at * num)-th of @sorted, @num above 0. */
double percentile_of(const double *sorted, uint64_t num, uint32_t at);

#endif
