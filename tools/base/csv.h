/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_CSV_H
#define TOOLS_BASE_CSV_H

#include "diag.h"
#include "lines.h"
#include "span.h"

/*
 * CSV without quotes whose header names the columns, in any order. A reader
 * names those that it knows; other columns are passed over.
 */

enum {
	CSV_MAX_COLUMNS = 256,
	CSV_MAX_NAMED = 8,
};

/**
 * struct csv - where the columns stand that a reader knows
 * @names: of these columns; one that is NULL is never found
 * @num_names: how many, up to CSV_MAX_NAMED
 * @num_columns: of the header; 0 until it was read
 * @place: of each named column in a line, -1 where there is none
 */
struct csv {
	const char *const *names;
	int num_names;
	int num_columns;
	int place[CSV_MAX_NAMED];
};

/**
 * csv_find() - which of the named columns this is
 *
 * Return: Its index in @names, or -1.
 */
int csv_find(const struct csv *csv, struct span name);

/**
 * csv_header() - read the line that names the columns
 * @csv: its names are set
 * @lines: where @line is from
 *
 * Return: 0, or -EINVAL with @diag set where there are too many columns or a
 * named one twice.
 */
int csv_header(struct csv *csv, const struct lines *lines, struct span line,
	       struct diag *diag);

/* Whether the header has this named column. */
static inline bool csv_has(const struct csv *csv, int name)
{
	return csv->place[name] >= 0;
}

/**
 * csv_need() - complain where the header lacks a column
 *
 * Return: 0 or -EINVAL with @diag set.
 */
int csv_need(const struct csv *csv, const struct lines *lines, int name,
	     struct diag *diag);

/**
 * csv_split() - the fields of the named columns
 * @fields: one for each name; left alone where the header has no such column
 *
 * Return: 0, or -EINVAL with @diag set where the line has not as many fields
 * as the header.
 */
int csv_split(const struct csv *csv, const struct lines *lines,
	      struct span line, struct span *fields, struct diag *diag);

#endif
