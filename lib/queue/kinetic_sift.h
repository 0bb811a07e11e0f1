/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_KINETIC_SIFT_H
#define LIB_QUEUE_KINETIC_SIFT_H

#include <stdbool.h>
#include <stddef.h>

#include "score_kinetic.h"

/*
 * How a line finds its slot in the kinetic heap, and what that does to the due
 * times around it. For score_kinetic.c alone, which says when.
 */

/**
 * fw_kinetic_sift_down() - move a hole down from @slot to where @item belongs
 * @heap: below @slot in order
 * @slot: the hole
 * @item: not ahead of what stands above @slot
 *
 * Due times are right from @slot on down afterwards, not those above it.
 */
void fw_kinetic_sift_down(struct fw_kinetic *heap, size_t slot,
			  const struct fw_kinetic_item *item);

/* Put @item into the hole at @slot, wherever from there it belongs. */
void fw_kinetic_place(struct fw_kinetic *heap, size_t slot,
		      const struct fw_kinetic_item *item);

/* Is the edge to @slot from its parent in order, and its due time no later? */
bool fw_kinetic_in_order(const struct fw_kinetic *heap, size_t slot);

static inline bool fw_kinetic_has_children(const struct fw_kinetic *heap,
					   size_t slot)
{
	return fw_kinetic_first_child(slot) < heap->at.num;
}

#endif
