/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_RUNTIME_COUNTERS_H
#define LIB_RUNTIME_COUNTERS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/stats.h>

#include "lib/base/histogram.h"

/*
 * What a runtime counts. The scheduler's thread alone writes; any thread reads
 * at any time. All accesses are relaxed: a figure publishes nothing, and two
 * figures may belong to different moments.
 */

/* All figures of struct fw_stats but its size, in its order. */
#define FW_COUNTERS                                                         \
	((sizeof(struct fw_stats) - offsetof(struct fw_stats, submitted)) / \
	 sizeof(uint64_t))

/* The number of a field among them. */
#define FW_COUNTER(field)                         \
	((offsetof(struct fw_stats, field) -      \
	  offsetof(struct fw_stats, submitted)) / \
	 sizeof(uint64_t))

/**
 * struct fw_counters - the figures
 * @values: by FW_COUNTER(); on lines of their own, away from what producers
 *	write
 * @metrics: by enum fw_metric
 */
struct fw_counters {
	_Atomic uint64_t values[FW_COUNTERS] FW_LINE_ALIGNED;
	struct fw_histogram metrics[FW_METRICS];
};

static inline uint64_t fw_counter_get(const struct fw_counters *counters,
				      size_t counter)
{
	return atomic_load_explicit(&counters->values[counter],
				    memory_order_relaxed);
}

static inline void fw_counter_set(struct fw_counters *counters, size_t counter,
				  uint64_t value)
{
	atomic_store_explicit(&counters->values[counter], value,
			      memory_order_relaxed);
}

/* No locked instruction: there is one writer. */
static inline void fw_counter_add(struct fw_counters *counters, size_t counter,
				  uint64_t value)
{
	fw_counter_set(counters, counter,
		       fw_counter_get(counters, counter) + value);
}

#endif
