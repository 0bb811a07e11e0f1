/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include <assert.h>
#include <errno.h>

#include "score.h"

/* Thousandths of a token that the fair lane is charged for one. */
#define FAIR_CHARGE 1000

void fw_lanes_init(struct fw_lanes *lanes, const struct fw_lanes_config *config,
		   const struct fw_allocator *allocator)
{
	*lanes = (struct fw_lanes){.config = *config, .next_seq = 1};
	fw_heap_init(&lanes->arrival, allocator);
	fw_score_order_init(&lanes->score, config->form, config->wait_constant,
			    allocator);
	fw_list_init(&lanes->later);
}

static struct fw_entry *oldest(const struct fw_lanes *lanes)
{
	struct fw_heap_node *node = fw_heap_first(&lanes->arrival);

	return node ? container_of(node, struct fw_entry, by_arrival) : NULL;
}

void fw_lanes_destroy(struct fw_lanes *lanes)
{
	struct fw_list *pos, *tmp;
	struct fw_entry *entry;

	while ((entry = oldest(lanes)))
		fw_lanes_remove(lanes, fw_entry_request(entry));
	fw_list_for_each_safe (pos, tmp, &lanes->later) {
		entry = fw_list_entry(pos, struct fw_entry, later);
		fw_lanes_remove(lanes, fw_entry_request(entry));
	}
	fw_score_order_destroy(&lanes->score);
	fw_heap_destroy(&lanes->arrival);
}

static uint32_t clamp_hit(const struct fw_request *req, uint32_t hit)
{
	return hit < req->len ? hit : req->len - 1;
}

static void settle_later(struct fw_lanes *lanes, struct fw_entry *entry)
{
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&lanes->later, &entry->later);
}

int fw_lanes_add(struct fw_lanes *lanes, struct fw_request *req, double arrival,
		 double slo, uint32_t hit)
{
	struct fw_entry *entry = fw_entry(req);
	size_t need = lanes->waiting + 1;
	int ret;

	assert(entry->state == FW_ENTRY_FREE);
	assert(req->len && slo > 0.0);
	/* Room for the last admission too, as it may be taken back. */
	if (lanes->admitted && lanes->admitted != entry)
		need++;
	ret = fw_heap_reserve(&lanes->arrival, need);
	if (!ret)
		ret = fw_score_order_reserve(&lanes->score, need);
	if (ret)
		return ret;
	if (!entry->seq)
		entry->seq = lanes->next_seq++;
	if (lanes->admitted == entry)
		lanes->admitted = NULL;
	entry->arrival = arrival;
	entry->slo = slo;
	entry->lanes = lanes;
	entry->ahead = 0;
	entry->new_hit = clamp_hit(req, hit);
	entry->state = FW_ENTRY_LATER;
	settle_later(lanes, entry);
	lanes->waiting++;
	return 0;
}

void fw_lanes_update(struct fw_lanes *lanes, struct fw_request *req,
		     double arrival, double slo)
{
	struct fw_entry *entry = fw_entry(req);

	assert(entry->lanes == lanes);
	/* Both heaps keep copies, so an open pass does not see this. */
	entry->arrival = arrival;
	entry->slo = slo;
	fw_lanes_set_hit(lanes, req, req->hit);
}

void fw_lanes_set_hit(struct fw_lanes *lanes, struct fw_request *req,
		      uint32_t hit)
{
	struct fw_entry *entry = fw_entry(req);

	assert(entry->lanes == lanes);
	entry->new_hit = clamp_hit(req, hit);
	settle_later(lanes, entry);
}

/* Out of both heaps and of all that waits to be settled. */
static void unlink_entry(struct fw_lanes *lanes, struct fw_entry *entry)
{
	if (entry->state == FW_ENTRY_QUEUED) {
		fw_heap_remove(&lanes->arrival, &entry->by_arrival);
		fw_score_order_remove(&lanes->score, entry);
	}
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	if (lanes->peeked == entry)
		lanes->peeked = NULL;
}

static void release(struct fw_lanes *lanes, struct fw_entry *entry)
{
	unlink_entry(lanes, entry);
	entry->state = FW_ENTRY_FREE;
	entry->lanes = NULL;
	lanes->waiting--;
}

void fw_lanes_remove(struct fw_lanes *lanes, struct fw_request *req)
{
	struct fw_entry *entry = fw_entry(req);

	assert(entry->lanes == lanes);
	/* Nobody is left to be overtaken, and nothing to carry on for. */
	if (lanes->ledgers.oldest == entry->seq)
		lanes->ledgers.oldest = 0;
	if (lanes->undo.oldest == entry->seq)
		lanes->undo.oldest = 0;
	if (lanes->carried.oldest == entry->seq)
		lanes->carried.oldest = 0;
	release(lanes, entry);
}

static void settle(struct fw_lanes *lanes, struct fw_entry *entry)
{
	const struct fw_request *req = fw_entry_request(entry);

	entry->hit = entry->new_hit;
	entry->cost = fw_cost_tokens(req->len, entry->hit);
	if (entry->state == FW_ENTRY_QUEUED) {
		fw_heap_update(&lanes->arrival, &entry->by_arrival,
			       entry->arrival);
		fw_score_order_rescore(&lanes->score, entry);
		return;
	}
	entry->state = FW_ENTRY_QUEUED;
	fw_heap_insert(&lanes->arrival, &entry->by_arrival, entry->arrival,
		       entry->seq);
	fw_score_order_insert(&lanes->score, entry);
}

static void settle_all(struct fw_lanes *lanes)
{
	struct fw_list *pos, *tmp;

	fw_list_for_each_safe (pos, tmp, &lanes->later) {
		fw_list_del(pos);
		settle(lanes, fw_list_entry(pos, struct fw_entry, later));
	}
}

static int64_t charge(const struct fw_entry *entry, int64_t rate)
{
	/* 2^32 tokens at the largest weight, 10^6: far from 2^63. */
	return (int64_t)entry->cost * rate;
}

static int64_t add_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* Do the ledgers outlive a pass that starts with @entry as the oldest? */
static bool carries(const struct fw_lanes *lanes, const struct fw_entry *entry)
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
	struct fw_entry *fast = fw_score_order_first(&lanes->score);
	struct fw_entry *fair = oldest(lanes);

	lanes->ledgers = (struct fw_ledgers){0};
	if (!fair)
		return;
	if (lanes->carried.oldest == fair->seq && carries(lanes, fair)) {
		lanes->ledgers = lanes->carried;
		return;
	}
	lanes->ledgers.fast = charge(fast, lanes->config.weight);
	lanes->ledgers.fair = charge(fair, FAIR_CHARGE);
	lanes->ledgers.limit = lanes->ledgers.fair;
	lanes->ledgers.first = fast->cost;
	lanes->ledgers.oldest = fair->seq;
}

void fw_lanes_begin(struct fw_lanes *lanes, double now, uint32_t budget)
{
	assert(!lanes->open);
	settle_all(lanes);
	fw_score_order_advance(&lanes->score, now);
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
		return fw_entry_request(lanes->peeked);
	if (!lanes->config.fair_lane ||
	    lanes->ledgers.fast <= lanes->ledgers.fair) {
		lanes->lane = FW_LANE_FAST;
		lanes->peeked = fw_score_order_first(&lanes->score);
	} else {
		lanes->lane = FW_LANE_FAIR;
		lanes->peeked = oldest(lanes);
	}
	if (!lanes->peeked)
		return NULL;
	lanes->admitted = NULL;
	return fw_entry_request(lanes->peeked);
}

/* The fast lane released @entry: who stands behind, and within the bound? */
static void overtake(struct fw_lanes *lanes, const struct fw_entry *entry)
{
	struct fw_ledgers *l = &lanes->ledgers;
	int64_t cost = entry->cost, weight = lanes->config.weight;

	if (!l->oldest || !lanes->config.fair_lane)
		return;
	l->ahead = add_saturating(l->ahead, cost);
	lanes->stats.overtaken++;
	if ((__int128)weight * (l->ahead - cost + l->first) > l->limit)
		lanes->stats.bound_broken++;
}

static void charge_lane(struct fw_lanes *lanes, const struct fw_entry *entry)
{
	struct fw_ledgers *l = &lanes->ledgers;

	if (l->oldest == entry->seq)
		l->oldest = 0;
	else if (lanes->lane == FW_LANE_FAST)
		overtake(lanes, entry);
	if (lanes->lane == FW_LANE_FAST)
		l->fast = add_saturating(l->fast,
					 charge(entry, lanes->config.weight));
	else
		l->fair = add_saturating(l->fair, charge(entry, FAIR_CHARGE));
}

/* What was admitted ahead of the oldest, over all passes. */
static void count_ahead(struct fw_lanes *lanes, const struct fw_entry *entry)
{
	struct fw_entry *old = oldest(lanes);

	if (old == entry) {
		if (entry->ahead > lanes->stats.max_ahead)
			lanes->stats.max_ahead = entry->ahead;
		lanes->undo_ahead = 0;
	} else {
		old->ahead += entry->cost;
		lanes->undo_ahead = old->seq;
	}
}

int fw_lanes_admit(struct fw_lanes *lanes, uint32_t tokens)
{
	struct fw_entry *entry = lanes->peeked;

	if (!entry)
		return -ENOENT;
	lanes->undo = lanes->ledgers;
	lanes->undo_stats = lanes->stats;
	lanes->undo_tokens = tokens < lanes->budget ? tokens : lanes->budget;
	lanes->budget -= lanes->undo_tokens;
	charge_lane(lanes, entry);
	count_ahead(lanes, entry);
	release(lanes, entry);
	lanes->released++;
	lanes->stats.admitted[lanes->lane]++;
	lanes->admitted = entry;
	return 0;
}

/* Put the last admission back among those that wait. */
static void take_back(struct fw_lanes *lanes, struct fw_entry *entry)
{
	struct fw_entry *old;

	lanes->ledgers = lanes->undo;
	lanes->budget += lanes->undo_tokens;
	lanes->stats = lanes->undo_stats;
	lanes->released--;
	old = oldest(lanes);
	if (old && old->seq == lanes->undo_ahead)
		old->ahead -= entry->cost;
	entry->lanes = lanes;
	lanes->waiting++;
}

int fw_lanes_skip(struct fw_lanes *lanes)
{
	struct fw_entry *entry = lanes->peeked;

	if (!entry && !lanes->admitted)
		return -ENOENT;
	if (entry) {
		unlink_entry(lanes, entry);
	} else {
		entry = lanes->admitted;
		take_back(lanes, entry);
	}
	lanes->admitted = NULL;
	entry->state = FW_ENTRY_LATER;
	settle_later(lanes, entry);
	lanes->stats.skipped++;
	if (!lanes->released)
		start_ledgers(lanes);
	else if (lanes->ledgers.oldest == entry->seq)
		lanes->ledgers.oldest = 0;
	return 0;
}

void fw_lanes_end(struct fw_lanes *lanes)
{
	struct fw_entry *old = oldest(lanes);

	assert(lanes->open);
	lanes->open = false;
	lanes->peeked = NULL;
	lanes->admitted = NULL;
	lanes->carried = (struct fw_ledgers){0};
	if (old && old->seq == lanes->ledgers.oldest && carries(lanes, old))
		lanes->carried = lanes->ledgers;
}

static bool entry_valid(const struct fw_lanes *lanes, size_t slot)
{
	const struct fw_entry *entry =
		container_of(lanes->arrival.items[slot].node,
			     const struct fw_entry, by_arrival);

	return entry->lanes == lanes && entry->state == FW_ENTRY_QUEUED &&
	       entry->by_score;
}

bool fw_lanes_valid(const struct fw_lanes *lanes)
{
	const struct fw_list *pos;
	size_t later = 0;

	if (!fw_heap_valid(&lanes->arrival) ||
	    !fw_score_order_valid(&lanes->score))
		return false;
	for (size_t i = 0; i < lanes->arrival.num; i++)
		if (!entry_valid(lanes, i))
			return false;
	for (pos = lanes->later.next; pos != &lanes->later; pos = pos->next)
		later += fw_list_entry(pos, const struct fw_entry, later)
				 ->state == FW_ENTRY_LATER;
	return lanes->arrival.num == fw_score_order_num(&lanes->score) &&
	       lanes->arrival.num + later == lanes->waiting;
}
