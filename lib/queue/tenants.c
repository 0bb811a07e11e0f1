/* SPDX-License-Identifier: Apache-2.0 */
#include "tenants.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"

/* Lanes that nobody has: so many are kept, if they hold so little. */
#define MAX_SPARE 64u
#define MAX_SPARE_ROOM 256u

void fw_tenants_init(struct fw_tenants *t,
		     const struct fw_tenants_config *config,
		     const struct fw_allocator *allocator)
{
	*t = (struct fw_tenants){
		.config = *config,
		.allocator = allocator,
		.next_seq = 1,
		.turn = 2,
	};
	/* It would need lanes of the caller's for each tenant. */
	assert(!config->lanes.score);
	fw_tenant_map_init(&t->map, allocator);
	fw_turns_init(&t->ready, allocator);
	fw_turns_init(&t->idle, allocator);
	fw_list_init(&t->touched);
	fw_list_init(&t->begun);
	fw_list_init(&t->fresh);
	fw_list_init(&t->spare);
}

static void free_lanes(struct fw_tenants *t, struct fw_tenant_lanes *own)
{
	fw_lanes_destroy(&own->lanes);
	fw_free_array(t->allocator, own, 1, sizeof(*own));
}

static void free_tenant(struct fw_tenants *t, struct fw_tenant *tenant)
{
	if (tenant->own)
		free_lanes(t, tenant->own);
	fw_free_array(t->allocator, tenant, 1, sizeof(*tenant));
}

void fw_tenants_destroy(struct fw_tenants *t)
{
	for (size_t i = 0; i < t->map.num_buckets; i++) {
		struct fw_tenant *tenant = t->map.buckets[i], *next;

		for (; tenant; tenant = next) {
			next = tenant->next;
			free_tenant(t, tenant);
		}
	}
	while (!fw_list_empty(&t->spare)) {
		struct fw_list *first = t->spare.next;

		fw_list_del(first);
		free_lanes(t,
			   fw_list_entry(first, struct fw_tenant_lanes, spare));
	}
	fw_turns_destroy(&t->idle);
	fw_turns_destroy(&t->ready);
	fw_tenant_map_destroy(&t->map);
}

int64_t fw_tenant_charge(const struct fw_tenants *t,
			 const struct fw_tenant *tenant, uint32_t hit,
			 uint32_t cost)
{
	__int128 work = fw_remaining_work(&t->config.lanes.work, hit, cost);

	work = work * FW_TENANT_WEIGHT / tenant->weight;
	return work < INT64_MAX ? (int64_t)work : INT64_MAX;
}

/* Nobody knew it, or it was forgotten: its first request takes the clock. */
static struct fw_tenant *make_tenant(struct fw_tenants *t, uint64_t number)
{
	size_t num = t->map.num + 1;
	struct fw_tenant *tenant;

	if (fw_tenant_map_reserve(&t->map, num) ||
	    fw_turns_reserve(&t->ready, num) || fw_turns_reserve(&t->idle, num))
		return NULL;
	tenant = fw_alloc_array(t->allocator, 1, sizeof(*tenant));
	if (!tenant)
		return NULL;
	tenant->turn.number = number;
	tenant->weight = fw_tenant_weights_of(t->config.weights, number);
	fw_tenant_map_insert(&t->map, tenant);
	return tenant;
}

static struct fw_tenant_lanes *take_lanes(struct fw_tenants *t)
{
	struct fw_tenant_lanes *own;

	if (!fw_list_empty(&t->spare)) {
		own = fw_list_entry(t->spare.next, struct fw_tenant_lanes,
				    spare);
		fw_list_del(&own->spare);
		t->num_spare--;
		return own;
	}
	own = fw_alloc_array(t->allocator, 1, sizeof(*own));
	if (!own)
		return NULL;
	fw_lanes_init(&own->lanes, &t->config.lanes, t->allocator);
	own->lanes.home = t;
	return own;
}

/* Large ones are freed: what a flood took is not kept for its tenant. */
static void give_lanes_back(struct fw_tenants *t, struct fw_tenant *tenant)
{
	struct fw_tenant_lanes *own = tenant->own;

	tenant->own = NULL;
	own->tenant = NULL;
	if (t->num_spare == MAX_SPARE ||
	    own->lanes.arrival.cap > MAX_SPARE_ROOM) {
		free_lanes(t, own);
		return;
	}
	fw_list_add_tail(&t->spare, &own->spare);
	t->num_spare++;
}

static void forget(struct fw_tenants *t, struct fw_tenant *tenant)
{
	fw_tenant_map_remove(&t->map, tenant);
	free_tenant(t, tenant);
}

static void forget_first(struct fw_tenants *t)
{
	struct fw_turn *turn = fw_turns_first(&t->idle);

	fw_turns_remove(&t->idle, turn);
	forget(t, container_of(turn, struct fw_tenant, turn));
}

void fw_tenants_forget(struct fw_tenants *t)
{
	struct fw_turn *turn;

	while ((turn = fw_turns_first(&t->idle)) &&
	       (turn->served <= t->clock || t->idle.num > t->config.max_idle))
		forget_first(t);
}

/* Nothing of it waits. */
static void retire(struct fw_tenants *t, struct fw_tenant *tenant)
{
	fw_guard_end(&tenant->own->lanes.guard);
	if (fw_list_linked(&tenant->fresh))
		fw_list_del(&tenant->fresh);
	if (t->turn <= tenant->until) {
		fw_list_add_tail(&t->begun, &tenant->listed);
		return;
	}
	give_lanes_back(t, tenant);
	fw_turns_insert(&t->idle, &tenant->turn);
}

void fw_tenant_settle(struct fw_tenants *t, struct fw_tenant *tenant)
{
	bool waits = tenant->own->lanes.waiting;
	bool queued = fw_turn_queued(&tenant->turn);

	if (waits && queued) {
		fw_turns_update(&t->ready, &tenant->turn);
		return;
	}
	if (queued)
		fw_turns_remove(&t->ready, &tenant->turn);
	/* Touched by work outside, it stays so until the pass is over. */
	if (waits) {
		fw_turns_insert(&t->ready, &tenant->turn);
		return;
	}
	if (fw_list_linked(&tenant->listed))
		fw_list_del(&tenant->listed);
	retire(t, tenant);
}

void fw_tenant_freshen(struct fw_tenants *t, struct fw_tenant *tenant)
{
	if (t->config.lanes.guard && !fw_list_linked(&tenant->fresh))
		fw_list_add_tail(&t->fresh, &tenant->fresh);
}

void fw_tenant_open(struct fw_tenants *t, struct fw_tenant *tenant)
{
	struct fw_lanes *lanes = &tenant->own->lanes;

	if (!fw_tenants_open(t) || lanes->open)
		return;
	/* The budget is the whole pass's, and is looked at here. */
	fw_lanes_begin(lanes, t->now, UINT32_MAX);
	if (!fw_list_linked(&tenant->listed))
		fw_list_add_tail(&t->touched, &tenant->listed);
}

struct fw_tenant *fw_tenant_wake(struct fw_tenants *t, uint64_t number)
{
	struct fw_tenant *tenant = fw_tenant_map_find(&t->map, number);
	struct fw_tenant_lanes *own;

	if (tenant && tenant->own)
		return tenant;
	own = take_lanes(t);
	if (!own)
		return NULL;
	if (!tenant)
		tenant = make_tenant(t, number);
	else
		fw_turns_remove(&t->idle, &tenant->turn);
	if (!tenant) {
		free_lanes(t, own);
		return NULL;
	}
	own->tenant = tenant;
	tenant->own = own;
	/* In an open pass it counts from the next one on. */
	fw_tenant_open(t, tenant);
	return tenant;
}
