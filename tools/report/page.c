/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/json_value.h"
#include "tools/policy/fairway.h"
#include "tools/policy/registry.h"

/* Phases that alternate more often than this are not drawn as bands. */
enum {
	MAX_BANDS = 24
};

/* The page is about the first fairway, the first srpf, or the first policy. */
static unsigned int subject(const struct report *report)
{
	unsigned int found = 0;
	bool lanes = false;

	for (unsigned int i = 0; i < report->num; i++) {
		if (report->specs[i].policy == &policy_fairway)
			return i;
		if (!lanes && fairway_args(&report->specs[i])) {
			lanes = true;
			found = i;
		}
	}
	return found;
}

static int set_order(struct page *page)
{
	const struct report *report = page->report;
	unsigned int first = subject(report), next = 1;

	page->order = calloc(report->num + 1, sizeof(*page->order));
	if (!page->order)
		return -ENOMEM;
	page->order[0] = first;
	for (unsigned int i = 0; i < report->num; i++)
		if (i != first)
			page->order[next++] = i;
	for (unsigned int i = 0; i < report->num; i++)
		page->end_s = fmax(page->end_s, report->results[i].end_s);
	return 0;
}

/* Requests in order of arrival; a band ends where the next phase begins. */
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

int page_init(struct page *page, const struct report *report)
{
	int err;

	*page = (struct page){.report = report, .series = json_object()};
	err = page->series ? set_order(page) : -ENOMEM;
	if (!err)
		err = set_bands(page);
	if (err)
		page_destroy(page);
	return err;
}

void page_destroy(struct page *page)
{
	json_decref(page->series);
	free(page->bands);
	free(page->order);
}

void page_fail(struct page *page, int err)
{
	html_fail(&page->html, err,
		  err == -ENOMEM ? "out of memory" : strerror(-err));
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

/* The longest p99 of a phase under the policies that are compared. */
static double suffered(const struct page *page, uint32_t phase)
{
	double most = -1.0;

	for (size_t i = 0; i < page->report->num && i < PAGE_COMPARED; i++)
		most = fmax(most, page_part(page, i, phase)->ttft.p99);
	return most;
}

int64_t page_hardest(const struct page *page)
{
	uint32_t num = page->report->trace->num_phases;
	double most = -1.0;
	int64_t hardest = -1;

	for (uint32_t i = 0; num > 1 && i < num; i++)
		if (suffered(page, i) > most) {
			most = suffered(page, i);
			hardest = i;
		}
	return hardest;
}
