/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FAIRWAY_STATS_H
#define FAIRWAY_STATS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What a runtime tells about itself. Any thread may ask at any time; the
 * runtime goes on meanwhile. Each figure is right at some moment during the
 * call, but two figures may belong to different moments of it.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct fw;

/**
 * enum fw_step_end - why a step admitted nobody else
 * @FW_STEP_EMPTY: nothing waits any more
 * @FW_STEP_BUDGET: the step's tokens are spent
 * @FW_STEP_SEQUENCES: max_running sequences run
 * @FW_STEP_MEMORY: the next request does not fit into the cache now
 * @FW_STEP_ENDS: how many reasons there are
 */
enum fw_step_end {
	FW_STEP_EMPTY,
	FW_STEP_BUDGET,
	FW_STEP_SEQUENCES,
	FW_STEP_MEMORY,
	FW_STEP_ENDS,
};

/**
 * struct fw_stats - counters since the runtime was opened, and its state now
 * @size: set by the caller to sizeof(struct fw_stats)
 * @submitted: requests taken over by the scheduler
 * @refused: submissions that got -EAGAIN
 * @done: requests that ended as done; each ends in one of these five ways
 * @cancelled: that ended as cancelled
 * @rejected: that ended as rejected
 * @expired: that ended as expired
 * @failed: that ended as failed
 * @retried: times that a request went back to the queue after its plan failed
 * @waiting: requests that wait now
 * @running: requests that were admitted and have not ended
 * @queued: requests submitted and not admitted yet; at most max_waiting
 * @queued_bytes: bytes of these requests and their keys; at most max_bytes
 * @uncached_waiting: tokens that all that wait now have to compute
 * @steps: calls of the planner
 * @plans: plans submitted
 * @plans_failed: plans that failed
 * @plan_tokens: tokens planned
 * @prompt_tokens: tokens of all admitted requests
 * @hit_tokens: how many of these were cached at admission
 * @released_fast: admissions by the fast lane
 * @released_fair: admissions by the fair lane
 * @skipped: requests passed over because the engine said not now
 * @overtaken: releases ahead of the oldest request of a class
 * @bound_broken: releases that broke the bound on overtaking; always 0
 * @max_ahead: most work admitted ahead of one request while it was the oldest
 *	of its class, tokens
 * @step_ends: steps by enum fw_step_end
 * @blocks: blocks of the cache
 * @blocks_free: blocks that hold nothing
 * @evictions: cached blocks that were dropped to make room
 * @events: cache events taken over
 * @events_refused: cache events that got -EAGAIN
 * @wakeups: times that the scheduler was woken
 * @reports_ignored: calls of fw_plan_done() for a plan that was not in flight:
 *	a fault of the executor; 0 in a sound one
 * @aged: times that a request rose to a higher class, having waited
 *
 * A later version appends fields.
 */
struct fw_stats {
	size_t size;
	uint64_t submitted;
	uint64_t refused;
	uint64_t done;
	uint64_t cancelled;
	uint64_t rejected;
	uint64_t expired;
	uint64_t failed;
	uint64_t retried;
	uint64_t waiting;
	uint64_t running;
	uint64_t queued;
	uint64_t queued_bytes;
	uint64_t uncached_waiting;
	uint64_t steps;
	uint64_t plans;
	uint64_t plans_failed;
	uint64_t plan_tokens;
	uint64_t prompt_tokens;
	uint64_t hit_tokens;
	uint64_t released_fast;
	uint64_t released_fair;
	uint64_t skipped;
	uint64_t overtaken;
	uint64_t bound_broken;
	uint64_t max_ahead;
	uint64_t step_ends[FW_STEP_ENDS];
	uint64_t blocks;
	uint64_t blocks_free;
	uint64_t evictions;
	uint64_t events;
	uint64_t events_refused;
	uint64_t wakeups;
	uint64_t reports_ignored;
	uint64_t aged;
};

/**
 * enum fw_metric - a distribution that a runtime keeps
 * @FW_METRIC_QUEUE: from arrival to admission, nanoseconds
 * @FW_METRIC_TTFT: from arrival to the end of the last chunk, nanoseconds;
 *	only requests that are done
 * @FW_METRIC_STEP: time of a scheduling step, nanoseconds
 * @FW_METRIC_BATCH: tokens of a plan
 * @FW_METRIC_HIT: cached tokens of an admitted request
 * @FW_METRIC_UNCACHED: tokens that an admitted request has to compute
 * @FW_METRIC_AHEAD: work admitted ahead of a request while it was the oldest
 *	of its class, tokens
 * @FW_METRICS: how many there are
 */
enum fw_metric {
	FW_METRIC_QUEUE,
	FW_METRIC_TTFT,
	FW_METRIC_STEP,
	FW_METRIC_BATCH,
	FW_METRIC_HIT,
	FW_METRIC_UNCACHED,
	FW_METRIC_AHEAD,
	FW_METRICS,
};

/**
 * struct fw_distribution - one of them
 * @size: set by the caller to sizeof(struct fw_distribution)
 * @count: values
 * @sum: of all values
 * @p50: the median, by nearest rank
 * @p90: 90th percentile
 * @p99: 99th percentile
 * @p999: 99.9th percentile
 * @max: the largest value, exact
 *
 * A percentile is never too small and at most 1/32 too large.
 */
struct fw_distribution {
	size_t size;
	uint64_t count;
	uint64_t sum;
	uint64_t p50;
	uint64_t p90;
	uint64_t p99;
	uint64_t p999;
	uint64_t max;
};

/**
 * fw_read_stats() - read the counters
 * @fw: an open runtime
 * @stats: its size field says how many bytes are filled. Bytes beyond that,
 *	and fields that this version does not know, stay as they were
 *
 * Context: Any thread. Takes no lock and never waits.
 * Return: 0; -EINVAL when the size is 0; -ESHUTDOWN after fw_close() began;
 * -ECHILD.
 */
int fw_read_stats(const struct fw *fw, struct fw_stats *stats);

/**
 * fw_read_distribution() - read one distribution
 * @fw: an open runtime
 * @metric: which
 * @dist: as fw_read_stats() fills it
 *
 * Context: Any thread. Takes no lock and never waits.
 * Return: 0; -EINVAL for an unknown metric or a size of 0; -ESHUTDOWN after
 * fw_close() began; -ECHILD.
 */
int fw_read_distribution(const struct fw *fw, enum fw_metric metric,
			 struct fw_distribution *dist);

/**
 * struct fw_tenant_stats - figures of one tenant, or of all the rest
 * @tenant: its number; 0 with @rest
 * @rest: 1: of all that have no row of their own now
 * @reserved: 0
 * @submitted: requests taken over by the scheduler
 * @waiting: requests that wait now
 * @done: requests that ended as done
 * @expired: that ended as expired
 * @otherwise: that ended in another way
 * @served: work of the tokens that were computed for it, nanoseconds, by the
 *	device or the table of the order's settings; not over its weight
 *
 * Up to 64 tenants have rows. A row whose tenant has nothing in the runtime may
 * go to another one. What it counted is then part of the rest, and a tenant
 * that comes back begins at 0.
 *
 * A later version appends fields.
 */
struct fw_tenant_stats {
	uint64_t tenant;
	uint32_t rest;
	uint32_t reserved;
	uint64_t submitted;
	uint64_t waiting;
	uint64_t done;
	uint64_t expired;
	uint64_t otherwise;
	uint64_t served;
};

/**
 * fw_read_tenants() - read the figures by tenant
 * @fw: an open runtime whose order is by tenant
 * @rows: gets the rest first, then tenants in no order
 * @num: rows that there is room for; 65 are enough
 * @size: sizeof(struct fw_tenant_stats); bytes beyond what this version knows
 *	stay as they were
 *
 * A row that is just given to another tenant may be missing.
 *
 * Context: Any thread. Takes no lock and never waits.
 * Return: How many rows were written; 0 where the order is not by tenant.
 * -EINVAL when @size is 0; -ESHUTDOWN after fw_close() began; -ECHILD.
 */
int64_t fw_read_tenants(const struct fw *fw, struct fw_tenant_stats *rows,
			size_t num, size_t size);

/**
 * struct fw_label - a label that every metric of the text gets
 * @name: letters, digits and underscores, no digit first
 * @value: any UTF-8 text
 */
struct fw_label {
	const char *name;
	const char *value;
};

/**
 * fw_stats_text() - all figures in Prometheus' text exposition format
 * @fw: an open runtime
 * @labels: put on every sample; may be NULL
 * @num_labels: how many
 * @buf: gets as much as fits, with a zero byte at the end; NULL when @size is 0
 * @size: of @buf
 *
 * Context: Any thread. Takes no lock, never waits, never allocates.
 * Return: Bytes of the whole text without the zero byte, as snprintf() does;
 * more than @size - 1 when the text was cut. -EINVAL for a label without a
 * valid name; -E2BIG for more than 16; -ESHUTDOWN after fw_close() began;
 * -ECHILD.
 */
int64_t fw_stats_text(const struct fw *fw, const struct fw_label *labels,
		      size_t num_labels, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif
