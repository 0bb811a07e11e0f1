/* SPDX-License-Identifier: Apache-2.0 */
#include "fail_alloc.h"

#include <stdlib.h>
#include <string.h>

/* In front of each allocation; 16 bytes keep what follows aligned to 16. */
#define HEADER 16u
#define FRESH 0xa5
#define STALE 0x5a

_Static_assert(sizeof(size_t) <= HEADER, "the size fits the header");

static bool must_fail(struct fail_alloc *fail)
{
	if (!fail->armed || fail->left--)
		return false;
	fail->armed = false;
	return true;
}

static void *counted_alloc(void *ctx, size_t size)
{
	struct fail_alloc *fail = ctx;
	unsigned char *memory;

	fail->calls++;
	if (must_fail(fail)) {
		fail->failed++;
		return NULL;
	}
	memory = malloc(HEADER + size);
	if (!memory)
		abort();
	memcpy(memory, &size, sizeof(size));
	memset(memory + HEADER, FRESH, size);
	fail->live++;
	return memory + HEADER;
}

static void counted_free(void *ctx, void *ptr, size_t size)
{
	struct fail_alloc *fail = ctx;
	unsigned char *memory = (unsigned char *)ptr - HEADER;
	size_t asked;

	memcpy(&asked, memory, sizeof(asked));
	if (asked != size)
		fail->bad_frees++;
	memset(memory, STALE, HEADER + asked);
	fail->live--;
	free(memory);
}

void fail_alloc_init(struct fail_alloc *fail)
{
	*fail = (struct fail_alloc){
		.allocator =
			{
				.alloc = counted_alloc,
				.free = counted_free,
				.ctx = fail,
			},
	};
}

void fail_alloc_after(struct fail_alloc *fail, size_t num)
{
	fail->armed = true;
	fail->left = num;
}

void fail_alloc_disarm(struct fail_alloc *fail)
{
	fail->armed = false;
}

bool fail_alloc_clean(const struct fail_alloc *fail)
{
	return !fail->live && !fail->bad_frees;
}
