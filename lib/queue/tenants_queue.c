/* SPDX-License-Identifier: Apache-2.0 */
#include "tenants.h"

#include <assert.h>
#include <errno.h>

/* Requests of tenants come, change and go. */

/* Something of a tenant changed: those of an open pass settle at its end. */
static void changed(struct fw_tenants *t, struct fw_tenant *tenant)
{
	bool queued = fw_turn_queued(&tenant->turn);

	if (!fw_tenants_open(t)) {
		fw_tenant_settle(t, tenant);
		fw_tenants_forget(t);
	} else if (queued && tenant->own->lanes.waiting) {
		fw_turns_update(&t->ready, &tenant->turn);
	} else if (queued) {
		fw_turns_remove(&t->ready, &tenant->turn);
	}
}

/* Begun ones that have something waiting again are begun no more. */
static void unlist_begun(struct fw_tenants *t, struct fw_tenant *tenant)
{
	if (!fw_tenants_open(t) && !tenant->own->lanes.waiting &&
	    fw_list_linked(&tenant->listed))
		fw_list_del(&tenant->listed);
}

int fw_tenants_reserve(struct fw_tenants *t, const struct fw_request *req)
{
	struct fw_tenant *tenant = fw_tenant_wake(t, req->tenant);
	int ret;

	if (!tenant)
		return -ENOMEM;
	unlist_begun(t, tenant);
	ret = fw_lanes_reserve(&tenant->own->lanes, fw_queued_const(req));
	if (ret)
		changed(t, tenant);
	return ret;
}

/* What a request that was admitted and comes back has not used. */
static int64_t unused(const struct fw_tenants *t,
		      const struct fw_tenant *tenant,
		      const struct fw_request *req, uint32_t hit)
{
	const struct fw_rank *rank = &fw_queued_const(req)->rank;
	int64_t paid = fw_tenant_charge(t, tenant, rank->hit, rank->cost);
	int64_t left;

	if (hit >= req->len)
		hit = req->len - 1;
	left = fw_tenant_charge(t, tenant, hit, req->len - hit);
	return left < paid ? left : paid;
}

/* A tenant goes on: from the clock, if it had nothing unfinished. */
static void enter(struct fw_tenants *t, struct fw_tenant *tenant,
		  const struct fw_request *req, uint32_t hit)
{
	struct fw_turn *turn = &tenant->turn;

	/* Never below the clock: what it paid may have been forgotten. */
	if (fw_queued_const(req)->paid && turn->served > t->clock) {
		turn->served -= unused(t, tenant, req, hit);
		if (turn->served < t->clock)
			turn->served = t->clock;
	}
	if (!tenant->own->lanes.waiting && t->turn > tenant->until &&
	    turn->served < t->clock)
		turn->served = t->clock;
}

int fw_tenants_add(struct fw_tenants *t, struct fw_request *req, double arrival,
		   double slo, uint32_t hit)
{
	struct fw_queued *queued = fw_queued(req);
	struct fw_tenant *tenant;
	int ret = fw_tenants_reserve(t, req);
	struct fw_lanes *lanes;

	if (ret)
		return ret;
	tenant = fw_tenant_map_find(&t->map, req->tenant);
	lanes = &tenant->own->lanes;
	fw_tenant_open(t, tenant);
	enter(t, tenant, req, hit);
	/* Ranks stay unique when lanes go from one tenant to another. */
	lanes->next_seq = t->next_seq;
	ret = fw_lanes_add(lanes, req, arrival, slo, hit);
	assert(!ret);
	t->next_seq = lanes->next_seq;
	queued->paid = false;
	t->waiting++;
	fw_tenant_freshen(t, tenant);
	changed(t, tenant);
	return 0;
}

void fw_tenants_remove(struct fw_tenants *t, struct fw_request *req)
{
	struct fw_tenant *tenant = fw_tenant_of(fw_queued(req)->lanes);

	fw_tenant_open(t, tenant);
	fw_lanes_remove(&tenant->own->lanes, req);
	t->waiting--;
	changed(t, tenant);
}

void fw_tenants_set_hit(struct fw_tenants *t, struct fw_request *req,
			uint32_t hit)
{
	struct fw_tenant *tenant = fw_tenant_of(fw_queued(req)->lanes);

	fw_tenant_open(t, tenant);
	fw_lanes_set_hit(&tenant->own->lanes, req, hit);
	fw_tenant_freshen(t, tenant);
}

void fw_queued_set_hit(struct fw_request *req, uint32_t hit)
{
	struct fw_lanes *lanes = fw_queued(req)->lanes;

	if (lanes->home)
		fw_tenants_set_hit(lanes->home, req, hit);
	else
		fw_lanes_set_hit(lanes, req, hit);
}

struct fw_request *fw_tenants_any(const struct fw_tenants *t)
{
	const struct fw_turn *turn = fw_turns_first(&t->ready);

	assert(!fw_tenants_open(t));
	if (!turn)
		return NULL;
	return fw_lanes_any(
		&container_of(turn, const struct fw_tenant, turn)->own->lanes);
}

void fw_tenants_update(struct fw_tenants *t, struct fw_request *req,
		       double arrival, double slo)
{
	struct fw_tenant *tenant = fw_tenant_of(fw_queued(req)->lanes);

	fw_tenant_open(t, tenant);
	fw_lanes_update(&tenant->own->lanes, req, arrival, slo);
	fw_tenant_freshen(t, tenant);
}

void fw_tenants_outside(struct fw_tenants *t, uint64_t number, uint32_t hit,
			uint32_t left)
{
	struct fw_tenant *tenant = fw_tenant_map_find(&t->map, number);

	/* Of a tenant with nothing that waits nobody predicts anything. */
	if (!tenant || !tenant->own || !tenant->own->lanes.waiting)
		return;
	fw_guard_outside(&tenant->own->lanes.guard, hit, left);
	if (!fw_list_linked(&tenant->listed))
		fw_list_add_tail(&t->touched, &tenant->listed);
}
