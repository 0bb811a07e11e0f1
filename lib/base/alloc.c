/* SPDX-License-Identifier: Apache-2.0 */
#include "alloc.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

static void *default_alloc(void *ctx, size_t size)
{
	(void)ctx;
	return malloc(size);
}

static void default_free(void *ctx, void *ptr, size_t size)
{
	(void)ctx;
	(void)size;
	free(ptr);
}

const struct fw_allocator fw_allocator_default = {
	.alloc = default_alloc,
	.free = default_free,
};

/* Bytes of an array. An empty one takes a byte, so NULL means failure. */
static size_t array_bytes(size_t num, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(num, size, &bytes) || bytes > PTRDIFF_MAX)
		return SIZE_MAX;
	return bytes ? bytes : 1;
}

void *fw_alloc_dirty(const struct fw_allocator *allocator, size_t num,
		     size_t size)
{
	size_t bytes = array_bytes(num, size);

	if (bytes == SIZE_MAX)
		return NULL;
	return allocator->alloc(allocator->ctx, bytes);
}

void *fw_alloc_array(const struct fw_allocator *allocator, size_t num,
		     size_t size)
{
	void *ptr = fw_alloc_dirty(allocator, num, size);

	if (ptr)
		memset(ptr, 0, array_bytes(num, size));
	return ptr;
}

void fw_free_array(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size)
{
	if (ptr)
		allocator->free(allocator->ctx, ptr, array_bytes(num, size));
}

int fw_grow_dirty(const struct fw_allocator *allocator, void **array,
		  size_t *cap, size_t used, size_t need, size_t size)
{
	size_t want = *cap < 8 ? 16 : *cap * 2;
	void *grown;

	if (need <= *cap)
		return 0;
	if (want < need)
		want = need;
	grown = fw_alloc_dirty(allocator, want, size);
	if (!grown)
		return -ENOMEM;
	if (used)
		memcpy(grown, *array, used * size);
	fw_free_array(allocator, *array, *cap, size);
	*array = grown;
	*cap = want;
	return 0;
}

int fw_grow_array(const struct fw_allocator *allocator, void **array,
		  size_t *cap, size_t need, size_t size)
{
	size_t before = *cap;
	int ret = fw_grow_dirty(allocator, array, cap, before, need, size);

	if (!ret && *cap > before)
		memset((char *)*array + before * size, 0,
		       (*cap - before) * size);
	return ret;
}

/* Room to align, and for the address that the allocator returned. */
static size_t lines_bytes(size_t num, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(num, size, &bytes) ||
	    __builtin_add_overflow(bytes, FW_LINE + sizeof(void *), &bytes))
		return SIZE_MAX;
	return bytes;
}

void *fw_alloc_lines_dirty(const struct fw_allocator *allocator, size_t num,
			   size_t size)
{
	char *raw = fw_alloc_dirty(allocator, 1, lines_bytes(num, size));
	uintptr_t start;
	char *lines;

	if (!raw)
		return NULL;
	start = (uintptr_t)raw + sizeof(void *);
	lines = raw + sizeof(void *) + (-start & (FW_LINE - 1));
	memcpy(lines - sizeof(void *), &raw, sizeof(void *));
	return lines;
}

void *fw_alloc_lines(const struct fw_allocator *allocator, size_t num,
		     size_t size)
{
	void *lines = fw_alloc_lines_dirty(allocator, num, size);

	/* The product did not overflow, or there were no lines. */
	return lines ? memset(lines, 0, num * size) : NULL;
}

void fw_free_lines(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size)
{
	void *raw;

	if (!ptr)
		return;
	memcpy(&raw, (char *)ptr - sizeof(void *), sizeof(void *));
	fw_free_array(allocator, raw, 1, lines_bytes(num, size));
}
