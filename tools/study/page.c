/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/number.h"
#include "tools/html/html.h"
#include "tools/node/summary.h"
#include "report.h"

/*
 * The page of many runs: a table, and lines over what was set, or over the
 * seeds. A setting that is no number, or several settings, have no such axis
 * and get the table alone.
 */

/**
 * struct lines - a line for each policy
 * @series: of the plot
 * @num: policies
 * @points: of each
 * @x: shared
 * @y: of each policy, one behind the other
 */
struct lines {
	struct plot_series *series;
	size_t num;
	size_t points;
	double *x;
	double *y;
};

static size_t count(const char *(*at)(const struct study *study, size_t i),
		    const struct study *study)
{
	size_t num = 0;

	while (at(study, num))
		num++;
	return num;
}

static int lines_init(struct lines *lines, const struct study *study,
		      size_t points)
{
	size_t num = count(study_policy, study);

	*lines = (struct lines){
		.series = calloc(num, sizeof(*lines->series)),
		.num = num,
		.points = points,
		.x = calloc(points * (num + 1), sizeof(*lines->x)),
	};
	if (!lines->series || !lines->x)
		return -ENOMEM;
	lines->y = lines->x + points;
	for (size_t i = 0; i < num; i++)
		lines->series[i] = (struct plot_series){
			.name = study_policy(study, i),
			.style = (unsigned int)i,
			.shape = PLOT_KNOTS,
			.num = points,
			.x = lines->x,
			.y = lines->y + i * points,
		};
	return 0;
}

static void lines_destroy(struct lines *lines)
{
	free(lines->series);
	free(lines->x);
}

/* "weight=2" alone. */
static bool number_of(const char *setting, double *value)
{
	const char *text = strchr(setting, '=');

	return text && !parse_real(text + 1, -1e12, 1e12, value);
}

static int fill_settings(struct lines *lines, const struct study *study,
			 const char *figure)
{
	for (size_t k = 0; k < lines->points; k++) {
		const char *setting = study_setting(study, k);

		if (!number_of(setting, &lines->x[k]))
			return -EDOM;
		for (size_t i = 0; i < lines->num; i++) {
			struct study_range range;
			int err = study_range(&range, study, setting,
					      study_policy(study, i), NULL,
					      figure);

			if (err)
				return err;
			lines->y[i * lines->points + k] = range.median;
		}
	}
	return 0;
}

static int fill_seeds(struct lines *lines, const struct study *study,
		      const char *figure)
{
	for (size_t i = 0; i < lines->num; i++) {
		struct study_values all;
		int err =
			study_values_init(&all, study, study->runs[0].setting,
					  study_policy(study, i), NULL, figure);

		if (err)
			return err;
		for (unsigned int k = 0; k < lines->points; k++) {
			bool there = k < all.num;

			lines->x[k] = (double)study->runs[k].seed;
			lines->y[i * lines->points + k] =
				there ? all.values[k] : NO_FIGURE;
		}
		study_values_destroy(&all);
	}
	return 0;
}

/* What the axis shows: the name of the setting, or the seed. */
static void axis_name(char *buf, size_t size, const struct study *study)
{
	const char *setting = study_setting(study, 0);

	if (study_setting(study, 1))
		snprintf(buf, size, "%.*s", (int)strcspn(setting, "="),
			 setting);
	else
		snprintf(buf, size, "seed");
}

static void draw(struct html *html, const struct lines *lines,
		 const char *title, const char *axis)
{
	const struct plot plot = {
		.title = title,
		.alt = "One line for each policy. Lower is better.",
		.x = {.title = axis},
		.y = {.title = "seconds to first token", .unit = PLOT_SECONDS},
		.series = lines->series,
		.num_series = lines->num,
	};

	html_plot(html, &plot, false, NULL);
}

static int plot_one(struct html *html, const struct study *study,
		    const char *figure, const char *title)
{
	size_t settings = count(study_setting, study);
	struct lines lines;
	char axis[64];
	int err =
		lines_init(&lines, study, settings > 1 ? settings : study->num);

	if (!err)
		err = settings > 1 ? fill_settings(&lines, study, figure)
				   : fill_seeds(&lines, study, figure);
	axis_name(axis, sizeof(axis), study);
	if (!err)
		draw(html, &lines, title, axis);
	lines_destroy(&lines);
	return err == -EDOM ? 0 : err;
}

static void put_text(struct html *html, const struct study_report *report)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int err = to ? study_table(report, to) : -ENOMEM;

	if (to && fclose(to))
		err = -ENOMEM;
	if (err)
		html_fail(html, err, strerror(-err));
	else
		html_command(html, text);
	free(text);
}

static void put_again(struct html *html, const struct study_report *report)
{
	char *line = html_shell(report->argc, report->argv);

	html_section(html, "Run it again");
	html_paragraph(html, "The same command line gives the same figures, to "
			     "the last bit, on every machine:");
	if (line)
		html_command(html, line);
	else
		html_fail(html, -ENOMEM, "out of memory");
	free(line);
	html_json(html, "fairway-study", 17, study_json_value(report));
}

int study_html(const struct study_report *report, FILE *to)
{
	const struct study *study = report->study;
	struct html html;
	char title[256];
	int err;

	snprintf(title, sizeof(title), "The order of a prefill queue: %s",
		 report->workload);
	html_begin(&html, to, title, report->node, report->diag);
	html_section(&html, study_setting(study, 1) ? "What the setting does"
						    : "Seed by seed");
	err = plot_one(&html, study, "p50", "Median");
	if (!err)
		err = plot_one(&html, study, "p99", "p99");
	if (err)
		html_fail(&html, err, strerror(-err));
	html_section(&html, "All figures");
	put_text(&html, report);
	put_again(&html, report);
	return html_end(&html);
}
