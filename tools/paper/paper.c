/* SPDX-License-Identifier: Apache-2.0 */
#include "paper.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * The list of findings, above all of them. What they call stands below them:
 * figures.c, settings.c, table.c.
 */

static const struct {
	const char *title;
	void (*evaluate)(struct paper *paper, struct paper_finding *finding);
} findings[PAPER_FINDINGS] = {
	{"the spike of a record", paper_spike},
	{"six targets for a record", paper_targets},
	{"p99 over eleven scenarios", paper_matrix},
	{"a flood of cheap hits", paper_flood},
	{"relative wait and fair lane", paper_ablation},
	{"a known loss: MuSiQue in lasting overload", paper_loss},
};

static void drop_findings(struct paper *paper)
{
	for (unsigned int i = 0; i < paper->num_findings; i++)
		for (unsigned int j = 0; j < paper->findings[i].num_tables; j++)
			free(paper->findings[i].tables[j].cells);
	memset(paper->findings, 0, sizeof(paper->findings));
	paper->num_findings = 0;
}

static void evaluate(struct paper *paper)
{
	drop_findings(paper);
	for (unsigned int i = 0; i < PAPER_FINDINGS; i++) {
		struct paper_finding *f = &paper->findings[paper->num_findings];

		if (paper->args->only && !(paper->args->only & 1u << i))
			continue;
		f->number = i + 1;
		f->title = findings[i].title;
		paper->num_findings++;
		findings[i].evaluate(paper, f);
	}
}

int paper_evaluate(struct paper *paper, struct diag *diag)
{
	int err;

	paper->seeds = paper->args->quick ? PAPER_QUICK_SEEDS : PAPER_SEEDS;
	paper->collecting = true;
	evaluate(paper);
	paper->collecting = false;
	if (paper->err)
		return diag_set(diag, paper->err, "out of memory");
	err = paper_make(paper, diag);
	if (err)
		return err;
	evaluate(paper);
	if (paper->err)
		diag_set(diag, paper->err, "out of memory");
	return paper->err;
}

void paper_destroy(struct paper *paper)
{
	drop_findings(paper);
	for (size_t i = 0; i < paper->num_runs; i++)
		free(paper->runs[i]);
	free(paper->runs);
	for (size_t i = 0; i < paper->num_scenarios; i++) {
		paper_scenario_destroy(paper->scenarios[i]);
		free(paper->scenarios[i]);
	}
	free(paper->scenarios);
}
