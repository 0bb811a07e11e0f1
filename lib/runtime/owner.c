/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include "lib/base/clock.h"
#include "lib/base/thread_number.h"
#include "call.h"
#include "runtime.h"

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

static int take(struct fw *fw)
{
	uint32_t me = fw_thread_number() + 1, owner = 0;

	/* [O1] Acquire: all that the last owner did. Pairs with fw_leave(). */
	if (atomic_compare_exchange_strong_explicit(&fw->owner, &owner, me,
						    memory_order_acquire,
						    memory_order_relaxed))
		return 0;
	/* Only this thread can have written its own number. */
	return owner == me ? -EDEADLK : -EBUSY;
}

/* Counted until it is known who the owner is: that one keeps @fw from then. */
int fw_enter(struct fw *fw)
{
	int ret = fw_call_enter(fw);

	return ret ? ret : fw_call_exit(fw, take(fw));
}

void fw_leave(struct fw *fw)
{
	/* [O1] Release: all that this owner did, to the next fw_enter(). */
	atomic_store_explicit(&fw->owner, 0, memory_order_release);
}
