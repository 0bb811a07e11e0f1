/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_COMPILER_H
#define LIB_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member) \
	((type *)(void *)((char *)(ptr)-offsetof(type, member)))

/*
 * What different threads write stands this far apart: two lines, since x86
 * fetches neighbours in pairs and some aarch64 have lines of this length.
 */
#define FW_LINE 128
#define FW_LINE_ALIGNED __attribute__((aligned(FW_LINE)))

/* Read or written through another type than it was declared with. */
#define FW_MAY_ALIAS __attribute__((may_alias))

/* The first address from @ptr on that is a multiple of @align; NULL stays. */
static inline void *fw_align(void *ptr, size_t align)
{
	uintptr_t at = (uintptr_t)ptr;

	return ptr ? (char *)ptr + (-at & (align - 1)) : NULL;
}

#endif
