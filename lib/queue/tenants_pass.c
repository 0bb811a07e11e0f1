/* SPDX-License-Identifier: Apache-2.0 */
#include "tenants.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/saturate.h"

/* One pass over the tenants: whose turn it is, and what it pays. */

static struct fw_tenant *of_listed(struct fw_list *listed)
{
	return fw_list_entry(listed, struct fw_tenant, listed);
}

/* What did not come back by now is not coming: its tenant is idle. */
static void settle_begun(struct fw_tenants *t)
{
	struct fw_list *pos, *tmp;

	fw_list_for_each_safe (pos, tmp, &t->begun) {
		fw_list_del(pos);
		fw_tenant_settle(t, of_listed(pos));
	}
}

/* Whoever is new is looked at now, also where another tenant is next. */
static void look_at_fresh(struct fw_tenants *t)
{
	struct fw_list *pos, *tmp;

	fw_list_for_each_safe (pos, tmp, &t->fresh) {
		struct fw_tenant *tenant =
			fw_list_entry(pos, struct fw_tenant, fresh);

		fw_list_del(pos);
		fw_lanes_settle(&tenant->own->lanes, t->now);
	}
}

void fw_tenants_begin(struct fw_tenants *t, double now, uint32_t budget)
{
	assert(!fw_tenants_open(t));
	t->turn++;
	t->now = now;
	t->budget = budget;
	t->peeked = NULL;
	t->undo.tenant = NULL;
	t->passes++;
	settle_begun(t);
	fw_tenants_forget(t);
	look_at_fresh(t);
}

struct fw_request *fw_tenants_peek(struct fw_tenants *t)
{
	struct fw_turn *turn;

	if (!fw_tenants_open(t) || !t->budget)
		return NULL;
	if (t->peeked && t->peeked->own->lanes.peeked)
		return fw_queued_request(t->peeked->own->lanes.peeked);
	t->peeked = NULL;
	while ((turn = fw_turns_first(&t->ready))) {
		struct fw_tenant *tenant =
			container_of(turn, struct fw_tenant, turn);
		struct fw_request *req;

		fw_tenant_open(t, tenant);
		tenant->next_in = t->turn;
		req = fw_lanes_peek(&tenant->own->lanes);
		if (req) {
			t->peeked = tenant;
			t->undo.tenant = NULL;
			return req;
		}
		/* All that it has was skipped, or counts from the next pass. */
		fw_turns_remove(&t->ready, turn);
	}
	return NULL;
}

/* Its served changed, and maybe what waits. */
static void move_turn(struct fw_tenants *t, struct fw_tenant *tenant)
{
	if (!fw_turn_queued(&tenant->turn))
		return;
	if (tenant->own->lanes.waiting)
		fw_turns_update(&t->ready, &tenant->turn);
	else
		fw_turns_remove(&t->ready, &tenant->turn);
}

static void pay(struct fw_tenants *t, struct fw_tenant *tenant,
		const struct fw_rank *rank, uint32_t tokens)
{
	struct fw_turn *turn = &tenant->turn;
	/* Fewer tokens may also be a hit that grew: then budget is left. */
	bool in_part = tokens < rank->cost && !t->budget;
	uint64_t until = t->turn + in_part;

	if (turn->served > t->clock)
		t->clock = turn->served;
	turn->served = fw_add_saturating(turn->served,
					 fw_tenant_charge(t, tenant, rank->hit,
							  rank->cost));
	if (until > tenant->until)
		tenant->until = until;
}

int fw_tenants_admit(struct fw_tenants *t, uint32_t tokens)
{
	struct fw_tenant *tenant = t->peeked;
	struct fw_queued *queued;

	if (!tenant || !tenant->own->lanes.peeked)
		return -ENOENT;
	queued = tenant->own->lanes.peeked;
	t->undo = (struct fw_tenants_undo){
		.tenant = tenant,
		.served = tenant->turn.served,
		.until = tenant->until,
		.clock = t->clock,
		.tokens = tokens < t->budget ? tokens : t->budget,
	};
	fw_lanes_admit(&tenant->own->lanes, tokens);
	t->budget -= t->undo.tokens;
	queued->paid = true;
	t->waiting--;
	pay(t, tenant, &queued->rank, tokens);
	move_turn(t, tenant);
	t->peeked = NULL;
	return 0;
}

/* @req had @before computed and has @hit now: its tenant pays for that. */
static void pay_in_part(struct fw_tenants *t, struct fw_tenant *tenant,
			const struct fw_request *req, uint32_t before,
			uint32_t hit)
{
	int64_t all = fw_tenant_charge(t, tenant, before, req->len - before);
	struct fw_turn *turn = &tenant->turn;
	int64_t left = 0;

	if (hit < req->len)
		left = fw_tenant_charge(t, tenant, hit, req->len - hit);
	if (left < all)
		turn->served = fw_add_saturating(turn->served, all - left);
}

void fw_tenants_go_on(struct fw_tenants *t, uint32_t tokens, uint32_t hit)
{
	struct fw_tenant *tenant = t->peeked;
	struct fw_request *req = fw_queued_request(tenant->own->lanes.peeked);

	if (tenant->turn.served > t->clock)
		t->clock = tenant->turn.served;
	pay_in_part(t, tenant, req, fw_queued(req)->rank.hit, hit);
	fw_lanes_go_on(&tenant->own->lanes, tokens, hit);
	t->budget -= tokens < t->budget ? tokens : t->budget;
	t->undo.tenant = NULL;
	t->peeked = NULL;
	move_turn(t, tenant);
	fw_tenant_freshen(t, tenant);
}

void fw_tenants_serve(struct fw_tenants *t, struct fw_request *req,
		      uint32_t hit)
{
	struct fw_tenant *tenant = fw_tenant_of(fw_queued(req)->lanes);

	assert(!fw_tenants_open(t));
	/* Its lanes may not have been looked at in the pass. */
	pay_in_part(t, tenant, req, fw_queued(req)->new_hit, hit);
	move_turn(t, tenant);
	fw_tenants_set_hit(t, req, hit);
}

/* The last admission is taken back. Return: 0, -ENOENT. */
static int take_back(struct fw_tenants *t)
{
	struct fw_tenant *tenant = t->undo.tenant;
	struct fw_queued *queued;
	int ret;

	if (!tenant)
		return -ENOENT;
	queued = tenant->own->lanes.admitted;
	ret = fw_lanes_skip(&tenant->own->lanes);
	if (ret)
		return ret;
	queued->paid = false;
	tenant->turn.served = t->undo.served;
	tenant->until = t->undo.until;
	t->clock = t->undo.clock;
	t->budget += t->undo.tokens;
	t->undo.tenant = NULL;
	t->waiting++;
	move_turn(t, tenant);
	fw_tenant_freshen(t, tenant);
	return 0;
}

int fw_tenants_skip(struct fw_tenants *t)
{
	struct fw_tenant *tenant = t->peeked;

	if (!tenant || !tenant->own->lanes.peeked)
		return take_back(t);
	fw_tenant_freshen(t, tenant);
	t->peeked = NULL;
	return fw_lanes_skip(&tenant->own->lanes);
}

static void add_stats(struct fw_lanes_stats *to, const struct fw_lanes_stats *s)
{
	to->passes += s->passes;
	to->late += s->late;
	to->admitted[FW_LANE_FAST] += s->admitted[FW_LANE_FAST];
	to->admitted[FW_LANE_FAIR] += s->admitted[FW_LANE_FAIR];
	to->skipped += s->skipped;
	to->overtaken += s->overtaken;
	to->bound_broken += s->bound_broken;
	if (s->max_ahead > to->max_ahead)
		to->max_ahead = s->max_ahead;
}

/* Its lanes may go to another tenant, or be freed: what they counted stays. */
static void close_lanes(struct fw_tenants *t, const struct fw_tenant *tenant)
{
	struct fw_lanes *lanes = &tenant->own->lanes;
	const struct fw_ledgers carried = lanes->carried;

	if (!lanes->open) {
		fw_guard_end(&lanes->guard);
		return;
	}
	fw_lanes_end(lanes);
	/* Begun since something changed: no pass that ledgers outlive. */
	if (tenant->next_in != t->turn - 1)
		lanes->carried = carried;
	add_stats(&t->stats, &lanes->stats);
	lanes->stats = (struct fw_lanes_stats){0};
}

void fw_tenants_drop_outside(struct fw_tenants *t)
{
	struct fw_list *pos, *tmp;

	fw_list_for_each_safe (pos, tmp, &t->touched) {
		fw_list_del(pos);
		fw_guard_end(&of_listed(pos)->own->lanes.guard);
	}
}

void fw_tenants_end(struct fw_tenants *t)
{
	struct fw_list *pos, *tmp;

	assert(fw_tenants_open(t));
	t->turn++;
	t->peeked = NULL;
	t->undo.tenant = NULL;
	fw_list_for_each_safe (pos, tmp, &t->touched) {
		struct fw_tenant *tenant = of_listed(pos);

		fw_list_del(pos);
		close_lanes(t, tenant);
		fw_tenant_settle(t, tenant);
	}
	fw_tenants_forget(t);
}

struct fw_lanes_stats fw_tenants_stats(const struct fw_tenants *t)
{
	struct fw_lanes_stats all = t->stats;
	const struct fw_list *pos = t->touched.next;

	for (; pos != &t->touched; pos = pos->next)
		add_stats(&all,
			  &fw_list_entry(pos, const struct fw_tenant, listed)
				   ->own->lanes.stats);
	return all;
}
