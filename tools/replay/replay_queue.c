/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_queue.h"

#include <assert.h>

#include "lib/queue/queued.h"

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
	struct fw_entry *entry = fw_entry(req);

	/* The policy reckons its own. */
	(void)slo;
	entry->arrival = arrival * queue->speed;
	if (!entry->seq)
		entry->seq = ++queue->next_seq;
	return queue->ops->add(queue->policy, req, hit);
}

/*
 * No policy lets a request go but by admitting it. Only a runtime that gives
 * up asks for this, and then the order does not matter any more.
 */
static void take_out(void *ctx, struct fw_request *req)
{
	struct replay_queue *queue = ctx;
	const struct fw_source_ops *source = &queue->ops->source;
	struct fw_list others, *pos, *tmp;
	struct fw_request *other;

	fw_list_init(&others);
	source->begin(queue->policy, 0.0, UINT32_MAX);
	while ((other = source->peek(queue->policy))) {
		source->admit(queue->policy, 1);
		if (other == req)
			break;
		fw_list_add_tail(&others, &fw_entry(other)->later);
	}
	source->end(queue->policy);
	assert(other);
	fw_list_for_each_safe (pos, tmp, &others) {
		int ret;

		fw_list_del(pos);
		other = fw_entry_request(
			fw_list_entry(pos, struct fw_entry, later));
		/* It was there just now, so there is room. */
		ret = queue->ops->add(queue->policy, other,
				      fw_entry(other)->hit);
		assert(!ret);
		(void)ret;
	}
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
