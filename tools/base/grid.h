/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_GRID_H
#define TOOLS_BASE_GRID_H

#include <stdint.h>
#include <stdio.h>

/* Columns of the terminal that a table may take. */
#define GRID_WIDTH 100u

#define GRID_COLUMNS 16u

/**
 * struct grid - a table of texts, aligned when it is printed
 * @cells: row by row
 * @num: cells so far
 * @cap: room for
 * @columns: of each row
 * @left: leading columns that are aligned to the left, the others are figures
 * @err: the first error that an addition met; later ones do nothing
 */
struct grid {
	char **cells;
	size_t num;
	size_t cap;
	unsigned int columns;
	unsigned int left;
	int err;
};

void grid_init(struct grid *grid, unsigned int columns, unsigned int left);
void grid_destroy(struct grid *grid);

/* The next cell, rows from left to right. */
void grid_text(struct grid *grid, const char *text);
void grid_indented(struct grid *grid, const char *text);
/* Thousands are set apart by commas. */
void grid_count(struct grid *grid, uint64_t value);
/* "-" for what is not finite. */
void grid_real(struct grid *grid, double value, int decimals);

/**
 * grid_print() - print the table
 *
 * A first cell that would push its row past GRID_WIDTH gets a line of its own
 * above the row, so nothing is ever cut.
 *
 * Return: 0 or -errno; also what an addition met before.
 */
int grid_print(const struct grid *grid, FILE *to);

/* A count with commas between thousands, as text of at most 32 bytes. */
void format_count(char *buf, size_t size, uint64_t value);

#endif
