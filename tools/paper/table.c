/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "tools/base/mem.h"
#include "paper.h"

struct paper_table *paper_table(struct paper_finding *finding,
				const char *const *columns, const char *fmt,
				...)
{
	struct paper_table *table = &finding->tables[finding->num_tables++];
	va_list ap;

	assert(finding->num_tables <= PAPER_MAX_TABLES);
	va_start(ap, fmt);
	vsnprintf(table->title, sizeof(table->title), fmt, ap);
	va_end(ap);
	for (unsigned int i = 0; columns[i]; i++) {
		assert(i < PAPER_MAX_COLUMNS);
		table->columns[i] = columns[i];
		table->num_columns = i + 1;
	}
	return table;
}

static struct paper_cell *add_cell(struct paper *paper,
				   struct paper_table *table)
{
	struct paper_cell *cells =
		mem_grow(table->cells, &table->cap_cells, table->num_cells + 1,
			 sizeof(*cells));

	if (!cells) {
		paper->err = -ENOMEM;
		return NULL;
	}
	table->cells = cells;
	cells[table->num_cells].value = NO_FIGURE;
	return &cells[table->num_cells++];
}

void paper_cell_text(struct paper *paper, struct paper_table *table,
		     const char *fmt, ...)
{
	struct paper_cell *cell = add_cell(paper, table);
	va_list ap;

	if (!cell)
		return;
	va_start(ap, fmt);
	vsnprintf(cell->text, sizeof(cell->text), fmt, ap);
	va_end(ap);
}

void paper_cell_real(struct paper *paper, struct paper_table *table,
		     double value, int decimals, const char *mark)
{
	struct paper_cell *cell = add_cell(paper, table);

	if (!cell)
		return;
	cell->value = value;
	if (isfinite(value))
		snprintf(cell->text, sizeof(cell->text), "%.*f%s", decimals,
			 value, mark);
	else
		snprintf(cell->text, sizeof(cell->text), "-");
}

struct paper_claim *paper_claim(struct paper_finding *finding, bool decides,
				const char *text, const char *paper,
				const char *rule)
{
	struct paper_claim *claim = &finding->claims[finding->num_claims++];

	assert(finding->num_claims <= PAPER_MAX_CLAIMS);
	claim->decides = decides;
	snprintf(claim->text, sizeof(claim->text), "%s", text);
	snprintf(claim->paper, sizeof(claim->paper), "%s", paper);
	snprintf(claim->rule, sizeof(claim->rule), "%s", rule);
	return claim;
}

void paper_judge(struct paper_claim *claim, bool holds, const char *fmt, ...)
{
	va_list ap;

	claim->holds = holds;
	va_start(ap, fmt);
	vsnprintf(claim->here, sizeof(claim->here), fmt, ap);
	va_end(ap);
}

bool paper_reproduced(const struct paper_finding *finding)
{
	for (unsigned int i = 0; i < finding->num_claims; i++)
		if (finding->claims[i].decides && !finding->claims[i].holds)
			return false;
	return true;
}
