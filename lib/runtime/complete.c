/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <errno.h>

#include "lib/base/probes.h"
#include "end.h"
#include "runtime.h"

/* A report of a plan that is not in flight: it is counted, nothing more. */
static void ignore(struct fw *fw)
{
	atomic_fetch_add_explicit(&fw->reports_ignored, 1,
				  memory_order_relaxed);
}

void fw_plan_done(struct fw_flight *flight, int status)
{
	struct fw *fw = flight->fw;

	/* Relaxed: one of two that report gets true; [I1] does the rest. */
	if (!atomic_exchange_explicit(&flight->awaited, false,
				      memory_order_relaxed)) {
		ignore(fw);
		return;
	}
	flight->status = status;
	/*
	 * [I1] The push publishes the status and all that the executor wrote
	 * for the plan. The runtime is not freed meanwhile: close waits for
	 * the executor's destroy, which waits for this call.
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
	/* Relaxed: the executor hands the flight on by its own means. */
	atomic_store_explicit(&flight->awaited, true, memory_order_relaxed);
	fw_counter_add(&fw->counters, FW_COUNTER(plans), 1);
	fw_counter_add(&fw->counters, FW_COUNTER(plan_tokens),
		       plan->num_tokens);
	fw_histogram_record(&fw->counters.metrics[FW_METRIC_BATCH],
			    plan->num_tokens);
	fw_probe_plan(fw->step, plan->num_entries, plan->num_tokens);
	ret = fw->executor.ops->submit(fw->executor.ctx, plan, flight);
	if (!ret)
		return;
	/* It may not report a plan that it refused; if it did, that counts. */
	if (!atomic_exchange_explicit(&flight->awaited, false,
				      memory_order_relaxed)) {
		ignore(fw);
		return;
	}
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

	/* [I1] By the drain: the status, and all that the executor wrote. */
	for (; node; node = node->next)
		container_of(node, struct fw_flight, ended)->over = true;
	/* In the order of the plans, whatever the order of their ends. */
	while (planner->num_flights && fw->flights[planner->oldest].over) {
		retire(fw, fw->flights[planner->oldest].status);
		num++;
	}
	return num;
}
