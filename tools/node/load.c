/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static int measure(const struct trace *trace, const struct sim_config *config,
		   _Atomic uint64_t *progress, double *busy_s,
		   struct diag *diag)
{
	struct sim_config own = *config;
	struct policy_list list = {0};
	struct sim_result result;
	int ret = policy_parse(&list, "fcfs", diag);

	own.time_scale = 1.0;
	if (!ret)
		ret = sim_run(trace, &own, &list.specs[0], progress, &result,
			      diag);
	policy_list_destroy(&list);
	if (ret)
		return ret;
	*busy_s = result.busy_s;
	sim_result_destroy(&result);
	return 0;
}

int load_scale(const struct trace *trace, const struct sim_config *config,
	       const char *what, double load, _Atomic uint64_t *progress,
	       double *scale, struct diag *diag)
{
	const struct trace_req *reqs = trace->reqs;
	double span = 0.0;
	double busy_s;
	int ret;

	if (trace->num_reqs)
		span = trace_arrival_s(&reqs[trace->num_reqs - 1], 1.0) -
		       trace_arrival_s(&reqs[0], 1.0);
	if (span <= 0.0)
		return diag_set(diag, -EINVAL,
				"%s: expected arrivals at different times "
				"(all are the same)",
				what);
	ret = measure(trace, config, progress, &busy_s, diag);
	if (ret)
		return ret;
	if (busy_s <= 0.0)
		return diag_set(diag, -EINVAL,
				"%s: expected a request that fits the KV pool "
				"(none does)",
				what);
	*scale = busy_s / (load * span);
	return 0;
}

void load_apply(struct trace *trace, double scale)
{
	for (size_t i = 0; i < trace->num_reqs; i++) {
		struct trace_req *req = &trace->reqs[i];

		req->arrival_ms = floor(req->arrival_ms * scale + 0.5);
	}
}
