/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_CLOCK_H
#define LIB_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/*
 * CLOCK_MONOTONIC in nanoseconds. The library reads it here alone, and the
 * command measures by it.
 */
static inline int64_t fw_clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Nanoseconds from @from to @to. Saturates: an embedder may give any time. */
static inline int64_t fw_clock_since(int64_t from, int64_t to)
{
	int64_t since;

	if (__builtin_sub_overflow(to, from, &since))
		return to < from ? INT64_MIN : INT64_MAX;
	return since;
}

/*
 * The one place that turns public times, which are int64 nanoseconds, into the
 * seconds since open, as double, that the core and the simulator use. Within
 * 104 days the result is exact to half an ulp.
 */
static inline double fw_clock_s(int64_t open, int64_t now)
{
	return (double)fw_clock_since(open, now) / 1e9;
}

/* A virtual clock's seconds as nanoseconds. Saturates. */
static inline int64_t fw_clock_ns(double seconds)
{
	double ns = seconds * 1e9;

	if (!(ns < 0x1p63))
		return INT64_MAX;
	return ns < -0x1p63 ? INT64_MIN : (int64_t)ns;
}

#endif
