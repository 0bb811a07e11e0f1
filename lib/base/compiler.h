/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_COMPILER_H
#define LIB_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/*
 * Fields that different threads write are this many bytes apart. That is two
 * lines on x86, which fetches lines in pairs, and one line on some aarch64.
 */
#define FW_LINE 128
#define FW_LINE_ALIGNED __attribute__((aligned(FW_LINE)))

/* For a type whose objects are accessed through another type as well. */
#define FW_MAY_ALIAS __attribute__((may_alias))

#endif
