/* SPDX-License-Identifier: Apache-2.0 */
#include "fixed_hits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"
#include "tools/policy/ops.h"

/**
 * struct running - a request that was admitted and has not ended
 * @req: owned
 * @computed: tokens cached or computed
 */
struct running {
	struct fw_request *req;
	uint32_t computed;
};

/**
 * struct node - one run
 * @running: in order of admission, room for config->max_running
 * @num_running: how many
 * @now: virtual seconds since the trace's begin
 * @next: first request of the trace that has not arrived
 * @tokens: of the step at hand
 * @pairs: of query and attended token in it, see lib/cost/device.h
 * @progress: requests ended, for an observer, or NULL
 */
struct node {
	const struct trace *trace;
	const uint32_t *hits;
	const struct sim_config *config;
	const struct fw_device *device;
	struct fw_cost cost;
	const struct policy_ops *ops;
	void *policy;
	struct running *running;
	uint32_t num_running;
	double now;
	size_t next;
	uint32_t tokens;
	double pairs;
	_Atomic uint64_t *progress;
	struct sim_result result;
};

static void req_free(struct fw_request *req)
{
	fw_free_array(mem_allocator(), req, 1, sizeof(*req));
}

static int arrive(struct node *node, size_t id)
{
	struct fw_request *req =
		fw_alloc_array(mem_allocator(), 1, sizeof(*req));
	int ret;

	if (!req)
		return -ENOMEM;
	req->id = id;
	req->len = node->trace->reqs[id].len;
	ret = node->ops->add(node->policy, req, node->result.reqs[id].arrival_s,
			     node->hits[id]);
	if (ret)
		req_free(req);
	return ret;
}

static int take_arrivals(struct node *node)
{
	int ret = 0;

	while (!ret && node->next < node->trace->num_reqs &&
	       node->result.reqs[node->next].arrival_s <= node->now)
		ret = arrive(node, node->next++);
	return ret;
}

/* As much of a prompt as the step has room for. */
static uint32_t compute(struct node *node, struct running *running)
{
	uint32_t left = running->req->len - running->computed;
	uint32_t room = node->config->budget - node->tokens;
	uint32_t count = left < room ? left : room;

	node->pairs += fw_device_pairs(running->computed, count);
	node->tokens += count;
	running->computed += count;
	return count;
}

static void admit(struct node *node, struct fw_request *req)
{
	struct running *running = &node->running[node->num_running++];
	struct sim_request *result = &node->result.reqs[req->id];

	*running = (struct running){req, node->hits[req->id]};
	result->cached = node->hits[req->id];
	result->start_s = node->now;
	node->ops->source.admit(node->policy, compute(node, running));
}

static void admit_waiting(struct node *node)
{
	const struct fw_source_ops *source = &node->ops->source;
	uint32_t budget = node->config->budget - node->tokens;
	struct fw_request *req;

	if (!budget || node->num_running == node->config->max_running ||
	    !source->waiting(node->policy))
		return;
	source->begin(node->policy, node->now, budget);
	while (node->tokens < node->config->budget &&
	       node->num_running < node->config->max_running &&
	       (req = source->peek(node->policy)))
		admit(node, req);
	source->end(node->policy);
}

static void retire(struct node *node)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->num_running; i++) {
		struct running *running = &node->running[i];
		struct fw_request *req = running->req;
		struct sim_request *result = &node->result.reqs[req->id];

		if (running->computed < req->len) {
			node->running[kept++] = *running;
			continue;
		}
		result->ttft_s = node->now - result->arrival_s;
		result->outcome = SIM_DONE;
		/* Relaxed: a figure for the eye. */
		if (node->progress)
			atomic_fetch_add_explicit(node->progress, 1,
						  memory_order_relaxed);
		if (node->ops->ended)
			node->ops->ended(node->policy, result->ttft_s);
		req_free(req);
	}
	node->num_running = kept;
}

static void step(struct node *node)
{
	double t;

	node->tokens = 0;
	node->pairs = 0.0;
	for (uint32_t i = 0; i < node->num_running; i++)
		compute(node, &node->running[i]);
	admit_waiting(node);
	t = fw_device_step(node->device, node->tokens, node->pairs);
	node->now += t;
	node->result.busy_s += t;
	node->result.steps++;
	if (node->ops->stepped)
		node->ops->stepped(node->policy, node->tokens);
	retire(node);
}

static int loop(struct node *node)
{
	for (;;) {
		int ret = take_arrivals(node);

		if (ret)
			return ret;
		if (node->num_running ||
		    node->ops->source.waiting(node->policy))
			step(node);
		else if (node->next < node->trace->num_reqs)
			node->now = node->result.reqs[node->next].arrival_s;
		else
			break;
	}
	node->result.end_s = node->now;
	return 0;
}

static int init_arrays(struct node *node)
{
	size_t num = node->trace->num_reqs;

	node->running =
		calloc(node->config->max_running, sizeof(*node->running));
	node->result.reqs = calloc(num ? num : 1, sizeof(*node->result.reqs));
	if (!node->running || !node->result.reqs)
		return -ENOMEM;
	node->result.num_reqs = num;
	for (size_t i = 0; i < num; i++)
		node->result.reqs[i].arrival_s =
			trace_arrival_s(&node->trace->reqs[i],
					node->config->time_scale);
	return 0;
}

static int init_policy(struct node *node, const struct policy_spec *spec)
{
	const struct policy_env env = {
		.cost = &node->cost,
		.device = node->device,
		.budget = node->config->budget,
		.block_tokens = node->trace->block_size,
		.allocator = mem_allocator(),
	};

	node->ops = policy_ops(spec);
	return node->ops->create(&node->policy, spec, &env);
}

static int init(struct node *node, const struct policy_spec *spec)
{
	const struct sim_config *c = node->config;
	int ret = init_arrays(node);

	if (ret)
		goto err_arrays;
	ret = fw_cost_init(&node->cost, c->device, c->table, c->num_points,
			   mem_allocator());
	if (ret)
		goto err_arrays;
	ret = init_policy(node, spec);
	if (!ret)
		return 0;
	fw_cost_destroy(&node->cost);

err_arrays:
	free(node->running);
	sim_result_destroy(&node->result);
	return ret;
}

/* A run that failed leaves requests behind: waiting and running ones. */
static void destroy(struct node *node)
{
	const struct fw_source_ops *source = &node->ops->source;
	struct fw_request *req;

	source->begin(node->policy, node->now, UINT32_MAX);
	while ((req = source->peek(node->policy))) {
		source->admit(node->policy, 1);
		req_free(req);
	}
	source->end(node->policy);
	for (uint32_t i = 0; i < node->num_running; i++)
		req_free(node->running[i].req);
	node->ops->destroy(node->policy);
	fw_cost_destroy(&node->cost);
	free(node->running);
}

int fixed_hits_run(const struct trace *trace, const uint32_t *hits,
		   const struct sim_config *config,
		   const struct policy_spec *spec, _Atomic uint64_t *progress,
		   struct sim_result *result, struct diag *diag)
{
	struct node node = {
		.trace = trace,
		.hits = hits,
		.config = config,
		.progress = progress,
		.device = config->own_device ? config->own_device
					     : fw_device_find(config->device),
	};
	int ret;

	if (!node.device)
		return diag_set(diag, -ENODEV, "device %s: unknown",
				config->device);
	ret = init(&node, spec);
	if (ret)
		return diag_set(diag, ret, "%s: out of memory", spec->name);
	ret = loop(&node);
	if (node.ops->stats)
		node.ops->stats(node.policy, &node.result.overtaken,
				&node.result.bound_broken);
	destroy(&node);
	if (ret) {
		sim_result_destroy(&node.result);
		return diag_set(diag, ret, "%s: out of memory", spec->name);
	}
	*result = node.result;
	return 0;
}
