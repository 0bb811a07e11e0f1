/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include "page_parts.h"
#include "targets.h"

static void say_seconds(struct page *page, double seconds)
{
	char text[32];

	page_seconds(text, sizeof(text), seconds);
	html_unbroken(&page->html, text);
}

static void say_own(struct page *page, int64_t phase)
{
	const struct summary *sum = page_part(page, 0, phase);
	char num[32];

	format_count(num, sizeof(num), sum->completed);
	if (phase >= 0)
		html_text(&page->html,
			  "In the phase \xe2\x80\x9c%s\xe2\x80\x9d"
			  ", where requests waited longest, ",
			  page->report->trace->phases[phase]);
	html_raw(&page->html, "<strong>");
	html_text(&page->html, "%s", page_name(page, 0));
	html_raw(&page->html, "</strong>");
	html_text(&page->html,
		  " gave half of the %s requests their first "
		  "token within ",
		  num);
	html_raw(&page->html, "<strong>");
	say_seconds(page, sum->ttft.p50);
	html_raw(&page->html, "</strong>");
	html_text(&page->html, " and 99 of 100 within ");
	html_raw(&page->html, "<strong>");
	say_seconds(page, sum->ttft.p99);
	html_raw(&page->html, "</strong>. ");
}

static void say_ratio(struct page *page, double own, double other)
{
	double ratio = own / other;

	if (ratio > 0.97 && ratio < 1.03)
		html_text(&page->html, "about the same as the ");
	else if (ratio < 1.0)
		html_text(&page->html, "%.0f%% shorter than the ",
			  100.0 * (1.0 - ratio));
	else if (ratio < 2.0)
		html_text(&page->html, "%.0f%% longer than the ",
			  100.0 * (ratio - 1.0));
	else
		html_text(&page->html, "%.1f times the ", ratio);
	say_seconds(page, other);
}

static void say_other(struct page *page, size_t i, int64_t phase)
{
	const struct summary *own = page_part(page, 0, phase);
	const struct summary *other = page_part(page, i, phase);

	html_text(&page->html, "Its median is ");
	say_ratio(page, own->ttft.p50, other->ttft.p50);
	html_text(&page->html, " of %s, its p99 ", page_name(page, i));
	say_ratio(page, own->ttft.p99, other->ttft.p99);
	html_text(&page->html, ". ");
}

static void say_starved_under(struct page *page, size_t i, bool first)
{
	const struct summary *sum = page_sum(page, i);
	char num[32];

	format_count(num, sizeof(num), sum->starved);
	html_text(&page->html, "%s%s (%s, the worst after ", first ? "" : ", ",
		  page_name(page, i), num);
	say_seconds(page, sum->ttft.max);
	html_text(&page->html, ")");
}

static void say_starved(struct page *page)
{
	size_t under = 0;

	for (size_t i = 0; i < page->report->num; i++) {
		if (!page_sum(page, i)->starved)
			continue;
		if (!under)
			html_text(&page->html,
				  "Requests starved, that is waited over three "
				  "times the p99 of their run, under ");
		say_starved_under(page, i, !under++);
	}
	if (under)
		html_text(&page->html, ".");
	else
		html_text(&page->html, page->report->num > 1
					       ? "Nobody starved under any of "
						 "them."
					       : "Nobody starved.");
}

static void say_targets(struct page *page)
{
	const struct report *report = page->report;
	unsigned int met, judged;

	if (!report->targets || !report->targets->num)
		return;
	report_targets_count(report, page->order[0], &met, &judged);
	html_text(&page->html, " Over all phases %s meets %u of %u targets.",
		  page_name(page, 0), met, judged);
}

void page_verdict(struct page *page)
{
	int64_t phase = page_hardest(page);
	size_t num = page->report->num;

	html_verdict_begin(&page->html);
	if (!page_part(page, 0, phase)->completed) {
		html_text(&page->html, "No request was served.");
	} else {
		say_own(page, phase);
		for (size_t i = 1; i < num && i < PAGE_COMPARED; i++)
			if (page_part(page, i, phase)->completed)
				say_other(page, i, phase);
		say_starved(page);
		say_targets(page);
	}
	html_raw(&page->html, "</p>\n");
}
