/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "tools/node/timeline.h"
#include "curves.h"
#include "page_parts.h"

enum {
	NUM_INTERVALS = 300,
	TABLE_INTERVALS = 10,
};

/* A policy's largest value in each tenth of the run. */
static void queue_row(struct grid *grid, const struct plot_series *s)
{
	size_t each = s->num / TABLE_INTERVALS;

	grid_text(grid, s->name);
	for (size_t i = 0; i < TABLE_INTERVALS; i++) {
		double most = 0.0;

		for (size_t k = i * each; k < (i + 1) * each; k++)
			most = fmax(most, s->y[k]);
		grid_count(grid, (uint64_t)most);
	}
}

static void queue_table(struct grid *grid, const struct curves *c, double from,
			double to)
{
	double step = (to - from) / TABLE_INTERVALS;
	char text[32];

	grid_init(grid, TABLE_INTERVALS + 1, 1);
	grid_text(grid, "most, up to");
	for (size_t i = 1; i <= TABLE_INTERVALS; i++) {
		snprintf(text, sizeof(text), "%.0f s", from + (double)i * step);
		grid_text(grid, text);
	}
	for (size_t i = 0; i < c->num; i++)
		queue_row(grid, &c->series[i]);
}

static void draw_queue(struct page *page, const struct curves *c, double from,
		       double to, const char *title, const char *y_title,
		       const char *group)
{
	const struct plot plot = {
		.title = title,
		.alt = "One line for each policy over the time of the run, "
		       "with the phases of the requests' arrival shaded. "
		       "Lower is a shorter queue.",
		.x = {.title = "time in the run",
		      .unit = PLOT_CLOCK,
		      .min = page_begin(page),
		      .max = to > from ? to : from + 1.0},
		.y = {.title = y_title},
		.series = c->series,
		.num_series = c->num,
		.bands = page->bands,
		.num_bands = page->num_bands,
	};
	struct grid grid;

	queue_table(&grid, c, from, to);
	html_plot(&page->html, &plot, false, &grid);
	grid_destroy(&grid);
	for (size_t i = 0; i < c->num; i++)
		page_data(page, group, c->series[i].name,
			  page_numbers(c->series[i].y, c->points));
}

static int fill_queue(struct page *page, struct curves *waiting,
		      struct curves *work, double *from)
{
	for (size_t i = 0; i < waiting->num; i++) {
		struct timeline line;
		int err = timeline_init(&line, page->report->trace,
					page_result(page, i), page->end_s,
					NUM_INTERVALS);

		if (err)
			return err;
		*from = line.from_s;
		for (size_t k = 0; k < line.num; k++) {
			waiting->x[i * line.num + k] = line.time[k];
			waiting->y[i * line.num + k] = line.waiting[k];
			work->x[i * line.num + k] = line.time[k];
			work->y[i * line.num + k] = line.work[k];
		}
		timeline_destroy(&line);
	}
	return 0;
}

void page_queue(struct page *page)
{
	struct curves waiting, work;
	double from = 0.0;
	int err = curves_init(&waiting, page, NUM_INTERVALS);

	if (!err) {
		err = curves_init(&work, page, NUM_INTERVALS);
		if (err)
			curves_destroy(&waiting);
	}
	if (err) {
		page_fail(page, err);
		return;
	}
	html_section(&page->html, "The queue over time");
	err = fill_queue(page, &waiting, &work, &from);
	if (err)
		page_fail(page, err);
	page_data(page, "queue", "time_s",
		  page_numbers(waiting.x, NUM_INTERVALS));
	draw_queue(page, &waiting, from, page->end_s, "Requests that wait",
		   "most at once in each interval", "queue: requests");
	draw_queue(page, &work, from, page->end_s, "Work that waits",
		   "uncached tokens of those that wait",
		   "queue: uncached tokens");
	curves_destroy(&work);
	curves_destroy(&waiting);
}
