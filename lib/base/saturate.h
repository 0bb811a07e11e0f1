/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_SATURATE_H
#define LIB_BASE_SATURATE_H

#include <stdint.h>

/* @a + @b, @b not negative; what does not fit is INT64_MAX. */
static inline int64_t fw_add_saturating(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

#endif
