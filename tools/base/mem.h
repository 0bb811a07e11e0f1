/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_MEM_H
#define TOOLS_BASE_MEM_H

#include <stddef.h>

#include <fairway/config.h>

/**
 * mem_allocator() - where the command takes its large and hot memory from
 *
 * With jemalloc it is an arena that the first call makes. So the memory of the
 * scheduler does not mix with that of the rest of the process. Without
 * jemalloc it is malloc() and free().
 *
 * Context: Any thread.
 * Return: The allocator, never NULL; it lives as long as the process.
 */
const struct fw_allocator *mem_allocator(void);

/**
 * mem_grow() - room in an array of malloc()
 * @array: NULL, or what the last call gave
 * @cap: objects that it has room for; updated
 * @need: objects that it must have room for, at least 1
 * @size: bytes of one object
 *
 * The array grows by half at least, so that appending stays cheap.
 *
 * Return: The array, to be freed. NULL without memory; @array and @cap are
 * then as they were.
 */
void *mem_grow(void *array, size_t *cap, size_t need, size_t size);

/* The most memory that was resident so far, in bytes; 0 where unknown. */
size_t mem_peak_rss(void);

#endif
