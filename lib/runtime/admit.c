/* SPDX-License-Identifier: Apache-2.0 */
#include "admit.h"

#include "lib/base/clock.h"
#include "lib/base/probes.h"
#include "lib/cost/score.h"
#include "end.h"
#include "runtime.h"
#include "waiting.h"

static void decide(struct fw *fw, const struct fw_sequence *seq,
		   const struct fw_ticket *ticket)
{
	struct fw_decision decision = {
		.request = seq->req,
		.position = fw->position,
		.step = fw->step,
		.wait = fw->now_s - fw_clock_s(fw->open, ticket->arrival),
		.cached = seq->hit,
		.waiting = fw_planner_waiting(&fw->planner) - 1,
	};

	if (decision.wait < 0.0)
		decision.wait = 0.0;
	if (fw->queue->explain)
		fw->queue->explain(fw->queue_ctx, seq->req, &decision);
	fw->config.decided(fw->config.ctx, &decision);
}

/* Cost admitted ahead of it, where the order counts that. */
static uint64_t ahead(const struct fw *fw, const struct fw_request *req)
{
	return fw->queue->ahead ? fw->queue->ahead(fw->queue_ctx, req) : 0;
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
			    (int64_t)ahead(fw, seq->req));
}

void fw_on_admitted(void *ctx, const struct fw_sequence *seq)
{
	struct fw *fw = ctx;
	struct fw_ticket *ticket = fw_ticket_of(fw, seq->req);

	if (fw->config.decided)
		decide(fw, seq, ticket);
	fw->position++;
	count_admission(fw, seq, ticket);
	fw_probe_admit(fw_ticket_handle(fw, ticket), seq->req->id, seq->hit,
		       fw_cost_tokens(seq->req->len, seq->hit));
	fw_waits_no_more(fw, ticket);
	ticket->admitted = fw->now;
	fw_release_place(fw, ticket);
	/* If it was cancelled, fw_take_cancels() hears of it next step. */
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

/* Its plan failed: back to the queue with its old arrival, if it may. */
static bool try_again(struct fw *fw, const struct fw_sequence *seq)
{
	struct fw_ticket *ticket = fw_ticket_of(fw, seq->req);

	if (fw_state(fw) > FW_STATE_QUIESCED ||
	    ticket->retries >= fw->config.max_retries)
		return false;
	/* If it was cancelled, fw_end() settles that. */
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

/* Say how a sequence ended that is not done. */
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

static void count_served(struct fw *fw, const struct fw_sequence *seq)
{
	const struct fw_ticket *ticket = fw_ticket_of(fw, seq->req);

	if (fw->tenant_rows && seq->finished)
		fw_tenant_rows_add(fw->tenant_rows, ticket->row,
				   FW_TENANT_SERVED,
				   (uint64_t)fw_remaining_work(&fw->work,
							       seq->hit,
							       seq->finished));
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

	fw_rises_no_more(fw, fw_ticket_of(fw, seq->req));
	count_served(fw, seq);
	if (seq->end == FW_SEQUENCE_LOST && try_again(fw, seq))
		return;
	if (seq->end != FW_SEQUENCE_DONE)
		explain_end(fw, seq, &result);
	fw_end(fw, fw_ticket_of(fw, seq->req), &result);
}
