/* SPDX-License-Identifier: Apache-2.0 */
#include "tenants.h"

/* The tenants behind the interface of an order: ctx is a struct fw_tenants. */

static size_t waiting(const void *order)
{
	return ((const struct fw_tenants *)order)->waiting;
}

static int add(void *order, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	return fw_tenants_add(order, req, arrival, slo, hit);
}

static void take_out(void *order, struct fw_request *req)
{
	fw_tenants_remove(order, req);
}

static void set_hit(void *order, struct fw_request *req, uint32_t hit)
{
	fw_tenants_set_hit(order, req, hit);
}

static void begin(void *order, double now, uint32_t budget)
{
	fw_tenants_begin(order, now, budget);
}

static struct fw_request *peek(void *order)
{
	return fw_tenants_peek(order);
}

static void admit(void *order, uint32_t tokens)
{
	fw_tenants_admit(order, tokens);
}

static void skip(void *order)
{
	fw_tenants_skip(order);
}

static void end(void *order)
{
	fw_tenants_end(order);
}

static void explain(const void *order, const struct fw_request *req,
		    struct fw_decision *decision)
{
	const struct fw_tenants *t = order;

	fw_lanes_order.explain(&t->peeked->own->lanes, req, decision);
}

static bool outside(void *order, const struct fw_request *req, uint32_t hit,
		    uint32_t left)
{
	struct fw_tenants *t = order;

	if (t->config.lanes.guard)
		fw_tenants_outside(t, req->tenant, hit, left);
	return t->config.lanes.guard;
}

static void go_on(void *order, uint32_t tokens, uint32_t hit)
{
	fw_tenants_go_on(order, tokens, hit);
}

static void serve(void *order, struct fw_request *req, uint32_t hit)
{
	fw_tenants_serve(order, req, hit);
}

static void stats(const void *order, struct fw_stats *to)
{
	const struct fw_lanes_stats s = fw_tenants_stats(order);

	fw_lanes_add_stats(&s, to);
}

const struct fw_order_ops fw_tenants_order = {
	.waiting = waiting,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.begin = begin,
	.peek = peek,
	.admit = admit,
	.skip = skip,
	.end = end,
	.explain = explain,
	.ahead = fw_lanes_ahead,
	.outside = outside,
	.go_on = go_on,
	.serve = serve,
	.older = fw_lanes_older,
	.stats = stats,
};

static size_t count(const struct fw_list *head)
{
	size_t num = 0;

	for (const struct fw_list *pos = head->next; pos != head;
	     pos = pos->next)
		num++;
	return num;
}

static bool tenant_valid(const struct fw_tenants *t,
			 const struct fw_tenant *tenant, size_t *waiting)
{
	bool queued = fw_turn_queued(&tenant->turn);

	if (!tenant->own)
		return queued && tenant->turn.served > t->clock;
	*waiting += tenant->own->lanes.waiting;
	if (tenant->own->tenant != tenant || tenant->own->lanes.open ||
	    !fw_lanes_valid(&tenant->own->lanes))
		return false;
	if (tenant->own->lanes.waiting)
		return queued;
	return !queued && t->turn <= tenant->until;
}

bool fw_tenants_valid(const struct fw_tenants *t)
{
	size_t waiting = 0, num = 0;

	for (size_t i = 0; i < t->map.num_buckets; i++) {
		const struct fw_tenant *tenant = t->map.buckets[i];

		for (; tenant; tenant = tenant->next, num++)
			if (!tenant_valid(t, tenant, &waiting))
				return false;
	}
	return num == t->map.num && waiting == t->waiting &&
	       num == t->ready.num + t->idle.num + count(&t->begun) &&
	       count(&t->spare) == t->num_spare &&
	       t->idle.num <= t->config.max_idle && fw_turns_valid(&t->ready) &&
	       fw_turns_valid(&t->idle);
}
