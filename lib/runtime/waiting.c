/* SPDX-License-Identifier: Apache-2.0 */
#include "waiting.h"

#include "lib/base/clock.h"
#include "lib/cost/score.h"
#include "runtime.h"

static double arrival_s(const struct fw *fw, const struct fw_ticket *ticket)
{
	return fw_clock_s(fw->open, ticket->arrival);
}

static void watch_deadline(struct fw *fw, struct fw_ticket *ticket)
{
	double limit = (double)ticket->req->max_wait / 1e9;

	/* Whoever was admitted once has not waited for too long. */
	if (ticket->req->max_wait && ticket->queued)
		fw_heap_insert(&fw->deadlines, &ticket->by_deadline,
			       arrival_s(fw, ticket) + limit,
			       fw_ticket_slot(fw, ticket));
}

static void watch_age_from(struct fw *fw, struct fw_ticket *ticket, double from)
{
	double limit = (double)fw->config.class_max_wait / 1e9;

	fw_heap_insert(&fw->ages, &ticket->by_age, from + limit,
		       fw->num_ages++);
}

/* A request that is retried rises anew: its arrival says how far. */
static void watch_age(struct fw *fw, struct fw_ticket *ticket)
{
	if (fw->config.class_max_wait && fw->queue_ctx == &fw->classes &&
	    ticket->req->priority + 1 < fw->config.num_classes)
		watch_age_from(fw, ticket, arrival_s(fw, ticket));
}

static void unwatch_deadline(struct fw *fw, struct fw_ticket *ticket)
{
	if (fw_heap_queued(&ticket->by_deadline))
		fw_heap_remove(&fw->deadlines, &ticket->by_deadline);
}

void fw_rises_no_more(struct fw *fw, struct fw_ticket *ticket)
{
	if (fw_heap_queued(&ticket->by_age))
		fw_heap_remove(&fw->ages, &ticket->by_age);
}

/* Raise it by a class; without memory it tries again a class_max_wait later. */
static void rise(struct fw *fw, struct fw_ticket *ticket, double due)
{
	bool more = true;

	fw_heap_remove(&fw->ages, &ticket->by_age);
	/* Begun, and all of it is planned. */
	if (!fw_queued_const(ticket->req)->lanes)
		return;
	if (!fw_classes_raise(&fw->classes, ticket->req, &more)) {
		fw_counter_add(&fw->counters, FW_COUNTER(aged), 1);
		fw_planner_line_up(&fw->planner, ticket->req);
	}
	if (more)
		watch_age_from(fw, ticket, due);
}

void fw_age(struct fw *fw)
{
	struct fw_heap_node *node;

	while ((node = fw_heap_first(&fw->ages)) &&
	       fw->ages.items[0].key <= fw->now_s)
		rise(fw, container_of(node, struct fw_ticket, by_age),
		     fw->ages.items[0].key);
}

static void count_uncached(struct fw *fw, struct fw_ticket *ticket,
			   uint32_t tokens)
{
	fw->uncached += tokens;
	fw->uncached -= ticket->uncached;
	ticket->uncached = tokens;
}

static void count_by_tenant(struct fw *fw, const struct fw_ticket *ticket,
			    uint64_t amount)
{
	if (fw->tenant_rows)
		fw_tenant_rows_add(fw->tenant_rows, ticket->row,
				   FW_TENANT_WAITING, amount);
}

void fw_waits_no_more(struct fw *fw, struct fw_ticket *ticket)
{
	unwatch_deadline(fw, ticket);
	/* While it may pause, higher classes could hold it up for good. */
	if (!fw->config.pausing)
		fw_rises_no_more(fw, ticket);
	count_uncached(fw, ticket, 0);
	count_by_tenant(fw, ticket, (uint64_t)-1);
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
	count_by_tenant(fw, ticket, 1);
	watch_deadline(fw, ticket);
	watch_age(fw, ticket);
	count_uncached(fw, ticket, fw_cost_tokens(req->len, hit));
	return 0;
}

void fw_dequeue(struct fw *fw, struct fw_ticket *ticket)
{
	fw->queue->remove(fw->queue_ctx, ticket->req);
	fw_index_unwatch(fw->index, ticket->req);
	fw_waits_no_more(fw, ticket);
	fw_rises_no_more(fw, ticket);
}

void fw_on_hit(void *ctx, struct fw_request *req, uint32_t blocks)
{
	struct fw *fw = ctx;
	uint32_t hit = blocks * fw->config.block_tokens;

	fw->queue->set_hit(fw->queue_ctx, req, hit);
	count_uncached(fw, fw_ticket_of(fw, req),
		       fw_cost_tokens(req->len, hit));
}

static void release_own(struct fw *fw, const struct fw_request *req)
{
	if (fw->tenant_waiting)
		fw_tenant_bound_release(fw->tenant_waiting, req->priority,
					req->tenant);
}

static void release_class(struct fw *fw, const struct fw_request *req)
{
	if (fw->class_waiting)
		fw_bound_release(&fw->class_waiting[req->priority], 1);
}

bool fw_reserve_place(struct fw *fw, const struct fw_request *req)
{
	struct fw_bound *class = fw->class_waiting;

	/* First its own: who floods does not touch the others' lines. */
	if (fw->tenant_waiting &&
	    !fw_tenant_bound_reserve(fw->tenant_waiting, req->priority,
				     req->tenant))
		return false;
	if (class && !fw_bound_reserve(&class[req->priority], 1))
		goto err_own;
	if (fw_bound_reserve(&fw->num_waiting, 1))
		return true;
	release_class(fw, req);
err_own:
	release_own(fw, req);
	return false;
}

void fw_unreserve_place(struct fw *fw, const struct fw_request *req)
{
	fw_bound_release(&fw->num_waiting, 1);
	release_class(fw, req);
	release_own(fw, req);
}

void fw_release_place(struct fw *fw, struct fw_ticket *ticket)
{
	if (!ticket->queued)
		return;
	ticket->queued = false;
	fw_unreserve_place(fw, ticket->req);
	if (ticket->bytes)
		fw_bound_release(&fw->num_bytes, ticket->bytes);
}

struct fw_ticket *fw_first_to_expire(const struct fw *fw)
{
	struct fw_heap_node *node = fw_heap_first(&fw->deadlines);

	return node ? container_of(node, struct fw_ticket, by_deadline) : NULL;
}

int64_t fw_next_deadline(const struct fw *fw)
{
	const struct fw_ticket *ticket = fw_first_to_expire(fw);
	int64_t limit;

	if (!ticket)
		return INT64_MAX;
	if (__builtin_add_overflow(ticket->arrival, ticket->req->max_wait,
				   &limit))
		return INT64_MAX;
	return limit;
}
