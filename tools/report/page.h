/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_REPORT_PAGE_H
#define TOOLS_REPORT_PAGE_H

#include <jansson.h>

#include "tools/html/html.h"
#include "report.h"

/* The page's text speaks of so many policies; more are hard to remember. */
enum {
	PAGE_COMPARED = 4
};

/**
 * struct page - the page that is being written
 * @html: where it goes
 * @report: what it shows
 * @order: index into @report's policies, in the order of the page. The policy
 *	that the page is about comes first. The place in @order is also the
 *	policy's style in every plot.
 * @bands: the phases over time; none where they overlap
 * @num_bands: how many
 * @end_s: when the last run ended
 * @series: data behind the plots
 */
struct page {
	struct html html;
	const struct report *report;
	unsigned int *order;
	struct plot_band *bands;
	size_t num_bands;
	double end_s;
	json_t *series;
};

/**
 * page_init() - what all parts of the page need
 * @page: to be destroyed after a 0 return; its @html is still to be begun
 * @report: kept
 *
 * Return: 0, -ENOMEM.
 */
int page_init(struct page *page, const struct report *report);
void page_destroy(struct page *page);

/* Name, run and figures of the policy that comes @i-th on the page. */
static inline const char *page_name(const struct page *page, size_t i)
{
	return page->report->specs[page->order[i]].name;
}

static inline const struct sim_result *page_result(const struct page *page,
						   size_t i)
{
	return &page->report->results[page->order[i]];
}

static inline const struct summary *page_sum(const struct page *page, size_t i)
{
	return &page->report->sums[page->order[i]];
}

/* The figures of the @i-th policy in a phase; below 0 is the whole run. */
static inline const struct summary *page_part(const struct page *page, size_t i,
					      int64_t phase)
{
	const struct summary *sum = page_sum(page, i);

	return phase < 0 ? sum : &sum->phases[phase];
}

/* Where axes of time begin: at 0, or at the first arrival if that is late. */
static inline double page_begin(const struct page *page)
{
	const struct trace *trace = page->report->trace;
	double first = 0.0;

	if (trace->num_reqs)
		first = trace_arrival_s(&trace->reqs[0],
					page->report->config->time_scale);
	return first < 0.1 * page->end_s ? 0.0 : first;
}

/* Record an error. The first one is kept, and html_end() returns it. */
void page_fail(struct page *page, int err);

/* Seconds with three digits and a unit, "-" for what is not finite. */
void page_seconds(char *buf, size_t size, double seconds);

/* Add a series to the page's data, under a group's name. @value is consumed. */
void page_data(struct page *page, const char *group, const char *name,
	       json_t *value);
json_t *page_numbers(const double *values, size_t num);

/*
 * The phase in which requests suffered most: with the longest p99 under any of
 * the policies that the text compares. -1 where there is one phase.
 */
int64_t page_hardest(const struct page *page);

#endif
