/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "lib/cost/device.h"
#include "fixed_hits.h"
#include "figures.h"

/**
 * struct logged - a log as the simulated node takes it
 * @log: the log
 * @trace: its lengths and arrivals
 * @hits: cached tokens of each
 */
struct logged {
	const struct log *log;
	struct trace trace;
	uint32_t *hits;
};

static const struct fw_device *device_of(const struct sim_config *config)
{
	return config->own_device ? config->own_device
				  : fw_device_find(config->device);
}

/* Lengths and arrivals; no prompt has a block in common with another one. */
static int add_requests(struct trace *trace, const struct log *log)
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

static int logged_init(struct logged *in, const struct log *log)
{
	*in = (struct logged){.log = log};
	trace_init(&in->trace, 1);
	in->hits = calloc(log->num, sizeof(*in->hits));
	if (!in->hits || add_requests(&in->trace, log))
		return -ENOMEM;
	for (size_t i = 0; i < log->num; i++)
		in->hits[i] = log->reqs[i].cached;
	return 0;
}

static void logged_destroy(struct logged *in)
{
	free(in->hits);
	trace_destroy(&in->trace);
}

static int run(struct analysis *a, const struct logged *in, bool quiet,
	       struct diag *diag)
{
	struct policy_list list = {0};
	int ret = analysis_policies(a, &list, diag);

	if (!ret)
		ret = fixed_hits_runs(&in->trace, in->hits, a->config, &list,
				      quiet, a->results, diag);
	policy_list_destroy(&list);
	return ret;
}

/* An engine serves first come, first served, or by the longest prefix. */
static int compare(struct analysis *a, const struct logged *in, bool quiet,
		   struct diag *diag)
{
	if (match_init(&a->match, in->log, a->config, a->results, 2))
		return analysis_no_memory(a, diag);
	a->base = a->match.under;
	return match_devices(&a->match, in->log, a->config, &in->trace,
			     in->hits, quiet, diag);
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

static int analyze(struct analysis *a, const struct logged *in, bool quiet,
		   struct diag *diag)
{
	int ret = run(a, in, quiet, diag);

	if (!ret)
		ret = compare(a, in, quiet, diag);
	if (ret)
		return ret;
	for (size_t i = 0; i < in->log->num; i++)
		analysis_count(a, in->trace.reqs[i].len, in->hits[i]);
	if (analysis_conclude(a, &in->trace) || measure_logged(a, in->log))
		return analysis_no_memory(a, diag);
	a->left_out = in->log->left_out;
	analyze_judge(a);
	return 0;
}

int analyze_log(struct analysis *analysis, const struct log *log,
		const struct analyze_options *options, struct diag *diag)
{
	struct analysis a = analysis_begin(options);
	struct logged in;
	int ret;

	if (logged_init(&in, log))
		ret = analysis_no_memory(&a, diag);
	else
		ret = analyze(&a, &in, options->quiet, diag);
	logged_destroy(&in);
	if (ret)
		analysis_destroy(&a);
	else
		*analysis = a;
	return ret;
}
