/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_RING_H
#define LIB_BASE_RING_H

#include "list.h"

/*
 * A list whose head is one pointer: to the first node, or NULL. It is for heads
 * that are many and mostly empty. The nodes are those of list.h and are linked
 * in a ring, so the first one leads to the last. Single owner, as list.h.
 */

static inline void fw_ring_add_tail(struct fw_list **ring, struct fw_list *node)
{
	struct fw_list *first = *ring;

	if (first) {
		fw_list_add_tail(first, node);
		return;
	}
	fw_list_init(node);
	*ring = node;
}

/* @node is on @ring. */
static inline void fw_ring_del(struct fw_list **ring, struct fw_list *node)
{
	if (*ring == node)
		*ring = node->next == node ? NULL : node->next;
	fw_list_del(node);
}

/* Move all nodes of @from to the end of @to. */
static inline void fw_ring_splice_tail(struct fw_list **to,
				       struct fw_list **from)
{
	struct fw_list *a = *to, *b = *from;
	struct fw_list *last;

	*from = NULL;
	if (!a || !b) {
		*to = a ? a : b;
		return;
	}
	last = b->prev;
	a->prev->next = b;
	b->prev = a->prev;
	last->next = a;
	a->prev = last;
}

#endif
