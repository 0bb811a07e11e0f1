/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <errno.h>
#include <string.h>

#include "call.h"
#include "runtime.h"

void fw_show_queue(struct fw *fw)
{
	struct fw_counters *c = &fw->counters;
	struct fw_stats s = {.size = 0};

	if (fw->queue->stats)
		fw->queue->stats(fw->queue_ctx, &s);
	fw_counter_set(c, FW_COUNTER(released_fast), s.released_fast);
	fw_counter_set(c, FW_COUNTER(released_fair), s.released_fair);
	fw_counter_set(c, FW_COUNTER(skipped), s.skipped);
	fw_counter_set(c, FW_COUNTER(overtaken), s.overtaken);
	fw_counter_set(c, FW_COUNTER(bound_broken), s.bound_broken);
	fw_counter_set(c, FW_COUNTER(max_ahead), s.max_ahead);
	if (!fw->config.num_blocks)
		return;
	fw_counter_set(c, FW_COUNTER(blocks), fw->pool.num_blocks);
	fw_counter_set(c, FW_COUNTER(blocks_free), fw->pool.num_free);
	fw_counter_set(c, FW_COUNTER(evictions), fw->pool.evictions);
}

/* Submissions that got -EAGAIN. */
static uint64_t refused(const struct fw *fw)
{
	uint64_t num = fw_bound_refused(&fw->num_waiting) +
		       fw_bound_refused(&fw->num_bytes);

	for (uint32_t i = 0; fw->class_waiting && i < fw->config.num_classes;
	     i++)
		num += fw_bound_refused(&fw->class_waiting[i]);
	if (fw->tenant_waiting)
		num += atomic_load_explicit(&fw->tenant_waiting->refused,
					    memory_order_relaxed);
	return num;
}

/* What other threads count, by adding. */
static void read_shared(const struct fw *fw, struct fw_stats *all)
{
	all->queued = fw_bound_used(&fw->num_waiting);
	all->queued_bytes = fw_bound_used(&fw->num_bytes);
	all->refused = refused(fw);
	all->events_refused =
		atomic_load_explicit(&fw->events_refused, memory_order_relaxed);
	all->reports_ignored = atomic_load_explicit(&fw->reports_ignored,
						    memory_order_relaxed);
}

static void read_all(const struct fw *fw, struct fw_stats *all)
{
	uint64_t values[FW_COUNTERS];

	for (size_t i = 0; i < FW_COUNTERS; i++)
		values[i] = fw_counter_get(&fw->counters, i);
	memcpy((char *)all + offsetof(struct fw_stats, submitted), values,
	       sizeof(values));
	read_shared(fw, all);
}

static int read_stats(const struct fw *fw, struct fw_stats *stats)
{
	size_t size = stats->size;
	struct fw_stats all = {.size = size};

	if (!size)
		return -EINVAL;
	if (fw_state(fw) == FW_STATE_CLOSING)
		return -ESHUTDOWN;
	read_all(fw, &all);
	memcpy(stats, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

int fw_read_stats(const struct fw *fw, struct fw_stats *stats)
{
	int ret = fw_call_enter(fw);

	return ret ? ret : fw_call_exit(fw, read_stats(fw, stats));
}

static int read_distribution(const struct fw *fw, enum fw_metric metric,
			     struct fw_distribution *dist)
{
	struct fw_histogram_view view = {.num = 0};
	struct fw_distribution all = {.size = dist->size};
	size_t size = dist->size;

	if (!size || (unsigned int)metric >= FW_METRICS)
		return -EINVAL;
	if (fw_state(fw) == FW_STATE_CLOSING)
		return -ESHUTDOWN;
	fw_histogram_read(&fw->counters.metrics[metric], &view);
	all.count = view.num;
	all.sum = view.sum;
	all.p50 = (uint64_t)fw_histogram_quantile(&view, 500000);
	all.p90 = (uint64_t)fw_histogram_quantile(&view, 900000);
	all.p99 = (uint64_t)fw_histogram_quantile(&view, 990000);
	all.p999 = (uint64_t)fw_histogram_quantile(&view, 999000);
	all.max = (uint64_t)view.max;
	memcpy(dist, &all, size < sizeof(all) ? size : sizeof(all));
	return 0;
}

int fw_read_distribution(const struct fw *fw, enum fw_metric metric,
			 struct fw_distribution *dist)
{
	int ret = fw_call_enter(fw);

	return ret ? ret
		   : fw_call_exit(fw, read_distribution(fw, metric, dist));
}
