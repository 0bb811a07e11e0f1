/* SPDX-License-Identifier: Apache-2.0 */
#include <fairway/runtime.h>

#include <errno.h>
#include <time.h>

#include "lib/base/alloc.h"
#include "lib/base/clock.h"
#include "end.h"
#include "owner.h"
#include "parts.h"
#include "run.h"
#include "runtime.h"
#include "step.h"

/* How often to try to become the owner. */
#define POLL_NS 1000000

/* Nanoseconds until @limit, INT64_MAX for never. */
static int64_t left(int64_t limit)
{
	int64_t now;

	if (limit == INT64_MAX)
		return INT64_MAX;
	now = fw_clock_now();
	return now < limit ? limit - now : 0;
}

static void nap(int64_t ns)
{
	const struct timespec time = {.tv_nsec = ns < POLL_NS ? ns : POLL_NS};

	nanosleep(&time, NULL);
}

/* Become the owner: ask the thread that is it to leave, and wait for that. */
static int take_over(struct fw *fw, int64_t limit)
{
	int ret;

	/* [G1] Comes before the look at the gate. */
	atomic_fetch_add_explicit(&fw->taking, 1, memory_order_seq_cst);
	fw_gate_wake(&fw->gate);
	for (;;) {
		int64_t rest = left(limit);

		ret = fw_enter(fw);
		if (ret != -EBUSY || !rest)
			break;
		nap(rest);
	}
	/* Relaxed: it publishes nothing. A late reader leaves once more. */
	atomic_fetch_sub_explicit(&fw->taking, 1, memory_order_relaxed);
	return ret;
}

/* One round of ending all. Return: nothing is left, and nothing can come. */
static bool end_all(struct fw *fw)
{
	bool gone = fw_producers_gone(fw);

	/* After that look: what calls that left have pushed is there now. */
	fw_step_owned(fw);
	fw_end_waiting(fw, FW_CANCELLED, FW_REASON_CLOSE);
	fw_planner_stop_all(&fw->planner);
	/* The step may have seen them go after its drain: so ask again. */
	fw->gone = gone;
	return gone && !fw->in_system && !fw->planner.num_flights &&
	       fw_inbox_empty(&fw->inbox);
}

static int end_until(struct fw *fw, int64_t limit)
{
	while (!end_all(fw)) {
		int64_t rest = left(limit);

		if (!rest)
			return -EBUSY;
		fw_wait_owned(fw, rest == INT64_MAX ? -1 : rest);
	}
	return 0;
}

static void free_all(struct fw *fw)
{
	const struct fw_allocator allocator = fw->allocator;

	fw_parts_destroy(fw);
	fw_free_lines(&allocator, fw, 1, sizeof(*fw));
}

int fw_close(struct fw *fw, int64_t timeout)
{
	int64_t limit = INT64_MAX;
	int ret;

	if (!fw)
		return 0;
	if (fw_rcu_forked())
		return -ECHILD;
	if (timeout >= 0 &&
	    __builtin_add_overflow(fw_clock_now(), timeout, &limit))
		limit = INT64_MAX;
	ret = take_over(fw, limit);
	if (ret)
		return ret;
	fw_raise_state(fw, FW_STATE_CLOSING);
	ret = end_until(fw, limit);
	if (ret) {
		fw_leave(fw);
		return ret;
	}
	fw->executor.ops->destroy(fw->executor.ctx);
	free_all(fw);
	return 0;
}
