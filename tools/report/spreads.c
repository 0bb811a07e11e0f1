/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "tools/base/json_value.h"
#include "tools/node/spread.h"
#include "curves.h"
#include "page_parts.h"

enum {
	NUM_QUANTILES = 236,
	MAX_PHASE_PLOTS = 6,
};

/* Percentiles that are drawn: closer together towards the tail. */
static double percent_of(size_t i)
{
	static const double left[] = {5e-2, 2e-2, 1e-2, 5e-3, 2e-3,
				      1e-3, 5e-4, 2e-4, 1e-4, 0.0};

	if (i <= 180)
		return (double)i * 0.5;
	if (i <= 216)
		return 90.0 + (double)(i - 180) * 0.25;
	if (i <= 225)
		return 99.0 + (double)(i - 216) * 0.1;
	return 100.0 - left[i - 226];
}

static void table_head(struct grid *grid)
{
	static const char *const head[] = {"policy", "served", "p10",  "p25",
					   "p50",    "p75",    "p90",  "p95",
					   "p99",    "p99.9",  "worst"};

	grid_init(grid, 11, 1);
	for (size_t i = 0; i < 11; i++)
		grid_text(grid, head[i]);
}

static void table_row(struct grid *grid, const char *name,
		      const struct spread *spread)
{
	static const double at[] = {10, 25, 50, 75, 90, 95, 99, 99.9, 100};
	char text[32];

	grid_text(grid, name);
	grid_count(grid, spread->num);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		page_seconds(text, sizeof(text), spread_at(spread, at[i]));
		grid_text(grid, text);
	}
}

static int fill_spreads(struct page *page, struct curves *c, struct grid *grid,
			int64_t phase)
{
	for (size_t i = 0; i < c->num; i++) {
		struct spread spread;
		int err = spread_init(&spread, page->report->trace,
				      page_result(page, i), phase);

		if (err)
			return err;
		for (size_t k = 0; k < c->points; k++) {
			c->x[i * c->points + k] =
				spread_at(&spread, percent_of(k));
			c->y[i * c->points + k] =
				spread.num ? percent_of(k) : NO_FIGURE;
		}
		table_row(grid, c->series[i].name, &spread);
		spread_destroy(&spread);
	}
	return 0;
}

static const char *part_name(const struct page *page, int64_t phase)
{
	return phase < 0 ? "all requests" : page->report->trace->phases[phase];
}

/* The points go into the page's data under "WHAT: NAME". */
static void keep_spread(struct page *page, const struct curves *c,
			const char *what, const char *name)
{
	char group[400];

	snprintf(group, sizeof(group), "%s: %s", what, name);
	for (size_t i = 0; i < c->num; i++)
		page_data(page, group, c->series[i].name,
			  json_pack("{s:o, s:o}", "percent",
				    page_numbers(c->series[i].y, c->points),
				    "ttft_s",
				    page_numbers(c->series[i].x, c->points)));
}

static void draw_spread(struct page *page, const struct curves *c,
			const struct grid *grid, int64_t phase)
{
	const char *name = part_name(page, phase);
	char title[400];
	const struct plot plot = {
		.title = title,
		.alt = "One rising curve for each policy: how many percent of "
		       "the requests have their first token within a time. "
		       "Further left is sooner. The table holds percentiles.",
		.x = {.title = "time to first token, logarithmic",
		      .unit = PLOT_SECONDS,
		      .log = true},
		.y = {.title = "requests served within",
		      .unit = PLOT_PERCENT,
		      .min = 0.0,
		      .max = 100.0},
		.series = c->series,
		.num_series = c->num,
	};

	snprintf(title, sizeof(title), "How soon: %s", name);
	html_plot(&page->html, &plot, true, grid);
	keep_spread(page, c, "distribution", name);
}

/*
 * The same points as the share of requests that wait as long or longer. That is
 * one request's share for the slowest one, which ends the curve.
 */
static double tail_points(double *y, size_t num, uint64_t served)
{
	double one = served ? 100.0 / (double)served : NO_FIGURE;

	for (size_t k = 0; k < num; k++)
		y[k] = served ? fmax(100.0 - percent_of(k), one) : NO_FIGURE;
	return one;
}

static void draw_tail(struct page *page, const struct curves *c, int64_t phase)
{
	const char *name = part_name(page, phase);
	char title[400];
	struct plot plot = {
		.title = title,
		.alt = "One falling curve for each policy: how many percent of "
		       "the requests wait for a time or longer, on a "
		       "logarithmic scale that shows the slowest ones. It "
		       "ends at the slowest request. Further left is better.",
		.x = {.title = "time to first token, logarithmic",
		      .unit = PLOT_SECONDS,
		      .log = true},
		.y = {.title = "requests that wait as long or longer",
		      .unit = PLOT_PERCENT,
		      .log = true,
		      .min = 100.0,
		      .max = 100.0},
		.series = c->series,
		.num_series = c->num,
	};

	snprintf(title, sizeof(title), "The slowest: %s", name);
	for (size_t i = 0; i < c->num; i++) {
		const struct summary *sum = page_part(page, i, phase);
		double one = tail_points(c->y + i * c->points, c->points,
					 sum->completed);

		plot.y.min = fmin(plot.y.min, one);
	}
	plot.y.min /= 1.25; /* room below the last points */
	html_plot(&page->html, &plot, true, NULL);
	keep_spread(page, c, "slowest", name);
}

static void spread_of(struct page *page, int64_t phase, bool tail)
{
	struct curves c;
	struct grid grid;
	int err = curves_init(&c, page, NUM_QUANTILES);

	if (err) {
		page_fail(page, err);
		return;
	}
	table_head(&grid);
	err = fill_spreads(page, &c, &grid, phase);
	if (err)
		page_fail(page, err);
	draw_spread(page, &c, &grid, phase);
	grid_destroy(&grid);
	if (tail)
		draw_tail(page, &c, phase);
	curves_destroy(&c);
}

void page_spreads(struct page *page)
{
	uint32_t phases = page->report->trace->num_phases;
	int64_t hardest = page_hardest(page);

	html_section(&page->html, "Time to first token");
	html_raw(&page->html, "<div class=\"pair\">\n");
	if (hardest >= 0)
		spread_of(page, hardest, true);
	spread_of(page, -1, true);
	for (uint32_t i = 0; i < phases && phases <= MAX_PHASE_PLOTS; i++)
		if (phases > 1 && i != hardest)
			spread_of(page, i, false);
	html_raw(&page->html, "</div>\n");
}
