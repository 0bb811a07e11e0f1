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

void paper_cell_median(struct paper *paper, struct paper_table *table,
		       double *values, int decimals)
{
	paper_cell_real(paper, table, seeds_median(values, paper->seeds),
			decimals, "");
}

void paper_cell_spread(struct paper *paper, struct paper_table *table,
		       double *values, int decimals)
{
	paper_cell_median(paper, table, values, decimals);
	/* They are sorted now. */
	paper_cell_real(paper, table, values[0], decimals, "");
	paper_cell_real(paper, table, values[paper->seeds - 1], decimals, "");
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

void paper_judge(const struct paper *paper, struct paper_claim *claim,
		 const struct paper_pair *pairs, const char *own_name,
		 const char *other_name, int decimals)
{
	double own[PAPER_SEEDS], other[PAPER_SEEDS], apart[PAPER_SEEDS];

	claim->own_name = own_name;
	claim->other_name = other_name;
	claim->decimals = decimals;
	claim->seeds = paper->seeds;
	for (uint32_t i = 0; i < paper->seeds; i++) {
		claim->held += pairs[i].holds;
		own[i] = pairs[i].own;
		other[i] = pairs[i].other;
		apart[i] = own[i] - other[i];
	}
	claim->own = seeds_median(own, paper->seeds);
	claim->other = seeds_median(other, paper->seeds);
	if (!paper->collecting)
		claim->difference = seeds_bootstrap(apart, paper->seeds);
}

bool paper_holds(const struct paper_claim *claim)
{
	return 2 * claim->held > claim->seeds;
}

void paper_here(const struct paper_claim *claim, char *buf, size_t size)
{
	int d = claim->decimals;

	snprintf(buf, size,
		 "%s %.*f, %s %.*f; difference %+.*f (%+.*f to %+.*f)",
		 claim->own_name, d, claim->own, claim->other_name, d,
		 claim->other, d, claim->difference.mean, d,
		 claim->difference.low, d, claim->difference.high);
}

bool paper_reproduced(const struct paper_finding *finding)
{
	for (unsigned int i = 0; i < finding->num_claims; i++)
		if (finding->claims[i].decides &&
		    !paper_holds(&finding->claims[i]))
			return false;
	return true;
}
