/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "tools/base/grid.h"
#include "paper.h"

/**
 * struct facts - of a setting, for each seed that it was run with
 * @num: how many; a recorded trace has one
 */
struct facts {
	unsigned int num;
	double load[PAPER_SEEDS];
	double requests[PAPER_SEEDS];
	double tokens[PAPER_SEEDS];
	double span[PAPER_SEEDS];
	double blocks[PAPER_SEEDS];
	double hit_rate[PAPER_SEEDS];
};

static void add_facts(struct facts *facts, struct paper *paper,
		      struct paper_scenario *s)
{
	const struct paper_figures *fcfs = paper_figures(paper, s, "fcfs");
	unsigned int n = facts->num++;

	facts->load[n] = fcfs->busy_s / s->span_s;
	facts->requests[n] = (double)fcfs->requests;
	facts->tokens[n] = (double)s->tokens;
	facts->span[n] = s->span_s;
	facts->blocks[n] = s->input.config.kv_blocks;
	facts->hit_rate[n] = fcfs->hit_rate;
}

/* Is it the first scenario of its setting? */
static bool is_first(const struct paper *paper, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (paper->scenarios[j]->setting ==
		    paper->scenarios[i]->setting)
			return false;
	return true;
}

static void add_setting(struct paper *paper, struct paper_table *table,
			size_t first)
{
	const struct paper_scenario *s = paper->scenarios[first];
	struct facts facts = {.num = 0};

	for (size_t i = first; i < paper->num_scenarios; i++)
		if (paper->scenarios[i]->setting == s->setting)
			add_facts(&facts, paper, paper->scenarios[i]);
	paper_cell_text(paper, table, "%s", s->setting->name);
	paper_cell_text(paper, table, "%s", s->setting->head);
	paper_cell_real(paper, table, facts.num, 0, "");
	paper_cell_real(paper, table, seeds_median(facts.load, facts.num), 2,
			"");
	paper_cell_real(paper, table, seeds_median(facts.requests, facts.num),
			0, "");
	paper_cell_real(paper, table, seeds_median(facts.tokens, facts.num), 0,
			"");
	paper_cell_real(paper, table, seeds_median(facts.span, facts.num), 1,
			"");
	paper_cell_real(paper, table, seeds_median(facts.blocks, facts.num), 0,
			"");
	paper_cell_real(paper, table, (double)s->input.trace.block_size, 0, "");
	paper_cell_real(paper, table, seeds_median(facts.hit_rate, facts.num),
			3, "");
}

/* The table of all settings, as the findings' tables are. */
int paper_setting_table(struct paper *paper, struct paper_table *table)
{
	static const char *const columns[] = {"scenario",  "head",
					      "seeds",	   "load",
					      "requests",  "tokens",
					      "span s",	   "blocks",
					      "of tokens", "hit rate",
					      NULL};
	struct paper_finding owner = {.num_tables = 0};

	*table = *paper_table(&owner, columns,
			      "scenarios, medians over their seeds; load (busy "
			      "time / span) and hit rate are those of fcfs");
	for (size_t i = 0; i < paper->num_scenarios; i++)
		if (is_first(paper, i))
			add_setting(paper, table, i);
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
	char here[256];

	paper_here(claim, here, sizeof(here));
	fprintf(to, "\n%s, under %u of %u seeds: %s\n",
		paper_holds(claim) ? "holds" : "does not hold", claim->held,
		claim->seeds, claim->text);
	fprintf(to, "    paper: %s\n    here:  %s\n    rule:  %s%s\n",
		claim->paper, here, claim->rule,
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
	fputs("\nEach by its command, here of its first seed; --policy says "
	      "which order:\n",
	      to);
	for (size_t i = 0; i < paper->num_scenarios; i++)
		if (paper->scenarios[i]->seed <= 1)
			fprintf(to, "  %-14s %s\n",
				paper->scenarios[i]->setting->name,
				paper->scenarios[i]->command);
}

static void print_claims(const struct paper_finding *f, FILE *to)
{
	fprintf(to, "\n%u. %-44s %s\n", f->number, f->title, verdict(f));
	for (unsigned int i = 0; i < f->num_claims; i++) {
		const struct paper_claim *claim = &f->claims[i];

		if (claim->decides)
			fprintf(to, "   %2u of %-3u %s%s\n", claim->held,
				claim->seeds,
				paper_holds(claim) ? "" : "not: ", claim->text);
	}
}

/* Findings and claims, and how they came out. */
static void print_summary(const struct paper *paper, FILE *to)
{
	size_t kept = 0;

	for (size_t i = 0; i < paper->num_runs; i++)
		kept += paper->runs[i]->kept;
	fprintf(to, "%zu runs of %zu scenarios, %zu of them from before\n",
		paper->num_runs, paper->num_scenarios, kept);
	if (!paper->args->trace && !paper->args->quick)
		fputs("left out: mooncake 0.9, which needs --trace FILE\n", to);
	if (paper->args->quick)
		fprintf(to, "quick: %u seeds, without mooncake 0.9\n",
			paper->seeds);
	fputs("How many seeds each claim holds under, and its verdict by "
	      "most of them:\n",
	      to);
	for (unsigned int i = 0; i < paper->num_findings; i++)
		print_claims(&paper->findings[i], to);
}

int paper_print(struct paper *paper, FILE *to)
{
	struct paper_table table = {.num_cells = 0};
	int err = paper_setting_table(paper, &table);

	print_summary(paper, to);
	if (!err)
		err = print_table(&table, to);
	free(table.cells);
	print_commands(paper, to);
	for (unsigned int i = 0; i < paper->num_findings && !err; i++)
		err = print_finding(&paper->findings[i], to);
	return err;
}
