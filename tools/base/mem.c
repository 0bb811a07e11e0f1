/* SPDX-License-Identifier: Apache-2.0 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#ifdef HAVE_JEMALLOC

#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <sys/mman.h>

/* What one entry of the upper page table maps on x86-64 and most of arm64. */
#define HUGE_PAGE ((size_t)2 << 20)

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* Written once, before any allocation. */
static int flags;

/* Where no arena can be made, the memory comes from the common ones. */
static void create_arena(void)
{
	unsigned int arena;
	size_t size = sizeof(arena);

	if (mallctl("arenas.create", &arena, &size, NULL, 0) == 0)
		flags = (int)MALLOCX_ARENA(arena) | MALLOCX_TCACHE_NONE;
}

/*
 * A step looks at cache lines all over the heap. On small pages each of them
 * would also miss the TLB. madvise() only asks: a kernel without huge pages
 * maps small ones.
 */
static void *alloc_huge(size_t size)
{
	void *ptr = mallocx(size, flags | MALLOCX_ALIGN(HUGE_PAGE));

	if (ptr)
		madvise(ptr, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
	return ptr;
}

static void *arena_alloc(void *ctx, size_t size)
{
	(void)ctx;
	if (size >= HUGE_PAGE)
		return alloc_huge(size);
	return mallocx(size, flags | MALLOCX_LG_ALIGN(4));
}

/*
 * jemalloc finds the arena by the address. The flags still say that no cache
 * of a thread is used: the memory did not come through one, and must not go
 * back through one.
 */
static void arena_free(void *ctx, void *ptr, size_t size)
{
	(void)ctx;
	(void)size;
	if (ptr)
		dallocx(ptr, flags);
}

static const struct fw_allocator allocator = {
	.alloc = arena_alloc,
	.free = arena_free,
};

const struct fw_allocator *mem_allocator(void)
{
	pthread_once(&once, create_arena);
	return &allocator;
}

#else

#include "lib/base/alloc.h"

const struct fw_allocator *mem_allocator(void)
{
	return &fw_allocator_default;
}

#endif

void *mem_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t num = *cap + *cap / 2;
	void *grown;

	if (need <= *cap)
		return array;
	if (num < need)
		num = need < 16 ? 16 : need;
	if (num > PTRDIFF_MAX / size)
		return NULL;
	grown = realloc(array, num * size);
	if (grown)
		*cap = num;
	return grown;
}

size_t mem_peak_rss(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return 0;
	/* Linux counts in KiB. */
	return (size_t)usage.ru_maxrss * 1024;
}
