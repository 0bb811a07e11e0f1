/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_MEM_H
#define TOOLS_BASE_MEM_H

#include <stddef.h>

#include <fairway/config.h>

/**
 * mem_allocator() - where the command takes its large and hot memory from
 *
 * With jemalloc an arena of its own, made on the first call: what the
 * scheduler allocates is then neither mixed with nor slowed by the rest of
 * the process. Without it malloc and free.
 *
 * Context: Any thread.
 * Return: The allocator, never NULL; it lives as long as the process.
 */
const struct fw_allocator *mem_allocator(void);

/**
 * mem_grow() - room in an array of malloc()
 * @array: NULL, or what the last call gave
 * @cap: objects that it has room for, in and out
 * @need: objects that there must be room for, over 0
 * @size: of one object
 *
 * Grows by half at least: appending stays cheap, and little is left unused.
 *
 * Return: The array, to be freed; NULL where there is no memory, then @array
 * and @cap are as they were.
 */
void *mem_grow(void *array, size_t *cap, size_t need, size_t size);

/* Most memory that was ever resident, in bytes; 0 where nobody knows. */
size_t mem_peak_rss(void);

#endif
