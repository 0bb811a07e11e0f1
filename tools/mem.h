/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_MEM_H
#define TOOLS_MEM_H

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

/* Most memory that was ever resident, in bytes; 0 where nobody knows. */
size_t mem_peak_rss(void);

#endif
