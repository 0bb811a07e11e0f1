/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

static const struct fw_order_ops *ops_of(const struct replay_queue *queue)
{
	return queue->policy->order;
}

static size_t waiting(const void *ctx)
{
	const struct replay_queue *queue = ctx;

	return ops_of(queue)->waiting(queue->order);
}

static int add(void *ctx, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct replay_queue *queue = ctx;
	const struct policy *policy = queue->policy;

	/* By the policy's flags, in seconds of the trace. */
	slo = policy->slo ? policy->slo(queue->order, req->len) : 0.0;
	return policy->order->add(queue->order, req, arrival * queue->speed,
				  slo, hit);
}

static void take_out(void *ctx, struct fw_request *req)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->remove(queue->order, req);
}

static void set_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->set_hit(queue->order, req, hit);
}

static void begin(void *ctx, double now, uint32_t budget)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->begin(queue->order, now * queue->speed, budget);
}

static struct fw_request *peek(void *ctx)
{
	struct replay_queue *queue = ctx;

	return ops_of(queue)->peek(queue->order);
}

static void admit(void *ctx, uint32_t tokens)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->admit(queue->order, tokens);
}

static void end(void *ctx)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->end(queue->order);
}

static void explain(const void *ctx, const struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct replay_queue *queue = ctx;

	if (ops_of(queue)->explain)
		ops_of(queue)->explain(queue->order, req, decision);
}

static uint64_t ahead(const void *ctx, const struct fw_request *req)
{
	const struct replay_queue *queue = ctx;

	return ops_of(queue)->ahead ? ops_of(queue)->ahead(queue->order, req)
				    : 0;
}

static bool outside(void *ctx, const struct fw_request *req, uint32_t hit,
		    uint32_t left)
{
	struct replay_queue *queue = ctx;

	return ops_of(queue)->outside &&
	       ops_of(queue)->outside(queue->order, req, hit, left);
}

static void go_on(void *ctx, uint32_t tokens, uint32_t hit)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->go_on(queue->order, tokens, hit);
}

static void serve(void *ctx, struct fw_request *req, uint32_t hit)
{
	struct replay_queue *queue = ctx;

	ops_of(queue)->serve(queue->order, req, hit);
}

static bool older(const void *ctx, const struct fw_request *a,
		  const struct fw_request *b)
{
	const struct replay_queue *queue = ctx;

	return ops_of(queue)->older(queue->order, a, b);
}

static void stats(const void *ctx, struct fw_stats *to)
{
	const struct replay_queue *queue = ctx;

	if (ops_of(queue)->stats)
		ops_of(queue)->stats(queue->order, to);
}

/* Nobody skips: a trace has no embedder who may say so. */
const struct fw_order_ops replay_queue_ops = {
	.waiting = waiting,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.begin = begin,
	.peek = peek,
	.admit = admit,
	.end = end,
	.explain = explain,
	.ahead = ahead,
	.outside = outside,
	.go_on = go_on,
	.serve = serve,
	.older = older,
	.stats = stats,
};
