/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_BOUND_H
#define LIB_SYNC_BOUND_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/compiler.h"

/*
 * Bound: how much of something may be out at once, reserved by any thread.
 *
 * Progress: reserve is lock-free, release and the reads are wait-free. What a
 * stopped producer has reserved stays reserved; nobody waits for it.
 *
 * A reservation is a compare-and-swap. An add that is undone when it was too
 * much would be shorter. But a thread that is stopped between the two steps
 * would then keep out others who fit.
 *
 * All accesses are relaxed: the count publishes nothing. What is reserved is
 * handed over by an edge of its own.
 */

/**
 * struct fw_bound - the bound
 * @used: reserved now; written by all threads
 * @max: never changes
 * @refused: reservations that did not fit; on a line of its own, so that
 *	counting it does not slow those that fit
 */
struct fw_bound {
	_Atomic uint64_t used FW_LINE_ALIGNED;
	uint64_t max;
	_Atomic uint64_t refused FW_LINE_ALIGNED;
};

static inline void fw_bound_init(struct fw_bound *bound, uint64_t max)
{
	atomic_init(&bound->used, 0);
	atomic_init(&bound->refused, 0);
	bound->max = max;
}

static inline void fw_bound_destroy(struct fw_bound *bound)
{
	(void)bound;
}

/**
 * fw_bound_reserve() - reserve, or be refused at once
 * @bound: the bound
 * @amount: given back by fw_bound_release()
 *
 * Context: Any thread.
 * Return: Whether it fit; if not, that was counted and nothing is reserved.
 */
static inline bool fw_bound_reserve(struct fw_bound *bound, uint64_t amount)
{
	uint64_t used;

	used = atomic_load_explicit(&bound->used, memory_order_relaxed);
	do {
		if (amount > bound->max - used) {
			atomic_fetch_add_explicit(&bound->refused, 1,
						  memory_order_relaxed);
			return false;
		}
	} while (!atomic_compare_exchange_weak_explicit(&bound->used, &used,
							used + amount,
							memory_order_relaxed,
							memory_order_relaxed));
	return true;
}

/* Give back @amount. Context: Any thread. */
static inline void fw_bound_release(struct fw_bound *bound, uint64_t amount)
{
	uint64_t used = atomic_fetch_sub_explicit(&bound->used, amount,
						  memory_order_relaxed);

	assert(used >= amount);
	(void)used;
}

/* Reserved at some moment. Context: Any thread. */
static inline uint64_t fw_bound_used(const struct fw_bound *bound)
{
	return atomic_load_explicit(&bound->used, memory_order_relaxed);
}

/* Reservations that did not fit. Context: Any thread. */
static inline uint64_t fw_bound_refused(const struct fw_bound *bound)
{
	return atomic_load_explicit(&bound->refused, memory_order_relaxed);
}

#endif
