/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/html/html.h"
#include "paper.h"
#include "paper_plots.h"

static void put_table(struct html *html, const struct paper_table *table)
{
	struct grid grid;

	grid_init(&grid, table->num_columns, 1);
	for (unsigned int i = 0; i < table->num_columns; i++)
		grid_text(&grid, table->columns[i]);
	for (size_t i = 0; i < table->num_cells; i++)
		grid_text(&grid, table->cells[i].text);
	html_grid(html, &grid, table->title, false);
	grid_destroy(&grid);
}

static bool starves(const struct paper_cell *cell)
{
	return strchr(cell->text, '*');
}

/* The least of a column among those that starve nobody. */
static double least_of(const struct paper_table *table, unsigned int column)
{
	double least = INFINITY;

	for (size_t i = column; i < table->num_cells; i += table->num_columns)
		if (!starves(&table->cells[i]))
			least = fmin(least, table->cells[i].value);
	return least;
}

static enum html_mark mark_of(const struct paper_table *table, size_t i)
{
	unsigned int column = (unsigned int)(i % table->num_columns);

	if (starves(&table->cells[i]))
		return HTML_BAD;
	return table->cells[i].value <= least_of(table, column) ? HTML_BEST
								: HTML_PLAIN;
}

/* The first column of @table names the rows. */
static void fill_matrix(const struct paper_table *table, const char **rows,
			struct html_cell *cells)
{
	size_t row = 0;

	for (size_t i = 0; i < table->num_cells; i++) {
		if (i % table->num_columns == 0)
			rows[row++] = table->cells[i].text;
		else
			*cells++ = (struct html_cell){
				.text = table->cells[i].text,
				.mark = mark_of(table, i),
			};
	}
}

/* All policies by all scenarios, the best of each scenario set off. */
static void put_matrix(struct html *html, const struct paper_table *table)
{
	struct html_cell *cells = calloc(table->num_cells + 1, sizeof(*cells));
	const char *rows[PAPER_MAX_POLICIES];

	if (!cells) {
		html->err = diag_set(html->diag, -ENOMEM, "out of memory");
		return;
	}
	fill_matrix(table, rows, cells);
	html_matrix(html,
		    &(const struct html_matrix){
			    .caption = table->title,
			    .corner = table->columns[0],
			    .rows = rows,
			    .num_rows = table->num_cells / table->num_columns,
			    .columns = table->columns + 1,
			    .num_columns = table->num_columns - 1,
			    .cells = cells,
		    });
	free(cells);
}

/* The sentence, the paper's figures, ours, and the rule that decides. */
static void put_claim(struct html *html, const struct paper_claim *claim)
{
	char here[256];

	paper_here(claim, here, sizeof(here));
	html_raw(html, paper_holds(claim)
			       ? "<p><strong class=\"good\">✓ holds, "
			       : "<p><strong class=\"bad\">✗ does not hold, ");
	html_text(html, "under %u of %u seeds: %s%s", claim->held, claim->seeds,
		  claim->text, claim->decides ? "" : " (ours, does not count)");
	html_raw(html, "</strong><br>");
	html_text(html, "Paper: %s", claim->paper);
	html_raw(html, "<br>");
	html_text(html, "Here: %s", here);
	html_raw(html, "<br>");
	html_text(html, "Rule: %s", claim->rule);
	html_raw(html, "</p>\n");
}

static void put_finding(struct html *html, const struct paper_finding *f)
{
	char heading[128];

	snprintf(heading, sizeof(heading), "%u. %s: %s", f->number, f->title,
		 paper_reproduced(f) ? "reproduced" : "not reproduced");
	html_section(html, heading);
	for (unsigned int i = 0; i < f->num_claims; i++)
		put_claim(html, &f->claims[i]);
	for (unsigned int i = 0; i < f->num_tables; i++) {
		if (f->tables[i].matrix) {
			put_matrix(html, &f->tables[i]);
			paper_profile(html, &f->tables[i]);
		} else {
			put_table(html, &f->tables[i]);
		}
	}
}

static void put_scenarios(struct html *html, struct paper *paper)
{
	struct paper_table table = {.num_cells = 0};

	if (paper_setting_table(paper, &table) && !html->err)
		html->err = diag_set(html->diag, -ENOMEM, "out of memory");
	html_section(html, "Scenarios");
	put_table(html, &table);
	free(table.cells);
	html_paragraph(html, "Each by its command, here of its first seed; "
			     "--policy says which order:");
	for (size_t i = 0; i < paper->num_scenarios; i++)
		if (paper->scenarios[i]->seed <= 1)
			html_command(html, paper->scenarios[i]->command);
}

static void put_verdict(struct html *html, const struct paper *paper)
{
	unsigned int num = 0;

	for (unsigned int i = 0; i < paper->num_findings; i++)
		num += paper_reproduced(&paper->findings[i]);
	html_verdict_begin(html);
	html_text(html,
		  "%u of %u findings come out as the paper has them. Each "
		  "claim is judged by the rule beside it, under each of %u "
		  "seeds, and holds when it does under most. The parameters "
		  "are the paper's. Here are medians over the seeds, the mean "
		  "difference under one seed, and the 95%% interval of that "
		  "mean.",
		  num, paper->num_findings, paper->seeds);
	html_raw(html, "</p>\n");
}

int paper_html(struct paper *paper, FILE *to, struct diag *diag)
{
	struct html html;
	char *command = html_shell(paper->args->argc, paper->args->argv);

	html_begin(&html, to, "Fairway: the paper's findings",
		   "on a simulated prefill node, in virtual time", diag);
	put_verdict(&html, paper);
	for (unsigned int i = 0; i < paper->num_findings; i++)
		put_finding(&html, &paper->findings[i]);
	put_scenarios(&html, paper);
	if (command) {
		html_section(&html, "Make it again");
		html_command(&html, command);
	}
	free(command);
	html_json(&html, "paper", 17, paper_json_value(paper, false));
	return html_end(&html);
}
