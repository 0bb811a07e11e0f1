/* SPDX-License-Identifier: Apache-2.0 */
#include "targets.h"

#include <errno.h>
#include <string.h>

#include "tools/base/grid.h"
#include "tools/base/json_value.h"

struct target_judged report_judge(const struct report *report,
				  unsigned int target, uint32_t phase,
				  unsigned int policy)
{
	const struct target *t = &report->targets->list[target];

	return target_judge(t, &report->sums[policy].phases[phase].ttft,
			    &report->sums[t->policy].phases[phase].ttft);
}

void report_targets_count(const struct report *report, unsigned int policy,
			  unsigned int *met, unsigned int *judged)
{
	*met = *judged = 0;
	for (unsigned int t = 0; t < report->targets->num; t++)
		for (uint32_t i = 0; i < report->trace->num_phases; i++) {
			struct target_judged one =
				report_judge(report, t, i, policy);

			*judged += one.result != TARGET_NONE;
			*met += one.result == TARGET_MET;
		}
}

void report_target_cell(char *buf, size_t size, const struct target *target,
			const struct target_judged *judged)
{
	if (judged->result == TARGET_NONE)
		snprintf(buf, size, "-");
	else if (target->reference)
		snprintf(buf, size, "%.3fx",
			 judged->value / judged->limit * target->factor);
	else
		snprintf(buf, size, "%.3f s", judged->value);
}

/* --- the table --- */

static void add_judged(struct grid *grid, const struct report *report,
		       unsigned int target, uint32_t phase, unsigned int policy)
{
	static const char *const words[] = {"", "pass ", "fail "};
	struct target_judged judged =
		report_judge(report, target, phase, policy);
	char figure[32], cell[48];

	report_target_cell(figure, sizeof(figure),
			   &report->targets->list[target], &judged);
	snprintf(cell, sizeof(cell), "%s%s", words[judged.result], figure);
	grid_text(grid, cell);
}

static void fill_phase(struct grid *grid, const struct report *report,
		       uint32_t phase)
{
	unsigned int num = report->targets->num;

	grid_text(grid, report->trace->phases[phase]);
	for (unsigned int t = 0; t < num; t++)
		grid_text(grid, "");
	for (unsigned int i = 0; i < report->num; i++) {
		grid_indented(grid, report->specs[i].name);
		for (unsigned int t = 0; t < num; t++)
			add_judged(grid, report, t, phase, i);
	}
}

/* As many to a line as fit into GRID_WIDTH columns. */
static void print_counts(const struct report *report, FILE *to)
{
	static const char head[] = "targets met: ";
	unsigned int used = (unsigned int)fprintf(to, "%s", head);

	for (unsigned int i = 0; i < report->num; i++) {
		const char *name = report->specs[i].name;
		unsigned int met, judged;

		report_targets_count(report, i, &met, &judged);
		if (i && used + strlen(name) + 16 > GRID_WIDTH)
			used = (unsigned int)fprintf(to, ",\n    ") - 2;
		else if (i)
			used += (unsigned int)fprintf(to, ", ");
		used += (unsigned int)fprintf(to, "%s %u of %u", name, met,
					      judged);
	}
	fputc('\n', to);
}

int report_targets_table(const struct report *report, FILE *to)
{
	struct grid grid;
	int err;

	if (!report->targets || !report->targets->num)
		return 0;
	grid_init(&grid, report->targets->num + 1, 1);
	grid_text(&grid, "target");
	for (unsigned int t = 0; t < report->targets->num; t++)
		grid_text(&grid, report->targets->list[t].text);
	for (uint32_t i = 0; i < report->trace->num_phases; i++)
		fill_phase(&grid, report, i);
	fputc('\n', to);
	err = grid_print(&grid, to);
	grid_destroy(&grid);
	print_counts(report, to);
	return err;
}

/* --- JSON --- */

static json_t *judged_json(const struct report *report, unsigned int target,
			   uint32_t phase, unsigned int policy)
{
	struct target_judged judged =
		report_judge(report, target, phase, policy);
	json_t *met = judged.result == TARGET_NONE
			      ? json_null()
			      : json_boolean(judged.result == TARGET_MET);

	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "policy",
			 json_text(report->specs[policy].name), "phase",
			 json_text(report->trace->phases[phase]), "value_s",
			 json_finite(judged.value), "limit_s",
			 json_finite(judged.limit), "met", met);
}

static json_t *results_json(const struct report *report, unsigned int target)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < report->num; i++)
		for (uint32_t k = 0; k < report->trace->num_phases; k++)
			if (json_array_append_new(array,
						  judged_json(report, target, k,
							      i))) {
				json_decref(array);
				return NULL;
			}
	return array;
}

static json_t *target_json(const struct report *report, unsigned int target)
{
	const struct target *t = &report->targets->list[target];

	return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "target",
			 json_text(t->text), "metric", t->name, "policy",
			 t->reference ? json_text(t->reference) : json_null(),
			 "factor",
			 t->reference ? json_finite(t->factor) : json_null(),
			 "seconds",
			 t->reference ? json_null() : json_finite(t->seconds),
			 "results", results_json(report, target));
}

json_t *report_targets_json(const struct report *report)
{
	json_t *array = json_array();

	for (unsigned int t = 0; t < report->targets->num; t++)
		if (json_array_append_new(array, target_json(report, t))) {
			json_decref(array);
			return NULL;
		}
	return array;
}
