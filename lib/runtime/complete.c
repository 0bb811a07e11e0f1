/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/clock.h"
#include "lib/base/probes.h"

void fw_plan_done(struct fw_flight *flight, int status)
{
	struct fw *fw = flight->fw;

	flight->status = status;
	/*
	 * [I1] publishes the status and all that the executor wrote for the
	 * plan. The runtime stays: its close waits for the executor's destroy.
	 */
	fw_inbox_push(&fw->completions, &flight->ended);
	fw_gate_wake(&fw->gate);
}

void fw_submit_plan(struct fw *fw)
{
	struct fw_flight *flight = &fw->flights[fw_planner_last(&fw->planner)];
	const struct fw_plan *plan = fw->planner.plan;
	int ret;

	flight->over = false;
	fw_counter_add(&fw->counters, FW_COUNTER(plans), 1);
	fw_counter_add(&fw->counters, FW_COUNTER(plan_tokens),
		       plan->num_tokens);
	fw_histogram_record(&fw->counters.metrics[FW_METRIC_BATCH],
			    plan->num_tokens);
	fw_probe_plan(fw->step, plan->num_entries, plan->num_tokens);
	ret = fw->executor.ops->submit(fw->executor.ctx, plan, flight);
	if (!ret)
		return;
	flight->status = ret;
	flight->over = true;
}

/* The executor is gone: nothing will ever be computed again. */
static void break_down(struct fw *fw)
{
	fw_raise_state(fw, FW_STATE_BROKEN);
	fw_end_waiting(fw, FW_FAILED, FW_REASON_DEVICE);
}

/* The oldest plan in flight ended. */
static void retire(struct fw *fw, int status)
{
	if (status > 0)
		status = -EIO;
	if (status)
		fw_counter_add(&fw->counters, FW_COUNTER(plans_failed), 1);
	if (status == -ENODEV && fw_state(fw) < FW_STATE_BROKEN)
		break_down(fw);
	fw_planner_retire(&fw->planner, status);
	if (fw_state(fw) == FW_STATE_BROKEN)
		fw_planner_stop_all(&fw->planner);
}

uint32_t fw_take_completions(struct fw *fw)
{
	struct fw_inbox_node *node = fw_inbox_drain(&fw->completions, 0);
	struct fw_planner *planner = &fw->planner;
	uint32_t num = 0;

	for (; node; node = node->next)
		container_of(node, struct fw_flight, ended)->over = true;
	/* In the order of the plans, in whatever order they ended. */
	while (planner->num_flights && fw->flights[planner->oldest].over) {
		retire(fw, fw->flights[planner->oldest].status);
		num++;
	}
	return num;
}

static size_t counter_of(enum fw_outcome outcome)
{
	switch (outcome) {
	case FW_DONE:
		return FW_COUNTER(done);
	case FW_CANCELLED:
		return FW_COUNTER(cancelled);
	case FW_REJECTED:
		return FW_COUNTER(rejected);
	case FW_EXPIRED:
		return FW_COUNTER(expired);
	case FW_FAILED:
		break;
	}
	return FW_COUNTER(failed);
}

/* Its place among those that wait, and its bytes, are free again. */
static void release_place(struct fw *fw, struct fw_ticket *ticket)
{
	if (!ticket->queued)
		return;
	ticket->queued = false;
	fw_bound_release(&fw->num_waiting, 1);
	if (ticket->bytes)
		fw_bound_release(&fw->num_bytes, ticket->bytes);
}

void fw_end(struct fw *fw, struct fw_ticket *ticket, struct fw_result *result)
{
	struct fw_request *req = ticket->req;
	uint32_t slot = fw_ticket_slot(fw, ticket);

	if (fw_slot_end(&fw->slots, slot) && result->outcome != FW_CANCELLED) {
		result->outcome = FW_CANCELLED;
		result->reason = FW_REASON_CANCEL;
	}
	result->retries = ticket->retries;
	result->admitted = ticket->admitted;
	/* What came during this step's drain is later than its clock. */
	result->ended = fw->now > ticket->arrival ? fw->now : ticket->arrival;
	fw_counter_add(&fw->counters, counter_of(result->outcome), 1);
	if (result->outcome == FW_DONE)
		fw_histogram_record(&fw->counters.metrics[FW_METRIC_TTFT],
				    fw_clock_since(ticket->arrival, fw->now));
	release_place(fw, ticket);
	fw->in_system--;
	fw_probe_done(fw_ticket_handle(fw, ticket), req->id, result->outcome);
	/* The ticket is another's from here on. */
	fw_slot_put(&fw->slots, slot);
	fw->config.done(fw->config.ctx, req, result);
}

void fw_end_waiting(struct fw *fw, enum fw_outcome outcome,
		    enum fw_reason reason)
{
	for (uint32_t slot = 0; slot < fw->slots.num; slot++) {
		struct fw_ticket *ticket = &fw->tickets[slot];
		struct fw_result result = {.outcome = outcome,
					   .reason = reason};

		if (fw_slot_state(&fw->slots, slot) != FW_SLOT_WAITING)
			continue;
		fw_dequeue(fw, ticket);
		fw_end(fw, ticket, &result);
	}
}

static void decide(struct fw *fw, const struct fw_sequence *seq)
{
	struct fw_decision decision = {
		.request = seq->req,
		.position = fw->position,
		.step = fw->step,
		.wait = fw->now_s - fw_entry(seq->req)->arrival,
		.cached = seq->hit,
		.waiting = fw->queue->source.waiting(fw->queue_ctx) - 1,
	};

	if (decision.wait < 0.0)
		decision.wait = 0.0;
	fw->queue->explain(fw->queue_ctx, seq->req, &decision);
	fw->config.decided(fw->config.ctx, &decision);
}

static void count_admission(struct fw *fw, const struct fw_sequence *seq,
			    const struct fw_ticket *ticket)
{
	struct fw_histogram *metrics = fw->counters.metrics;
	uint32_t len = seq->req->len;

	fw_counter_add(&fw->counters, FW_COUNTER(prompt_tokens), len);
	fw_counter_add(&fw->counters, FW_COUNTER(hit_tokens), seq->hit);
	fw_histogram_record(&metrics[FW_METRIC_HIT], seq->hit);
	fw_histogram_record(&metrics[FW_METRIC_UNCACHED], len - seq->hit);
	fw_histogram_record(&metrics[FW_METRIC_QUEUE],
			    fw_clock_since(ticket->arrival, fw->now));
	fw_histogram_record(&metrics[FW_METRIC_AHEAD],
			    (int64_t)fw_entry(seq->req)->ahead);
}

void fw_on_admitted(void *ctx, const struct fw_sequence *seq)
{
	struct fw *fw = ctx;
	struct fw_ticket *ticket = fw_ticket_of(fw, seq->req);

	if (fw->config.decided)
		decide(fw, seq);
	fw->position++;
	count_admission(fw, seq, ticket);
	fw_probe_admit(fw_ticket_handle(fw, ticket), seq->req->id, seq->hit,
		       fw_entry(seq->req)->cost);
	if (fw_heap_queued(&ticket->by_deadline))
		fw_heap_remove(&fw->deadlines, &ticket->by_deadline);
	fw->uncached -= ticket->uncached;
	ticket->uncached = 0;
	ticket->admitted = fw->now;
	release_place(fw, ticket);
	/* Cancelled just now: fw_take_cancels() hears of it in the next step. */
	fw_slot_move(&fw->slots, fw_ticket_slot(fw, ticket), FW_SLOT_WAITING,
		     FW_SLOT_RUNNING);
}

void fw_on_refused(void *ctx, struct fw_request *req)
{
	struct fw_result result = {.outcome = FW_REJECTED,
				   .reason = FW_REASON_REFUSED};
	struct fw *fw = ctx;
	struct fw_ticket *ticket = fw_ticket_of(fw, req);

	fw_dequeue(fw, ticket);
	fw_end(fw, ticket, &result);
}

/* A plan failed it: back to the queue, where it may, with its old arrival. */
static bool try_again(struct fw *fw, const struct fw_sequence *seq)
{
	struct fw_ticket *ticket = fw_ticket_of(fw, seq->req);

	if (fw_state(fw) > FW_STATE_QUIESCED ||
	    ticket->retries >= fw->config.max_retries)
		return false;
	/* A cancel that was promised is settled by fw_end(). */
	if (fw_slot_move(&fw->slots, fw_ticket_slot(fw, ticket),
			 FW_SLOT_RUNNING, FW_SLOT_WAITING))
		return false;
	ticket->hint = FW_HINT_NONE;
	if (fw_enqueue(fw, ticket))
		return false;
	ticket->retries++;
	fw_counter_add(&fw->counters, FW_COUNTER(retried), 1);
	return true;
}

/* What became of a sequence that is not done. */
static void explain_end(const struct fw *fw, const struct fw_sequence *seq,
			struct fw_result *result)
{
	enum fw_state state = fw_state(fw);

	result->outcome = FW_CANCELLED;
	result->reason = FW_REASON_CANCEL;
	if (state == FW_STATE_CLOSING) {
		result->reason = FW_REASON_CLOSE;
	} else if (state == FW_STATE_BROKEN) {
		result->outcome = FW_FAILED;
		result->reason = FW_REASON_DEVICE;
	} else if (seq->end == FW_SEQUENCE_LOST) {
		result->outcome = FW_FAILED;
		result->reason = FW_REASON_PLAN;
	}
}

void fw_on_ended(void *ctx, const struct fw_sequence *seq)
{
	struct fw *fw = ctx;
	struct fw_result result = {
		.outcome = FW_DONE,
		.status = seq->status,
		.cached = seq->hit,
		.computed = seq->finished,
	};

	if (seq->end == FW_SEQUENCE_LOST && try_again(fw, seq))
		return;
	if (seq->end != FW_SEQUENCE_DONE)
		explain_end(fw, seq, &result);
	fw_end(fw, fw_ticket_of(fw, seq->req), &result);
}
