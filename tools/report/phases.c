/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "page_parts.h"

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

/* The texts that a cell points to. */
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

/* Rows of the page; the JSON has every phase. */
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

void page_phases(struct page *page)
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
