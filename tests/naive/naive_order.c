/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "naive_node.h"

#define COLD 32 /* tokens of a hit that dedupe still counts as none */
#define GROUPS 10

static struct naive_job *waiter(const struct naive_node *node, size_t place)
{
	return &node->jobs[node->waiting[place]];
}

/* Place of the smallest (rank, key); the earlier arrival wins a tie. */
static size_t smallest(const struct naive_node *node)
{
	size_t best = 0;

	for (size_t i = 1; i < node->num_waiting; i++) {
		const struct naive_job *job = waiter(node, i);
		const struct naive_job *other = waiter(node, best);

		if (job->rank < other->rank ||
		    (job->rank == other->rank && job->key < other->key))
			best = i;
	}
	return best;
}

static size_t largest_hit(const struct naive_node *node)
{
	size_t best = 0;

	for (size_t i = 1; i < node->num_waiting; i++) {
		if (waiter(node, i)->h > waiter(node, best)->h)
			best = i;
	}
	return best;
}

static bool same_start(const struct naive_job *a, const struct naive_job *b,
		       uint32_t num)
{
	return a->in->num_ids >= num && b->in->num_ids >= num &&
	       memcmp(a->in->ids, b->in->ids, num * sizeof(*a->in->ids)) == 0;
}

static bool is_copy(const struct naive_node *node, size_t place)
{
	uint32_t size = node->config.block_size;
	uint32_t num = (COLD + size - 1) / size;

	if (waiter(node, place)->h > COLD)
		return false;
	for (size_t i = 0; i < place; i++) {
		if (same_start(waiter(node, i), waiter(node, place), num))
			return true;
	}
	return false;
}

/* Gives every waiting request the place that it has after a sort. */
static void sort_places(struct naive_node *node)
{
	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = waiter(node, i);
		size_t ahead = 0;

		for (size_t j = 0; j < node->num_waiting; j++) {
			const struct naive_job *other = waiter(node, j);

			if (other->rank < job->rank ||
			    (other->rank == job->rank &&
			     (other->key < job->key ||
			      (other->key == job->key && j < i))))
				ahead++;
		}
		job->place = (double)ahead;
	}
	node->last_place = (double)node->num_waiting;
}

static void order_lpm(struct naive_node *node)
{
	uint32_t limit = node->policy.limit;

	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = waiter(node, i);

		job->rank = node->policy.dedupe && is_copy(node, i);
		job->key = job->rank ? 0 : -(double)job->h;
	}
	if (limit == 0)
		return;
	if (node->num_waiting <= limit)
		sort_places(node);
	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = waiter(node, i);

		job->rank = 0;
		job->key = job->place;
	}
}

static uint32_t preble_group(const struct naive_job *job)
{
	uint64_t tenths = 10 * (uint64_t)job->h;

	if (job->h == 0)
		return 0;
	return (uint32_t)((tenths + job->in->len - 1) / job->in->len) - 1;
}

static void order_preble(struct naive_node *node)
{
	uint32_t group = node->pointer;
	int placed = 0;

	for (size_t i = 0; i < node->num_waiting; i++)
		waiter(node, i)->rank = -1;
	while (placed < (int)node->num_waiting) {
		uint32_t quota = (group + 1) * GROUPS;

		for (size_t i = 0; i < node->num_waiting && quota > 0; i++) {
			struct naive_job *job = waiter(node, i);

			if (job->rank >= 0 || preble_group(job) != group)
				continue;
			job->rank = placed++;
			job->key = 0;
			quota--;
		}
		group = (group + GROUPS - 1) % GROUPS;
	}
}

static double boosted_arrival(const struct naive_node *node,
			      const struct naive_job *job)
{
	const struct naive_device *device = node->device;
	double c = job->c;
	double work =
		device->token * c + device->pair * c * (job->h + (c + 1) / 2);
	double gamma = node->gamma;

	return job->in->arrival -
	       (1 / gamma) * log(1 / (1 - exp(-gamma * work)));
}

static void set_keys(const struct naive_node *node, struct naive_job *job)
{
	const struct naive_policy *policy = &node->policy;
	double wait = node->now - job->in->arrival;

	job->rank = 0;
	job->key = 0;
	switch (policy->kind) {
	case NAIVE_RAGCACHE:
		job->rank = !policy->window || job->passed_by < policy->window;
		job->key = -((double)job->h / job->c);
		if (!job->rank)
			job->key = 0;
		break;
	case NAIVE_HRRN:
		if (policy->token_clock)
			wait = (double)(node->tokens - job->tokens_before);
		job->key = -wait / job->c;
		break;
	case NAIVE_SPF:
		job->key = job->c;
		break;
	case NAIVE_RSJF:
		job->rank = wait < policy->max_wait;
		job->key = job->rank ? job->c : 0;
		break;
	case NAIVE_UNIBOOST:
		job->key = boosted_arrival(node, job);
		break;
	default:
		break;
	}
}

static double score(const struct naive_node *node, const struct naive_job *job)
{
	double unit =
		node->policy.constant > 0 ? node->policy.constant : job->unit;

	return (double)job->h / job->c + (node->now - job->in->arrival) / unit;
}

static size_t least_rest(const struct naive_node *node)
{
	size_t best = 0;

	for (size_t i = 1; i < node->num_waiting; i++) {
		if (naive_rest(node, waiter(node, i)) <
		    naive_rest(node, waiter(node, best)))
			best = i;
	}
	return best;
}

/* Head of the fast lane. */
static size_t best_score(const struct naive_node *node)
{
	size_t best = 0;

	if (node->policy.by_rest)
		return least_rest(node);

	for (size_t i = 1; i < node->num_waiting; i++) {
		if (score(node, waiter(node, i)) >
		    score(node, waiter(node, best)))
			best = i;
	}
	return best;
}

static void start_ledgers(struct naive_node *node)
{
	struct naive_lanes *lanes = &node->lanes;

	lanes->first = waiter(node, best_score(node))->c;
	lanes->oldest_cost = waiter(node, 0)->c;
	lanes->fast = node->policy.weight * lanes->first;
	lanes->fair = 1000 * lanes->oldest_cost;
	lanes->last = 0;
	lanes->ahead = 0;
}

static void begin_lanes(struct naive_node *node)
{
	struct naive_lanes *lanes = &node->lanes;
	const struct naive_policy *policy = &node->policy;
	int64_t oldest_cost = waiter(node, 0)->c;

	lanes->oldest = node->waiting[0];
	lanes->carrying = policy->carry == NAIVE_CARRY_ON;
	if (policy->carry == NAIVE_CARRY_LONG)
		lanes->carrying = 1000 * oldest_cost >
				  policy->weight * node->config.budget;
	if (!lanes->carrying || lanes->owner != lanes->oldest)
		start_ledgers(node);
}

static size_t next_by_lanes(struct naive_node *node)
{
	struct naive_lanes *lanes = &node->lanes;

	lanes->by_fast = !node->late && (node->policy.no_fair_lane ||
					 lanes->fast <= lanes->fair);
	return lanes->by_fast ? best_score(node) : 0;
}

static void charge_lanes(struct naive_node *node, const struct naive_job *job)
{
	struct naive_lanes *lanes = &node->lanes;

	if (lanes->by_fast)
		lanes->fast += node->policy.weight * job->c;
	else
		lanes->fair += 1000 * (int64_t)job->c;
	if (node->num_waiting == 0 || node->waiting[0] != lanes->oldest)
		return;
	lanes->ahead += job->c;
	lanes->last = job->c;
}

static void end_lanes(struct naive_node *node)
{
	struct naive_lanes *lanes = &node->lanes;
	bool waits = node->num_waiting > 0 && node->waiting[0] == lanes->oldest;
	int64_t allowed = 1000 * lanes->oldest_cost +
			  node->policy.weight * (lanes->last - lanes->first);

	lanes->owner = lanes->carrying && waits ? lanes->oldest : NAIVE_NONE;
	if (lanes->ahead > 0 && !node->policy.no_fair_lane &&
	    node->policy.weight * lanes->ahead > allowed)
		node->result->bound_broken++;
}

void naive_order_begin(struct naive_node *node)
{
	if (node->policy.tenants) {
		naive_tenants_begin(node);
		return;
	}
	for (size_t i = 0; i < node->num_waiting; i++) {
		struct naive_job *job = waiter(node, i);

		uint32_t hit =
			job->begun ? job->done : naive_pool_hit(node, job);

		node->result->surprises += hit < job->h;
		job->h = hit;
		job->c = job->in->len - job->h;
		set_keys(node, job);
	}
	if (node->policy.kind == NAIVE_LPM)
		order_lpm(node);
	else if (node->policy.kind == NAIVE_PREBLE)
		order_preble(node);
	else if (node->policy.kind == NAIVE_FAIRWAY)
		begin_lanes(node);
	naive_guard_look(node);
}

size_t naive_order_next(struct naive_node *node)
{
	if (node->policy.tenants)
		return naive_tenants_next(node);
	if (node->policy.kind == NAIVE_FAIRWAY)
		return next_by_lanes(node);
	if (node->policy.kind == NAIVE_KLPM)
		return node->admitted % node->policy.k == 0 ? 0
							    : largest_hit(node);
	return smallest(node);
}

void naive_order_admitted(struct naive_node *node, size_t job)
{
	if (node->policy.tenants) {
		naive_tenants_admitted(node, job);
		return;
	}
	node->admitted++;
	for (size_t i = 0; i < node->num_waiting; i++) {
		if (node->waiting[i] < job)
			waiter(node, i)->passed_by++;
	}
	if (node->policy.kind == NAIVE_FAIRWAY)
		charge_lanes(node, &node->jobs[job]);
}

void naive_order_end(struct naive_node *node)
{
	if (node->policy.tenants) {
		naive_tenants_end(node);
		return;
	}
	if (node->policy.kind == NAIVE_FAIRWAY)
		end_lanes(node);
	node->pointer = (node->pointer + GROUPS - 1) % GROUPS;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Nearest rank: the ceil(share * num)-th smallest. */
static double percentile(const double *sorted, size_t num, double share)
{
	size_t rank = (size_t)ceil(share * (double)num);

	return sorted[rank - 1];
}

static double fitted_gamma(const struct naive_node *node)
{
	double recent[256];
	size_t num = node->num_ttfts < 256 ? node->num_ttfts : 256;
	double gamma;

	memcpy(recent, node->ttfts + node->num_ttfts - num,
	       num * sizeof(*recent));
	qsort(recent, num, sizeof(*recent), compare_doubles);
	gamma = log(5) /
		(percentile(recent, num, 0.99) - percentile(recent, num, 0.95));
	return fmin(fmax(gamma, 0.001), 5);
}

void naive_order_ended(struct naive_node *node)
{
	if (node->policy.ada && node->num_ttfts >= 128 &&
	    node->num_ttfts % 64 == 0)
		node->gamma = fitted_gamma(node);
}
