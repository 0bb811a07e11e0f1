/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/probes.h"
#include "lib/cost/score.h"

static struct fw_ticket *ticket_at(struct fw_inbox_node *node)
{
	return container_of(node, struct fw_ticket, arrived);
}

static bool before(struct fw_inbox_node *a, struct fw_inbox_node *b)
{
	return ticket_at(a)->arrival < ticket_at(b)->arrival;
}

/* Merge two sorted lists; of equal arrivals those of @a go first. */
static struct fw_inbox_node *merge(struct fw_inbox_node *a,
				   struct fw_inbox_node *b)
{
	struct fw_inbox_node head, *last = &head;

	while (a && b) {
		struct fw_inbox_node **first = before(b, a) ? &b : &a;

		last->next = *first;
		last = *first;
		*first = last->next;
	}
	last->next = a ? a : b;
	return head.next;
}

/* Take the sorted run at the list's begin off it. */
static struct fw_inbox_node *cut_run(struct fw_inbox_node **list)
{
	struct fw_inbox_node *run = *list, *last = run;

	while (last->next && !before(last->next, last))
		last = last->next;
	*list = last->next;
	last->next = NULL;
	return run;
}

/*
 * By arrival, stable: what one thread pushed keeps its order. A shard is all
 * but sorted, since stamps are taken just before the push, so runs are long.
 * Run @i of a binary counter holds 2^i of them.
 */
static struct fw_inbox_node *sort(struct fw_inbox_node *list)
{
	struct fw_inbox_node *runs[64] = {NULL}, *all = NULL;

	while (list) {
		struct fw_inbox_node *run = cut_run(&list);
		uint32_t i = 0;

		for (; runs[i]; i++) {
			run = merge(runs[i], run);
			runs[i] = NULL;
		}
		runs[i] = run;
	}
	for (uint32_t i = 0; i < ARRAY_SIZE(runs); i++)
		if (runs[i])
			all = merge(runs[i], all);
	return all;
}

/* All shards as one list. */
static struct fw_inbox_node *drain(struct fw *fw)
{
	struct fw_inbox_node *all = NULL, **end = &all;

	for (uint32_t i = 0; i < fw->inbox.num_shards; i++) {
		*end = fw_inbox_drain(&fw->inbox, i);
		while (*end)
			end = &(*end)->next;
	}
	return all;
}

static double arrival_s(const struct fw *fw, const struct fw_ticket *ticket)
{
	return fw_clock_s(fw->open, ticket->arrival);
}

static void watch_deadline(struct fw *fw, struct fw_ticket *ticket)
{
	double limit = (double)ticket->req->max_wait / 1e9;

	if (ticket->req->max_wait)
		fw_heap_insert(&fw->deadlines, &ticket->by_deadline,
			       arrival_s(fw, ticket) + limit,
			       fw_ticket_slot(fw, ticket));
}

static void count_uncached(struct fw *fw, struct fw_ticket *ticket,
			   uint32_t tokens)
{
	fw->uncached += tokens;
	fw->uncached -= ticket->uncached;
	ticket->uncached = tokens;
}

int fw_enqueue(struct fw *fw, struct fw_ticket *ticket)
{
	struct fw_request *req = ticket->req;
	double prefill = fw_cost_prefill(&fw->cost, req->len);
	uint32_t blocks, hit;
	int ret;

	ret = fw_index_watch_hint(fw->index, req, ticket->hint, &blocks);
	if (ret)
		return ret;
	hit = blocks * fw->config.block_tokens;
	ret = fw->queue->add(fw->queue_ctx, req, arrival_s(fw, ticket),
			     fw_slo(prefill, fw->order.slo_multiplier,
				    fw->order.slo_floor),
			     hit);
	if (ret) {
		fw_index_unwatch(fw->index, req);
		return ret;
	}
	watch_deadline(fw, ticket);
	count_uncached(fw, ticket, fw_cost_tokens(req->len, hit));
	return 0;
}

void fw_dequeue(struct fw *fw, struct fw_ticket *ticket)
{
	fw->queue->remove(fw->queue_ctx, ticket->req);
	fw_index_unwatch(fw->index, ticket->req);
	if (fw_heap_queued(&ticket->by_deadline))
		fw_heap_remove(&fw->deadlines, &ticket->by_deadline);
	count_uncached(fw, ticket, 0);
}

void fw_on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct fw *fw = ctx;
	uint32_t hit = blocks * fw->config.block_tokens;

	fw->queue->set_hit(fw->queue_ctx, req, hit);
	count_uncached(fw, fw_ticket_of(fw, req),
		       fw_cost_tokens(req->len, hit));
}

static bool too_long(const struct fw *fw, const struct fw_request *req)
{
	return fw->config.num_blocks &&
	       fw_kv_pool_need(&fw->pool, req->len) > fw->config.num_blocks;
}

/* Why a request that has arrived does not even wait. */
static struct fw_result why_not(const struct fw *fw,
				const struct fw_ticket *ticket)
{
	enum fw_state state = fw_state(fw);

	if (state == FW_STATE_CLOSING)
		return (struct fw_result){.outcome = FW_CANCELLED,
					  .reason = FW_REASON_CLOSE};
	if (state == FW_STATE_BROKEN)
		return (struct fw_result){.outcome = FW_FAILED,
					  .reason = FW_REASON_DEVICE};
	if (too_long(fw, ticket->req))
		return (struct fw_result){.outcome = FW_REJECTED,
					  .reason = FW_REASON_TOO_LONG};
	return (struct fw_result){.outcome = FW_DONE};
}

static void accept(struct fw *fw, struct fw_ticket *ticket)
{
	uint32_t slot = fw_ticket_slot(fw, ticket);
	struct fw_result result = why_not(fw, ticket);

	memset(ticket->req->priv, 0, sizeof(ticket->req->priv));
	fw_entry(ticket->req)->ticket = slot;
	fw->in_system++;
	fw_counter_add(&fw->counters, FW_COUNTER(submitted), 1);
	if (fw_slot_move(&fw->slots, slot, FW_SLOT_SUBMITTED, FW_SLOT_WAITING))
		result = (struct fw_result){.outcome = FW_CANCELLED,
					    .reason = FW_REASON_CANCEL};
	if (result.outcome == FW_DONE && !fw_enqueue(fw, ticket))
		return;
	if (result.outcome == FW_DONE)
		result = (struct fw_result){.outcome = FW_FAILED,
					    .reason = FW_REASON_MEMORY};
	fw_end(fw, ticket, &result);
}

uint32_t fw_take_arrivals(struct fw *fw)
{
	struct fw_inbox_node *node = sort(drain(fw));
	uint32_t num = 0;

	while (node) {
		struct fw_ticket *ticket = ticket_at(node);

		/* The ticket may be submitted again once it has ended. */
		node = node->next;
		accept(fw, ticket);
		num++;
	}
	fw_probe_drain(num);
	return num;
}

uint32_t fw_take_cancels(struct fw *fw)
{
	struct fw_ticket *ticket;
	uint32_t num = 0;

	while ((ticket = fw_slots_next_cancel(&fw->slots))) {
		struct fw_result result = {.outcome = FW_CANCELLED,
					   .reason = FW_REASON_CANCEL};
		uint32_t slot = fw_ticket_slot(fw, ticket);

		num++;
		if (fw_slot_state(&fw->slots, slot) == FW_SLOT_RUNNING) {
			fw_planner_stop(&fw->planner, ticket->req);
			continue;
		}
		fw_dequeue(fw, ticket);
		fw_end(fw, ticket, &result);
	}
	return num;
}

static struct fw_ticket *first_to_expire(const struct fw *fw)
{
	struct fw_heap_node *node = fw_heap_first(&fw->deadlines);

	return node ? container_of(node, struct fw_ticket, by_deadline) : NULL;
}

uint32_t fw_expire(struct fw *fw)
{
	struct fw_ticket *ticket;
	uint32_t num = 0;

	while ((ticket = first_to_expire(fw)) &&
	       fw->deadlines.items[0].key <= fw->now_s) {
		struct fw_result result = {.outcome = FW_EXPIRED,
					   .reason = FW_REASON_MAX_WAIT};

		num++;
		fw_dequeue(fw, ticket);
		fw_end(fw, ticket, &result);
	}
	return num;
}

int64_t fw_next_deadline(const struct fw *fw)
{
	const struct fw_ticket *ticket = first_to_expire(fw);
	int64_t limit;

	if (!ticket)
		return INT64_MAX;
	if (__builtin_add_overflow(ticket->arrival, ticket->req->max_wait,
				   &limit))
		return INT64_MAX;
	return limit;
}
