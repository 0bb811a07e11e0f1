/* SPDX-License-Identifier: Apache-2.0 */
#include "naive_lanes.h"

#include <errno.h>

static const struct naive_account no_account = {.oldest = NAIVE_NONE};

void naive_lanes_init(struct naive_lanes *n,
		      const struct fw_lanes_config *config)
{
	*n = (struct naive_lanes){
		.config = *config,
		.next_seq = 1,
		.peeked = NAIVE_NONE,
		.account = no_account,
		.kept = no_account,
		.undo = {.who = NAIVE_NONE},
	};
}

void naive_lanes_add(struct naive_lanes *n, int who, uint32_t len, uint32_t hit,
		     double arrival, double slo)
{
	struct naive_req *r = &n->reqs[who];

	r->len = len;
	r->hit = hit;
	r->arrival = arrival;
	r->slo = slo;
	if (r->waiting)
		return;
	r->waiting = true;
	r->ahead = 0;
	if (!r->seq)
		r->seq = n->next_seq++;
	if (n->undo.who == who)
		n->undo.who = NAIVE_NONE;
}

static void forget(int *place, int who)
{
	if (*place == who)
		*place = NAIVE_NONE;
}

void naive_lanes_remove(struct naive_lanes *n, int who)
{
	n->reqs[who].waiting = false;
	n->reqs[who].offered = false;
	forget(&n->peeked, who);
	forget(&n->account.oldest, who);
	forget(&n->kept.oldest, who);
	forget(&n->undo.account.oldest, who);
	forget(&n->undo.behind, who);
}

static bool older(const struct naive_req *a, const struct naive_req *b)
{
	if (a->arrived != b->arrived)
		return a->arrived < b->arrived;
	return a->seq < b->seq;
}

static double score(const struct naive_lanes *n, const struct naive_req *r)
{
	double wait = n->now > r->arrived ? n->now - r->arrived : 0.0;
	double constant = n->config.wait_constant;

	return (double)r->h / r->c +
	       wait / (constant > 0.0 ? constant : r->unit);
}

static bool ahead_of(const struct naive_lanes *n, enum fw_lane lane,
		     const struct naive_req *a, const struct naive_req *b)
{
	if (lane == FW_LANE_FAST && score(n, a) > score(n, b))
		return true;
	if (lane == FW_LANE_FAST && score(n, a) < score(n, b))
		return false;
	return older(a, b);
}

static int head(const struct naive_lanes *n, enum fw_lane lane)
{
	int best = NAIVE_NONE;

	for (int i = 0; i < NAIVE_MAX; i++) {
		if (!n->reqs[i].offered)
			continue;
		if (best == NAIVE_NONE ||
		    ahead_of(n, lane, &n->reqs[i], &n->reqs[best]))
			best = i;
	}
	return best;
}

/* Do ledgers that bound the work ahead of @who go on in the next pass? */
static bool goes_on(const struct naive_lanes *n, int who)
{
	int64_t one_step = (int64_t)n->config.weight * n->config.budget;

	if (n->config.carry == FW_CARRY_LONG)
		return (int64_t)n->reqs[who].c * 1000 > one_step;
	return n->config.carry == FW_CARRY_ON;
}

static void start(struct naive_lanes *n)
{
	int fast = head(n, FW_LANE_FAST), fair = head(n, FW_LANE_FAIR);
	struct naive_account *a = &n->account;

	*a = no_account;
	if (fair == NAIVE_NONE)
		return;
	if (n->kept.oldest == fair && goes_on(n, fair)) {
		*a = n->kept;
		return;
	}
	a->oldest = fair;
	a->oldest_cost = n->reqs[fair].c;
	a->first_cost = n->reqs[fast].c;
	a->fast = a->first_cost * n->config.weight;
	a->fair = a->oldest_cost * 1000;
}

void naive_lanes_begin(struct naive_lanes *n, double now, uint32_t budget)
{
	for (int i = 0; i < NAIVE_MAX; i++) {
		struct naive_req *r = &n->reqs[i];

		r->offered = r->waiting;
		r->h = r->hit < r->len ? r->hit : r->len - 1;
		r->c = r->len - r->h;
		r->arrived = r->arrival;
		r->unit = r->slo;
	}
	n->now = now;
	n->open = true;
	n->budget = budget;
	n->released = 0;
	n->peeked = NAIVE_NONE;
	n->undo.who = NAIVE_NONE;
	n->stats.passes++;
	start(n);
}

int naive_lanes_peek(struct naive_lanes *n)
{
	if (!n->open || !n->budget)
		return NAIVE_NONE;
	if (n->peeked != NAIVE_NONE)
		return n->peeked;
	n->lane = FW_LANE_FAST;
	if (n->config.fair_lane && n->account.fast > n->account.fair)
		n->lane = FW_LANE_FAIR;
	n->peeked = head(n, n->lane);
	if (n->peeked != NAIVE_NONE)
		n->undo.who = NAIVE_NONE;
	return n->peeked;
}

/* The fast lane releases @cost ahead of the oldest: is that too much? */
static void overtake(struct naive_lanes *n, int64_t cost)
{
	struct naive_account *a = &n->account;
	int64_t weight = n->config.weight;

	a->ahead += cost;
	n->stats.overtaken++;
	/* ahead <= oldest / weight + last - first, free of division */
	if ((a->ahead - cost + a->first_cost) * weight > a->oldest_cost * 1000)
		n->stats.bound_broken++;
}

static void account_for(struct naive_lanes *n, int who)
{
	struct naive_account *a = &n->account;
	int64_t cost = n->reqs[who].c;

	if (n->lane == FW_LANE_FAST) {
		a->fast += cost * n->config.weight;
		if (n->config.fair_lane && a->oldest != NAIVE_NONE &&
		    a->oldest != who)
			overtake(n, cost);
	} else {
		a->fair += cost * 1000;
	}
	forget(&a->oldest, who);
}

/* The longest sum of work ahead of one request, over all passes. */
static int count_ahead(struct naive_lanes *n, int who)
{
	int oldest = head(n, FW_LANE_FAIR);

	if (oldest != who) {
		n->reqs[oldest].ahead += n->reqs[who].c;
		return oldest;
	}
	if (n->reqs[who].ahead > n->stats.max_ahead)
		n->stats.max_ahead = n->reqs[who].ahead;
	return NAIVE_NONE;
}

int naive_lanes_admit(struct naive_lanes *n, uint32_t tokens)
{
	int who = n->peeked;

	if (who == NAIVE_NONE)
		return -ENOENT;
	n->undo.who = who;
	n->undo.budget = n->budget;
	n->undo.account = n->account;
	n->undo.stats = n->stats;
	n->undo.behind = count_ahead(n, who);
	account_for(n, who);
	n->budget = tokens < n->budget ? n->budget - tokens : 0;
	n->released++;
	n->stats.admitted[n->lane]++;
	n->reqs[who].waiting = false;
	n->reqs[who].offered = false;
	n->peeked = NAIVE_NONE;
	return 0;
}

static int take_back(struct naive_lanes *n)
{
	int who = n->undo.who;

	n->budget = n->undo.budget;
	n->account = n->undo.account;
	n->stats = n->undo.stats;
	if (n->undo.behind != NAIVE_NONE)
		n->reqs[n->undo.behind].ahead -= n->reqs[who].c;
	n->released--;
	n->reqs[who].waiting = true;
	return who;
}

int naive_lanes_skip(struct naive_lanes *n)
{
	int who = n->peeked;

	if (who == NAIVE_NONE && n->undo.who == NAIVE_NONE)
		return -ENOENT;
	if (who == NAIVE_NONE)
		who = take_back(n);
	n->reqs[who].offered = false;
	n->peeked = NAIVE_NONE;
	n->undo.who = NAIVE_NONE;
	n->stats.skipped++;
	if (!n->released)
		start(n);
	else
		forget(&n->account.oldest, who);
	return 0;
}

void naive_lanes_end(struct naive_lanes *n)
{
	int oldest = head(n, FW_LANE_FAIR);

	n->open = false;
	n->peeked = NAIVE_NONE;
	n->undo.who = NAIVE_NONE;
	n->kept = no_account;
	if (oldest != NAIVE_NONE && oldest == n->account.oldest &&
	    goes_on(n, oldest))
		n->kept = n->account;
}
