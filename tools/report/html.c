/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/json_value.h"
#include "facts.h"
#include "page_parts.h"
#include "warnings.h"

static void add_seconds(struct grid *grid, double seconds)
{
	char text[32];

	page_seconds(text, sizeof(text), seconds);
	grid_text(grid, text);
}

static void figures_row(struct page *page, struct grid *grid, size_t i,
			unsigned int shown)
{
	const struct summary *sum = page_sum(page, i);

	grid_text(grid, page_name(page, i));
	grid_count(grid, sum->completed);
	grid_count(grid, sum->rejected);
	add_seconds(grid, sum->ttft.p50);
	add_seconds(grid, sum->ttft.p90);
	add_seconds(grid, sum->ttft.p99);
	add_seconds(grid, sum->ttft.max);
	add_seconds(grid, sum->worst_miss);
	add_seconds(grid, sum->worst_hit);
	grid_real(grid, sum->hit_rate, 3);
	grid_count(grid, sum->starved);
	add_seconds(grid, page_result(page, i)->busy_s);
	for (unsigned int k = 0; k < shown; k++)
		add_seconds(grid, sum->ttft.more[k]);
}

static void figures(struct page *page)
{
	static const char *const head[] = {"policy",	"served",
					   "rejected",	"median",
					   "p90",	"p99",
					   "worst",	"worst miss",
					   "worst hit", "hit rate",
					   "starved",	"busy"};
	unsigned int shown = report_num_shown(page->report);
	struct grid grid;
	char name[16];

	grid_init(&grid, 12 + shown, 1);
	for (size_t i = 0; i < 12; i++)
		grid_text(&grid, head[i]);
	for (unsigned int i = 0; i < shown; i++) {
		percentile_name(name, sizeof(name),
				page->report->percentiles->at[i]);
		grid_text(&grid, name);
	}
	for (size_t i = 0; i < page->report->num; i++)
		figures_row(page, &grid, i, shown);
	html_section(&page->html, "All figures");
	html_grid(&page->html, &grid,
		  "Times to first token. A miss found no cached block when it "
		  "was admitted; starved: over three times the p99 of its "
		  "own run.",
		  false);
	grid_destroy(&grid);
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
	char seed[40] = "", source[192];

	facts_init(&facts, report);
	facts_source(source, sizeof(source), report);
	format_count(requests, sizeof(requests), report->trace->num_reqs);
	format_count(tokens, sizeof(tokens), facts.tokens);
	format_count(budget, sizeof(budget), report->config->budget);
	format_count(blocks, sizeof(blocks), report->config->kv_blocks);
	if (report->generated)
		snprintf(seed, sizeof(seed), "seed %" PRIu64 ", ",
			 report->seed);
	snprintf(buf, size,
		 "%s%s requests, %s prompt tokens, arrivals over %.1f s%s%s. "
		 "Simulated node: %s, %s tokens a step, pool of %s blocks of "
		 "%" PRIu32 " tokens.",
		 seed, requests, tokens, facts.span_s, *source ? "; " : "",
		 source, report->config->device, budget, blocks,
		 report->trace->block_size);
}

/* What stands in the table's head: the load, and what scaled the arrivals. */
static void load(struct page *page)
{
	const struct report *report = page->report;
	double asked = report->load > 0.0 ? report->load : report->own_load;
	double scale = report->load > 0.0 ? report->config->time_scale
					  : report->own_scale;
	unsigned int policy;
	double offered;

	facts_load_policy(report, &policy);
	offered = facts_load(report, policy);
	if (asked <= 0.0 || !isfinite(offered))
		return;
	html_paragraph(&page->html,
		       "For a load of %.12g all arrivals were multiplied by "
		       "%.4g. This factor comes from a run in order of "
		       "arrival at the trace's own pace. At the new pace the "
		       "device is busy for %.2f of the span under %s: that is "
		       "the offered load.",
		       asked, scale, offered, report->specs[policy].name);
}

static void warnings(struct page *page)
{
	struct warnings list;

	warnings_init(&list, page->report);
	for (size_t i = 0; i < list.num; i++)
		html_paragraph(&page->html, "Warning: %s.", list.texts[i]);
}

/* The place of a policy on the page is its style in every plot. */
static void chooser(struct page *page)
{
	const char *names[HTML_TOGETHER];
	size_t num = page->report->num;

	for (size_t i = 0; i < num && num <= HTML_TOGETHER; i++)
		names[i] = page_name(page, i);
	html_chooser(&page->html, names, num);
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
	warnings(page);
	page_verdict(page);
	chooser(page);
	load(page);
	page_targets(page);
	page_phases(page);
	page_spreads(page);
	page_queue(page);
	page_bins(page);
	page_lanes(page);
	page_worst(page);
	figures(page);
	again(page);
}

int report_html(const struct report *report, FILE *to)
{
	struct diag unheard = {""};
	struct page page;
	int err = page_init(&page, report);

	if (err)
		return err;
	write_page(&page, to, report->diag ? report->diag : &unheard);
	err = html_end(&page.html);
	page_destroy(&page);
	return err;
}
