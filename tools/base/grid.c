/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* Between two columns. */
#define GAP 2u

void grid_init(struct grid *grid, unsigned int columns, unsigned int left)
{
	assert(columns <= GRID_COLUMNS && left <= columns);
	*grid = (struct grid){.columns = columns, .left = left};
}

void grid_destroy(struct grid *grid)
{
	for (size_t i = 0; i < grid->num; i++)
		free(grid->cells[i]);
	free(grid->cells);
	grid->cells = NULL;
	grid->num = 0;
}

static int make_room(struct grid *grid)
{
	char **cells = mem_grow(grid->cells, &grid->cap, grid->num + 1,
				sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	grid->cells = cells;
	return 0;
}

/* Owns @text, which is NULL where there was no memory for it. */
static void add(struct grid *grid, char *text)
{
	if (!grid->err)
		grid->err = text ? make_room(grid) : -ENOMEM;
	if (grid->err)
		free(text);
	else
		grid->cells[grid->num++] = text;
}

void grid_text(struct grid *grid, const char *text)
{
	add(grid, strdup(text));
}

void grid_indented(struct grid *grid, const char *text)
{
	char *indented;

	add(grid, asprintf(&indented, "  %s", text) < 0 ? NULL : indented);
}

void format_count(char *buf, size_t size, uint64_t value)
{
	char digits[24];
	size_t len =
		(size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value);
	size_t used = 0;

	assert(size >= len + len / 3 + 1);
	for (size_t i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = '\0';
}

void grid_count(struct grid *grid, uint64_t value)
{
	char buf[32];

	format_count(buf, sizeof(buf), value);
	grid_text(grid, buf);
}

void grid_real(struct grid *grid, double value, int decimals)
{
	char buf[64];

	if (isfinite(value))
		snprintf(buf, sizeof(buf), "%.*f", decimals, value);
	else
		strcpy(buf, "-");
	grid_text(grid, buf);
}

/* Characters, not bytes: phases may be named in any language. */
static size_t width_of(const char *text)
{
	size_t num = 0;

	for (; *text; text++)
		num += ((unsigned char)*text & 0xc0) != 0x80;
	return num;
}

static void measure(const struct grid *grid, size_t *widths)
{
	size_t total = 0;
	size_t first = 0;

	memset(widths, 0, GRID_COLUMNS * sizeof(*widths));
	for (size_t i = grid->num; i-- > 0;) {
		unsigned int column = (unsigned int)(i % grid->columns);
		size_t width = width_of(grid->cells[i]);

		if (column && width > widths[column])
			widths[column] = width;
	}
	for (unsigned int i = 1; i < grid->columns; i++)
		total += widths[i] + GAP;
	/* The first column: its widest cell that still leaves room. */
	for (size_t i = 0; i < grid->num; i += grid->columns) {
		size_t width = width_of(grid->cells[i]);

		if (width > first && width + total <= GRID_WIDTH)
			first = width;
	}
	widths[0] = first;
}

static void pad(size_t num, FILE *to)
{
	while (num--)
		fputc(' ', to);
}

static void print_cell(const struct grid *grid, unsigned int column,
		       const char *text, size_t width, bool last, FILE *to)
{
	size_t fill = width - width_of(text);
	bool left = column < grid->left;

	if (column)
		pad(GAP, to);
	if (!left)
		pad(fill, to);
	fputs(text, to);
	if (left && !last)
		pad(fill, to);
}

static void print_row(const struct grid *grid, char *const *row,
		      const size_t *widths, FILE *to)
{
	unsigned int num = grid->columns;
	const char *first = row[0];

	while (num > 1 && !*row[num - 1])
		num--;
	if (width_of(first) > widths[0]) {
		fprintf(to, "%s\n", first);
		first = "";
	}
	if (num == 1 && !*first)
		return;
	print_cell(grid, 0, first, widths[0], num == 1, to);
	for (unsigned int i = 1; i < num; i++)
		print_cell(grid, i, row[i], widths[i], i + 1 == num, to);
	fputc('\n', to);
}

int grid_print(const struct grid *grid, FILE *to)
{
	size_t widths[GRID_COLUMNS];

	if (grid->err)
		return grid->err;
	assert(grid->num % grid->columns == 0);
	measure(grid, widths);
	errno = 0;
	for (size_t i = 0; i < grid->num; i += grid->columns)
		print_row(grid, grid->cells + i, widths, to);
	if (ferror(to))
		return errno ? -errno : -EIO;
	return 0;
}
