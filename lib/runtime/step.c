/* SPDX-License-Identifier: Apache-2.0 */
#include "step.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "end.h"
#include "owner.h"
#include "runtime.h"
#include "stages.h"
#include "waiting.h"

/* Let the executor's own time pass, if it has one and nothing else is due. */
static bool idle(struct fw *fw, bool planned)
{
	const struct fw_planner *planner = &fw->planner;

	if (!fw->executor.ops->idle || !planner->num_flights)
		return false;
	if (planned && planner->num_flights < planner->config.depth)
		return false;
	fw->executor.ops->idle(fw->executor.ctx);
	return true;
}

/* There is no memory for the request that is next: it alone fails. */
static void fail_starved(struct fw *fw)
{
	struct fw_result result = {.outcome = FW_FAILED,
				   .reason = FW_REASON_MEMORY};
	struct fw_ticket *ticket = fw_ticket_of(fw, fw->planner.starved);

	fw_dequeue(fw, ticket);
	fw_end(fw, ticket, &result);
}

/* Return: Is there a plan, or did a request end? */
static bool plan(struct fw *fw)
{
	struct fw_planner *planner = &fw->planner;
	int ret;

	if (planner->num_flights == planner->config.depth ||
	    fw_state(fw) > FW_STATE_QUIESCED)
		return false;
	fw->step++;
	fw->position = 0;
	ret = fw_planner_step(planner, fw->now_s);
	fw_counter_add(&fw->counters, FW_COUNTER(steps), 1);
	fw_counter_add(&fw->counters, FW_COUNTER(step_ends) + planner->step_end,
		       1);
	if (planner->plan->num_entries)
		fw_submit_plan(fw);
	if (ret)
		fail_starved(fw);
	return planner->plan->num_entries || ret;
}

static void show_state(struct fw *fw)
{
	struct fw_counters *c = &fw->counters;

	fw_counter_set(c, FW_COUNTER(waiting),
		       fw_planner_waiting(&fw->planner));
	fw_counter_set(c, FW_COUNTER(running), fw->planner.num_running);
	fw_counter_set(c, FW_COUNTER(uncached_waiting), fw->uncached);
	fw_show_queue(fw);
}

/* Take over all that happened since the last step. Return: how much. */
static uint32_t take_news(struct fw *fw)
{
	uint32_t num = fw_take_completions(fw);

	num += fw_take_events(fw);
	num += fw_take_cancels(fw);
	num += fw_take_arrivals(fw);
	/* With a bound the planner moves hits, at most so many in a step. */
	if (!fw->config.max_rescored)
		fw_index_flush(fw->index, 0);
	else if (fw->index->shared)
		fw_index_reclaim(fw->index);
	return num;
}

/* Has all ended, and can nothing come any more? */
static int is_over(struct fw *fw)
{
	enum fw_state state = fw_state(fw);

	if (state == FW_STATE_OPEN || fw->in_system ||
	    fw->planner.num_flights || !fw_producers_gone(fw) ||
	    !fw_inbox_empty(&fw->inbox))
		return 0;
	return state == FW_STATE_BROKEN ? -ENODEV : -ESHUTDOWN;
}

/*
 * Before the arrivals: a poke that comes later is for the next step.
 *
 * [P1] Acquire: what a thread did before its fw_poke() comes before the
 * admission callbacks of this step. So an exchange, and not a store, which
 * would take the poke away without having seen what it was for.
 */
static void take_poke(struct fw *fw)
{
	atomic_exchange_explicit(&fw->poked, false, memory_order_acquire);
}

int fw_step_owned(struct fw *fw)
{
	int64_t begin = fw_clock_now();
	uint32_t ended;
	bool planned;

	take_poke(fw);
	fw_read_clock(fw);
	ended = take_news(fw);
	/* Again after the drain, so that no arrival is later than now. */
	fw_read_clock(fw);
	fw_expire(fw);
	fw_age(fw);
	planned = plan(fw);
	show_state(fw);
	fw_histogram_record(&fw->counters.metrics[FW_METRIC_STEP],
			    fw_clock_now() - begin);
	if (idle(fw, planned) || planned || ended)
		return 1;
	return is_over(fw);
}
