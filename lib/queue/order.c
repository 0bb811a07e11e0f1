/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/order.h>

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/clock.h"
#include "lib/cost/cost.h"
#include "lib/cost/score.h"
#include "hit_source.h"
#include "lanes.h"
#include "order_config.h"
#include "tenants.h"

/**
 * struct fw_order - a public order
 * @lanes: who waits
 * @tenants: the same by tenant, instead of @lanes
 * @weights: of the tenants
 * @inner: the operations of the one of the two that is used
 * @ctx: that one
 * @hits: where hits come from that nobody reports, NULL for nowhere
 * @behind: are there hits that the open pass does not know yet?
 * @corrected: how many of them it settled
 * @admitted: admissions of the open pass that were not taken back
 * @cost: predicted prefill times
 * @allocator: of all
 * @multiplier: prefill times in an SLO
 * @floor: least SLO
 * @open: when the clock began
 */
struct fw_order {
	struct fw_lanes lanes;
	struct fw_tenants tenants;
	struct fw_tenant_weights weights;
	const struct fw_order_ops *inner;
	void *ctx;
	struct fw_hit_source *hits;
	bool behind;
	uint32_t corrected;
	uint32_t admitted;
	struct fw_cost cost;
	struct fw_allocator allocator;
	double multiplier;
	double floor;
	int64_t open;
};

static bool by_tenant(const struct fw_order *order)
{
	return order->inner == &fw_tenants_order;
}

static int init_queue(struct fw_order *order,
		      const struct fw_order_config *config)
{
	struct fw_lanes_config lanes =
		fw_order_config_lanes(config, &order->cost);
	struct fw_tenants_config tenants;
	int ret;

	if (!config->by_tenant) {
		fw_lanes_init(&order->lanes, &lanes, &order->allocator);
		order->inner = &fw_lanes_order;
		order->ctx = &order->lanes;
		return 0;
	}
	ret = fw_tenant_weights_init(&order->weights, config->tenant_weights,
				     config->num_tenant_weights,
				     &order->allocator);
	if (ret)
		return ret;
	tenants =
		fw_order_config_tenants(config, &order->cost, &order->weights);
	fw_tenants_init(&order->tenants, &tenants, &order->allocator);
	order->inner = &fw_tenants_order;
	order->ctx = &order->tenants;
	return 0;
}

static void destroy_queue(struct fw_order *order)
{
	if (by_tenant(order)) {
		fw_tenants_destroy(&order->tenants);
		fw_tenant_weights_destroy(&order->weights);
	} else {
		fw_lanes_destroy(&order->lanes);
	}
}

int fw_order_open(struct fw_order **out, const struct fw_order_config *given)
{
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
	ret = init_queue(order, &config);
	if (ret)
		goto err_cost;
	/* struct fw_cache begins with it. */
	order->hits = (struct fw_hit_source *)config.cache;
	order->behind = false;
	if (order->hits)
		order->hits->users++;
	*out = order;
	return 0;

err_cost:
	fw_cost_destroy(&order->cost);
err_free_order:
	fw_free_array(config.allocator, order, 1, sizeof(*order));
	return ret;
}

/* It does not wait any more: its hit is of no interest. */
static void forget_hit(struct fw_order *order, struct fw_request *req)
{
	if (fw_hit_watched(req))
		order->hits->ops->unwatch(order->hits, req);
}

static void let_go_all(struct fw_order *order)
{
	struct fw_request *req;

	fw_pass_end(order);
	while ((req = by_tenant(order) ? fw_tenants_any(&order->tenants)
				       : fw_lanes_any(&order->lanes)))
		fw_order_remove(order, req);
	order->hits->users--;
}

void fw_order_close(struct fw_order *order)
{
	struct fw_allocator allocator;

	if (!order)
		return;
	if (order->hits)
		let_go_all(order);
	destroy_queue(order);
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

/* Does @req wait here? */
static bool holds(const struct fw_order *order, const struct fw_request *req)
{
	return by_tenant(order) ? fw_tenants_holds(&order->tenants, req)
				: fw_lanes_holds(&order->lanes, req);
}

/* Follow its hit, if it has keys to do so. */
static int learn_hit(struct fw_order *order, struct fw_request *req,
		     uint32_t *hit)
{
	*hit = req->hit;
	if (!order->hits)
		return 0;
	if (req->num_keys)
		return order->hits->ops->watch(order->hits, req, hit);
	forget_hit(order, req);
	return 0;
}

static int queue(struct fw_order *order, struct fw_request *req, uint32_t hit)
{
	const struct fw_queued *entry = fw_queued(req);
	double slo, arrival;

	slo = fw_slo(fw_cost_prefill(&order->cost, req->len), order->multiplier,
		     order->floor);
	arrival = fw_clock_s(order->open, req->arrival);
	if (!entry->lanes)
		return order->inner->add(order->ctx, req, arrival, slo, hit);
	if (by_tenant(order))
		fw_tenants_update(&order->tenants, req, arrival, slo);
	else
		fw_lanes_update(&order->lanes, req, arrival, slo);
	order->inner->set_hit(order->ctx, req, hit);
	return 0;
}

int fw_order_add(struct fw_order *order, struct fw_request *req)
{
	uint32_t hit;
	int ret;

	if (!request_valid(req))
		return -EINVAL;
	if (order->hits && req->num_keys && !req->keys)
		return -EINVAL;
	if (fw_queued(req)->lanes && !holds(order, req))
		return -EBUSY;
	ret = learn_hit(order, req, &hit);
	if (ret)
		return ret;
	ret = queue(order, req, hit);
	if (ret)
		forget_hit(order, req);
	return ret;
}

int fw_order_set_hit(struct fw_order *order, struct fw_request *req,
		     uint32_t hit)
{
	if (!holds(order, req))
		return -ENOENT;
	if (fw_hit_watched(req)) {
		req->hit = hit;
		hit = order->hits->ops->hit(order->hits, req);
	}
	order->inner->set_hit(order->ctx, req, hit);
	return 0;
}

int fw_order_hit(struct fw_order *order, struct fw_request *req, uint32_t *hit)
{
	if (!holds(order, req))
		return -ENOENT;
	if (fw_hit_watched(req))
		order->hits->ops->catch_up(order->hits, req);
	*hit = fw_queued(req)->new_hit;
	return 0;
}

int fw_order_remove(struct fw_order *order, struct fw_request *req)
{
	if (!holds(order, req))
		return -ENOENT;
	forget_hit(order, req);
	order->inner->remove(order->ctx, req);
	return 0;
}

static uint64_t passes(const struct fw_order *order)
{
	return by_tenant(order) ? order->tenants.passes
				: order->lanes.stats.passes;
}

int fw_order_read_stats(const struct fw_order *order,
			struct fw_order_stats *stats)
{
	const struct fw_lanes_stats s =
		by_tenant(order) ? fw_tenants_stats(&order->tenants)
				 : order->lanes.stats;
	const struct fw_order_stats all = {
		.size = stats->size,
		.waiting = order->inner->waiting(order->ctx),
		.passes = passes(order),
		.admitted_fast = s.admitted[FW_LANE_FAST],
		.admitted_fair = s.admitted[FW_LANE_FAIR],
		.skipped = s.skipped,
		.overtaken = s.overtaken,
		.bound_broken = s.bound_broken,
		.late = s.late,
	};
	size_t size = stats->size;

	if (!size)
		return -EINVAL;
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

void fw_order_outside_of(struct fw_order *order, uint64_t tenant, uint32_t hit,
			 uint32_t left)
{
	const struct fw_request req = {.tenant = tenant};

	order->inner->outside(order->ctx, &req, hit, left);
}

void fw_order_outside(struct fw_order *order, uint32_t hit, uint32_t left)
{
	fw_order_outside_of(order, 0, hit, left);
}

static bool pass_open(const struct fw_order *order)
{
	return by_tenant(order) ? fw_tenants_open(&order->tenants)
				: order->lanes.open;
}

int fw_pass_begin(struct fw_order *order, int64_t now, uint32_t budget)
{
	if (pass_open(order))
		return -EBUSY;
	if (order->hits)
		order->behind = !order->hits->ops->flush(order->hits);
	order->corrected = 0;
	order->admitted = 0;
	order->inner->begin(order->ctx, fw_clock_s(order->open, now), budget);
	return 0;
}

/* The lanes that gave the head of the pass; NULL when it has none. */
static struct fw_lanes *head_lanes(struct fw_order *order)
{
	const struct fw_tenant *tenant = order->tenants.peeked;

	if (!by_tenant(order))
		return &order->lanes;
	return tenant ? &tenant->own->lanes : NULL;
}

/* The head of the pass, which nobody decided on yet. */
static struct fw_queued *peeked(struct fw_order *order)
{
	const struct fw_lanes *lanes = head_lanes(order);

	return lanes ? lanes->peeked : NULL;
}

/* The last admission, while it can be taken back. */
static struct fw_queued *admitted(const struct fw_order *order)
{
	const struct fw_tenant *tenant = order->tenants.undo.tenant;

	if (!by_tenant(order))
		return order->lanes.admitted;
	return tenant ? tenant->own->lanes.admitted : NULL;
}

/* Was the hit of @req not true, so that another may come first? */
static bool correct(struct fw_order *order, struct fw_request *req)
{
	if (order->corrected == order->hits->max_moved || !fw_hit_watched(req))
		return false;
	if (!order->hits->ops->catch_up(order->hits, req))
		return false;
	order->corrected++;
	fw_lanes_correct(head_lanes(order));
	return true;
}

struct fw_request *fw_pass_peek(struct fw_order *order)
{
	bool again = peeked(order);
	struct fw_request *req = order->inner->peek(order->ctx);

	/* What was offered once stays, whatever is stored since. */
	if (!order->behind || again)
		return req;
	while (req && correct(order, req))
		req = order->inner->peek(order->ctx);
	return req;
}

int fw_pass_hit(struct fw_order *order, uint32_t *hit, uint32_t *cost)
{
	struct fw_request *req = fw_pass_peek(order);

	if (!req)
		return -ENOENT;
	if (hit)
		*hit = fw_queued(req)->rank.hit;
	if (cost)
		*cost = fw_queued(req)->rank.cost;
	return 0;
}

int fw_pass_explain(struct fw_order *order, struct fw_decision *decision)
{
	struct fw_request *req = fw_pass_peek(order);
	double now = by_tenant(order) ? order->tenants.now : order->lanes.now;
	double wait;

	if (!req)
		return -ENOENT;
	wait = now - fw_queued(req)->rank.arrival;
	*decision = (struct fw_decision){
		.request = req,
		.position = order->admitted,
		.step = passes(order),
		.wait = wait > 0.0 ? wait : 0.0,
		.waiting = order->inner->waiting(order->ctx) - 1,
	};
	order->inner->explain(order->ctx, req, decision);
	decision->cached = decision->hit;
	return 0;
}

int fw_pass_admit(struct fw_order *order, uint32_t tokens)
{
	struct fw_queued *entry = peeked(order);
	int ret = by_tenant(order) ? fw_tenants_admit(&order->tenants, tokens)
				   : fw_lanes_admit(&order->lanes, tokens);

	if (ret)
		return ret;
	order->admitted++;
	forget_hit(order, fw_queued_request(entry));
	return 0;
}

/* An admission was taken back: its hit is followed again. */
static void follow_again(struct fw_order *order, struct fw_request *req)
{
	uint32_t hit;

	if (fw_hit_watched(req) || learn_hit(order, req, &hit))
		return;
	order->inner->set_hit(order->ctx, req, hit);
}

int fw_pass_skip(struct fw_order *order)
{
	struct fw_queued *entry = peeked(order);
	bool back = !entry;
	int ret;

	if (back)
		entry = admitted(order);
	ret = by_tenant(order) ? fw_tenants_skip(&order->tenants)
			       : fw_lanes_skip(&order->lanes);
	if (!ret && back)
		order->admitted--;
	if (!ret && order->hits)
		follow_again(order, fw_queued_request(entry));
	return ret;
}

int fw_pass_end(struct fw_order *order)
{
	if (!pass_open(order))
		return -ENOENT;
	order->inner->end(order->ctx);
	return 0;
}
