/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"
#include "paper.h"

static void put_table(struct html *html, const struct paper_table *table,
		      bool folded)
{
	struct grid grid;

	grid_init(&grid, table->num_columns, 1);
	for (unsigned int i = 0; i < table->num_columns; i++)
		grid_text(&grid, table->columns[i]);
	for (size_t i = 0; i < table->num_cells; i++)
		grid_text(&grid, table->cells[i].text);
	html_grid(html, &grid, table->title, folded);
	grid_destroy(&grid);
}

/* One row a claim: the sentence, the paper's figures, ours, the rule. */
static void put_claims(struct html *html, const struct paper_finding *f)
{
	static const char *const columns[] = {"here", "the paper", "rule"};
	struct html_cell cells[PAPER_MAX_CLAIMS * 3];
	const char *rows[PAPER_MAX_CLAIMS];

	for (unsigned int i = 0; i < f->num_claims; i++) {
		const struct paper_claim *c = &f->claims[i];

		rows[i] = c->text;
		cells[3 * i] =
			(struct html_cell){c->holds ? "holds" : "does not hold",
					   c->here,
					   c->holds ? HTML_GOOD : HTML_BAD};
		cells[3 * i + 1] = (struct html_cell){.text = c->paper};
		cells[3 * i + 2] = (struct html_cell){
			.text = c->rule,
			.note = c->decides ? NULL : "does not count",
		};
	}
	html_matrix(html, &(const struct html_matrix){
				  .caption = "what the paper says, and what "
					     "came out",
				  .corner = "claim",
				  .rows = rows,
				  .num_rows = f->num_claims,
				  .columns = columns,
				  .num_columns = 3,
				  .cells = cells,
			  });
}

static void put_finding(struct html *html, const struct paper_finding *f)
{
	char heading[128];

	snprintf(heading, sizeof(heading), "%u. %s: %s", f->number, f->title,
		 paper_reproduced(f) ? "reproduced" : "not reproduced");
	html_section(html, heading);
	put_claims(html, f);
	for (unsigned int i = 0; i < f->num_tables; i++)
		put_table(html, &f->tables[i], i > 1);
}

static void put_scenarios(struct html *html, struct paper *paper)
{
	struct paper_table table = {.num_cells = 0};

	if (paper_scenario_table(paper, &table) && !html->err)
		html->err = diag_set(html->diag, -ENOMEM, "out of memory");
	html_section(html, "Scenarios");
	put_table(html, &table, false);
	free(table.cells);
	html_paragraph(html, "Each by its command; --policy says which order:");
	for (size_t i = 0; i < paper->num_scenarios; i++)
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
		  "claim is judged by a rule that was written down before any "
		  "run; the parameters are the paper's.",
		  num, paper->num_findings);
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
	html_json(&html, "paper", 17, paper_json_value(paper));
	return html_end(&html);
}
