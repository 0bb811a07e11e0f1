/* SPDX-License-Identifier: Apache-2.0 */
#include "stats.h"

#include <errno.h>
#include <string.h>

#include "errors.h"

static uint64_t read_count(_Atomic uint64_t *counter)
{
	/* Relaxed: each figure for itself, as of some moment of the call. */
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void fw_cuda_read_stats(struct fw_cuda *cuda, struct fw_cuda_stats *stats)
{
	struct fw_cuda_counters *counters = &cuda->counters;
	const size_t size = stats->size;
	const struct fw_cuda_stats now = {
		.size = size,
		.plans = read_count(&cuda->submitted),
		.refused = read_count(&counters->refused),
		.failed = read_count(&counters->failed),
		.reported = read_count(&cuda->reported),
		.timed = read_count(&counters->timed),
		.device_ns = read_count(&counters->device_ns),
		.device_max_ns = read_count(&counters->device_max_ns),
		.idle_ns = read_count(&counters->idle_ns),
		.submit_ns = read_count(&counters->submit_ns),
		.launch_ns = read_count(&counters->launch_ns),
		.bytes = read_count(&counters->bytes),
		.table_entries = read_count(&counters->table_entries),
		.lost = read_count(&counters->lost),
		.errors = read_count(&counters->errors),
		.last_error = atomic_load_explicit(&counters->last_error,
						   memory_order_relaxed),
		.status = fw_cuda_is_dead(cuda) ? -ENODEV : 0,
	};

	memcpy(stats, &now, size < sizeof(now) ? size : sizeof(now));
}
