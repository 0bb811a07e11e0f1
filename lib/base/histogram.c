/* SPDX-License-Identifier: Apache-2.0 */
#include "histogram.h"

#include <assert.h>

#define MILLION 1000000

uint32_t fw_histogram_bucket(int64_t value)
{
	uint64_t v = (uint64_t)value;
	int shift;

	assert(value >= 0);
	if (v < FW_HISTOGRAM_SUB)
		return (uint32_t)v;
	shift = 63 - __builtin_clzll(v) - FW_HISTOGRAM_SUB_BITS;
	/* v >> shift keeps its leading bit, which adds one more group. */
	return (uint32_t)shift * FW_HISTOGRAM_SUB + (uint32_t)(v >> shift);
}

int64_t fw_histogram_top(uint32_t bucket)
{
	uint32_t group = bucket / FW_HISTOGRAM_SUB;
	uint64_t first;

	assert(bucket < FW_HISTOGRAM_BUCKETS);
	if (!group)
		return bucket;
	first = FW_HISTOGRAM_SUB + bucket % FW_HISTOGRAM_SUB;
	return (int64_t)(((first + 1) << (group - 1)) - 1);
}

void fw_histogram_init(struct fw_histogram *histogram)
{
	uint32_t i;

	atomic_init(&histogram->sum, 0);
	atomic_init(&histogram->max, 0);
	for (i = 0; i < FW_HISTOGRAM_BUCKETS; i++)
		atomic_init(&histogram->counts[i], 0);
}

static uint64_t saturating_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/*
 * Relaxed, as in the reads: no number depends on another. A load and a store
 * instead of an atomic add, since only one thread writes.
 */
static void add_own(_Atomic uint64_t *number, uint64_t amount)
{
	uint64_t old = atomic_load_explicit(number, memory_order_relaxed);

	atomic_store_explicit(number, saturating_add(old, amount),
			      memory_order_relaxed);
}

void fw_histogram_record(struct fw_histogram *histogram, int64_t value)
{
	if (value < 0)
		value = 0;
	add_own(&histogram->counts[fw_histogram_bucket(value)], 1);
	add_own(&histogram->sum, (uint64_t)value);
	if (value > atomic_load_explicit(&histogram->max, memory_order_relaxed))
		atomic_store_explicit(&histogram->max, value,
				      memory_order_relaxed);
}

void fw_histogram_read(const struct fw_histogram *histogram,
		       struct fw_histogram_view *view)
{
	uint64_t count;
	int64_t max;
	uint32_t i;

	for (i = 0; i < FW_HISTOGRAM_BUCKETS; i++) {
		count = atomic_load_explicit(&histogram->counts[i],
					     memory_order_relaxed);
		view->counts[i] += count;
		view->num += count;
	}
	view->sum = saturating_add(view->sum,
				   atomic_load_explicit(&histogram->sum,
							memory_order_relaxed));
	max = atomic_load_explicit(&histogram->max, memory_order_relaxed);
	if (max > view->max)
		view->max = max;
}

/* ceil(q * num), at least 1, without an overflow. */
static uint64_t rank_of(uint64_t num, uint32_t millionths)
{
	uint64_t whole = num / MILLION * millionths;
	uint64_t part = (num % MILLION * millionths + MILLION - 1) / MILLION;

	return whole + part ? whole + part : 1;
}

int64_t fw_histogram_quantile(const struct fw_histogram_view *view,
			      uint32_t millionths)
{
	uint64_t left = rank_of(view->num, millionths);
	uint32_t i;

	assert(millionths <= MILLION);
	if (!view->num)
		return 0;
	for (i = 0; left > view->counts[i]; i++)
		left -= view->counts[i];
	/*
	 * The largest value is exact, but it counts only in its own bucket:
	 * a view that was read during a record may have an older one.
	 */
	return fw_histogram_bucket(view->max) == i ? view->max
						   : fw_histogram_top(i);
}
