/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_NODE_TABLE_H
#define TOOLS_NODE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <fairway/config.h>

#include "lib/cost/device.h"
#include "tools/base/diag.h"
#include "tools/base/lines.h"

/*
 * A user's own prefill times, --table: CSV with the columns tokens and
 * seconds, by the names in the first line that is no comment. A comment before
 * the rows may give the step times of the device as well, in seconds:
 *
 *	# t0=0.008 a=0.00012 b=5.5e-9 Tw=0.025
 */

/**
 * struct cost_table - what such a file says
 * @points: rows by rising tokens
 * @num: how many, at least 1
 * @cap: room for
 * @device: from the comment
 * @has_device: there was one
 */
struct cost_table {
	struct fw_cost_point *points;
	size_t num;
	size_t cap;
	struct fw_device device;
	bool has_device;
};

/**
 * table_read() - read a table
 * @table: initialised here, only on success
 * @path: a file, packed or not; "-" is standard input
 *
 * Return: 0 or -errno with @diag set.
 */
int table_read(struct cost_table *table, const char *path, struct diag *diag);

/* The same from lines that are open already, and still the caller's. */
int table_parse(struct cost_table *table, struct lines *lines,
		struct diag *diag);

void table_destroy(struct cost_table *table);

#endif
