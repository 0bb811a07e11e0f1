/* SPDX-License-Identifier: Apache-2.0 */
#include "figures.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/compiler.h"

/*
 * The orders that are judged. Protection is about the cache, which a log has
 * not: there the order is the same with it and without it.
 */
static const struct {
	const char *name;
	bool needs_cache;
} orders[] = {
	{"fcfs", false}, /* first: ANALYZE_FCFS */
	{"lpm", false},
	{"fairway", false},
	{"fairway:protect", true},
};

_Static_assert(ARRAY_SIZE(orders) <= ANALYZE_MAX_RUNS, "a run for each order");

int analysis_no_memory(const struct analysis *a, struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "%s: not enough memory", a->path);
}

struct analysis analysis_begin(const struct analyze_options *options)
{
	struct analysis a = {
		.path = options->path,
		.form = options->form,
		.table = options->table,
		.config = options->config,
		.from = QUEUE_SIMULATED,
	};

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++)
		if (!options->form || !orders[i].needs_cache)
			a.names[a.num++] = orders[i].name;
	return a;
}

int analysis_policies(const struct analysis *a, struct policy_list *list,
		      struct diag *diag)
{
	int err = 0;

	for (unsigned int i = 0; !err && i < a->num; i++)
		err = policy_parse(list, a->names[i], diag);
	return err;
}

void analysis_count(struct analysis *a, uint32_t len, uint32_t cached)
{
	a->requests++;
	a->prompt_tokens += len;
	a->cached_tokens += cached;
	a->hits += cached > 0;
}

/* The queue of the run that the others are compared with, with its hits. */
static int measure_simulated(struct analysis *a, const struct trace *trace)
{
	const struct sim_result *result = &a->results[a->base];
	struct queued *reqs = calloc(result->num_reqs + 1, sizeof(*reqs));
	size_t num = 0;
	int ret;

	if (!reqs)
		return -ENOMEM;
	for (size_t i = 0; i < result->num_reqs; i++) {
		const struct sim_request *req = &result->reqs[i];

		if (req->outcome != SIM_REJECTED)
			reqs[num++] =
				(struct queued){req->arrival_s, req->start_s,
						trace->reqs[i].len -
							req->cached};
	}
	ret = queue_spread_init(&a->simulated, reqs, num);
	free(reqs);
	return ret;
}

/* Share of @before that @after saves. */
static double saved(double before, double after)
{
	return before > 0.0 ? 1.0 - after / before : 0.0;
}

/* Figures that traces and logs share, once the runs have ended. */
int analysis_conclude(struct analysis *a, const struct trace *trace)
{
	const struct sim_result *fcfs = &a->results[ANALYZE_FCFS];
	size_t num = fcfs->num_reqs;

	for (unsigned int i = 0; i < a->num; i++)
		if (summary_init(&a->sums[i], trace, &a->results[i], NULL))
			return -ENOMEM;
	if (measure_simulated(a, trace))
		return -ENOMEM;
	a->span_s = fcfs->reqs[num - 1].arrival_s - fcfs->reqs[0].arrival_s;
	a->load = a->span_s > 0.0 ? fcfs->busy_s / a->span_s : NO_FIGURE;
	for (unsigned int i = 0; i < a->num; i++) {
		const struct quantiles *before = &a->sums[a->base].ttft;
		const struct quantiles *after = &a->sums[i].ttft;

		a->gains[i] = (struct gain){saved(before->p50, after->p50),
					    saved(before->p99, after->p99),
					    saved(before->max, after->max)};
	}
	return 0;
}

void analysis_destroy(struct analysis *analysis)
{
	for (unsigned int i = 0; i < analysis->num; i++) {
		summary_destroy(&analysis->sums[i]);
		sim_result_destroy(&analysis->results[i]);
	}
}
