/* SPDX-License-Identifier: Apache-2.0 */
#include "fixed_hits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"
#include "tools/node/loop.h"

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
 * struct fixed - one run
 * @node: the loop and who waits
 * @hits: cached tokens of each request, as they were measured
 * @running: in order of admission, room for config->max_running
 * @num_running: how many
 * @tokens: of the step at hand
 * @pairs: of query and attended token in it, see lib/cost/device.h
 */
struct fixed {
	struct node node;
	const uint32_t *hits;
	struct running *running;
	uint32_t num_running;
	uint32_t tokens;
	double pairs;
};

static struct fixed *fixed_of(const struct node *node)
{
	return container_of(node, struct fixed, node);
}

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
	ret = node_queue(node, id, req, fixed_of(node)->hits[id]);
	if (ret)
		req_free(req);
	return ret;
}

static bool is_running(const struct node *node)
{
	return fixed_of(node)->num_running > 0;
}

/* As much of a prompt as the step has room for. */
static uint32_t compute(struct fixed *fixed, struct running *running)
{
	uint32_t left = running->req->len - running->computed;
	uint32_t room = fixed->node.config->budget - fixed->tokens;
	uint32_t count = left < room ? left : room;

	fixed->pairs += fw_device_pairs(running->computed, count);
	fixed->tokens += count;
	running->computed += count;
	return count;
}

static void admit(struct fixed *fixed, struct fw_request *req)
{
	struct running *running = &fixed->running[fixed->num_running++];
	struct node *node = &fixed->node;

	*running = (struct running){req, fixed->hits[req->id]};
	node->result.reqs[req->id].start_s = node->now;
	node->policy->order->admit(node->order, compute(fixed, running));
}

static void admit_waiting(struct fixed *fixed)
{
	struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;
	const struct sim_config *config = node->config;
	uint32_t budget = config->budget - fixed->tokens;
	struct fw_request *req;

	if (!budget || fixed->num_running == config->max_running ||
	    !order->waiting(node->order))
		return;
	order->begin(node->order, node->now, budget);
	while (fixed->tokens < config->budget &&
	       fixed->num_running < config->max_running &&
	       (req = order->peek(node->order)))
		admit(fixed, req);
	order->end(node->order);
}

static void retire(struct fixed *fixed)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fixed->num_running; i++) {
		struct running *running = &fixed->running[i];
		struct fw_request *req = running->req;

		if (running->computed < req->len) {
			fixed->running[kept++] = *running;
			continue;
		}
		node_done(&fixed->node, req->id, fixed->hits[req->id]);
		req_free(req);
	}
	fixed->num_running = kept;
}

static int step(struct node *node)
{
	struct fixed *fixed = fixed_of(node);

	fixed->tokens = 0;
	fixed->pairs = 0.0;
	for (uint32_t i = 0; i < fixed->num_running; i++)
		compute(fixed, &fixed->running[i]);
	admit_waiting(fixed);
	node_stepped(node, fixed->tokens, fixed->pairs);
	retire(fixed);
	return 0;
}

static int init(struct fixed *fixed, const struct policy_spec *spec)
{
	int ret = node_init(&fixed->node, spec);

	if (ret)
		return ret;
	fixed->running = calloc(fixed->node.config->max_running,
				sizeof(*fixed->running));
	if (fixed->running)
		return 0;
	node_destroy(&fixed->node);
	sim_result_destroy(&fixed->node.result);
	return -ENOMEM;
}

/* A run that failed leaves requests behind: waiting and running ones. */
static void destroy(struct fixed *fixed)
{
	node_drain(&fixed->node, req_free);
	for (uint32_t i = 0; i < fixed->num_running; i++)
		req_free(fixed->running[i].req);
	node_destroy(&fixed->node);
	free(fixed->running);
}

int fixed_hits_run(const struct trace *trace, const uint32_t *hits,
		   const struct sim_config *config,
		   const struct policy_spec *spec, _Atomic uint64_t *progress,
		   struct sim_result *result, struct diag *diag)
{
	static const struct node_ops ops = {arrive, is_running, step};
	struct fixed fixed = {
		.node =
			{
				.ops = &ops,
				.trace = trace,
				.config = config,
				.progress = progress,
			},
		.hits = hits,
	};
	int ret = init(&fixed, spec);

	if (ret)
		return node_failed(diag, config, spec, ret);
	ret = node_loop(&fixed.node);
	destroy(&fixed);
	if (ret) {
		sim_result_destroy(&fixed.node.result);
		return node_failed(diag, config, spec, ret);
	}
	*result = fixed.node.result;
	return 0;
}
