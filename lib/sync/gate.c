/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/clock.h"

#define NSEC_PER_SEC 1000000000

_Static_assert(sizeof(_Atomic uint32_t) == 4, "a futex is four bytes");

void fw_gate_init(struct fw_gate *gate)
{
	atomic_init(&gate->state, FW_GATE_BUSY);
}

void fw_gate_destroy(struct fw_gate *gate)
{
	/* Relaxed: the caller saw to it that nobody uses the gate. */
	assert(atomic_load_explicit(&gate->state, memory_order_relaxed) ==
	       FW_GATE_BUSY);
	(void)gate;
}

void fw_gate_prepare(struct fw_gate *gate)
{
	/* [G1] Sequentially consistent: stands before the look at the inbox. */
	atomic_store_explicit(&gate->state, FW_GATE_ASLEEP,
			      memory_order_seq_cst);
}

void fw_gate_cancel(struct fw_gate *gate)
{
	/*
	 * Relaxed: a producer that still sees ASLEEP calls the kernel for
	 * nothing; one that sees BUSY relies on the next prepare alone.
	 */
	atomic_store_explicit(&gate->state, FW_GATE_BUSY, memory_order_relaxed);
}

/* When the sleep ends, on CLOCK_MONOTONIC. Saturates. */
static struct timespec deadline_after(int64_t timeout_ns)
{
	int64_t end;

	if (__builtin_add_overflow(fw_clock_now(), timeout_ns, &end))
		end = INT64_MAX;
	return (struct timespec){
		.tv_sec = (time_t)(end / NSEC_PER_SEC),
		.tv_nsec = (long)(end % NSEC_PER_SEC),
	};
}

/* An absolute deadline, so that a signal does not make the sleep longer. */
static bool sleep_once(struct fw_gate *gate, const struct timespec *deadline)
{
	long err =
		syscall(SYS_futex, &gate->state,
			FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, FW_GATE_ASLEEP,
			deadline, NULL, FUTEX_BITSET_MATCH_ANY);

	return !(err < 0 && errno == ETIMEDOUT);
}

int fw_gate_wait(struct fw_gate *gate, int64_t timeout_ns)
{
	struct timespec deadline = {0};
	int saved = errno;
	bool in_time = true;
	bool woken;

	if (timeout_ns >= 0)
		deadline = deadline_after(timeout_ns);
	/* The kernel compares the state again: WOKEN is never slept through. */
	while (in_time &&
	       atomic_load_explicit(&gate->state, memory_order_relaxed) ==
		       FW_GATE_ASLEEP)
		in_time = sleep_once(gate, timeout_ns >= 0 ? &deadline : NULL);
	errno = saved;
	/*
	 * [G2] Acquire: pairs with the release in fw_gate_wake_slow(), so that
	 * what a waker did before is seen even without an inbox between.
	 */
	woken = atomic_exchange_explicit(&gate->state, FW_GATE_BUSY,
					 memory_order_acquire) == FW_GATE_WOKEN;
	return woken ? 0 : -ETIMEDOUT;
}

void fw_gate_wake_slow(struct fw_gate *gate)
{
	uint32_t seen = FW_GATE_ASLEEP;
	int saved = errno;

	/*
	 * [G2] Release: pairs with the acquire in fw_gate_wait(). It fails
	 * when another producer was first, or when the consumer runs again
	 * and so has looked, or will look, at the inbox after our push.
	 */
	if (!atomic_compare_exchange_strong_explicit(&gate->state, &seen,
						     FW_GATE_WOKEN,
						     memory_order_release,
						     memory_order_relaxed) &&
	    seen == FW_GATE_BUSY)
		return;
	/* errno is the caller's: the library leaves it alone. */
	syscall(SYS_futex, &gate->state, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
	errno = saved;
}
