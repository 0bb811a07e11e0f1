/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/saturate.h"

/* Thousandths of a token that the fair lane is charged for one. */
#define FAIR_CHARGE 1000

static int64_t charge(const struct fw_queued *entry, int64_t rate)
{
	/* 2^32 tokens at the largest weight, 10^6: far from 2^63. */
	return (int64_t)entry->rank.cost * rate;
}

/* Do the ledgers outlive a pass that starts with @entry as the oldest? */
static bool carries(const struct fw_lanes *lanes, const struct fw_queued *entry)
{
	const struct fw_lanes_config *config = &lanes->config;

	if (config->carry == FW_CARRY_LONG)
		return charge(entry, FAIR_CHARGE) >
		       (int64_t)config->weight * config->budget;
	return config->carry == FW_CARRY_ON;
}

/* F and R from the heads, or from where the last pass left off. */
static void start_ledgers(struct fw_lanes *lanes)
{
	struct fw_queued *fast =
		fw_queued_of(fw_score_order_first(&lanes->score));
	struct fw_queued *fair = fw_lanes_oldest(lanes);

	lanes->ledgers = (struct fw_ledgers){0};
	if (!fair)
		return;
	if (lanes->carried.oldest == fair->rank.seq && carries(lanes, fair)) {
		lanes->ledgers = lanes->carried;
		return;
	}
	lanes->ledgers.fast = charge(fast, lanes->config.weight);
	lanes->ledgers.fair = charge(fair, FAIR_CHARGE);
	lanes->ledgers.limit = lanes->ledgers.fair;
	lanes->ledgers.first = fast->rank.cost;
	lanes->ledgers.oldest = fair->rank.seq;
}

void fw_lanes_begin(struct fw_lanes *lanes, double now, uint32_t budget)
{
	assert(!lanes->open);
	fw_lanes_settle(lanes, now);
	fw_score_order_advance(&lanes->score, now);
	lanes->late = fw_guard_late(&lanes->guard, now);
	lanes->stats.late += lanes->late;
	lanes->now = now;
	lanes->open = true;
	lanes->budget = budget;
	lanes->released = 0;
	lanes->peeked = NULL;
	lanes->admitted = NULL;
	lanes->stats.passes++;
	start_ledgers(lanes);
}

struct fw_request *fw_lanes_peek(struct fw_lanes *lanes)
{
	if (!lanes->open || !lanes->budget)
		return NULL;
	if (lanes->peeked)
		return fw_queued_request(lanes->peeked);
	if (!lanes->late && (!lanes->config.fair_lane ||
			     lanes->ledgers.fast <= lanes->ledgers.fair)) {
		lanes->lane = FW_LANE_FAST;
		lanes->peeked =
			fw_queued_of(fw_score_order_first(&lanes->score));
	} else {
		lanes->lane = FW_LANE_FAIR;
		lanes->peeked = fw_lanes_oldest(lanes);
	}
	if (!lanes->peeked)
		return NULL;
	fw_guard_expect(&lanes->guard, lanes->peeked);
	lanes->admitted = NULL;
	return fw_queued_request(lanes->peeked);
}

void fw_lanes_correct(struct fw_lanes *lanes)
{
	assert(lanes->peeked);
	fw_lanes_settle_one(lanes, lanes->peeked);
	lanes->peeked = NULL;
	if (!lanes->released)
		start_ledgers(lanes);
}

/* The fast lane released @entry: who stands behind, and within the bound? */
static void overtake(struct fw_lanes *lanes, const struct fw_queued *entry)
{
	struct fw_ledgers *l = &lanes->ledgers;
	int64_t cost = entry->rank.cost, weight = lanes->config.weight;

	if (!l->oldest || !lanes->config.fair_lane)
		return;
	l->ahead = fw_add_saturating(l->ahead, cost);
	lanes->stats.overtaken++;
	if ((__int128)weight * (l->ahead - cost + l->first) > l->limit)
		lanes->stats.bound_broken++;
}

static void charge_lane(struct fw_lanes *lanes, const struct fw_queued *entry)
{
	struct fw_ledgers *l = &lanes->ledgers;

	if (l->oldest == entry->rank.seq)
		l->oldest = 0;
	else if (lanes->lane == FW_LANE_FAST)
		overtake(lanes, entry);
	if (lanes->lane == FW_LANE_FAST)
		l->fast =
			fw_add_saturating(l->fast,
					  charge(entry, lanes->config.weight));
	else
		l->fair =
			fw_add_saturating(l->fair, charge(entry, FAIR_CHARGE));
}

/* What was admitted ahead of the oldest, over all passes. */
static void count_ahead(struct fw_lanes *lanes, const struct fw_queued *entry)
{
	struct fw_queued *old = fw_lanes_oldest(lanes);

	if (old == entry) {
		if (entry->ahead > lanes->stats.max_ahead)
			lanes->stats.max_ahead = entry->ahead;
		lanes->undo_ahead = 0;
	} else {
		old->ahead += entry->rank.cost;
		lanes->undo_ahead = old->rank.seq;
	}
}

/* @entry, which was peeked, gets @tokens tokens: its lane is charged for it. */
static void account(struct fw_lanes *lanes, struct fw_queued *entry,
		    uint32_t tokens)
{
	lanes->undo = lanes->ledgers;
	lanes->undo_stats = lanes->stats;
	lanes->undo_tokens = tokens < lanes->budget ? tokens : lanes->budget;
	lanes->budget -= lanes->undo_tokens;
	charge_lane(lanes, entry);
	count_ahead(lanes, entry);
	lanes->released++;
	lanes->stats.admitted[lanes->lane]++;
}

int fw_lanes_admit(struct fw_lanes *lanes, uint32_t tokens)
{
	struct fw_queued *entry = lanes->peeked;

	if (!entry)
		return -ENOENT;
	account(lanes, entry, tokens);
	fw_lanes_release(lanes, entry);
	lanes->admitted = entry;
	return 0;
}

void fw_lanes_go_on(struct fw_lanes *lanes, uint32_t tokens, uint32_t hit)
{
	struct fw_queued *entry = lanes->peeked;

	account(lanes, entry, tokens);
	fw_lanes_unlink(lanes, entry);
	entry->state = FW_QUEUED_LATER;
	fw_lanes_set_hit(lanes, fw_queued_request(entry), hit);
	lanes->admitted = NULL;
}

/* Put the last admission back among those that wait. */
static void take_back(struct fw_lanes *lanes, struct fw_queued *entry)
{
	struct fw_queued *old;

	lanes->ledgers = lanes->undo;
	lanes->budget += lanes->undo_tokens;
	lanes->stats = lanes->undo_stats;
	lanes->released--;
	old = fw_lanes_oldest(lanes);
	if (old && old->rank.seq == lanes->undo_ahead)
		old->ahead -= entry->rank.cost;
	entry->lanes = lanes;
	lanes->waiting++;
}

int fw_lanes_skip(struct fw_lanes *lanes)
{
	struct fw_queued *entry = lanes->peeked;

	if (!entry && !lanes->admitted)
		return -ENOENT;
	/* The caller's since then, who may have queued it elsewhere. */
	if (!entry && lanes->admitted->state != FW_QUEUED_FREE)
		return -ENOENT;
	if (entry) {
		fw_lanes_unlink(lanes, entry);
	} else {
		entry = lanes->admitted;
		take_back(lanes, entry);
	}
	lanes->admitted = NULL;
	entry->state = FW_QUEUED_LATER;
	fw_lanes_settle_later(lanes, entry);
	lanes->stats.skipped++;
	if (!lanes->released)
		start_ledgers(lanes);
	else if (lanes->ledgers.oldest == entry->rank.seq)
		lanes->ledgers.oldest = 0;
	return 0;
}

void fw_lanes_end(struct fw_lanes *lanes)
{
	struct fw_queued *old = fw_lanes_oldest(lanes);

	assert(lanes->open);
	lanes->open = false;
	fw_guard_end(&lanes->guard);
	lanes->peeked = NULL;
	lanes->admitted = NULL;
	lanes->carried = (struct fw_ledgers){0};
	if (old && !lanes->late && old->rank.seq == lanes->ledgers.oldest &&
	    carries(lanes, old))
		lanes->carried = lanes->ledgers;
}
