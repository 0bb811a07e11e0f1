/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/base/grid.h"
#include "report.h"

/* Figures that the table leaves to the JSON report. */
static bool shown(const char *figure)
{
	return strcmp(figure, "mean") != 0 && strcmp(figure, "p90") != 0;
}

/* Decimals: of times as a person reads them, of counts none. */
static int digits_of(const char *figure, const struct study_range *range)
{
	if (study_is_time(figure))
		return range->high < 100.0 ? 2 : 1;
	if (!strcmp(figure, "hit_rate"))
		return 3;
	return range->median > floor(range->median) ? 1 : 0;
}

/* "1.02 (0.95-1.10)": the median, the least and the largest. */
static void put_range(struct grid *grid, const struct study_range *range,
		      const char *figure)
{
	int digits = digits_of(figure, range);
	char cell[96];

	if (!range->num)
		snprintf(cell, sizeof(cell), "-");
	else if (range->num == 1)
		snprintf(cell, sizeof(cell), "%.*f", digits, range->median);
	else
		snprintf(cell, sizeof(cell), "%.*f (%.*f-%.*f)", digits,
			 range->median, digits, range->low, digits,
			 range->high);
	grid_text(grid, cell);
}

static int put_row(struct grid *grid, const struct study *study,
		   const char *setting, const char *policy, const char *phase)
{
	const char *figure;

	grid_indented(grid, policy);
	for (size_t i = 0; (figure = study_figure(study, i)); i++) {
		struct study_range range;
		int err;

		if (!shown(figure))
			continue;
		err = study_range(&range, study, setting, policy, phase,
				  figure);
		if (err)
			return err;
		put_range(grid, &range, figure);
	}
	return 0;
}

static unsigned int num_shown(const struct study *study)
{
	unsigned int num = 0;
	const char *figure;

	for (size_t i = 0; (figure = study_figure(study, i)); i++)
		num += shown(figure);
	return num;
}

static void put_head(struct grid *grid, const struct study *study)
{
	const char *figure;

	grid_text(grid, "policy");
	for (size_t i = 0; (figure = study_figure(study, i)); i++)
		if (shown(figure))
			grid_text(grid, !strcmp(figure, "p50")	 ? "median"
					: !strcmp(figure, "max") ? "worst"
					: !strcmp(figure, "hit_rate")
						? "hit rate"
						: figure);
}

/* The policies under a heading; the heading is the setting or the phase. */
static int put_group(struct grid *grid, const struct study *study,
		     const char *setting, const char *phase)
{
	const char *policy;
	int err = 0;

	grid_text(grid, phase ? phase : *setting ? setting : "whole run");
	for (unsigned int i = 0; i < num_shown(study); i++)
		grid_text(grid, "");
	for (size_t i = 0; !err && (policy = study_policy(study, i)); i++)
		err = put_row(grid, study, setting, policy, phase);
	return err;
}

/* Phases only where there is one setting: the JSON report has all of them. */
static int put_groups(struct grid *grid, const struct study *study)
{
	const char *setting, *phase;
	int err = 0;

	for (size_t i = 0; !err && (setting = study_setting(study, i)); i++)
		err = put_group(grid, study, setting, NULL);
	if (study_setting(study, 1) || !study_phase(study, 1))
		return err;
	setting = study_setting(study, 0);
	for (size_t i = 0; !err && (phase = study_phase(study, i)); i++)
		err = put_group(grid, study, setting, phase);
	return err;
}

static void put_targets(const struct study *study, FILE *to)
{
	const char *setting, *policy;
	unsigned int met, judged;

	for (size_t i = 0; (setting = study_setting(study, i)); i++)
		for (size_t k = 0; (policy = study_policy(study, k)); k++) {
			study_targets(study, setting, policy, &met, &judged);
			if (judged)
				fprintf(to, "%s%s%s%s: targets met %u of %u\n",
					i || k ? "" : "\n", setting,
					*setting ? ", " : "", policy, met,
					judged);
		}
}

/* Runs of the first setting: all have as many. */
static size_t num_seeds(const struct study *study)
{
	size_t num = 0;

	while (num < study->num &&
	       !strcmp(study->runs[num].setting, study->runs[0].setting))
		num++;
	return num;
}

static void put_about(const struct study_report *report, FILE *to)
{
	const struct study *study = report->study;
	size_t seeds = num_seeds(study);

	fprintf(to, "%s\n%s\n%zu runs", report->workload, report->node,
		study->num);
	if (seeds > 1)
		fprintf(to,
			", %zu seeds: medians over them, least and largest in "
			"brackets",
			seeds);
	fputs("\ntimes to first token in seconds\n\n", to);
}

int study_table(const struct study_report *report, FILE *to)
{
	const struct study *study = report->study;
	struct grid grid;
	int err;

	errno = 0;
	put_about(report, to);
	grid_init(&grid, num_shown(study) + 1, 1);
	put_head(&grid, study);
	err = put_groups(&grid, study);
	if (!err)
		err = grid_print(&grid, to);
	grid_destroy(&grid);
	put_targets(study, to);
	if (!err && ferror(to))
		err = errno ? -errno : -EIO;
	return err;
}
