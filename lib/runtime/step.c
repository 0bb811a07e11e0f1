/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "lib/base/thread_number.h"
#include "lib/index/index_tree.h"

/* A call that leaves does not wake the scheduler that waits for it. */
#define GRACE_POLL_NS 1000000

void fw_read_clock(struct fw *fw)
{
	if (fw->executor.ops->now) {
		fw->now_s = fw->executor.ops->now(fw->executor.ctx);
		fw->now = fw_clock_ns(fw->now_s);
	} else {
		fw->now = fw_clock_now();
		fw->now_s = fw_clock_s(fw->open, fw->now);
	}
}

int fw_enter(struct fw *fw)
{
	uint32_t me = fw_thread_number() + 1, owner = 0;

	if (fw_rcu_forked())
		return -ECHILD;
	/* [O1] Acquire: all that the last owner did. Pairs with fw_leave(). */
	if (atomic_compare_exchange_strong_explicit(&fw->owner, &owner, me,
						    memory_order_acquire,
						    memory_order_relaxed))
		return 0;
	/* Only this thread can have written its own number. */
	return owner == me ? -EDEADLK : -EBUSY;
}

void fw_leave(struct fw *fw)
{
	/* [O1] Release: all that this owner did, to the next fw_enter(). */
	atomic_store_explicit(&fw->owner, 0, memory_order_release);
}

/* Let the executor's own time pass where it has one and nothing else is due. */
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

/* No memory for the request that was next: it fails, the others go on. */
static void fail_starved(struct fw *fw)
{
	struct fw_result result = {.outcome = FW_FAILED,
				   .reason = FW_REASON_MEMORY};
	struct fw_ticket *ticket = fw_ticket_of(fw, fw->planner.starved);

	fw_dequeue(fw, ticket);
	fw_end(fw, ticket, &result);
}

/* Return: 1 when there is a plan, 0, -ENOMEM when there could not be one. */
static int plan(struct fw *fw)
{
	struct fw_planner *planner = &fw->planner;
	int ret;

	if (planner->num_flights == planner->config.depth ||
	    fw_state(fw) > FW_STATE_QUIESCED)
		return 0;
	fw->step++;
	fw->position = 0;
	ret = fw_planner_step(planner, fw->now_s);
	fw_counter_add(&fw->counters, FW_COUNTER(steps), 1);
	fw_counter_add(&fw->counters, FW_COUNTER(step_ends) + planner->step_end,
		       1);
	if (planner->plan->num_entries)
		fw_submit_plan(fw);
	if (ret && planner->starved)
		fail_starved(fw);
	else if (ret)
		return ret;
	return planner->plan->num_entries || ret ? 1 : 0;
}

static void show_state(struct fw *fw)
{
	struct fw_counters *c = &fw->counters;

	fw_counter_set(c, FW_COUNTER(waiting),
		       fw->queue->source.waiting(fw->queue_ctx));
	fw_counter_set(c, FW_COUNTER(running), fw->planner.num_running);
	fw_counter_set(c, FW_COUNTER(uncached_waiting), fw->uncached);
	fw_show_queue(fw);
}

/* All that has happened since the last step. */
static uint32_t take_news(struct fw *fw)
{
	uint32_t num = fw_take_completions(fw);

	num += fw_take_events(fw);
	num += fw_take_cancels(fw);
	num += fw_take_arrivals(fw);
	/* With a bound the planner alone moves hits, so many in a step. */
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

int fw_step_owned(struct fw *fw)
{
	int64_t begin = fw_clock_now();
	uint32_t ended;
	int planned;

	/* Before the arrivals: a poke from here on is for the next step. */
	atomic_store_explicit(&fw->poked, false, memory_order_seq_cst);
	fw_read_clock(fw);
	ended = take_news(fw);
	/* After the drain, so that nobody arrives later than now. */
	fw_read_clock(fw);
	fw_expire(fw);
	planned = plan(fw);
	show_state(fw);
	fw_histogram_record(&fw->counters.metrics[FW_METRIC_STEP],
			    fw_clock_now() - begin);
	if (planned < 0)
		return planned;
	if (idle(fw, planned > 0) || planned > 0 || ended)
		return 1;
	return is_over(fw);
}

int fw_step(struct fw *fw)
{
	int ret = fw_enter(fw);

	if (ret)
		return ret;
	ret = fw_step_owned(fw);
	fw_leave(fw);
	return ret;
}

bool fw_has_news(const struct fw *fw)
{
	/* [G1] Sequentially consistent, all of them: see gate.h. */
	return !fw_inbox_empty(&fw->inbox) ||
	       !fw_inbox_empty(&fw->completions) ||
	       !fw_inbox_empty(&fw->slots.cancels) ||
	       !fw_inbox_empty(&fw->events) ||
	       atomic_load_explicit(&fw->poked, memory_order_seq_cst) ||
	       atomic_load_explicit(&fw->stopped, memory_order_seq_cst) ||
	       atomic_load_explicit(&fw->taking, memory_order_seq_cst);
}

/* Nanoseconds until the first request expires or @timeout is over. */
static int64_t shorten(const struct fw *fw, int64_t timeout)
{
	int64_t limit = fw_next_deadline(fw), left;

	if (limit == INT64_MAX || fw->executor.ops->now)
		return timeout;
	left = fw_clock_since(fw_clock_now(), limit);
	if (left < 0)
		left = 0;
	return timeout < 0 || left < timeout ? left : timeout;
}

int fw_wait_owned(struct fw *fw, int64_t timeout)
{
	int64_t sleep = shorten(fw, timeout);
	bool polls = fw->left_as != FW_STATE_OPEN && !fw->gone;

	if (polls && (sleep < 0 || sleep > GRACE_POLL_NS))
		sleep = GRACE_POLL_NS;
	fw_gate_prepare(&fw->gate);
	if (fw_has_news(fw)) {
		fw_gate_cancel(&fw->gate);
		return 1;
	}
	if (!fw_gate_wait(&fw->gate, sleep)) {
		fw_counter_add(&fw->counters, FW_COUNTER(wakeups), 1);
		return 1;
	}
	return sleep != timeout;
}

int fw_wait(struct fw *fw, int64_t timeout)
{
	int ret = fw_enter(fw);

	if (ret)
		return ret;
	ret = fw_wait_owned(fw, timeout);
	/* Relaxed: it says only that somebody wanted this call to return. */
	atomic_exchange_explicit(&fw->stopped, false, memory_order_relaxed);
	fw_leave(fw);
	return ret;
}

/* Shall this fw_run() return? A fw_stop() is used up by it. */
static bool is_stopped(struct fw *fw)
{
	return atomic_load_explicit(&fw->taking, memory_order_relaxed) ||
	       atomic_exchange_explicit(&fw->stopped, false,
					memory_order_relaxed);
}

int fw_run(struct fw *fw)
{
	int ret = fw_enter(fw);

	if (ret)
		return ret;
	while (ret >= 0 || ret == -ENOMEM) {
		if (is_stopped(fw)) {
			ret = -EINTR;
			break;
		}
		ret = fw_step_owned(fw);
		if (!ret)
			fw_wait_owned(fw, -1);
		else if (ret == -ENOMEM)
			fw_wait_owned(fw, GRACE_POLL_NS);
	}
	fw_leave(fw);
	return ret == -ESHUTDOWN ? 0 : ret;
}
