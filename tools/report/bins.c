/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "tools/base/json_value.h"
#include "tools/node/spread.h"
#include "page_parts.h"

/**
 * struct who - requests by a property, under every policy
 * @bins: kinds of requests
 * @share: by cached share, else by length
 * @out: of the first policy of the page, then of the next, ...
 * @series: for each policy
 * @y: what is drawn, policy by policy
 */
struct who {
	struct bins bins;
	bool share;
	struct bin *out;
	struct plot_series *series;
	double *y;
};

static void bin_name(char *buf, size_t size, const struct who *who, size_t i)
{
	char from[32], to[32];

	if (who->share && !i) {
		snprintf(buf, size, "nothing");
	} else if (who->share) {
		snprintf(buf, size, "to %.0f%%", who->bins.to[i]);
	} else {
		format_count(from, sizeof(from), (uint64_t)who->bins.from[i]);
		format_count(to, sizeof(to), (uint64_t)who->bins.to[i]);
		snprintf(buf, size, "%s to %s", from, to);
	}
}

static void bins_table(struct page *page, const struct who *who,
		       struct grid *grid)
{
	static const char *const head[] = {"policy", "served", "median", "p99"};
	char text[80];

	grid_init(grid, 5, 2);
	grid_text(grid, who->share ? "cached" : "prompt tokens");
	for (size_t i = 0; i < 4; i++)
		grid_text(grid, head[i]);
	for (size_t i = 0; i < who->bins.num; i++)
		for (size_t k = 0; k < page->report->num; k++) {
			const struct bin *bin =
				&who->out[k * who->bins.num + i];

			bin_name(text, sizeof(text), who, i);
			grid_text(grid, text);
			grid_text(grid, page_name(page, k));
			grid_count(grid, bin->num);
			page_seconds(text, sizeof(text), bin->p50);
			grid_text(grid, text);
			page_seconds(text, sizeof(text), bin->p99);
			grid_text(grid, text);
		}
}

static void draw(struct page *page, const struct who *who, bool tail,
		 const char *title, const struct grid *grid)
{
	size_t num = who->bins.num;
	struct plot plot = {
		.title = title,
		.alt = who->share ? "One line for each policy: time to first "
				    "token of requests by how much of their "
				    "prompt was cached."
				  : "One line for each policy: time to first "
				    "token of requests by the length of their "
				    "prompt.",
		.x = {.title = who->share
				       ? "share of the prompt that was cached"
				       : "tokens of the prompt, logarithmic",
		      .unit = who->share ? PLOT_PERCENT : PLOT_NUMBER,
		      .log = !who->share},
		.y = {.title =
			      tail ? "p99, logarithmic" : "median, logarithmic",
		      .unit = PLOT_SECONDS,
		      .log = true},
		.series = who->series,
		.num_series = page->report->num,
	};

	if (who->share) {
		plot.x.min = -2.0;
		plot.x.max = 100.0;
	}
	for (size_t i = 0; i < num * page->report->num; i++) {
		const struct bin *bin = &who->out[i];

		who->y[i] = tail ? bin->p99 : bin->p50;
	}
	html_plot(&page->html, &plot, true, grid);
	for (size_t i = 0; i < page->report->num; i++)
		page_data(page, title, page_name(page, i),
			  json_pack("{s:o, s:o}", "at",
				    page_numbers(who->bins.at, num), "ttft_s",
				    page_numbers(who->series[i].y, num)));
}

/* Prompts of one length are one point for each policy: no plot, a table. */
static void tabulate(struct page *page, const struct who *who)
{
	struct grid grid;

	bins_table(page, who, &grid);
	html_raw(&page->html, "<div>\n");
	html_grid(&page->html, &grid,
		  who->share ? "By cached share" : "By prompt length", false);
	html_raw(&page->html, "</div>\n");
	grid_destroy(&grid);
}

static void draw_both(struct page *page, const struct who *who)
{
	struct grid grid;

	bins_table(page, who, &grid);
	draw(page, who, false,
	     who->share ? "Median by cached share" : "Median by prompt length",
	     NULL);
	draw(page, who, true,
	     who->share ? "p99 by cached share" : "p99 by prompt length",
	     &grid);
	grid_destroy(&grid);
}

static int fill(struct page *page, struct who *who)
{
	size_t num = who->bins.num;

	for (size_t i = 0; i < page->report->num; i++) {
		int err = bins_fill(&who->bins, who->share, page->report->trace,
				    page_result(page, i), who->out + i * num);

		if (err)
			return err;
		who->series[i] = (struct plot_series){
			.name = page_name(page, i),
			.style = (unsigned int)i,
			.shape = PLOT_KNOTS,
			.num = num,
			.x = who->bins.at,
			.y = who->y + i * num,
		};
	}
	return 0;
}

static int by(struct page *page, bool share)
{
	size_t num = page->report->num;
	struct who who = {.share = share};
	int err = 0;

	if (share)
		bins_by_share(&who.bins);
	else
		err = bins_by_length(&who.bins, page->report->trace);
	if (err)
		return err;
	who.out = calloc(num * SPREAD_MAX_BINS, sizeof(*who.out));
	who.series = calloc(num, sizeof(*who.series));
	who.y = calloc(num * SPREAD_MAX_BINS, sizeof(*who.y));
	err = who.out && who.series && who.y ? fill(page, &who) : -ENOMEM;
	if (!err && who.bins.num < 2)
		tabulate(page, &who);
	else if (!err)
		draw_both(page, &who);
	free(who.y);
	free(who.series);
	free(who.out);
	return err;
}

void page_bins(struct page *page)
{
	int err;

	html_section(&page->html, "Who waits");
	html_paragraph(&page->html,
		       "Prompts by their length, about as many in each group; "
		       "then by what was cached of them when they were "
		       "admitted, which depends on the policy too.");
	html_raw(&page->html, "<div class=\"pair\">\n");
	err = by(page, false);
	if (!err)
		err = by(page, true);
	if (err)
		page_fail(page, err);
	html_raw(&page->html, "</div>\n");
}
