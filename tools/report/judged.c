/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "page_parts.h"
#include "targets.h"

/* Phases on the page; the JSON has every phase. */
enum {
	MAX_PHASES = 40
};

/* The texts that a cell, or the head of a row, points to. */
struct judged_text {
	char figure[32];
	char against[48];
};

struct row_name {
	char text[400];
};

/**
 * struct judging - the matrix of targets and phases by policies
 * @phases: shown
 * @rows: a name for each target of each phase
 * @row_names: what points to them
 * @names: of the policies
 * @cells: row by row
 * @texts: of the cells
 */
struct judging {
	uint32_t phases;
	struct row_name *rows;
	const char **row_names;
	const char **names;
	struct html_cell *cells;
	struct judged_text *texts;
};

static void fill_cell(struct page *page, unsigned int target, uint32_t phase,
		      size_t i, struct html_cell *cell,
		      struct judged_text *text)
{
	static const enum html_mark marks[] = {HTML_PLAIN, HTML_GOOD, HTML_BAD};
	const struct target *t = &page->report->targets->list[target];
	struct target_judged judged =
		report_judge(page->report, target, phase, page->order[i]);
	char value[32];

	report_target_cell(text->figure, sizeof(text->figure), t, &judged);
	page_seconds(value, sizeof(value), judged.value);
	snprintf(text->against, sizeof(text->against), "%s", value);
	cell->text = text->figure;
	cell->note = t->reference ? text->against : NULL;
	cell->mark = marks[judged.result];
}

static void fill(struct page *page, struct judging *j)
{
	const struct report *report = page->report;
	size_t row = 0;

	for (size_t i = 0; i < report->num; i++)
		j->names[i] = page_name(page, i);
	for (uint32_t k = 0; k < j->phases; k++)
		for (unsigned int t = 0; t < report->targets->num; t++, row++) {
			snprintf(j->rows[row].text, sizeof(j->rows[row].text),
				 "%s: %s", report->trace->phases[k],
				 report->targets->list[t].text);
			j->row_names[row] = j->rows[row].text;
			for (size_t i = 0; i < report->num; i++) {
				size_t at = row * report->num + i;

				fill_cell(page, t, k, i, &j->cells[at],
					  &j->texts[at]);
			}
		}
}

static void show(struct page *page, const struct judging *j)
{
	const struct html_matrix matrix = {
		.caption = "Targets in each phase: the figure in units of the "
			   "policy that it is measured by, or in seconds; a "
			   "tick where it was met.",
		.corner = "phase: target",
		.rows = j->row_names,
		.num_rows = (size_t)j->phases * page->report->targets->num,
		.columns = j->names,
		.num_columns = page->report->num,
		.cells = j->cells,
	};

	html_section(&page->html, "Targets");
	html_matrix(&page->html, &matrix);
}

void page_targets(struct page *page)
{
	const struct report *report = page->report;
	struct judging j = {.phases = report->trace->num_phases};
	size_t rows;

	if (!report->targets || !report->targets->num)
		return;
	if (j.phases > MAX_PHASES)
		j.phases = MAX_PHASES;
	rows = (size_t)j.phases * report->targets->num;
	j.rows = calloc(rows, sizeof(*j.rows));
	j.row_names = calloc(rows, sizeof(*j.row_names));
	j.names = calloc(report->num, sizeof(*j.names));
	j.cells = calloc(rows * report->num, sizeof(*j.cells));
	j.texts = calloc(rows * report->num, sizeof(*j.texts));
	if (j.rows && j.row_names && j.names && j.cells && j.texts) {
		fill(page, &j);
		show(page, &j);
	} else {
		page_fail(page, -ENOMEM);
	}
	free(j.texts);
	free(j.cells);
	free(j.names);
	free(j.row_names);
	free(j.rows);
}
