/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_HISTOGRAM_H
#define LIB_BASE_HISTOGRAM_H

#include <stdatomic.h>
#include <stdint.h>

#include "compiler.h"

/*
 * Histogram of whole numbers from 0 to INT64_MAX, nanoseconds or tokens, in
 * fixed memory: values below 64 by themselves, above that 32 buckets for each
 * power of two. What is read back is a bucket's largest value: never below
 * what was recorded, and above it by less than 1/32 of it.
 *
 *			record	read	init
 *	record		no	yes	no
 *	read		yes	yes	no
 *
 * Progress: all wait-free. One thread records at a time; any thread reads,
 * at any time, into a struct fw_histogram_view of its own.
 *
 * What a reader may see: each count as it was at some moment during the read.
 * So of the values recorded before the read began all are in, of those
 * recorded after its end none, and of those between some. The view's number
 * of values is the sum of the counts that it read, so that ranks always fit;
 * its sum and largest value may be ahead or behind by the values between.
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
 * struct fw_histogram_view - a reader's own copy; of one or several
 * @num: values in it
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

/* Make it empty. Nobody may use it meanwhile. */
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
 * fw_histogram_read() - add what is recorded so far to a view
 * @histogram: the histogram
 * @view: zeroed, or holding what was read from others
 *
 * Context: Any thread.
 */
void fw_histogram_read(const struct fw_histogram *histogram,
		       struct fw_histogram_view *view);

/* Add the values of @from to those of @to. */
void fw_histogram_merge(struct fw_histogram_view *to,
			const struct fw_histogram_view *from);

/**
 * fw_histogram_quantile() - a quantile by nearest rank
 * @view: what was read
 * @millionths: 500000 for the median, at most 1000000
 *
 * The largest value of the bucket that holds the ceil(q * num)-th smallest
 * value (the first one for q = 0), but never more than the largest recorded.
 *
 * Return: The value, 0 without any.
 */
int64_t fw_histogram_quantile(const struct fw_histogram_view *view,
			      uint32_t millionths);

/* Which bucket counts @value, not below 0. */
uint32_t fw_histogram_bucket(int64_t value);

/* The largest value that @bucket counts. */
int64_t fw_histogram_top(uint32_t bucket);

#endif
