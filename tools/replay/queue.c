/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

static size_t waiting(void *ctx)
{
	struct replay_queue *queue = ctx;

	return queue->ops->source.waiting(queue->policy);
}

static void begin(void *ctx, double now, uint32_t budget)
{
	struct replay_queue *queue = ctx;

	queue->ops->source.begin(queue->policy, now * queue->speed, budget);
}

static struct fw_request *peek(void *ctx)
{
	struct replay_queue *queue = ctx;

	return queue->ops->source.peek(queue->policy);
}

static void admit(void *ctx, uint32_t tokens)
{
	struct replay_queue *queue = ctx;

	queue->ops->source.admit(queue->policy, tokens);
}

static void end(void *ctx)
{
	struct replay_queue *queue = ctx;

	queue->ops->source.end(queue->policy);
}

static int add(void *ctx, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct replay_queue *queue = ctx;

	/* The policy reckons its own. */
	(void)slo;
	return queue->ops->add(queue->policy, req, arrival * queue->speed, hit);
}

static void take_out(void *ctx, struct fw_request *req)
{
	struct replay_queue *queue = ctx;

	queue->ops->remove(queue->policy, req);
}

static void set_hit(void *ctx, struct fw_request *req, uint32_t hit)
{
	struct replay_queue *queue = ctx;

	queue->ops->set_hit(queue->policy, req, hit);
}

static void stats(const void *ctx, struct fw_stats *to)
{
	const struct replay_queue *queue = ctx;

	if (queue->ops->stats)
		queue->ops->stats(queue->policy, &to->overtaken,
				  &to->bound_broken);
}

const struct fw_queue_ops replay_queue_ops = {
	.source = {waiting, begin, peek, admit, end, NULL},
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.stats = stats,
};
