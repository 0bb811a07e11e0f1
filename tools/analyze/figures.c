/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cost/device.h"
#include "tools/node/runs.h"
#include "tools/policy/policy.h"
#include "fixed_hits.h"

static const struct fw_device *device_of(const struct sim_config *config)
{
	return config->own_device ? config->own_device
				  : fw_device_find(config->device);
}

static int no_memory(const struct analysis *a, struct diag *diag)
{
	return diag_set(diag, -ENOMEM, "%s: not enough memory", a->path);
}

/* Share of @before that @after saves. */
static double saved(double before, double after)
{
	return before > 0.0 ? 1.0 - after / before : 0.0;
}

static void count(struct analysis *a, uint32_t len, uint32_t cached)
{
	a->requests++;
	a->prompt_tokens += len;
	a->cached_tokens += cached;
	a->hits += cached > 0;
}

/* The queue of the first-come-first-served run, with the hits of that run. */
static int measure_simulated(struct analysis *a, const struct trace *trace)
{
	const struct sim_result *result = &a->results[ANALYZE_FCFS];
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

/* Figures that traces and logs share, once the runs have ended. */
static int conclude(struct analysis *a, const struct trace *trace)
{
	const struct sim_result *fcfs = &a->results[ANALYZE_FCFS];
	const struct quantiles *before = &a->sums[ANALYZE_FCFS].ttft;
	const struct quantiles *after = &a->sums[ANALYZE_FAIRWAY].ttft;
	size_t num = fcfs->num_reqs;

	for (int i = 0; i < ANALYZE_POLICIES; i++)
		if (summary_init(&a->sums[i], trace, &a->results[i]))
			return -ENOMEM;
	if (measure_simulated(a, trace))
		return -ENOMEM;
	a->span_s = fcfs->reqs[num - 1].arrival_s - fcfs->reqs[0].arrival_s;
	a->load = a->span_s > 0.0 ? fcfs->busy_s / a->span_s : NO_FIGURE;
	a->gain_p50 = saved(before->p50, after->p50);
	a->gain_p99 = saved(before->p99, after->p99);
	return 0;
}

static struct analysis begin(const struct analyze_options *options)
{
	return (struct analysis){
		.path = options->path,
		.form = options->form,
		.table = options->table,
		.config = options->config,
		.from = QUEUE_SIMULATED,
	};
}

static int run_trace(struct analysis *a, const struct trace *trace,
		     const struct analyze_options *options, struct diag *diag)
{
	struct policy_list list = {0};
	int ret = policy_parse(&list, "fcfs,lpm,fairway", diag);

	if (!ret)
		ret = runs_go(trace, a->config, &list, options->jobs,
			      options->quiet, a->results, diag);
	policy_list_destroy(&list);
	return ret;
}

static void count_trace(struct analysis *a, const struct trace *trace)
{
	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct sim_request *req =
			&a->results[ANALYZE_FCFS].reqs[i];

		if (req->outcome == SIM_REJECTED)
			a->rejected++;
		else
			count(a, trace->reqs[i].len, req->cached);
	}
}

int analyze_trace(struct analysis *analysis, const struct trace *trace,
		  const struct analyze_options *options, struct diag *diag)
{
	struct analysis a = begin(options);
	int ret = run_trace(&a, trace, options, diag);

	if (ret)
		return ret;
	count_trace(&a, trace);
	if (!a.requests)
		ret = diag_set(diag, -EINVAL,
			       "%s: expected a request that fits the KV pool "
			       "(none does)",
			       a.path);
	else if (conclude(&a, trace))
		ret = no_memory(&a, diag);
	if (ret) {
		analysis_destroy(&a);
		return ret;
	}
	a.queue = a.simulated;
	analyze_judge(&a);
	*analysis = a;
	return 0;
}

/* Lengths and arrivals; no prompt has a block in common with another one. */
static int log_to_trace(struct trace *trace, const struct log *log)
{
	for (size_t i = 0; i < log->num; i++) {
		const struct log_req *from = &log->reqs[i];
		const struct trace_req req = {
			.arrival_ms = from->arrival_s * 1000.0,
			.len = from->cached + from->uncached,
		};

		if (trace_add(trace, &req, NULL))
			return -ENOMEM;
	}
	return 0;
}

static int run_log(struct analysis *a, const struct trace *trace,
		   const struct log *log, bool quiet, struct diag *diag)
{
	uint32_t *hits = calloc(log->num, sizeof(*hits));
	struct policy_list list = {0};
	int ret;

	if (!hits)
		return no_memory(a, diag);
	for (size_t i = 0; i < log->num; i++)
		hits[i] = log->reqs[i].cached;
	ret = policy_parse(&list, "fcfs,lpm,fairway", diag);
	if (!ret)
		ret = fixed_hits_runs(trace, hits, a->config, &list, quiet,
				      a->results, diag);
	policy_list_destroy(&list);
	free(hits);
	return ret;
}

/*
 * A first token comes when the whole prompt is computed. That takes as long as
 * the model says on an idle device, and longer beside other prompts. So this is
 * the latest start, and the queue that follows is the longest one possible.
 */
static double start_of(const struct analysis *a, const struct log_req *req)
{
	double start = req->later_s;

	if (a->from == QUEUE_FROM_TTFT)
		start -= fw_device_prefill(device_of(a->config), req->cached,
					   req->cached + req->uncached,
					   a->config->budget);
	return start > req->arrival_s ? start : req->arrival_s;
}

static int measure_logged(struct analysis *a, const struct log *log)
{
	struct queued *reqs;
	int ret;

	if (log->times == LOG_NO_TIMES) {
		a->queue = a->simulated;
		return 0;
	}
	a->from = log->times == LOG_STARTS ? QUEUE_LOGGED : QUEUE_FROM_TTFT;
	reqs = calloc(log->num, sizeof(*reqs));
	if (!reqs)
		return -ENOMEM;
	for (size_t i = 0; i < log->num; i++)
		reqs[i] = (struct queued){log->reqs[i].arrival_s,
					  start_of(a, &log->reqs[i]),
					  log->reqs[i].uncached};
	ret = queue_spread_init(&a->queue, reqs, log->num);
	free(reqs);
	return ret;
}

static int analyze_as_trace(struct analysis *a, const struct trace *trace,
			    const struct log *log, bool quiet,
			    struct diag *diag)
{
	int ret = run_log(a, trace, log, quiet, diag);

	if (ret)
		return ret;
	for (size_t i = 0; i < log->num; i++)
		count(a, trace->reqs[i].len, log->reqs[i].cached);
	if (conclude(a, trace) || measure_logged(a, log))
		return no_memory(a, diag);
	return 0;
}

int analyze_log(struct analysis *analysis, const struct log *log,
		const struct analyze_options *options, struct diag *diag)
{
	struct analysis a = begin(options);
	struct trace trace;
	int ret;

	trace_init(&trace, 1);
	ret = log_to_trace(&trace, log);
	if (ret)
		ret = no_memory(&a, diag);
	else
		ret = analyze_as_trace(&a, &trace, log, options->quiet, diag);
	trace_destroy(&trace);
	if (ret) {
		analysis_destroy(&a);
		return ret;
	}
	a.left_out = log->left_out;
	analyze_judge(&a);
	*analysis = a;
	return 0;
}

void analysis_destroy(struct analysis *analysis)
{
	for (int i = 0; i < ANALYZE_POLICIES; i++) {
		summary_destroy(&analysis->sums[i]);
		sim_result_destroy(&analysis->results[i]);
	}
}
