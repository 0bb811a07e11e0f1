/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <string.h>

#include "lib/base/probes.h"
#include "end.h"
#include "runtime.h"
#include "waiting.h"

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
 * Sort by arrival, stable: what one thread pushed keeps its order. Runs are
 * long, since a request is stamped just before its push. runs[i] is merged from
 * 2^i of them.
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

static bool too_long(const struct fw *fw, const struct fw_request *req)
{
	return fw->config.num_blocks &&
	       fw_kv_pool_need(&fw->pool, req->len) > fw->config.num_blocks;
}

/* How a request that has arrived ends at once; FW_DONE if it may wait. */
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

/* An executor's clock is read by the scheduler alone, so it stamps here. */
static bool has_own_clock(const struct fw *fw)
{
	return fw->executor.ops->now && !(fw->config.flags & FW_OWN_ARRIVAL);
}

static void accept(struct fw *fw, struct fw_ticket *ticket)
{
	uint32_t slot = fw_ticket_slot(fw, ticket);
	struct fw_result result = why_not(fw, ticket);

	memset(ticket->req->priv, 0, sizeof(ticket->req->priv));
	fw_entry(ticket->req)->ticket = slot + 1;
	if (has_own_clock(fw))
		ticket->arrival = ticket->req->arrival = fw->now;
	fw->in_system++;
	if (fw->tenant_rows)
		ticket->row =
			(uint8_t)fw_tenant_rows_enter(fw->tenant_rows,
						      ticket->req->tenant);
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

		/* Read first: a ticket that ended may be submitted again. */
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

uint32_t fw_expire(struct fw *fw)
{
	struct fw_ticket *ticket;
	uint32_t num = 0;

	while ((ticket = fw_first_to_expire(fw)) &&
	       fw->deadlines.items[0].key <= fw->now_s) {
		struct fw_result result = {.outcome = FW_EXPIRED,
					   .reason = FW_REASON_MAX_WAIT};

		num++;
		fw_dequeue(fw, ticket);
		fw_end(fw, ticket, &result);
	}
	return num;
}
