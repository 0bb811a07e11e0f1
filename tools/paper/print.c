/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "tools/base/grid.h"
#include "paper.h"

/* The table of all scenarios, as the findings' tables are. */
int paper_scenario_table(struct paper *paper, struct paper_table *table)
{
	static const char *const columns[] = {"scenario", "head",
					      "load",	  "requests",
					      "tokens",	  "span s",
					      "blocks",	  "of tokens",
					      "hit rate", NULL};
	struct paper_finding owner = {.num_tables = 0};

	*table = *paper_table(&owner, columns,
			      "scenarios; load (busy time / span) and hit rate "
			      "under fcfs, blocks of the pool");
	for (size_t i = 0; i < paper->num_scenarios; i++) {
		struct paper_scenario *s = paper->scenarios[i];
		const struct paper_figures *fcfs =
			paper_figures(paper, s, "fcfs");

		paper_cell_text(paper, table, "%s", s->name);
		paper_cell_text(paper, table, "%s", s->setting.head);
		paper_cell_real(paper, table, fcfs->busy_s / s->span_s, 2, "");
		paper_cell_real(paper, table, (double)fcfs->requests, 0, "");
		paper_cell_real(paper, table, (double)s->tokens, 0, "");
		paper_cell_real(paper, table, s->span_s, 1, "");
		paper_cell_real(paper, table, (double)s->input.config.kv_blocks,
				0, "");
		paper_cell_real(paper, table, (double)s->input.trace.block_size,
				0, "");
		paper_cell_real(paper, table, fcfs->hit_rate, 3, "");
	}
	return paper->err;
}

static int print_table(const struct paper_table *table, FILE *to)
{
	struct grid grid;
	int err;

	fprintf(to, "\n%s\n\n", table->title);
	grid_init(&grid, table->num_columns, 1);
	for (unsigned int i = 0; i < table->num_columns; i++)
		grid_text(&grid, table->columns[i]);
	for (size_t i = 0; i < table->num_cells; i++)
		grid_text(&grid, table->cells[i].text);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

static void print_claim(const struct paper_claim *claim, FILE *to)
{
	fprintf(to, "\n%s: %s\n", claim->holds ? "holds" : "does not hold",
		claim->text);
	fprintf(to, "    paper: %s\n    here:  %s\n    rule:  %s%s\n",
		claim->paper, claim->here, claim->rule,
		claim->decides ? "" : " (ours, does not count)");
}

static const char *verdict(const struct paper_finding *finding)
{
	return paper_reproduced(finding) ? "reproduced" : "not reproduced";
}

static int print_finding(const struct paper_finding *finding, FILE *to)
{
	int err = 0;

	fprintf(to, "\n\n%u. %s: %s\n", finding->number, finding->title,
		verdict(finding));
	for (unsigned int i = 0; i < finding->num_tables && !err; i++)
		err = print_table(&finding->tables[i], to);
	for (unsigned int i = 0; i < finding->num_claims; i++)
		print_claim(&finding->claims[i], to);
	return err;
}

static void print_commands(const struct paper *paper, FILE *to)
{
	fputs("\nEach by its command; --policy says which order:\n", to);
	for (size_t i = 0; i < paper->num_scenarios; i++)
		fprintf(to, "  %-14s %s\n", paper->scenarios[i]->name,
			paper->scenarios[i]->command);
}

/* Findings and how they came out, the claims that fail named. */
static void print_summary(const struct paper *paper, FILE *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < paper->num_runs; i++)
		kept += paper->runs[i]->kept;
	fprintf(to, "%zu runs of %zu scenarios, %zu of them from before\n",
		paper->num_runs, paper->num_scenarios, kept);
	if (!paper->args->trace && !paper->args->quick)
		fputs("left out: mooncake 1.0, which needs --trace FILE\n", to);
	if (paper->args->quick)
		fputs("quick: without mooncake 1.0 and the spread over "
		      "seeds\n",
		      to);
	fputc('\n', to);
	for (unsigned int i = 0; i < paper->num_findings; i++) {
		const struct paper_finding *f = &paper->findings[i];

		fprintf(to, "%u. %-44s %s\n", f->number, f->title, verdict(f));
		for (unsigned int j = 0; j < f->num_claims; j++)
			if (f->claims[j].decides && !f->claims[j].holds)
				fprintf(to, "   not: %s\n", f->claims[j].text);
	}
}

int paper_print(struct paper *paper, FILE *to)
{
	struct paper_table table = {.num_cells = 0};
	int err = paper_scenario_table(paper, &table);

	print_summary(paper, to);
	if (!err)
		err = print_table(&table, to);
	free(table.cells);
	print_commands(paper, to);
	for (unsigned int i = 0; i < paper->num_findings && !err; i++)
		err = print_finding(&paper->findings[i], to);
	return err;
}
