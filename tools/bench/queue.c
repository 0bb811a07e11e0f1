/* SPDX-License-Identifier: Apache-2.0 */
#include "queue.h"

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "tools/base/mem.h"

/* Charges of a token in either lane, thousandths; as fw_lanes has them. */
#define FAST_CHARGE 4000
#define FAIR_CHARGE 1000

int bench_queue_init(struct bench_queue *queue,
		     const struct bench_order_ops *ops, size_t waiting,
		     size_t arrivals)
{
	static const struct fw_lanes_config config = {
		.weight = FAST_CHARGE,
		.budget = BENCH_BUDGET,
		.carry = FW_CARRY_OFF,
		.fair_lane = true,
	};
	const struct fw_allocator *mem = mem_allocator();

	memset(queue, 0, sizeof(*queue));
	queue->next_seq = 1;
	queue->order.ops = ops;
	queue->name = ops ? ops->name : "fairway";
	if (!ops) {
		fw_lanes_init(&queue->lanes, &config, mem);
		return 0;
	}
	queue->cap = arrivals;
	queue->fifo = fw_alloc_array(mem, arrivals, sizeof(*queue->fifo));
	if (queue->fifo && !ops->init(&queue->order, waiting))
		return 0;
	bench_queue_destroy(queue);
	return -ENOMEM;
}

int bench_queue_policy(struct bench_queue *queue,
		       const struct policy_spec *spec,
		       const struct fw_cost *cost)
{
	const struct policy_env env = {
		.cost = cost,
		.device = fw_device_find(BENCH_DEVICE),
		.budget = BENCH_BUDGET,
		.block_tokens = 16,
		.allocator = mem_allocator(),
	};

	memset(queue, 0, sizeof(*queue));
	queue->name = spec->name;
	queue->policy = policy_of(spec);
	return queue->policy->create(&queue->queue, spec, &env);
}

void bench_queue_destroy(struct bench_queue *queue)
{
	if (queue->policy) {
		queue->policy->destroy(queue->queue);
		return;
	}
	if (!queue->order.ops) {
		fw_lanes_destroy(&queue->lanes);
		return;
	}
	queue->order.ops->destroy(&queue->order);
	fw_free_array(mem_allocator(), queue->fifo, queue->cap,
		      sizeof(*queue->fifo));
}

int bench_queue_add(struct bench_queue *queue,
		    const struct bench_arrival *arrival)
{
	struct fw_rank *entry = &fw_queued(arrival->req)->rank;

	if (queue->policy)
		return queue->policy->order->add(queue->queue, arrival->req,
						 arrival->arrival, arrival->slo,
						 arrival->hit);
	if (!queue->order.ops)
		return fw_lanes_add(&queue->lanes, arrival->req,
				    arrival->arrival, arrival->slo,
				    arrival->hit);
	if (queue->tail == queue->cap)
		return -ENOMEM;
	entry->arrival = arrival->arrival;
	entry->unit = arrival->slo;
	entry->hit = arrival->hit;
	entry->cost = fw_cost_tokens(arrival->req->len, arrival->hit);
	entry->seq = queue->next_seq++;
	fw_queued_of(entry)->state = FW_QUEUED_IN;
	queue->fifo[queue->tail++] = (struct bench_place){entry, entry->seq};
	queue->order.ops->insert(&queue->order, entry);
	return 0;
}

static size_t serve_lanes(struct fw_lanes *lanes, double now,
			  struct fw_request *out[BENCH_BATCH])
{
	size_t num = 0;

	fw_lanes_begin(lanes, now, UINT32_MAX);
	while (num < BENCH_BATCH) {
		struct fw_request *req = fw_lanes_peek(lanes);

		if (!req || fw_lanes_admit(lanes, fw_queued(req)->rank.cost))
			break;
		out[num++] = req;
	}
	fw_lanes_end(lanes);
	return num;
}

static struct fw_rank *oldest(struct bench_queue *queue)
{
	for (; queue->head < queue->tail; queue->head++) {
		const struct bench_place *place = &queue->fifo[queue->head];

		if (place->entry->seq == place->seq &&
		    !bench_left(place->entry))
			return place->entry;
	}
	return NULL;
}

/* The merge again, from its rules alone. */
static size_t serve_order(struct bench_queue *queue, double now,
			  struct fw_request *out[BENCH_BATCH])
{
	struct bench_order *order = &queue->order;
	struct fw_rank *best, *old;
	int64_t fast, fair;
	size_t num = 0;

	order->ops->advance(order, now);
	best = order->ops->first(order);
	old = oldest(queue);
	if (!best)
		return 0;
	fast = FAST_CHARGE * (int64_t)best->cost;
	fair = FAIR_CHARGE * (int64_t)old->cost;
	while (num < BENCH_BATCH && (best = order->ops->first(order))) {
		if (fast <= fair) {
			fast += FAST_CHARGE * (int64_t)best->cost;
		} else {
			best = oldest(queue);
			fair += FAIR_CHARGE * (int64_t)best->cost;
		}
		fw_queued_of(best)->state = FW_QUEUED_FREE;
		order->ops->remove(order, best);
		out[num++] = fw_queued_request(fw_queued_of(best));
	}
	return num;
}

static size_t serve_policy(const struct bench_queue *queue, double now,
			   struct fw_request *out[BENCH_BATCH])
{
	const struct fw_order_ops *order = queue->policy->order;
	struct fw_request *req;
	size_t num = 0;

	order->begin(queue->queue, now, UINT32_MAX);
	while (num < BENCH_BATCH && (req = order->peek(queue->queue))) {
		order->admit(queue->queue, 1);
		out[num++] = req;
	}
	order->end(queue->queue);
	return num;
}

size_t bench_queue_serve(struct bench_queue *queue, double now,
			 struct fw_request *out[BENCH_BATCH])
{
	if (queue->policy)
		return serve_policy(queue, now, out);
	if (!queue->order.ops)
		return serve_lanes(&queue->lanes, now, out);
	return serve_order(queue, now, out);
}

uint64_t bench_queue_touched(const struct bench_queue *queue)
{
	if (queue->policy)
		return 0;
	if (!queue->order.ops)
		return queue->lanes.score.kinetic.touched;
	if (queue->order.ops == &bench_kinetic)
		return queue->order.kinetic.touched;
	return 0;
}
