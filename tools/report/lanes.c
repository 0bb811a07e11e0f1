/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "tools/base/json_value.h"
#include "tools/policy/fairway.h"
#include "page_parts.h"

enum {
	MAX_POINTS = 400, /* of a lane */
	MAX_SHOWN = 3, /* policies with lanes */
};

/* Releases of one lane: the time, and the tokens left to compute. */
struct lane {
	enum sim_lane lane;
	size_t num;
	double x[MAX_POINTS];
	double y[MAX_POINTS];
};

static size_t count(const struct sim_result *result, enum sim_lane lane)
{
	size_t num = 0;

	for (size_t i = 0; i < result->num_reqs; i++)
		num += result->reqs[i].lane == lane;
	return num;
}

/* All releases, or MAX_POINTS of them evenly over the order of arrival. */
static void sample(struct lane *lane, const struct trace *trace,
		   const struct sim_result *result)
{
	size_t all = count(result, lane->lane);
	size_t seen = 0;

	lane->num = 0;
	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *req = &result->reqs[i];
		size_t most = all < MAX_POINTS ? all : MAX_POINTS;

		if (req->lane != lane->lane)
			continue;
		if (seen++ * most / all < lane->num)
			continue;
		lane->x[lane->num] = req->start_s;
		lane->y[lane->num++] =
			(double)trace->reqs[i].len - (double)req->cached;
	}
}

/**
 * struct lane_sum - what a lane released, in one phase or in all
 * @num: requests
 * @tokens: uncached ones
 * @wait: seconds before they started, summed
 */
struct lane_sum {
	uint64_t num;
	uint64_t tokens;
	double wait;
};

static struct lane_sum sum_of(const struct page *page,
			      const struct sim_result *result, int64_t phase,
			      enum sim_lane lane)
{
	const struct trace *trace = page->report->trace;
	struct lane_sum sum = {0};

	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *req = &result->reqs[i];

		if (req->lane != lane ||
		    (phase >= 0 && trace->reqs[i].phase != (uint64_t)phase))
			continue;
		sum.num++;
		sum.tokens += trace->reqs[i].len - req->cached;
		sum.wait += req->start_s - req->arrival_s;
	}
	return sum;
}

static void row(struct grid *grid, const struct page *page,
		const struct sim_result *result, int64_t phase,
		enum sim_lane lane)
{
	struct lane_sum sum = sum_of(page, result, phase, lane);
	char text[32];

	grid_text(grid, phase < 0 ? "all" : page->report->trace->phases[phase]);
	grid_text(grid, lane == SIM_LANE_FAST ? "fast" : "fair");
	grid_count(grid, sum.num);
	grid_count(grid, sum.tokens);
	grid_real(grid,
		  sum.num ? (double)sum.tokens / (double)sum.num : NO_FIGURE,
		  0);
	page_seconds(text, sizeof(text),
		     sum.num ? sum.wait / (double)sum.num : NO_FIGURE);
	grid_text(grid, text);
}

static void table(struct grid *grid, const struct page *page,
		  const struct sim_result *result)
{
	static const char *const head[] = {"phase",
					   "lane",
					   "requests",
					   "uncached tokens",
					   "tokens a request",
					   "mean wait"};
	uint32_t phases = page->report->trace->num_phases;

	grid_init(grid, 6, 2);
	for (size_t i = 0; i < 6; i++)
		grid_text(grid, head[i]);
	row(grid, page, result, -1, SIM_LANE_FAST);
	row(grid, page, result, -1, SIM_LANE_FAIR);
	for (uint32_t i = 0; phases > 1 && phases <= 40 && i < phases; i++) {
		row(grid, page, result, i, SIM_LANE_FAST);
		row(grid, page, result, i, SIM_LANE_FAIR);
	}
}

static const char *fast_name(const struct page *page, size_t i)
{
	const struct report *report = page->report;
	const struct fairway_args *args =
		fairway_args(&report->specs[page->order[i]]);

	return args && args->by_rest ? "fast lane, shortest rest first"
				     : "fast lane, by score";
}

static void draw(struct page *page, size_t i, const struct lane *fast,
		 const struct lane *fair)
{
	const struct plot_series series[] = {
		{"fair lane, by arrival", 1, PLOT_TRIANGLES, fair->num, fair->x,
		 fair->y},
		{fast_name(page, i), 0, PLOT_DISCS, fast->num, fast->x,
		 fast->y},
	};
	char title[300];
	const struct plot plot = {
		.title = title,
		.alt = "A point for each request at the time of its release: "
		       "discs for the fast lane, triangles for the fair lane. "
		       "Higher up is more work.",
		.x = {.title = "time in the run",
		      .unit = PLOT_CLOCK,
		      .min = page_begin(page),
		      .max = fmax(page->end_s, page_begin(page) + 1.0)},
		.y = {.title = "uncached tokens of the request, logarithmic",
		      .log = true},
		.series = series,
		.num_series = 2,
		.bands = page->bands,
		.num_bands = page->num_bands,
	};
	struct grid grid;

	snprintf(title, sizeof(title), "What the lanes of %s released",
		 page_name(page, i));
	table(&grid, page, page_result(page, i));
	html_plot(&page->html, &plot, false, &grid);
	grid_destroy(&grid);
}

static void keep(struct page *page, size_t i, const struct lane *fast,
		 const struct lane *fair)
{
	page_data(page, "releases", page_name(page, i),
		  json_pack("{s:{s:o, s:o}, s:{s:o, s:o}}", "fast", "time_s",
			    page_numbers(fast->x, fast->num), "tokens",
			    page_numbers(fast->y, fast->num), "fair", "time_s",
			    page_numbers(fair->x, fair->num), "tokens",
			    page_numbers(fair->y, fair->num)));
}

static int one(struct page *page, size_t i)
{
	struct lane *lanes = calloc(2, sizeof(*lanes));
	const struct trace *trace = page->report->trace;

	if (!lanes)
		return -ENOMEM;
	lanes[0].lane = SIM_LANE_FAST;
	lanes[1].lane = SIM_LANE_FAIR;
	sample(&lanes[0], trace, page_result(page, i));
	sample(&lanes[1], trace, page_result(page, i));
	draw(page, i, &lanes[0], &lanes[1]);
	keep(page, i, &lanes[0], &lanes[1]);
	free(lanes);
	return 0;
}

static bool has_lanes(const struct page *page, size_t i)
{
	return count(page_result(page, i), SIM_LANE_FAIR) > 0;
}

static void begin(struct page *page)
{
	html_section(&page->html, "The two lanes");
	html_paragraph(&page->html,
		       "Each request leaves the queue by one of them. The "
		       "fast lane goes by score, or under srpf by the time "
		       "that is left to compute, the fair lane by arrival; "
		       "a ledger of tokens decides which one goes next. "
		       "While a guard says that somebody would end too late, "
		       "all leave by the fair lane. Up to %d releases of each "
		       "are shown, at the time when they begin.",
		       MAX_POINTS);
}

void page_lanes(struct page *page)
{
	size_t shown = 0;
	int err = 0;

	for (size_t i = 0; i < page->report->num && !err; i++) {
		if (shown == MAX_SHOWN || !has_lanes(page, i))
			continue;
		if (!shown++)
			begin(page);
		err = one(page, i);
	}
	if (err)
		page_fail(page, err);
}
