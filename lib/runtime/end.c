/* SPDX-License-Identifier: Apache-2.0 */
#include "end.h"

#include "lib/base/clock.h"
#include "lib/base/probes.h"
#include "runtime.h"
#include "waiting.h"

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

static void count_by_tenant(struct fw *fw, const struct fw_ticket *ticket,
			    enum fw_outcome outcome)
{
	enum fw_tenant_value value = FW_TENANT_OTHERWISE;

	if (!fw->tenant_rows)
		return;
	if (outcome == FW_DONE)
		value = FW_TENANT_DONE;
	else if (outcome == FW_EXPIRED)
		value = FW_TENANT_EXPIRED;
	fw_tenant_rows_add(fw->tenant_rows, ticket->row, value, 1);
	fw_tenant_rows_leave(fw->tenant_rows, ticket->row);
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
	/* What came during the drain is later than the step's clock. */
	result->ended = fw->now > ticket->arrival ? fw->now : ticket->arrival;
	fw_counter_add(&fw->counters, counter_of(result->outcome), 1);
	count_by_tenant(fw, ticket, result->outcome);
	if (result->outcome == FW_DONE)
		fw_histogram_record(&fw->counters.metrics[FW_METRIC_TTFT],
				    fw_clock_since(ticket->arrival, fw->now));
	fw_release_place(fw, ticket);
	fw_entry(req)->ticket = 0;
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
