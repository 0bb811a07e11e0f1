/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/queue/order_config.h"
#include "admit.h"
#include "owner.h"
#include "runtime.h"
#include "waiting.h"

/* Bounds of classes, where one is bounded. */
static int init_class_bounds(struct fw *fw)
{
	const uint32_t *most = fw->config.class_max_waiting;
	uint32_t num = fw->config.num_classes;

	if (!most)
		return 0;
	fw->class_waiting =
		fw_alloc_lines(&fw->allocator, num, sizeof(*fw->class_waiting));
	if (!fw->class_waiting)
		return -ENOMEM;
	for (uint32_t i = 0; i < num; i++)
		fw_bound_init(&fw->class_waiting[i],
			      most[i] ? most[i] : UINT64_MAX);
	return 0;
}

/* Only where the order is by tenant, or tenants are bounded. */
static int init_tenants(struct fw *fw)
{
	if (fw->config.tenant_max_waiting) {
		fw->tenant_waiting =
			fw_alloc_lines(&fw->allocator, 1,
				       sizeof(*fw->tenant_waiting));
		if (!fw->tenant_waiting)
			return -ENOMEM;
		fw_tenant_bound_init(fw->tenant_waiting,
				     fw->config.tenant_max_waiting);
	}
	if (!fw->order.by_tenant)
		return 0;
	fw->tenant_rows =
		fw_alloc_lines(&fw->allocator, 1, sizeof(*fw->tenant_rows));
	return fw->tenant_rows ? 0 : -ENOMEM;
}

static void destroy_tenants(struct fw *fw)
{
	fw_free_lines(&fw->allocator, fw->tenant_rows, 1,
		      sizeof(*fw->tenant_rows));
	fw_free_lines(&fw->allocator, fw->tenant_waiting, 1,
		      sizeof(*fw->tenant_waiting));
	fw->tenant_rows = NULL;
	fw->tenant_waiting = NULL;
}

/* What producers touch. */
static int init_arrival(struct fw *fw)
{
	const struct fw_config *c = &fw->config;
	uint32_t num = c->max_waiting + c->max_running;
	int ret;

	fw_bound_init(&fw->num_waiting, c->max_waiting);
	fw_bound_init(&fw->num_bytes, c->max_bytes ? c->max_bytes : UINT64_MAX);
	ret = fw_inbox_init(&fw->inbox, c->shards, &fw->allocator);
	if (ret)
		return ret;
	ret = fw_calls_init(&fw->calls, fw->inbox.num_shards, &fw->allocator);
	if (ret)
		goto err_inbox;
	ret = fw_calls_init(&fw->submits, fw->inbox.num_shards, &fw->allocator);
	if (ret)
		goto err_calls;
	ret = fw_slots_init(&fw->slots, num, c->shards, &fw->allocator);
	if (ret)
		goto err_submits;
	ret = -ENOMEM;
	fw->tickets = fw_alloc_lines(&fw->allocator, num, sizeof(*fw->tickets));
	if (!fw->tickets)
		goto err_slots;
	ret = init_class_bounds(fw);
	if (ret)
		goto err_tickets;
	return 0;

err_tickets:
	fw_free_lines(&fw->allocator, fw->tickets, num, sizeof(*fw->tickets));
err_slots:
	fw_slots_destroy(&fw->slots);
err_submits:
	fw_calls_destroy(&fw->submits);
err_calls:
	fw_calls_destroy(&fw->calls);
err_inbox:
	fw_inbox_destroy(&fw->inbox);
	return ret;
}

static void destroy_arrival(struct fw *fw)
{
	fw_free_lines(&fw->allocator, fw->class_waiting, fw->config.num_classes,
		      sizeof(*fw->class_waiting));
	fw_free_lines(&fw->allocator, fw->tickets, fw->slots.num,
		      sizeof(*fw->tickets));
	fw_slots_destroy(&fw->slots);
	fw_calls_destroy(&fw->submits);
	fw_calls_destroy(&fw->calls);
	fw_inbox_destroy(&fw->inbox);
}

/* What tells of the engine's cache; with blocks of our own a single slot. */
static int init_events(struct fw *fw)
{
	uint32_t num = fw->config.num_blocks ? 1 : fw->config.max_events;
	uint32_t shards = fw->config.num_blocks ? 1 : fw->config.shards;
	int ret;

	ret = fw_inbox_init(&fw->events, shards, &fw->allocator);
	if (ret)
		return ret;
	ret = fw_slots_init(&fw->event_slots, num, shards, &fw->allocator);
	if (ret)
		goto err_inbox;
	ret = -ENOMEM;
	fw->event_room =
		fw_alloc_array(&fw->allocator, num, sizeof(*fw->event_room));
	if (!fw->event_room)
		goto err_slots;
	return 0;

err_slots:
	fw_slots_destroy(&fw->event_slots);
err_inbox:
	fw_inbox_destroy(&fw->events);
	return ret;
}

static void destroy_events(struct fw *fw)
{
	fw_free_array(&fw->allocator, fw->event_room, fw->event_slots.num,
		      sizeof(*fw->event_room));
	fw_slots_destroy(&fw->event_slots);
	fw_inbox_destroy(&fw->events);
}

static void on_pool_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	fw_on_hit(container_of((struct fw_kv_pool *)ctx, struct fw, pool), req,
		  blocks);
}

/* The cache's blocks, or the index of another's. */
static int init_cache(struct fw *fw)
{
	const struct fw_config *c = &fw->config;
	bool shared = c->flags & FW_MATCH_AT_SUBMIT;
	uint32_t flags = (c->protect ? FW_POOL_PROTECT : 0) |
			 (c->pausing ? FW_POOL_PAUSING : 0);
	int ret;

	if (c->num_blocks) {
		ret = fw_kv_pool_init(&fw->pool, c->num_blocks, c->block_tokens,
				      flags, &fw->allocator);
		if (ret)
			return ret;
		fw->index = &fw->pool.index;
		fw->index->ops.hit = on_pool_hit;
	} else {
		ret = fw_index_init(&fw->own_index, c->max_cached,
				    c->block_tokens, &fw->allocator);
		if (ret)
			return ret;
		fw->index = &fw->own_index;
		fw->index->ops.hit = fw_on_hit;
		fw->index->ops_ctx = fw;
	}
	return shared ? fw_index_share(fw->index, 0) : 0;
}

static void destroy_cache(struct fw *fw)
{
	if (!fw->index)
		return;
	if (fw->config.num_blocks)
		fw_kv_pool_destroy(&fw->pool);
	else
		fw_index_destroy(&fw->own_index);
}

static int init_classes(struct fw *fw)
{
	struct fw_lanes_config lanes =
		fw_order_config_lanes(&fw->order, &fw->cost);
	struct fw_tenants_config tenants;
	int ret;

	if (!fw->order.by_tenant)
		return fw_classes_init(&fw->classes, fw->config.num_classes,
				       &lanes, &fw->allocator);
	ret = fw_tenant_weights_init(&fw->weights, fw->order.tenant_weights,
				     fw->order.num_tenant_weights,
				     &fw->allocator);
	if (ret)
		return ret;
	tenants = fw_order_config_tenants(&fw->order, &fw->cost, &fw->weights);
	ret = fw_classes_init_tenants(&fw->classes, fw->config.num_classes,
				      &tenants, &fw->allocator);
	if (ret)
		fw_tenant_weights_destroy(&fw->weights);
	return ret;
}

static int init_queue(struct fw *fw, const struct fw_order_ops *queue,
		      void *queue_ctx)
{
	fw->queue = queue;
	fw->queue_ctx = queue_ctx;
	if (queue)
		return 0;
	fw->queue = &fw_classes_order;
	fw->queue_ctx = &fw->classes;
	return init_classes(fw);
}

static void destroy_queue(struct fw *fw)
{
	if (fw->queue_ctx != &fw->classes)
		return;
	fw_classes_destroy(&fw->classes);
	if (fw->order.by_tenant)
		fw_tenant_weights_destroy(&fw->weights);
}

static enum fw_admit ask(void *ctx, struct fw_request *req, uint32_t cached)
{
	struct fw *fw = ctx;

	return fw->config.admit(fw->config.ctx, req, cached);
}

static int init_planner(struct fw *fw)
{
	const struct fw_planner_config config = {
		.pool = fw->config.num_blocks ? &fw->pool : NULL,
		.index = fw->index,
		.order = fw->queue,
		.order_ctx = fw->queue_ctx,
		.budget = fw->order.budget,
		.max_running = fw->config.max_running,
		.depth = fw->executor.depth,
		.pausing = fw->config.pausing,
		.max_moved = fw->config.max_rescored,
		.ops =
			{
				.admit = fw->config.admit ? ask : NULL,
				.admitted = fw_on_admitted,
				.refused = fw_on_refused,
				.ended = fw_on_ended,
			},
		.ctx = fw,
		.allocator = &fw->allocator,
	};

	return fw_planner_init(&fw->planner, &config);
}

/* What the scheduler alone touches. */
static int init_schedule(struct fw *fw, const struct fw_order_ops *queue,
			 void *queue_ctx)
{
	int ret;

	ret = fw_cost_init(&fw->cost, fw->order.device, fw->order.table,
			   fw->order.num_points, &fw->allocator);
	if (ret)
		return ret;
	fw_remaining_init(&fw->work, &fw->cost, fw->order.budget);
	ret = init_cache(fw);
	if (ret)
		goto err_cost;
	ret = init_queue(fw, queue, queue_ctx);
	if (ret)
		goto err_cost;
	fw_heap_init(&fw->deadlines, &fw->allocator);
	fw_heap_init(&fw->ages, &fw->allocator);
	ret = fw_heap_reserve(&fw->deadlines, fw->slots.num);
	if (!ret && fw->config.class_max_wait)
		ret = fw_heap_reserve(&fw->ages, fw->slots.num);
	if (ret)
		goto err_heap;
	ret = init_planner(fw);
	if (ret)
		goto err_heap;
	return 0;

err_heap:
	fw_heap_destroy(&fw->ages);
	fw_heap_destroy(&fw->deadlines);
	destroy_queue(fw);
err_cost:
	destroy_cache(fw);
	fw_cost_destroy(&fw->cost);
	return ret;
}

static void init_flights(struct fw *fw)
{
	for (uint32_t i = 0; i < FW_DEPTH_MAX; i++)
		fw->flights[i].fw = fw;
	for (uint32_t i = 0; i < FW_METRICS; i++)
		fw_histogram_init(&fw->counters.metrics[i]);
}

/* Time 0: now, or where the executor's own time begins. */
static void init_clock(struct fw *fw)
{
	fw->open = 0;
	fw_read_clock(fw);
	if (!fw->executor.ops->now)
		fw->open = fw->now;
	fw_read_clock(fw);
}

int fw_parts_init(struct fw *fw, const struct fw_order_ops *queue,
		  void *queue_ctx)
{
	int ret;

	ret = fw_inbox_init(&fw->completions, 1, &fw->allocator);
	if (ret)
		return ret;
	ret = init_tenants(fw);
	if (!ret)
		ret = init_arrival(fw);
	if (ret)
		goto err_tenants;
	ret = init_events(fw);
	if (ret)
		goto err_arrival;
	ret = init_schedule(fw, queue, queue_ctx);
	if (ret)
		goto err_events;
	fw_gate_init(&fw->gate);
	init_flights(fw);
	init_clock(fw);
	return 0;

err_events:
	destroy_events(fw);
err_arrival:
	destroy_arrival(fw);
err_tenants:
	destroy_tenants(fw);
	fw_inbox_destroy(&fw->completions);
	return ret;
}

void fw_parts_destroy(struct fw *fw)
{
	fw_gate_destroy(&fw->gate);
	fw_planner_destroy(&fw->planner);
	fw_heap_destroy(&fw->ages);
	fw_heap_destroy(&fw->deadlines);
	destroy_queue(fw);
	destroy_cache(fw);
	fw_cost_destroy(&fw->cost);
	destroy_events(fw);
	destroy_arrival(fw);
	destroy_tenants(fw);
	fw_inbox_destroy(&fw->completions);
}
