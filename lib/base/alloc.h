/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_ALLOC_H
#define LIB_BASE_ALLOC_H

#include <stddef.h>

#include <fairway/config.h>

/* malloc and free, for who gives no allocator. */
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
 * fw_alloc_dirty() - as fw_alloc_array(), but not written to
 * @allocator: where from
 * @num: may be 0
 * @size: of one object
 *
 * What nobody writes takes no page: for large arrays with room to grow.
 */
void *fw_alloc_dirty(const struct fw_allocator *allocator, size_t num,
		     size_t size);

/**
 * fw_free_array() - give back what either of them returned
 * @allocator: where it came from
 * @ptr: may be NULL
 * @num: as it was allocated
 * @size: as it was allocated
 */
void fw_free_array(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size);

/**
 * fw_grow_array() - make room in an array, at least doubling it
 * @allocator: where it came from
 * @array: in and out; as before on failure
 * @cap: its capacity in objects, in and out
 * @need: capacity that is needed
 * @size: of one object
 *
 * What is added is zeroed.
 *
 * Return: 0, -ENOMEM.
 */
int fw_grow_array(const struct fw_allocator *allocator, void **array,
		  size_t *cap, size_t need, size_t size);

/**
 * fw_grow_dirty() - as fw_grow_array(), but what is added is not written to
 * @allocator: where it came from
 * @array: in and out; as before on failure
 * @cap: its capacity in objects, in and out
 * @used: objects that are kept, the first ones
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

/* Give back what fw_alloc_lines() returned; @ptr may be NULL. */
void fw_free_lines(const struct fw_allocator *allocator, void *ptr, size_t num,
		   size_t size);

#endif
