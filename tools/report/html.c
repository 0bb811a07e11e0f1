/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/json_value.h"
#include "facts.h"
#include "page.h"

/* Phases that alternate more often than this are no bands but noise. */
enum {
	MAX_BANDS = 24
};

void page_fail(struct page *page, int err)
{
	if (!page->html.err)
		page->html.err = diag_set(page->html.diag, err, "%s",
					  err == -ENOMEM ? "out of memory"
							 : strerror(-err));
}

void page_seconds(char *buf, size_t size, double seconds)
{
	if (!isfinite(seconds))
		snprintf(buf, size, "-");
	else if (seconds < 0.0995)
		snprintf(buf, size, "%.3g ms", seconds * 1000.0);
	else if (seconds < 9.995)
		snprintf(buf, size, "%.2f s", seconds);
	else if (seconds < 99.95)
		snprintf(buf, size, "%.1f s", seconds);
	else
		snprintf(buf, size, "%.0f s", seconds);
}

void page_data(struct page *page, const char *group, const char *name,
	       json_t *value)
{
	json_t *all = json_object_get(page->series, group);

	if (!all) {
		all = json_object();
		if (json_object_set_new(page->series, group, all))
			all = NULL;
	}
	if (!all || json_object_set_new(all, name, value))
		page_fail(page, -ENOMEM);
}

json_t *page_numbers(const double *values, size_t num)
{
	json_t *array = json_array();

	for (size_t i = 0; i < num; i++)
		if (json_array_append_new(array, json_finite(values[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* --- what the page is made of --- */

/* The first fairway is what it is about, else whatever comes first. */
static int set_order(struct page *page)
{
	const struct report *report = page->report;
	unsigned int first = 0, next = 1;

	page->order = calloc(report->num + 1, sizeof(*page->order));
	if (!page->order)
		return -ENOMEM;
	while (first < report->num &&
	       report->specs[first].kind != POLICY_FAIRWAY)
		first++;
	if (first == report->num)
		first = 0;
	page->order[0] = first;
	for (unsigned int i = 0; i < report->num; i++)
		if (i != first)
			page->order[next++] = i;
	for (unsigned int i = 0; i < report->num; i++)
		page->end_s = fmax(page->end_s, report->results[i].end_s);
	return 0;
}

/* Runs of one phase in the order of arrival; each ends where the next begins. */
static int set_bands(struct page *page)
{
	const struct trace *trace = page->report->trace;
	double scale = page->report->config->time_scale;
	size_t num = 0;

	page->bands = calloc(MAX_BANDS, sizeof(*page->bands));
	if (!page->bands)
		return -ENOMEM;
	if (trace->num_phases < 2)
		return 0;
	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];
		double at = trace_arrival_s(req, scale);

		if (i && req->phase == trace->reqs[i - 1].phase)
			continue;
		if (num == MAX_BANDS)
			return 0;
		if (num)
			page->bands[num - 1].to = at;
		page->bands[num++] =
			(struct plot_band){at, page->end_s,
					   trace->phases[req->phase]};
	}
	page->num_bands = num;
	return 0;
}

static void destroy(struct page *page)
{
	json_decref(page->series);
	free(page->bands);
	free(page->order);
}

/* --- text and tables --- */

static void add_seconds(struct grid *grid, double seconds)
{
	char text[32];

	page_seconds(text, sizeof(text), seconds);
	grid_text(grid, text);
}

static void figures(struct page *page)
{
	static const char *const head[] = {"policy",	"served",
					   "rejected",	"median",
					   "p90",	"p99",
					   "worst",	"worst miss",
					   "worst hit", "hit rate",
					   "starved",	"busy"};
	struct grid grid;

	grid_init(&grid, 12, 1);
	for (size_t i = 0; i < 12; i++)
		grid_text(&grid, head[i]);
	for (size_t i = 0; i < page->report->num; i++) {
		const struct summary *sum = page_sum(page, i);

		grid_text(&grid, page_name(page, i));
		grid_count(&grid, sum->completed);
		grid_count(&grid, sum->rejected);
		add_seconds(&grid, sum->ttft.p50);
		add_seconds(&grid, sum->ttft.p90);
		add_seconds(&grid, sum->ttft.p99);
		add_seconds(&grid, sum->ttft.max);
		add_seconds(&grid, sum->worst_miss);
		add_seconds(&grid, sum->worst_hit);
		grid_real(&grid, sum->hit_rate, 3);
		grid_count(&grid, sum->starved);
		add_seconds(&grid, page_result(page, i)->busy_s);
	}
	html_section(&page->html, "All figures");
	html_grid(&page->html, &grid,
		  "Times to first token. A miss found no cached block when it "
		  "was admitted; starved: over three times the p99 of its "
		  "own run.",
		  false);
	grid_destroy(&grid);
}

static double phase_p99(const struct page *page, size_t policy, uint32_t phase)
{
	return page_sum(page, policy)->phases[phase].ttft.p99;
}

static double best_p99(const struct page *page, uint32_t phase)
{
	double best = HUGE_VAL;

	for (size_t i = 0; i < page->report->num; i++)
		best = fmin(best, phase_p99(page, i, phase));
	return best;
}

static double worst_p99(const struct page *page, uint32_t phase)
{
	double worst = -HUGE_VAL;

	for (size_t i = 0; i < page->report->num; i++)
		worst = fmax(worst, phase_p99(page, i, phase));
	return worst;
}

/* Texts of a cell, which points to them. */
struct phase_cell {
	char p99[32];
	char median[48];
};

static void fill_cell(const struct page *page, size_t policy, uint32_t phase,
		      struct html_cell *cell, struct phase_cell *text)
{
	const struct summary *sum = &page_sum(page, policy)->phases[phase];
	char median[32];

	page_seconds(text->p99, sizeof(text->p99), sum->ttft.p99);
	page_seconds(median, sizeof(median), sum->ttft.p50);
	snprintf(text->median, sizeof(text->median), "p50 %s", median);
	cell->text = text->p99;
	cell->note = sum->completed ? text->median : NULL;
	if (sum->ttft.p99 <= best_p99(page, phase) &&
	    sum->ttft.p99 < worst_p99(page, phase))
		cell->mark = HTML_BEST;
}

/* Where phases are many, the longest lists come first to the reader's mind. */
enum {
	MAX_ROWS = 40
};

static int fill_phases(struct page *page, uint32_t rows)
{
	size_t num = page->report->num;
	struct html_cell *cells = calloc(rows * num, sizeof(*cells));
	struct phase_cell *texts = calloc(rows * num, sizeof(*texts));
	const char **names = calloc(num, sizeof(*names));
	struct html_matrix matrix = {
		.caption =
			"p99, and the median (p50) below it; the least p99 of "
			"each phase is underlined.",
		.corner = "phase",
		.rows = (const char *const *)page->report->trace->phases,
		.num_rows = rows,
		.columns = names,
		.num_columns = num,
		.cells = cells,
	};
	int err = cells && texts && names ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < num; i++) {
		names[i] = page_name(page, i);
		for (uint32_t k = 0; k < rows; k++)
			fill_cell(page, i, k, &cells[k * num + i],
				  &texts[k * num + i]);
	}
	if (!err)
		html_matrix(&page->html, &matrix);
	free(names);
	free(texts);
	free(cells);
	return err;
}

static void phases(struct page *page)
{
	uint32_t num = page->report->trace->num_phases;
	uint32_t rows = num < MAX_ROWS ? num : MAX_ROWS;
	int err;

	if (num < 2)
		return;
	html_section(&page->html, "Phase by phase");
	err = fill_phases(page, rows);
	if (err)
		page_fail(page, err);
	if (rows < num)
		html_paragraph(&page->html,
			       "The first %" PRIu32 " of %" PRIu32
			       " phases; the data below has all.",
			       rows, num);
}

static json_t *words(const struct report *report)
{
	json_t *array = json_array();

	for (int i = 0; i < report->argc; i++)
		if (json_array_append_new(array, json_text(report->argv[i]))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static void again(struct page *page)
{
	const struct report *report = page->report;
	char *line = html_shell(report->argc, report->argv);

	html_section(&page->html, "Run it again");
	html_paragraph(&page->html,
		       "The same command line gives the same figures, to the "
		       "last bit, on every machine:");
	if (line)
		html_command(&page->html, line);
	else
		page_fail(page, -ENOMEM);
	free(line);
	html_paragraph(&page->html,
		       "This file holds all figures and the points of all "
		       "plots as JSON, in its elements \"fairway-run\" and "
		       "\"fairway-series\".");
	html_json(&page->html, "fairway-run", 17,
		  json_pack("{s:s, s:o, s:o}", "schema", "fairway.page/1",
			    "command", words(report), "run",
			    report_json_value(report)));
	html_json(&page->html, "fairway-series", 6, json_incref(page->series));
}

static void about(const struct page *page, char *buf, size_t size)
{
	const struct report *report = page->report;
	char requests[32], tokens[32], budget[32], blocks[32];
	struct facts facts;
	char seed[40] = "";

	facts_init(&facts, report);
	format_count(requests, sizeof(requests), report->trace->num_reqs);
	format_count(tokens, sizeof(tokens), facts.tokens);
	format_count(budget, sizeof(budget), report->config->budget);
	format_count(blocks, sizeof(blocks), report->config->kv_blocks);
	if (report->generated)
		snprintf(seed, sizeof(seed), "seed %" PRIu64 ", ",
			 report->seed);
	snprintf(buf, size,
		 "%s%s requests, %s prompt tokens, arrivals over %.1f s. "
		 "Simulated node: %s, %s tokens a step, pool of %s blocks of "
		 "%" PRIu32 " tokens.",
		 seed, requests, tokens, facts.span_s, report->config->device,
		 budget, blocks, report->trace->block_size);
}

static void write_page(struct page *page, FILE *to, struct diag *diag)
{
	const char *name = page->report->workload;
	const char *slash = strrchr(name, '/');
	char title[512], line[512];

	snprintf(title, sizeof(title), "The order of a prefill queue: %s",
		 slash && slash[1] ? slash + 1 : name);
	about(page, line, sizeof(line));
	html_begin(&page->html, to, title, line, diag);
	page_verdict(page);
	page_targets(page);
	phases(page);
	page_spreads(page);
	page_queue(page);
	page_bins(page);
	page_lanes(page);
	figures(page);
	again(page);
}

int report_html(const struct report *report, FILE *to)
{
	struct diag unheard = {""};
	struct page page = {.report = report, .series = json_object()};
	int err = page.series ? set_order(&page) : -ENOMEM;

	if (!err)
		err = set_bands(&page);
	if (!err) {
		write_page(&page, to, report->diag ? report->diag : &unheard);
		err = html_end(&page.html);
	}
	destroy(&page);
	return err;
}
