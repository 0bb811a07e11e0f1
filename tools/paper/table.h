/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_PAPER_TABLE_H
#define TOOLS_PAPER_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "runs.h"
#include "tools/base/seeds.h"

/* What a finding is made of: tables of figures, and claims. */

struct paper;

enum {
	PAPER_MAX_COLUMNS = 16, /* as a grid has them */
	PAPER_MAX_CLAIMS = 12,
	PAPER_MAX_TABLES = 6,
	PAPER_FINDINGS = 6,
};

/**
 * struct paper_cell - of a table
 * @text: as it is shown
 * @value: the figure behind it; not finite where it is a text
 */
struct paper_cell {
	char text[48];
	double value;
};

/**
 * struct paper_table - figures beside each other
 * @title: what they are
 * @columns: heads
 * @num_columns: how many
 * @matrix: a figure of one kind in each column, the least is the best
 * @cells: row by row
 * @num_cells: how many
 * @cap_cells: room for
 */
struct paper_table {
	char title[200];
	const char *columns[PAPER_MAX_COLUMNS];
	unsigned int num_columns;
	bool matrix;
	struct paper_cell *cells;
	size_t num_cells;
	size_t cap_cells;
};

/**
 * struct paper_pair - what a claim compares under one seed
 * @own: Fairway's figure, or whatever the claim is about
 * @other: what it is compared with
 * @holds: the claim's rule is met
 */
struct paper_pair {
	double own;
	double other;
	bool holds;
};

/**
 * struct paper_claim - one sentence of the paper, held against our figures
 * @text: the sentence
 * @paper: its figures
 * @rule: what decides under one seed
 * @own_name: what one figure is of
 * @other_name: what the other is of
 * @decimals: of both, as they are shown
 * @held: seeds under which the rule is met
 * @seeds: all of them
 * @own: median over the seeds
 * @other: the same
 * @difference: own - other under the same seed, its mean over the seeds
 * @decides: it counts for the finding; others are rows of our own
 */
struct paper_claim {
	char text[200];
	char paper[120];
	char rule[200];
	const char *own_name;
	const char *other_name;
	int decimals;
	unsigned int held;
	unsigned int seeds;
	double own;
	double other;
	struct interval difference;
	bool decides;
};

/**
 * struct paper_finding - one of the paper's findings
 * @number: from 1
 * @title: what it is about
 * @claims: what it says
 * @num_claims: how many
 * @tables: the figures
 * @num_tables: how many
 */
struct paper_finding {
	unsigned int number;
	const char *title;
	struct paper_claim claims[PAPER_MAX_CLAIMS];
	unsigned int num_claims;
	struct paper_table tables[PAPER_MAX_TABLES];
	unsigned int num_tables;
};

struct paper_table *paper_table(struct paper_finding *finding,
				const char *const *columns, const char *fmt,
				...) __attribute__((format(printf, 3, 4)));
void paper_cell_text(struct paper *paper, struct paper_table *table,
		     const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void paper_cell_real(struct paper *paper, struct paper_table *table,
		     double value, int decimals, const char *mark);

/* The median of one value for each seed; sorts them. */
void paper_cell_median(struct paper *paper, struct paper_table *table,
		       double *values, int decimals);
/* The same, and the least and the largest behind it. */
void paper_cell_spread(struct paper *paper, struct paper_table *table,
		       double *values, int decimals);

struct paper_claim *paper_claim(struct paper_finding *finding, bool decides,
				const char *text, const char *paper,
				const char *rule);

/**
 * paper_judge() - hold a claim against the figures of each seed
 * @pairs: paper->seeds of them
 * @own_name: of the first of each pair; lives as long as @claim
 * @other_name: of the second
 * @decimals: that are shown of both
 */
void paper_judge(const struct paper *paper, struct paper_claim *claim,
		 const struct paper_pair *pairs, const char *own_name,
		 const char *other_name, int decimals);

/* Is the rule met under most seeds? */
bool paper_holds(const struct paper_claim *claim);

/* Our figures of a claim, as one line. */
void paper_here(const struct paper_claim *claim, char *buf, size_t size);

/* Do all claims that decide hold? */
bool paper_reproduced(const struct paper_finding *finding);

#endif
