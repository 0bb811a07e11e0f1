/* SPDX-License-Identifier: Apache-2.0 */
#include "paper_plots.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/doubles.h"
#include "tools/html/html.h"
#include "paper.h"

/* From the least figure on, each scenario, and to the end of the axis. */
#define MAX_POINTS (PAPER_MAX_COLUMNS + 2u)

/**
 * struct profile - a curve for each policy
 * @num: policies
 * @series: what a plot takes, fairway first
 * @x: figure / least figure, MAX_POINTS for each policy
 * @y: percent of the scenarios
 * @farthest: of all policies
 */
struct profile {
	size_t num;
	struct plot_series series[PAPER_MAX_POLICIES];
	double x[PAPER_MAX_POLICIES * MAX_POINTS];
	double y[PAPER_MAX_POLICIES * MAX_POINTS];
	double farthest;
};

static size_t num_rows(const struct paper_table *table)
{
	return table->num_cells / table->num_columns;
}

static const struct paper_cell *cell_of(const struct paper_table *table,
					size_t row, unsigned int column)
{
	return &table->cells[row * table->num_columns + column];
}

static double least_of(const struct paper_table *table, unsigned int column)
{
	double least = INFINITY;

	for (size_t row = 0; row < num_rows(table); row++)
		least = fmin(least, cell_of(table, row, column)->value);
	return least;
}

/* A policy's distances, nearest first; those without a figure are left out. */
static size_t distances(const struct paper_table *table, size_t row, double *to)
{
	size_t num = 0;

	for (unsigned int i = 1; i < table->num_columns; i++) {
		double ratio =
			cell_of(table, row, i)->value / least_of(table, i);

		if (isfinite(ratio))
			to[num++] = ratio;
	}
	doubles_sort(to, num);
	return num;
}

/* Fairway stands out: it has the first style, and lies over the others. */
static void add_row(struct profile *p, const struct paper_table *table,
		    size_t row)
{
	double *x = &p->x[p->num * MAX_POINTS], *y = &p->y[p->num * MAX_POINTS];
	size_t num = distances(table, row, x + 1);

	x[0] = 1.0;
	y[0] = 0.0;
	for (size_t i = 1; i <= num; i++)
		y[i] = 100.0 * (double)i / (table->num_columns - 1);
	p->farthest = fmax(p->farthest, x[num]);
	p->series[p->num] = (struct plot_series){
		.name = cell_of(table, row, 0)->text,
		.style = (unsigned int)p->num,
		.shape = PLOT_STEPS,
		.num = num + 1,
		.x = x,
		.y = y,
	};
	p->num++;
}

static void add_rows(struct profile *p, const struct paper_table *table,
		     bool own)
{
	for (size_t row = 0; row < num_rows(table); row++) {
		const char *name = cell_of(table, row, 0)->text;

		if (p->num < PAPER_MAX_POLICIES &&
		    own == !strcmp(name, "fairway"))
			add_row(p, table, row);
	}
}

/* Each line goes on to the end of the axis. */
static void lengthen(struct profile *p)
{
	for (size_t i = 0; i < p->num; i++) {
		size_t end = p->series[i].num++;

		p->x[i * MAX_POINTS + end] = p->farthest;
		p->y[i * MAX_POINTS + end] = p->y[i * MAX_POINTS + end - 1];
	}
}

static uint64_t within(const struct plot_series *s, double ratio)
{
	uint64_t num = 0;

	for (size_t i = 1; i + 1 < s->num; i++)
		num += s->x[i] <= ratio;
	return num;
}

static void fill_grid(struct grid *grid, const struct profile *p)
{
	static const char *const head[] = {"policy",	 "the least",
					   "within 1.1", "within 1.5",
					   "within 2",	 "farthest"};
	static const double ratios[] = {1.0, 1.1, 1.5, 2.0};

	grid_init(grid, 6, 1);
	for (size_t i = 0; i < 6; i++)
		grid_text(grid, head[i]);
	for (size_t i = 0; i < p->num; i++) {
		const struct plot_series *s = &p->series[i];

		grid_text(grid, s->name);
		for (size_t k = 0; k < 4; k++)
			grid_count(grid, within(s, ratios[k]));
		grid_real(grid, s->num > 2 ? s->x[s->num - 2] : NO_FIGURE, 2);
	}
}

static void draw(struct html *html, const struct profile *p)
{
	const struct plot plot = {
		.title = "How far from the best",
		.alt = "One rising line of steps for each policy: in how many "
		       "percent of the scenarios its p99 is at most so many "
		       "times the least one. Higher on the left is better, and "
		       "a line that reaches the top soon is never far from the "
		       "best. The table counts scenarios.",
		.x = {.title = "p99 / least p99 of the scenario, logarithmic",
		      .log = true,
		      .min = 1.0,
		      .max = fmax(p->farthest, 1.1)},
		.y = {.title = "scenarios",
		      .unit = PLOT_PERCENT,
		      .min = 0.0,
		      .max = 100.0},
		.series = p->series,
		.num_series = p->num,
	};
	struct grid grid;

	fill_grid(&grid, p);
	html_plot(html, &plot, false, &grid);
	grid_destroy(&grid);
}

void paper_profile(struct html *html, const struct paper_table *table)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p) {
		if (!html->err)
			html->err =
				diag_set(html->diag, -ENOMEM, "out of memory");
		return;
	}
	p->farthest = 1.0;
	add_rows(p, table, true);
	add_rows(p, table, false);
	lengthen(p);
	draw(html, p);
	free(p);
}
