/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>

/*
 * The one place where public times, int64 nanoseconds, become what the core
 * and the simulator reckon in: double seconds since open. A difference that
 * would overflow saturates; within 104 days the conversion is exact to half
 * an ulp of the quotient.
 */
static inline double fw_clock_s(int64_t open, int64_t now)
{
	int64_t since;

	if (__builtin_sub_overflow(now, open, &since))
		since = now < open ? INT64_MIN : INT64_MAX;
	return (double)since / 1e9;
}

#endif
