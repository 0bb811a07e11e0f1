/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/json_value.h"
#include "compare.h"

/* --- the table --- */

/**
 * struct table - the table that is being filled
 * @grid: its cells
 * @last: what the row above was about; its @policy is NULL before the first
 */
struct table {
	struct grid grid;
	struct difference last;
};

static void put_percent(struct grid *grid, double change)
{
	char cell[32];

	if (isfinite(change))
		snprintf(cell, sizeof(cell), "%+.1f%%", 100.0 * change);
	else
		snprintf(cell, sizeof(cell), "-");
	grid_text(grid, cell);
}

static void put_interval(struct grid *grid, const struct difference *d)
{
	char cell[64];

	if (isfinite(d->low))
		snprintf(cell, sizeof(cell), "%+.1f%% to %+.1f%%",
			 100.0 * d->low, 100.0 * d->high);
	else
		snprintf(cell, sizeof(cell), "-");
	grid_text(grid, cell);
}

/* A heading where the policy, the phase or the setting is another one. */
static void put_heading(struct table *table, const struct difference *d)
{
	char text[256];

	if (table->last.policy == d->policy && table->last.phase == d->phase &&
	    table->last.setting == d->setting)
		return;
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", d->setting,
		 *d->setting ? ", " : "", d->policy,
		 strcmp(d->policy, d->other) != 0 ? " and " : "",
		 strcmp(d->policy, d->other) != 0 ? d->other : "",
		 d->phase ? ", " : "", d->phase ? d->phase : "");
	grid_text(&table->grid, text);
	for (int i = 0; i < 4; i++)
		grid_text(&table->grid, "");
	table->last = *d;
}

static int put_row(void *ctx, const struct difference *d)
{
	struct table *table = ctx;

	put_heading(table, d);
	grid_indented(&table->grid, d->figure);
	grid_real(&table->grid, d->a, 3);
	grid_real(&table->grid, d->b, 3);
	put_percent(&table->grid, d->change);
	put_interval(&table->grid, d);
	return table->grid.err;
}

/* What only one of the two has, so that nobody looks for it below. */
static void put_alone(const char *which, const struct study *in,
		      const struct study *other, FILE *to)
{
	const char *name;

	for (size_t i = 0;
	     (name = compare_alone(in, other, study_setting, &i));)
		fprintf(to, "only in %s: %s\n", which, name);
	for (size_t i = 0; (name = compare_alone(in, other, study_policy, &i));)
		fprintf(to, "only in %s: %s\n", which, name);
}

static void put_about(const struct compare *compare, FILE *to)
{
	fprintf(to, "a: %s, %zu runs\nb: %s, %zu runs\n", compare->names[0],
		compare->a->num, compare->names[1], compare->b->num);
	put_alone("a", compare->a, compare->b, to);
	put_alone("b", compare->b, compare->a, to);
	fprintf(to,
		"medians over the seeds, times in seconds; the change is that "
		"of pairs with one seed,\nwith the interval that 95%% of "
		"resampled means are in\n\n");
}

int compare_table(const struct compare *compare, FILE *to)
{
	static const char *const head[] = {"", "a", "b", "change",
					   "95% interval"};
	struct table table = {.last = {.policy = NULL}};
	int num;
	int err = 0;

	errno = 0;
	grid_init(&table.grid, 5, 1);
	for (int i = 0; i < 5; i++)
		grid_text(&table.grid, head[i]);
	num = compare_each(compare, put_row, &table);
	if (num <= 0)
		err = num ? num : -ENOENT;
	if (!err)
		put_about(compare, to);
	if (!err)
		err = grid_print(&table.grid, to);
	grid_destroy(&table.grid);
	if (!err && ferror(to))
		err = errno ? -errno : -EIO;
	return err;
}

/* --- JSON --- */

static int put_json(void *ctx, const struct difference *d)
{
	json_t *json = json_pack(
		"{s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"setting", json_text(d->setting), "policy",
		json_text(d->policy), "other", json_text(d->other), "phase",
		d->phase ? json_text(d->phase) : json_null(), "figure",
		d->figure, "a", json_finite(d->a), "b", json_finite(d->b),
		"change", json_finite(d->change), "low", json_finite(d->low),
		"high", json_finite(d->high), "pairs", json_count(d->pairs));

	return json_array_append_new(ctx, json) ? -ENOMEM : 0;
}

int compare_json(const struct compare *compare, FILE *to)
{
	json_t *array = json_array();
	int num = array ? compare_each(compare, put_json, array) : -ENOMEM;

	if (num <= 0) {
		json_decref(array);
		return num ? num : -ENOENT;
	}
	return json_write(json_pack("{s:s, s:o, s:o, s:o}", "schema",
				    "fairway.compare/1", "a",
				    json_text(compare->names[0]), "b",
				    json_text(compare->names[1]), "differences",
				    array),
			  to);
}
