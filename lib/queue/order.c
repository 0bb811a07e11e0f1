/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/order.h>

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/clock.h"
#include "lib/cost/cost.h"
#include "lib/cost/score.h"
#include "lanes.h"
#include "order_config.h"

struct fw_order {
	struct fw_lanes lanes;
	struct fw_cost cost;
	struct fw_allocator allocator;
	double multiplier;
	double floor;
	int64_t open;
};

int fw_order_open(struct fw_order **out, const struct fw_order_config *given)
{
	struct fw_lanes_config lanes;
	struct fw_order_config config;
	struct fw_order *order;
	int ret;

	ret = fw_order_config_read(&config, given);
	if (ret)
		return ret;
	order = fw_alloc_array(config.allocator, 1, sizeof(*order));
	if (!order)
		return -ENOMEM;
	order->allocator = *config.allocator;
	order->multiplier = config.slo_multiplier;
	order->floor = config.slo_floor;
	order->open = config.open;
	ret = fw_cost_init(&order->cost, config.device, config.table,
			   config.num_points, &order->allocator);
	if (ret)
		goto err_free_order;
	lanes = fw_order_config_lanes(&config, &order->cost);
	fw_lanes_init(&order->lanes, &lanes, &order->allocator);
	*out = order;
	return 0;

err_free_order:
	fw_free_array(config.allocator, order, 1, sizeof(*order));
	return ret;
}

void fw_order_close(struct fw_order *order)
{
	struct fw_allocator allocator;

	if (!order)
		return;
	fw_lanes_destroy(&order->lanes);
	fw_cost_destroy(&order->cost);
	allocator = order->allocator;
	fw_free_array(&allocator, order, 1, sizeof(*order));
}

static bool request_valid(const struct fw_request *req)
{
	uint64_t tail = req->flags | req->priority | req->reserved32;

	tail |= (uint64_t)req->max_wait;
	for (size_t i = 0; i < ARRAY_SIZE(req->reserved); i++)
		tail |= req->reserved[i];
	return req->len && !tail;
}

int fw_order_add(struct fw_order *order, struct fw_request *req)
{
	struct fw_queued *entry = fw_queued(req);
	double slo, arrival;

	if (!request_valid(req))
		return -EINVAL;
	if (entry->lanes && entry->lanes != &order->lanes)
		return -EBUSY;
	slo = fw_slo(fw_cost_prefill(&order->cost, req->len), order->multiplier,
		     order->floor);
	arrival = fw_clock_s(order->open, req->arrival);
	if (!entry->lanes)
		return fw_lanes_add(&order->lanes, req, arrival, slo, req->hit);
	fw_lanes_update(&order->lanes, req, arrival, slo);
	return 0;
}

int fw_order_set_hit(struct fw_order *order, struct fw_request *req,
		     uint32_t hit)
{
	if (!fw_lanes_holds(&order->lanes, req))
		return -ENOENT;
	fw_lanes_set_hit(&order->lanes, req, hit);
	return 0;
}

int fw_order_remove(struct fw_order *order, struct fw_request *req)
{
	if (!fw_lanes_holds(&order->lanes, req))
		return -ENOENT;
	fw_lanes_remove(&order->lanes, req);
	return 0;
}

int fw_order_read_stats(const struct fw_order *order,
			struct fw_order_stats *stats)
{
	const struct fw_lanes_stats *s = &order->lanes.stats;
	const struct fw_order_stats all = {
		.size = stats->size,
		.waiting = order->lanes.waiting,
		.passes = s->passes,
		.admitted_fast = s->admitted[FW_LANE_FAST],
		.admitted_fair = s->admitted[FW_LANE_FAIR],
		.skipped = s->skipped,
		.overtaken = s->overtaken,
		.bound_broken = s->bound_broken,
		.late = s->late,
	};
	size_t size = stats->size;

	if (!size)
		return -EINVAL;
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

void fw_order_outside(struct fw_order *order, uint32_t hit, uint32_t left)
{
	fw_guard_outside(&order->lanes.guard, hit, left);
}

int fw_pass_begin(struct fw_order *order, int64_t now, uint32_t budget)
{
	if (order->lanes.open)
		return -EBUSY;
	fw_lanes_begin(&order->lanes, fw_clock_s(order->open, now), budget);
	return 0;
}

struct fw_request *fw_pass_peek(struct fw_order *order)
{
	return fw_lanes_peek(&order->lanes);
}

int fw_pass_hit(struct fw_order *order, uint32_t *hit, uint32_t *cost)
{
	struct fw_request *req = fw_lanes_peek(&order->lanes);

	if (!req)
		return -ENOENT;
	if (hit)
		*hit = fw_queued(req)->rank.hit;
	if (cost)
		*cost = fw_queued(req)->rank.cost;
	return 0;
}

int fw_pass_admit(struct fw_order *order, uint32_t tokens)
{
	return fw_lanes_admit(&order->lanes, tokens);
}

int fw_pass_skip(struct fw_order *order)
{
	return fw_lanes_skip(&order->lanes);
}

int fw_pass_end(struct fw_order *order)
{
	if (!order->lanes.open)
		return -ENOENT;
	fw_lanes_end(&order->lanes);
	return 0;
}
