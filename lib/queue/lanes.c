/* SPDX-License-Identifier: Apache-2.0 */
#include "lanes.h"

#include <assert.h>
#include <errno.h>

#include "lib/cost/score.h"

void fw_lanes_init(struct fw_lanes *lanes, const struct fw_lanes_config *config,
		   const struct fw_allocator *allocator)
{
	/* The guard finds a request by its handle: only our heap keeps it. */
	assert(!config->guard || !config->score);
	*lanes = (struct fw_lanes){.config = *config, .next_seq = 1};
	fw_arrivals_init(&lanes->arrival, allocator);
	fw_score_order_init(&lanes->score, config->score, config->score_ctx,
			    config->wait_constant, allocator);
	if (config->by_rest)
		fw_score_order_by_rest(&lanes->score, &lanes->config.work);
	fw_guard_init(&lanes->guard, &config->work, config->guard, allocator);
	fw_list_init(&lanes->later);
}

struct fw_queued *fw_lanes_oldest(const struct fw_lanes *lanes)
{
	return fw_queued_of(fw_arrivals_first(&lanes->arrival));
}

struct fw_request *fw_lanes_any(const struct fw_lanes *lanes)
{
	struct fw_queued *entry = fw_lanes_oldest(lanes);

	if (!entry && lanes->later.next != &lanes->later)
		entry = fw_list_entry(lanes->later.next, struct fw_queued,
				      later);
	return entry ? fw_queued_request(entry) : NULL;
}

void fw_lanes_destroy(struct fw_lanes *lanes)
{
	struct fw_request *req;

	while ((req = fw_lanes_any(lanes)))
		fw_lanes_remove(lanes, req);
	fw_guard_destroy(&lanes->guard);
	fw_score_order_destroy(&lanes->score);
	fw_arrivals_destroy(&lanes->arrival);
}

static uint32_t clamp_hit(const struct fw_request *req, uint32_t hit)
{
	return hit < req->len ? hit : req->len - 1;
}

void fw_lanes_settle_later(struct fw_lanes *lanes, struct fw_queued *entry)
{
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&lanes->later, &entry->later);
}

int fw_lanes_reserve(struct fw_lanes *lanes, const struct fw_queued *entry)
{
	size_t need = lanes->waiting + 1;
	int ret;

	/* Room for the last admission too, as it may be taken back. */
	if (lanes->admitted && lanes->admitted != entry)
		need++;
	ret = fw_arrivals_reserve(&lanes->arrival, need);
	if (!ret)
		ret = fw_score_order_reserve(&lanes->score, need);
	if (!ret)
		ret = fw_guard_reserve(&lanes->guard, need);
	return ret;
}

int fw_lanes_add(struct fw_lanes *lanes, struct fw_request *req, double arrival,
		 double slo, uint32_t hit)
{
	struct fw_queued *entry = fw_queued(req);
	int ret;

	assert(entry->state == FW_QUEUED_FREE);
	assert(req->len && slo > 0.0);
	ret = fw_lanes_reserve(lanes, entry);
	if (ret)
		return ret;
	if (!entry->rank.seq)
		entry->rank.seq = lanes->next_seq++;
	if (lanes->admitted == entry)
		lanes->admitted = NULL;
	entry->rank.arrival = arrival;
	entry->rank.unit = slo;
	entry->lanes = lanes;
	if (!lanes->config.guard)
		entry->ahead = 0;
	entry->new_hit = clamp_hit(req, hit);
	entry->state = FW_QUEUED_LATER;
	fw_lanes_settle_later(lanes, entry);
	lanes->waiting++;
	return 0;
}

void fw_lanes_update(struct fw_lanes *lanes, struct fw_request *req,
		     double arrival, double slo)
{
	struct fw_queued *entry = fw_queued(req);

	assert(entry->lanes == lanes);
	/* Both lanes keep copies, so an open pass does not see this. */
	entry->moved |= entry->rank.arrival != arrival;
	entry->rank.arrival = arrival;
	entry->rank.unit = slo;
	fw_lanes_set_hit(lanes, req, req->hit);
}

void fw_lanes_set_hit(struct fw_lanes *lanes, struct fw_request *req,
		      uint32_t hit)
{
	struct fw_queued *entry = fw_queued(req);

	assert(entry->lanes == lanes);
	entry->new_hit = clamp_hit(req, hit);
	fw_lanes_settle_later(lanes, entry);
}

void fw_lanes_unlink(struct fw_lanes *lanes, struct fw_queued *entry)
{
	if (entry->state == FW_QUEUED_IN) {
		fw_arrivals_remove(&lanes->arrival, &entry->rank);
		fw_guard_leave(&lanes->guard, entry);
		fw_score_order_remove(&lanes->score, &entry->rank);
	}
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	if (lanes->peeked == entry)
		lanes->peeked = NULL;
}

void fw_lanes_release(struct fw_lanes *lanes, struct fw_queued *entry)
{
	fw_lanes_unlink(lanes, entry);
	entry->state = FW_QUEUED_FREE;
	entry->lanes = NULL;
	lanes->waiting--;
}

void fw_lanes_remove(struct fw_lanes *lanes, struct fw_request *req)
{
	struct fw_queued *entry = fw_queued(req);

	assert(entry->lanes == lanes);
	/* No ledger may go on counting for a request that is gone. */
	if (lanes->ledgers.oldest == entry->rank.seq)
		lanes->ledgers.oldest = 0;
	if (lanes->undo.oldest == entry->rank.seq)
		lanes->undo.oldest = 0;
	if (lanes->carried.oldest == entry->rank.seq)
		lanes->carried.oldest = 0;
	fw_lanes_release(lanes, entry);
}

static void settle_queued(struct fw_lanes *lanes, struct fw_queued *entry)
{
	if (entry->moved) {
		fw_arrivals_remove(&lanes->arrival, &entry->rank);
		fw_arrivals_insert(&lanes->arrival, &entry->rank);
		fw_guard_enter(&lanes->guard, entry);
	} else {
		fw_guard_change(&lanes->guard, entry);
	}
	entry->moved = false;
	fw_score_order_rescore(&lanes->score, &entry->rank);
}

/* Return: Is the guard still to look at it? */
static bool settle(struct fw_lanes *lanes, struct fw_queued *entry)
{
	const struct fw_request *req = fw_queued_request(entry);

	entry->rank.hit = entry->new_hit;
	entry->rank.cost = fw_cost_tokens(req->len, entry->rank.hit);
	if (entry->state == FW_QUEUED_IN) {
		settle_queued(lanes, entry);
		return false;
	}
	entry->state = FW_QUEUED_IN;
	entry->moved = false;
	fw_arrivals_insert(&lanes->arrival, &entry->rank);
	fw_score_order_insert(&lanes->score, &entry->rank);
	return fw_guard_enter(&lanes->guard, entry);
}

/*
 * Those whose arrival changed stand in the guard where they were. They leave
 * it before others enter beside them.
 */
static void unguard_moved(struct fw_lanes *lanes)
{
	struct fw_list *pos, *tmp;

	fw_list_for_each_safe (pos, tmp, &lanes->later) {
		struct fw_queued *entry =
			fw_list_entry(pos, struct fw_queued, later);

		if (entry->state == FW_QUEUED_IN && entry->moved)
			fw_guard_leave(&lanes->guard, entry);
	}
}

/* Look at those that the guard does not know, once all have entered. */
static void look(struct fw_lanes *lanes, struct fw_list *fresh, double now)
{
	struct fw_list *pos, *tmp;

	/* Due times change sums that the next one would make again. */
	for (pos = fresh->next; pos != fresh; pos = pos->next)
		fw_guard_look(&lanes->guard,
			      fw_list_entry(pos, struct fw_queued, later), now);
	fw_list_for_each_safe (pos, tmp, fresh) {
		fw_list_del(pos);
		fw_guard_hold(&lanes->guard,
			      fw_list_entry(pos, struct fw_queued, later));
	}
}

void fw_lanes_settle(struct fw_lanes *lanes, double now)
{
	struct fw_list *pos, *tmp, fresh;

	fw_list_init(&fresh);
	if (lanes->config.guard)
		unguard_moved(lanes);
	fw_list_for_each_safe (pos, tmp, &lanes->later) {
		struct fw_queued *entry =
			fw_list_entry(pos, struct fw_queued, later);

		fw_list_del(pos);
		if (settle(lanes, entry))
			fw_list_add_tail(&fresh, pos);
	}
	look(lanes, &fresh, now);
}

void fw_lanes_settle_one(struct fw_lanes *lanes, struct fw_queued *entry)
{
	/* A new arrival waits for the next pass, which settles all of them. */
	if (!fw_list_linked(&entry->later) || entry->moved)
		return;
	fw_list_del(&entry->later);
	settle(lanes, entry);
}

static bool entry_valid(const struct fw_lanes *lanes,
			const struct fw_queued *entry)
{
	return entry->lanes == lanes && entry->state == FW_QUEUED_IN &&
	       entry->rank.by_score;
}

bool fw_lanes_valid(struct fw_lanes *lanes)
{
	size_t num = fw_arrivals_num(&lanes->arrival), later = 0;
	const struct fw_list *pos;

	if (!fw_arrivals_valid(&lanes->arrival) ||
	    !fw_score_order_valid(&lanes->score))
		return false;
	if (lanes->config.guard && (lanes->guard.dues.num != num ||
				    !fw_dues_valid(&lanes->guard.dues)))
		return false;
	for (size_t i = 0; i < fw_arrivals_end(&lanes->arrival); i++) {
		const struct fw_queued *entry =
			fw_queued_of(fw_arrivals_at(&lanes->arrival, i));

		if (entry && !entry_valid(lanes, entry))
			return false;
	}
	for (pos = lanes->later.next; pos != &lanes->later; pos = pos->next)
		later += fw_list_entry(pos, const struct fw_queued, later)
				 ->state == FW_QUEUED_LATER;
	return num == fw_score_order_num(&lanes->score) &&
	       num + later == lanes->waiting;
}
