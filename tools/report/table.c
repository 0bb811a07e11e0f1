/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

#include "lib/base/compiler.h"
#include "tools/base/grid.h"
#include "tools/policy/fairway.h"
#include "facts.h"
#include "targets.h"
#include "warnings.h"

/**
 * struct column - a column of the table of runs
 * @above: first line of its head
 * @below: second line
 * @cell: adds the figure of one policy
 */
struct column {
	const char *above;
	const char *below;
	void (*cell)(struct grid *grid, const struct report *report,
		     unsigned int i);
};

/* Milliseconds, unless figures are so large that these are noise. */
static int decimals(const struct report *report)
{
	double max = 0.0;

	for (unsigned int i = 0; i < report->num; i++)
		max = fmax(max, report->sums[i].ttft.max);
	if (max < 100.0)
		return 3;
	return max < 1000.0 ? 2 : 1;
}

static void cell_ttft(struct grid *grid, const struct report *report,
		      double seconds)
{
	grid_real(grid, seconds, decimals(report));
}

static void cell_policy(struct grid *grid, const struct report *report,
			unsigned int i)
{
	grid_text(grid, report->specs[i].name);
}

static void cell_done(struct grid *grid, const struct report *report,
		      unsigned int i)
{
	grid_count(grid, report->sums[i].completed);
}

static void cell_rejected(struct grid *grid, const struct report *report,
			  unsigned int i)
{
	grid_count(grid, report->sums[i].rejected);
}

static void cell_median(struct grid *grid, const struct report *report,
			unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].ttft.p50);
}

static void cell_p90(struct grid *grid, const struct report *report,
		     unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].ttft.p90);
}

static void cell_p99(struct grid *grid, const struct report *report,
		     unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].ttft.p99);
}

static void cell_worst(struct grid *grid, const struct report *report,
		       unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].ttft.max);
}

static void cell_miss(struct grid *grid, const struct report *report,
		      unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].worst_miss);
}

static void cell_hit(struct grid *grid, const struct report *report,
		     unsigned int i)
{
	cell_ttft(grid, report, report->sums[i].worst_hit);
}

static void cell_rate(struct grid *grid, const struct report *report,
		      unsigned int i)
{
	grid_real(grid, report->sums[i].hit_rate, 3);
}

static void cell_starved(struct grid *grid, const struct report *report,
			 unsigned int i)
{
	grid_count(grid, report->sums[i].starved);
}

static void cell_steps(struct grid *grid, const struct report *report,
		       unsigned int i)
{
	grid_count(grid, report->results[i].steps);
}

static void cell_busy(struct grid *grid, const struct report *report,
		      unsigned int i)
{
	grid_real(grid, report->results[i].busy_s, 1);
}

static const struct column columns[] = {
	{"", "policy", cell_policy},	 {"", "done", cell_done},
	{"", "rejected", cell_rejected}, {"", "median", cell_median},
	{"", "p90", cell_p90},		 {"", "p99", cell_p99},
	{"", "worst", cell_worst},	 {"worst", "miss", cell_miss},
	{"worst", "hit", cell_hit},	 {"hit", "rate", cell_rate},
	{"", "starved", cell_starved},	 {"", "steps", cell_steps},
	{"busy", "s", cell_busy},
};

#define NUM_COLUMNS ARRAY_SIZE(columns)

static bool any_rejected(const struct report *report)
{
	for (unsigned int i = 0; i < report->num; i++)
		if (report->sums[i].rejected)
			return true;
	return false;
}

/* The column "rejected" is left out where it would hold zeros only. */
static bool shown(const struct column *column, bool rejected)
{
	return rejected || column->cell != cell_rejected;
}

/* Heads of the percentiles that were asked for. */
static void more_heads(struct grid *grid, const struct report *report)
{
	char name[16];

	for (unsigned int i = 0; i < report_num_shown(report); i++) {
		percentile_name(name, sizeof(name), report->percentiles->at[i]);
		grid_text(grid, name);
	}
}

static void more_cells(struct grid *grid, const struct report *report,
		       const struct quantiles *q)
{
	for (unsigned int i = 0; i < report_num_shown(report); i++)
		cell_ttft(grid, report, q->more[i]);
}

/* They stand before the worst. */
static void fill_runs(struct grid *grid, const struct report *report,
		      bool rejected)
{
	for (size_t k = 0; k < NUM_COLUMNS; k++) {
		for (unsigned int i = 0; i < report_num_shown(report); i++)
			if (columns[k].cell == cell_worst)
				grid_text(grid, "");
		if (shown(&columns[k], rejected))
			grid_text(grid, columns[k].above);
	}
	for (size_t k = 0; k < NUM_COLUMNS; k++) {
		if (columns[k].cell == cell_worst)
			more_heads(grid, report);
		if (shown(&columns[k], rejected))
			grid_text(grid, columns[k].below);
	}
	for (unsigned int i = 0; i < report->num; i++)
		for (size_t k = 0; k < NUM_COLUMNS; k++) {
			if (columns[k].cell == cell_worst)
				more_cells(grid, report, &report->sums[i].ttft);
			if (shown(&columns[k], rejected))
				columns[k].cell(grid, report, i);
		}
}

static int print_runs(const struct report *report, FILE *to)
{
	bool rejected = any_rejected(report);
	struct grid grid;
	int err;

	grid_init(&grid,
		  (unsigned int)NUM_COLUMNS - !rejected +
			  report_num_shown(report),
		  1);
	fill_runs(&grid, report, rejected);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

static const char *const phase_head[] = {"phase", "done", "median", "p99",
					 "worst"};

#define PHASE_COLUMNS ARRAY_SIZE(phase_head)

static void fill_phase(struct grid *grid, const struct report *report,
		       uint32_t phase)
{
	grid_text(grid, report->trace->phases[phase]);
	for (size_t i = 1; i < PHASE_COLUMNS + report_num_shown(report); i++)
		grid_text(grid, "");
	for (unsigned int i = 0; i < report->num; i++) {
		const struct summary *sum = &report->sums[i].phases[phase];

		grid_indented(grid, report->specs[i].name);
		grid_count(grid, sum->completed);
		cell_ttft(grid, report, sum->ttft.p50);
		cell_ttft(grid, report, sum->ttft.p99);
		cell_ttft(grid, report, sum->ttft.max);
		more_cells(grid, report, &sum->ttft);
	}
}

static int print_phases(const struct report *report, FILE *to)
{
	struct grid grid;
	int err;

	if (report->trace->num_phases < 2)
		return 0;
	grid_init(&grid, (unsigned int)PHASE_COLUMNS + report_num_shown(report),
		  1);
	for (size_t i = 0; i < PHASE_COLUMNS; i++)
		grid_text(&grid, phase_head[i]);
	more_heads(&grid, report);
	for (uint32_t i = 0; i < report->trace->num_phases; i++)
		fill_phase(&grid, report, i);
	fputc('\n', to);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	return err;
}

static void print_warnings(const struct report *report, FILE *to)
{
	struct warnings warnings;

	warnings_init(&warnings, report);
	for (size_t i = 0; i < warnings.num; i++)
		fprintf(to, "\nWarning: %s.\n", warnings.texts[i]);
}

static void print_trace(const struct report *report, FILE *to)
{
	char tokens[32];
	char requests[32];
	char source[192];
	struct facts facts;

	facts_init(&facts, report);
	format_count(tokens, sizeof(tokens), facts.tokens);
	format_count(requests, sizeof(requests), report->trace->num_reqs);
	fputs(report->workload, to);
	if (report->generated)
		fprintf(to, ", seed %" PRIu64, report->seed);
	fprintf(to, "\n%s requests, %s prompt tokens, arrivals over %.1f s\n",
		requests, tokens, facts.span_s);
	facts_source(source, sizeof(source), report);
	if (*source)
		fprintf(to, "%s\n", source);
}

static void print_node(const struct report *report, FILE *to)
{
	const struct sim_config *config = report->config;
	char budget[32];
	char blocks[32];

	format_count(budget, sizeof(budget), config->budget);
	format_count(blocks, sizeof(blocks), config->kv_blocks);
	fprintf(to,
		"%s, %s tokens a step, pool of %s blocks of %" PRIu32
		" tokens\n",
		config->device, budget, blocks, report->trace->block_size);
}

/* What --load, or the key of a workload, did to the arrivals. */
static void print_scale(const struct report *report, FILE *to)
{
	static const char from[] = "(from a fcfs run at the trace's own pace)";

	if (report->load > 0.0)
		fprintf(to, "--load %.12g multiplied all arrivals by %.4g %s\n",
			report->load, report->config->time_scale, from);
	else if (report->own_load > 0.0)
		fprintf(to, "load=%.12g multiplied all arrivals by %.4g %s\n",
			report->own_load, report->own_scale, from);
}

static void print_load(const struct report *report, FILE *to)
{
	bool scaled = report->load > 0.0 || report->own_load > 0.0;
	unsigned int policy;
	double load;

	facts_load_policy(report, &policy);
	load = facts_load(report, policy);
	print_scale(report, to);
	if (isfinite(load))
		fprintf(to,
			"offered load %.2f (busy time / span, under %s%s)\n",
			load, report->specs[policy].name,
			scaled ? " at this pace" : "");
	fputs("times to first token in seconds\n\n", to);
}

/* Up to the floor, a wait counts in units of it, not of the prefill time. */
static int print_floor(const struct report *report, FILE *to)
{
	const struct fairway_args *args;
	struct floor_fact fact;
	int found = facts_floor(&fact, report);
	char prompts[32];
	char tokens[32];
	char all[32];

	if (found <= 0)
		return found;
	args = fairway_args(&report->specs[fact.policy]);
	format_count(prompts, sizeof(prompts), fact.prompts);
	format_count(all, sizeof(all), report->trace->num_reqs);
	format_count(tokens, sizeof(tokens), fact.tokens);
	fprintf(to,
		"\nNote: the floor of %.12g s binds for %s of %s prompts "
		"(up to %s tokens on %s):\n"
		"their wait counts in units of the floor, not of their own "
		"prefill time; see floor= in\n"
		"fairway-sim(1).\n",
		args->floor, prompts, all, tokens, report->config->device);
	return 0;
}

int report_table(const struct report *report, FILE *to)
{
	int err;

	errno = 0;
	print_trace(report, to);
	print_node(report, to);
	print_load(report, to);
	err = print_runs(report, to);
	if (!err)
		err = print_phases(report, to);
	if (!err)
		err = report_targets_table(report, to);
	if (!err)
		err = print_floor(report, to);
	if (report->note)
		fprintf(to, "\nNote: %s\n", report->note);
	print_warnings(report, to);
	if (!err && ferror(to))
		err = errno ? -errno : -EIO;
	return err;
}
