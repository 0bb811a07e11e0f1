/* SPDX-License-Identifier: Apache-2.0 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>

#include "tools/base/mem.h"

static int init_result(struct node *node)
{
	size_t num = node->trace->num_reqs;

	node->result = (struct sim_result){.num_reqs = num};
	node->result.reqs = calloc(num ? num : 1, sizeof(*node->result.reqs));
	if (!node->result.reqs)
		return -ENOMEM;
	if (!feed_init(&node->feed, node->trace, node->config,
		       node->result.reqs))
		return 0;
	sim_result_destroy(&node->result);
	return -ENOMEM;
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

	node->policy = policy_of(spec);
	return node->policy->create(&node->order, spec, &env);
}

int node_init(struct node *node, const struct policy_spec *spec)
{
	const struct sim_config *c = node->config;
	int ret;

	node->device =
		c->own_device ? c->own_device : fw_device_find(c->device);
	if (!node->device)
		return -ENODEV;
	node->now = 0.0;
	ret = init_result(node);
	if (ret)
		return ret;
	ret = fw_cost_init(&node->cost, c->device, c->table, c->num_points,
			   mem_allocator());
	if (ret)
		goto err_result;
	ret = init_policy(node, spec);
	if (ret)
		goto err_cost;
	return 0;

err_cost:
	fw_cost_destroy(&node->cost);
err_result:
	feed_destroy(&node->feed);
	sim_result_destroy(&node->result);
	return ret;
}

void node_destroy(struct node *node)
{
	node->policy->destroy(node->order);
	fw_cost_destroy(&node->cost);
	feed_destroy(&node->feed);
}

void node_drain(struct node *node, void (*drop)(struct fw_request *req))
{
	const struct fw_order_ops *order = node->policy->order;
	struct fw_request *req;

	order->begin(node->order, node->now, UINT32_MAX);
	while ((req = order->peek(node->order))) {
		order->remove(node->order, req);
		drop(req);
	}
	order->end(node->order);
}

int node_queue(struct node *node, size_t id, struct fw_request *req,
	       uint32_t hit)
{
	const struct policy *policy = node->policy;
	double slo = policy->slo ? policy->slo(node->order, req->len) : 0.0;

	return policy->order->add(node->order, req,
				  node->result.reqs[id].arrival_s, slo, hit);
}

static int take_arrivals(struct node *node)
{
	int ret = 0;
	size_t id;

	while (!ret && feed_peek(&node->feed, &id) &&
	       node->result.reqs[id].arrival_s <= node->now) {
		feed_take(&node->feed, id);
		ret = node->ops->arrive(node, id);
	}
	return ret;
}

static void take_stats(struct node *node)
{
	struct fw_stats stats = {.size = sizeof(stats)};

	if (!node->policy->order->stats)
		return;
	node->policy->order->stats(node->order, &stats);
	node->result.overtaken = stats.overtaken;
	node->result.bound_broken = stats.bound_broken;
}

/* Whoever runs several policies says which one. */
static int look_for_fault(const struct node *node, struct diag *diag)
{
	const char *wrong = policy_wrong(node->policy, node->order);

	return wrong ? diag_set(diag, -EINVAL, "%s", wrong) : 0;
}

int node_loop(struct node *node, struct diag *diag)
{
	int ret = 0;
	size_t id;

	while (!ret) {
		ret = look_for_fault(node, diag);
		if (!ret)
			ret = take_arrivals(node);
		if (ret)
			break;
		if (node->ops->running(node) ||
		    node->policy->order->waiting(node->order))
			ret = node->ops->step(node);
		else if (feed_peek(&node->feed, &id))
			node->now = node->result.reqs[id].arrival_s;
		else
			break;
	}
	node->result.end_s = node->now;
	take_stats(node);
	return ret;
}

void node_stepped(struct node *node, uint32_t tokens, double pairs)
{
	double t = fw_device_step(node->device, tokens, pairs);

	node->now += t;
	node->result.busy_s += t;
	node->result.steps++;
	if (node->policy->stepped)
		node->policy->stepped(node->order, tokens);
}

static void end_request(struct node *node, size_t id, double ttft, uint32_t hit,
			enum sim_outcome outcome)
{
	struct sim_request *out = &node->result.reqs[id];

	out->ttft_s = ttft;
	out->cached = hit;
	out->outcome = outcome;
	/* Relaxed: a figure for the eye. */
	if (node->progress)
		atomic_fetch_add_explicit(node->progress, 1,
					  memory_order_relaxed);
}

void node_done(struct node *node, size_t id, uint32_t hit)
{
	double ttft = node->now - node->result.reqs[id].arrival_s;

	end_request(node, id, ttft, hit, SIM_DONE);
	feed_ended(&node->feed, id, node->now);
	if (node->policy->ended)
		node->policy->ended(node->order, ttft);
}

void node_rejected(struct node *node, size_t id)
{
	node->result.reqs[id].start_s = -1.0;
	end_request(node, id, -1.0, 0, SIM_REJECTED);
	feed_ended(&node->feed, id, node->result.reqs[id].arrival_s);
}

int node_failed(struct diag *diag, const struct sim_config *config,
		const struct policy_spec *spec, int err)
{
	if (err == -ENODEV)
		return diag_set(diag, err, "device %s: unknown",
				config->device);
	if (err == -ENOMEM)
		return diag_set(diag, err, "%s: out of memory", spec->name);
	if (err == -ECANCELED)
		return diag_set(diag, err, "%s: " POLICY_REFUSED, spec->name);
	return diag_set(diag, err, "%s: the run came to a standstill",
			spec->name);
}
