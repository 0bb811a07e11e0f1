/* SPDX-License-Identifier: Apache-2.0 */
#include "fixed_hits.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"
#include "tools/node/loop.h"

/**
 * struct job - a request that has not ended
 * @req: as the order knows it
 * @computed: tokens cached or computed
 * @first: how many of them there were before the last step of it
 * @begun: was it admitted?
 * @step: the last one that computed tokens of it
 */
struct job {
	struct fw_request req;
	uint32_t computed;
	uint32_t first;
	bool begun;
	uint64_t step;
};

/**
 * struct fixed - one run
 * @node: the loop and who waits
 * @hits: cached tokens of each request, as they were measured
 * @pausing: does what has begun compete on in the order?
 * @running: in order of admission, with pausing in order of arrival; room for
 *	config->max_running
 * @num_running: how many
 * @step: number of the step at hand
 * @tokens: of it
 * @pairs: of query and attended token in it, see lib/cost/device.h
 */
struct fixed {
	struct node node;
	const uint32_t *hits;
	bool pausing;
	struct job **running;
	uint32_t num_running;
	uint64_t step;
	uint32_t tokens;
	double pairs;
};

static struct fixed *fixed_of(const struct node *node)
{
	return container_of(node, struct fixed, node);
}

static struct job *job_of(struct fw_request *req)
{
	return container_of(req, struct job, req);
}

static void req_free(struct fw_request *req)
{
	fw_free_array(mem_allocator(), job_of(req), 1, sizeof(struct job));
}

static int arrive(struct node *node, size_t id)
{
	struct job *job = fw_alloc_array(mem_allocator(), 1, sizeof(*job));
	int ret;

	if (!job)
		return -ENOMEM;
	job->req.id = id;
	job->req.len = node->trace->reqs[id].len;
	ret = node_queue(node, id, &job->req, fixed_of(node)->hits[id]);
	if (ret)
		req_free(&job->req);
	return ret;
}

static bool is_running(const struct node *node)
{
	return fixed_of(node)->num_running > 0;
}

/* As much of a prompt as the step has room for. */
static uint32_t compute(struct fixed *fixed, struct job *job)
{
	uint32_t left = job->req.len - job->computed;
	uint32_t room = fixed->node.config->budget - fixed->tokens;
	uint32_t count = left < room ? left : room;

	fixed->pairs += fw_device_pairs(job->computed, count);
	fixed->tokens += count;
	job->first = job->computed;
	job->computed += count;
	job->step = fixed->step;
	return count;
}

static void start(struct fixed *fixed, struct job *job)
{
	const struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;
	uint32_t at = fixed->num_running++;

	while (fixed->pausing && at &&
	       order->older(node->order, &job->req,
			    &fixed->running[at - 1]->req)) {
		fixed->running[at] = fixed->running[at - 1];
		at--;
	}
	fixed->running[at] = job;
	job->begun = true;
	job->computed = fixed->hits[job->req.id];
	node->result.reqs[job->req.id].start_s = node->now;
}

/* The order gave it: it begins or goes on. */
static void give(struct fixed *fixed, struct job *job)
{
	const struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;
	uint32_t count;

	if (!job->begun)
		start(fixed, job);
	count = compute(fixed, job);
	if (fixed->pausing && job->computed < job->req.len)
		order->go_on(node->order, count, job->computed);
	else
		order->admit(node->order, count);
}

/* May @job get tokens, as far as the number of sequences goes? */
static bool may_run(const struct fixed *fixed, const struct job *job)
{
	return job->begun ||
	       fixed->num_running < fixed->node.config->max_running;
}

/* Ask the order until budget, sequences or requests run out. */
static void serve(struct fixed *fixed)
{
	struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;
	uint32_t budget = node->config->budget;
	struct fw_request *req;

	order->begin(node->order, node->now, budget - fixed->tokens);
	while (fixed->tokens < budget && (req = order->peek(node->order)) &&
	       may_run(fixed, job_of(req)))
		give(fixed, job_of(req));
	order->end(node->order);
}

/* What the order cannot give to anybody goes to what has begun, by arrival. */
static void give_rests(struct fixed *fixed)
{
	struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;

	for (uint32_t i = 0;
	     i < fixed->num_running && fixed->tokens < node->config->budget;
	     i++) {
		struct job *job = fixed->running[i];

		if (job->step == fixed->step)
			continue;
		compute(fixed, job);
		order->serve(node->order, &job->req, job->computed);
		if (job->computed == job->req.len)
			order->remove(node->order, &job->req);
	}
}

/*
 * What has begun goes before what waits: say so to an order that predicts, as
 * it stood when the step began.
 */
static void tell_outside(struct fixed *fixed)
{
	struct node *node = &fixed->node;
	const struct fw_order_ops *order = node->policy->order;

	for (uint32_t i = 0; order->outside && i < fixed->num_running; i++) {
		struct job *job = fixed->running[i];
		uint32_t hit =
			job->step == fixed->step ? job->first : job->computed;

		if (!order->outside(node->order, &job->req, hit,
				    job->req.len - hit))
			return;
	}
}

static void serve_in_turn(struct fixed *fixed)
{
	const struct node *node = &fixed->node;
	const struct sim_config *config = node->config;
	uint32_t num = fixed->num_running;

	for (uint32_t i = 0; i < num; i++)
		compute(fixed, fixed->running[i]);
	if (fixed->tokens == config->budget || num == config->max_running ||
	    !node->policy->order->waiting(node->order))
		return;
	tell_outside(fixed);
	serve(fixed);
}

static void retire(struct fixed *fixed)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fixed->num_running; i++) {
		struct job *job = fixed->running[i];

		if (job->computed < job->req.len) {
			fixed->running[kept++] = job;
			continue;
		}
		node_done(&fixed->node, job->req.id, fixed->hits[job->req.id]);
		req_free(&job->req);
	}
	fixed->num_running = kept;
}

static int step(struct node *node)
{
	struct fixed *fixed = fixed_of(node);

	fixed->step++;
	fixed->tokens = 0;
	fixed->pairs = 0.0;
	if (fixed->pausing) {
		serve(fixed);
		give_rests(fixed);
	} else {
		serve_in_turn(fixed);
	}
	node_stepped(node, fixed->tokens, fixed->pairs);
	retire(fixed);
	return 0;
}

static int init(struct fixed *fixed, const struct policy_spec *spec)
{
	int ret = node_init(&fixed->node, spec);

	if (ret)
		return ret;
	fixed->pausing = policy_pausing(spec);
	fixed->running =
		calloc(fixed->node.config->max_running, sizeof(struct job *));
	if (fixed->running)
		return 0;
	node_destroy(&fixed->node);
	sim_result_destroy(&fixed->node.result);
	return -ENOMEM;
}

/* A run that failed leaves requests behind: waiting and running ones. */
static void destroy(struct fixed *fixed)
{
	const struct node *node = &fixed->node;

	for (uint32_t i = 0; i < fixed->num_running; i++) {
		struct job *job = fixed->running[i];

		if (fixed->pausing && job->computed < job->req.len)
			node->policy->order->remove(node->order, &job->req);
		req_free(&job->req);
	}
	node_drain(&fixed->node, req_free);
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
	ret = node_loop(&fixed.node, diag);
	destroy(&fixed);
	if (ret) {
		sim_result_destroy(&fixed.node.result);
		return node_failed(diag, config, spec, ret);
	}
	*result = fixed.node.result;
	return 0;
}
