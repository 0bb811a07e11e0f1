/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_HISTOGRAM_H
#define LIB_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"

/*
 * Histogram of whole numbers from 0 to INT64_MAX, nanoseconds or tokens, in
 * fixed memory. Each value below 64 has a bucket of its own. Above that there
 * are 32 buckets for each power of two. A quantile is the largest value of its
 * bucket, so it is never below the recorded value, and less than 1/32 above it.
 *
 *			record	read	init
 *	record		no	yes	no
 *	read		yes	yes	no
 *
 * Progress: all wait-free. One thread records at a time. Any thread reads, at
 * any time, into a struct fw_histogram_view of its own.
 *
 * A reader sees each count as it was at some moment of the read. So it sees all
 * values that were recorded before the read began, some of those that were
 * recorded during the read, and none that came later. The view's number of
 * values is the sum of the counts that it read, so ranks always fit. Its sum
 * and its largest value may differ by the values recorded during the read.
 */

#define FW_HISTOGRAM_SUB_BITS 5
#define FW_HISTOGRAM_SUB (1 << FW_HISTOGRAM_SUB_BITS)
#define FW_HISTOGRAM_BUCKETS \
	((63 - FW_HISTOGRAM_SUB_BITS + 1) * FW_HISTOGRAM_SUB)

/**
 * struct fw_histogram - what one thread records
 * @sum: of all values, up to UINT64_MAX
 * @max: largest value, 0 without any
 * @counts: values of each bucket
 */
struct fw_histogram {
	_Atomic uint64_t sum FW_LINE_ALIGNED;
	_Atomic int64_t max;
	_Atomic uint64_t counts[FW_HISTOGRAM_BUCKETS];
};

/**
 * struct fw_histogram_view - a reader's own copy of one or more histograms
 * @num: number of values
 * @sum: of all values, up to UINT64_MAX
 * @max: largest value, 0 without any
 * @counts: values of each bucket
 */
struct fw_histogram_view {
	uint64_t num;
	uint64_t sum;
	int64_t max;
	uint64_t counts[FW_HISTOGRAM_BUCKETS];
};

/* Make a histogram empty. No other thread may use it meanwhile. */
void fw_histogram_init(struct fw_histogram *histogram);

/**
 * fw_histogram_record() - count a value
 * @histogram: the histogram
 * @value: below 0 counts as 0
 *
 * Context: One thread at a time. No locked instruction.
 */
void fw_histogram_record(struct fw_histogram *histogram, int64_t value);

/**
 * fw_histogram_read() - add all recorded values to a view
 * @histogram: the histogram
 * @view: zeroed, or with the values of other histograms
 *
 * Context: Any thread.
 */
void fw_histogram_read(const struct fw_histogram *histogram,
		       struct fw_histogram_view *view);

/**
 * fw_histogram_quantile() - a quantile by nearest rank
 * @view: the values
 * @millionths: 500000 for the median, at most 1000000
 *
 * Finds the bucket of the ceil(q * num)-th smallest value, or of the smallest
 * one when q is 0.
 *
 * Return: The largest value of that bucket, but at most the largest recorded
 * value; 0 for a view without values.
 */
int64_t fw_histogram_quantile(const struct fw_histogram_view *view,
			      uint32_t millionths);

/* The bucket that counts @value, which is not below 0. */
uint32_t fw_histogram_bucket(int64_t value);

/* The largest value that @bucket counts. */
int64_t fw_histogram_top(uint32_t bucket);

#endif
