/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <errno.h>

#include "lib/base/clock.h"
#include "owner.h"
#include "runtime.h"
#include "step.h"
#include "waiting.h"

/* How often to look for calls that left: they do not wake the scheduler. */
#define GRACE_POLL_NS 1000000

int fw_step(struct fw *fw)
{
	int ret = fw_enter(fw);

	if (ret)
		return ret;
	ret = fw_step_owned(fw);
	fw_leave(fw);
	return ret;
}

/* Is there something that a step would take over? */
static bool has_news(const struct fw *fw)
{
	/* [G1] All of them sequentially consistent: see gate.h. */
	return !fw_inbox_empty(&fw->inbox) ||
	       !fw_inbox_empty(&fw->completions) ||
	       !fw_inbox_empty(&fw->slots.cancels) ||
	       !fw_inbox_empty(&fw->events) ||
	       atomic_load_explicit(&fw->poked, memory_order_seq_cst) ||
	       atomic_load_explicit(&fw->stopped, memory_order_seq_cst) ||
	       atomic_load_explicit(&fw->taking, memory_order_seq_cst);
}

/* Nanoseconds until the first request expires, at most @timeout. */
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
	if (has_news(fw)) {
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
	/* Relaxed: the flag says that this call shall return, nothing else. */
	atomic_exchange_explicit(&fw->stopped, false, memory_order_relaxed);
	fw_leave(fw);
	return ret;
}

/*
 * Shall this fw_run() return? That uses up a fw_stop(). Relaxed: the flags
 * publish nothing. One that is set after this look is found by has_news().
 */
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
	while (ret >= 0) {
		if (is_stopped(fw)) {
			ret = -EINTR;
			break;
		}
		ret = fw_step_owned(fw);
		if (!ret)
			fw_wait_owned(fw, -1);
	}
	fw_leave(fw);
	return ret == -ESHUTDOWN ? 0 : ret;
}
