/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ALLOC_H
#define LIB_BASE_ALLOC_H

#include <stddef.h>

#include <fairway/config.h>

/* malloc() and free(), for callers that give no allocator. */
extern const struct fw_allocator fw_allocator_default;

/**
 * fw_alloc_array() - zeroed memory for @num objects of @size bytes
 * @allocator: where from
 * @num: may be 0
 * @size: of one object
 *
 * Return: The memory, or NULL when there is none or the product overflows.
 */
void *fw_alloc_array(const struct fw_allocator *allocator, size_t num,
		     size_t size);

/**
 * fw_alloc_dirty() - as fw_alloc_array(), but the memory is not zeroed
 * @allocator: where from
 * @num: may be 0
 * @size: of one object
 *
 * Memory that nobody writes takes no page. For large arrays that grow.
 */
void *fw_alloc_dirty(const struct fw_allocator *allocator, size_t num,
		     size_t size);

/**
 * fw_free_array() - free what either of them returned
 * @allocator: where it came from
 * @ptr: may be NULL
 * @num: as in the allocation
 * @size: as in the allocation
 */
void fw_free_array(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size);

/**
 * fw_grow_array() - make room in an array, at least doubling it
 * @allocator: where it came from
 * @array: in and out; not changed on failure
 * @cap: its capacity in objects, in and out
 * @need: capacity that is needed
 * @size: of one object
 *
 * The new part of the array is zeroed.
 *
 * Return: 0, -ENOMEM.
 */
int fw_grow_array(const struct fw_allocator *allocator, void **array,
		  size_t *cap, size_t need, size_t size);

/**
 * fw_grow_dirty() - as fw_grow_array(), but the new part is not zeroed
 * @allocator: where it came from
 * @array: in and out; not changed on failure
 * @cap: its capacity in objects, in and out
 * @used: so many objects, the first ones, are kept
 * @need: capacity that is needed
 * @size: of one object
 *
 * Return: 0, -ENOMEM.
 */
int fw_grow_dirty(const struct fw_allocator *allocator, void **array,
		  size_t *cap, size_t used, size_t need, size_t size);

/**
 * fw_alloc_lines() - as fw_alloc_array(), aligned to FW_LINE
 * @allocator: where from
 * @num: may be 0
 * @size: of one object
 *
 * Return: The memory, or NULL when there is none or the product overflows.
 */
void *fw_alloc_lines(const struct fw_allocator *allocator, size_t num,
		     size_t size);

/* The same, but the memory is not zeroed, as with fw_alloc_dirty(). */
void *fw_alloc_lines_dirty(const struct fw_allocator *allocator, size_t num,
			   size_t size);

/* Free what either of them returned; @ptr may be NULL. */
void fw_free_lines(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size);

#endif
