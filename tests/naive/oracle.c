/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/trace_ids.h"
#include "oracle.h"

int oracle_run(const struct trace *trace, const struct sim_config *config,
	       const char *policy, struct sim_result *result, struct diag *why)
{
	struct policy_list list = {0};
	int err = policy_parse(&list, policy, why);

	if (!err)
		err = sim_run(trace, config, &list.specs[0], NULL, result, why);
	policy_list_destroy(&list);
	return err;
}

static struct naive_request *plain_requests(const struct trace *trace,
					    const uint64_t *ids, double scale)
{
	struct naive_request *reqs = calloc(trace->num_reqs + 1, sizeof(*reqs));

	if (!reqs)
		abort();
	for (size_t i = 0; i < trace->num_reqs; i++) {
		const struct trace_req *req = &trace->reqs[i];

		reqs[i].arrival = req->arrival_ms / 1000 * scale;
		reqs[i].len = req->len;
		reqs[i].num_ids = req->num_ids;
		reqs[i].ids = ids;
		reqs[i].tenant = req->tenant;
		ids += req->num_ids;
	}
	return reqs;
}

int oracle_naive(const struct trace *trace, const struct sim_config *config,
		 const char *policy, struct naive_result *result)
{
	uint64_t *ids = all_ids(trace);
	struct naive_request *reqs =
		plain_requests(trace, ids, config->time_scale);
	struct naive_config plain = {
		.device = config->device,
		.block_size = trace->block_size,
		.pool_blocks = config->kv_blocks,
		.budget = config->budget,
		.max_running = config->max_running,
	};
	int err = naive_run(reqs, trace->num_reqs, &plain, policy, result);

	free(reqs);
	free(ids);
	return err;
}

static bool same_request(size_t id, const struct sim_request *got,
			 const struct naive_outcome *expected, struct diag *why)
{
	bool rejected = got->outcome == SIM_REJECTED;

	if (got->ttft_s == expected->ttft && got->cached == expected->cached &&
	    rejected == (expected->ttft < 0))
		return true;
	snprintf(why->text, sizeof(why->text),
		 "request %zu: TTFT %.17g cached %" PRIu32 "%s, oracle %.17g "
		 "and %" PRIu32,
		 id, got->ttft_s, got->cached, rejected ? " rejected" : "",
		 expected->ttft, expected->cached);
	return false;
}

static bool same_totals(const struct sim_result *got,
			const struct naive_result *expected, struct diag *why)
{
	if (got->steps == expected->steps && got->busy_s == expected->busy &&
	    got->bound_broken == 0 && expected->bound_broken == 0)
		return true;
	snprintf(why->text, sizeof(why->text),
		 "steps %" PRIu64 " busy %.17g bound broken %" PRIu64
		 ", oracle %" PRIu64 ", %.17g and %" PRIu64,
		 got->steps, got->busy_s, got->bound_broken, expected->steps,
		 expected->busy, expected->bound_broken);
	return false;
}

bool oracle_same(const struct trace *trace, const struct sim_result *got,
		 const struct naive_result *expected, struct diag *why)
{
	if (got->num_reqs != trace->num_reqs) {
		snprintf(why->text, sizeof(why->text),
			 "%zu results for %zu requests", got->num_reqs,
			 trace->num_reqs);
		return false;
	}
	for (size_t i = 0; i < got->num_reqs; i++) {
		if (!same_request(i, &got->reqs[i], &expected->reqs[i], why))
			return false;
	}
	return same_totals(got, expected, why);
}

bool oracle_agrees(const struct trace *trace, const struct sim_config *config,
		   const char *policy, struct diag *why)
{
	struct naive_result expected;
	struct sim_result got;
	bool same = false;

	if (oracle_naive(trace, config, policy, &expected) < 0) {
		snprintf(why->text, sizeof(why->text),
			 "the oracle does not know %s", policy);
		return false;
	}
	if (oracle_run(trace, config, policy, &got, why) == 0) {
		same = oracle_same(trace, &got, &expected, why);
		sim_result_destroy(&got);
	}
	naive_result_destroy(&expected);
	return same;
}

void oracle_trace(struct trace *trace, const struct naive_request *reqs,
		  size_t num, uint32_t block_size)
{
	trace_init(trace, block_size);
	if (trace_phase(trace, "all") < 0)
		abort();
	for (size_t i = 0; i < num; i++) {
		struct trace_req req = {
			.arrival_ms = reqs[i].arrival * 1000,
			.num_ids = reqs[i].num_ids,
			.len = reqs[i].len,
			.output_len = 1,
			.tenant = reqs[i].tenant,
		};

		if (trace_add_ids(trace, &req, reqs[i].ids) < 0)
			abort();
	}
}
