/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "naive_node.h"

/*
 * Fair between tenants, by its definition: whoever was served least is next,
 * with lanes and a guard of its own. Everyone's part is found by looking at all
 * there is, and nobody is ever forgotten.
 */

static uint64_t owner_of(const struct naive_node *node, size_t job)
{
	return node->jobs[job].in->tenant;
}

static struct naive_tenant *find(struct naive_node *node, uint64_t number)
{
	for (size_t i = 0; i < node->num_tenants; i++)
		if (node->tenants[i].number == number)
			return &node->tenants[i];
	return NULL;
}

static bool has_any(const struct naive_node *node, const size_t *list,
		    size_t num, uint64_t number)
{
	for (size_t i = 0; i < num; i++)
		if (owner_of(node, list[i]) == number)
			return true;
	return false;
}

static bool waits(const struct naive_node *node, uint64_t number)
{
	return has_any(node, node->waiting, node->num_waiting, number);
}

void naive_tenants_enter(struct naive_node *node, size_t job)
{
	uint64_t number = owner_of(node, job);
	struct naive_tenant *tenant = find(node, number);

	if (!tenant) {
		tenant = &node->tenants[node->num_tenants++];
		tenant->number = number;
		tenant->lanes.owner = NAIVE_NONE;
	}
	if (waits(node, number) ||
	    has_any(node, node->running, node->num_running, number))
		return;
	if (tenant->served < node->served_clock)
		tenant->served = node->served_clock;
}

/* The node as if it had the waiting requests of one tenant alone. */
static void part_out(const struct naive_node *node,
		     const struct naive_tenant *tenant, struct naive_node *part)
{
	*part = *node;
	part->policy.tenants = false;
	part->lanes = tenant->lanes;
	part->late = tenant->late;
	part->waiting = calloc(node->num_waiting + 1, sizeof(size_t));
	if (!part->waiting)
		abort();
	part->num_waiting = 0;
	for (size_t i = 0; i < node->num_waiting; i++)
		if (owner_of(node, node->waiting[i]) == tenant->number)
			part->waiting[part->num_waiting++] = node->waiting[i];
	part->begun_work = 0;
	/* With pausing they wait like the others. */
	for (size_t i = 0; !node->policy.pause && i < node->num_running; i++)
		if (owner_of(node, node->running[i]) == tenant->number)
			part->begun_work +=
				naive_work(node, &node->jobs[node->running[i]]);
}

static void part_in(struct naive_tenant *tenant, const struct naive_node *part)
{
	tenant->lanes = part->lanes;
	tenant->late = part->late;
	free(part->waiting);
}

/* With pausing what has begun is in the queue: it has not used all it paid. */
static void pay_back(struct naive_node *node)
{
	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = &node->jobs[node->waiting[i]];
		int64_t left;

		if (!job->begun)
			continue;
		job->h = job->done;
		job->c = job->in->len - job->h;
		left = naive_work(node, job);
		find(node, job->in->tenant)->served -=
			left < job->paid ? left : job->paid;
		job->paid = 0;
	}
}

void naive_tenants_begin(struct naive_node *node)
{
	struct naive_node part;

	pay_back(node);
	for (size_t i = 0; i < node->num_tenants; i++) {
		struct naive_tenant *tenant = &node->tenants[i];

		if (!waits(node, tenant->number))
			continue;
		part_out(node, tenant, &part);
		naive_order_begin(&part);
		tenant->begun = part.lanes;
		tenant->was_next = false;
		part.lanes = tenant->lanes;
		part_in(tenant, &part);
	}
}

static struct naive_tenant *least_served(struct naive_node *node)
{
	struct naive_tenant *best = NULL;

	for (size_t i = 0; i < node->num_tenants; i++) {
		struct naive_tenant *tenant = &node->tenants[i];

		if (!waits(node, tenant->number))
			continue;
		if (!best || tenant->served < best->served ||
		    (tenant->served == best->served &&
		     tenant->number < best->number))
			best = tenant;
	}
	return best;
}

size_t naive_tenants_next(struct naive_node *node)
{
	struct naive_tenant *tenant = least_served(node);
	struct naive_node part;
	size_t job, place = 0;

	if (!tenant->was_next)
		tenant->lanes = tenant->begun;
	tenant->was_next = true;
	part_out(node, tenant, &part);
	job = part.waiting[naive_order_next(&part)];
	part_in(tenant, &part);
	while (node->waiting[place] != job)
		place++;
	return place;
}

void naive_tenants_admitted(struct naive_node *node, size_t index)
{
	struct naive_job *job = &node->jobs[index];
	struct naive_tenant *tenant = find(node, job->in->tenant);
	struct naive_node part;

	part_out(node, tenant, &part);
	naive_order_admitted(&part, index);
	part_in(tenant, &part);
	if (tenant->served > node->served_clock)
		node->served_clock = tenant->served;
	job->paid = naive_work(node, job);
	tenant->served += job->paid;
}

/* For all that it has left, as if it were released. */
void naive_tenants_pay(struct naive_node *node, struct naive_job *job)
{
	job->paid = naive_work(node, job);
	find(node, job->in->tenant)->served += job->paid;
}

void naive_tenants_end(struct naive_node *node)
{
	struct naive_node part;

	for (size_t i = 0; i < node->num_tenants; i++) {
		struct naive_tenant *tenant = &node->tenants[i];

		if (!tenant->was_next)
			continue;
		tenant->was_next = false;
		part_out(node, tenant, &part);
		naive_order_end(&part);
		part_in(tenant, &part);
	}
}
