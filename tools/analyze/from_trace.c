/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/node/runs.h"
#include "figures.h"

static int run_trace(struct analysis *a, const struct trace *trace,
		     const struct analyze_options *options, struct diag *diag)
{
	struct policy_list list = {0};
	int ret = analysis_policies(a, &list, diag);

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
			analysis_count(a, trace->reqs[i].len, req->cached);
	}
}

int analyze_trace(struct analysis *analysis, const struct trace *trace,
		  const struct analyze_options *options, struct diag *diag)
{
	struct analysis a = analysis_begin(options);
	int ret = run_trace(&a, trace, options, diag);

	if (ret)
		return ret;
	a.source = trace->source;
	count_trace(&a, trace);
	if (!a.requests)
		ret = diag_set(diag, -EINVAL,
			       "%s: expected a request that fits the KV pool "
			       "(none does)",
			       a.path);
	else if (analysis_conclude(&a, trace))
		ret = analysis_no_memory(&a, diag);
	if (ret) {
		analysis_destroy(&a);
		return ret;
	}
	a.queue = a.simulated;
	analyze_judge(&a);
	*analysis = a;
	return 0;
}
