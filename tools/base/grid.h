/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_GRID_H
#define TOOLS_BASE_GRID_H

#include <stdint.h>
#include <stdio.h>

/* Columns of the terminal that a table may take. */
#define GRID_WIDTH 100u

#define GRID_COLUMNS 24u

/**
 * struct grid - a table of texts, aligned when it is printed
 * @cells: row by row
 * @num: cells so far
 * @cap: cells that there is room for
 * @columns: cells in a row
 * @left: columns, from the first on, that are aligned to the left; the others
 *	are figures and stand to the right
 * @err: the first error of an addition; later additions do nothing
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
 * Nothing is ever cut: a first cell that would push its row past GRID_WIDTH
 * gets a line of its own above the row.
 *
 * Return: 0, the first error of an addition, or what stdio met.
 */
int grid_print(const struct grid *grid, FILE *to);

/* A count with commas between thousands, as text of at most 32 bytes. */
void format_count(char *buf, size_t size, uint64_t value);

#endif
