/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_BASE_LIST_H
#define LIB_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"

/*
 * Intrusive doubly linked list with a head. A node of zeros is on no list, so
 * zeroed memory needs no other initialising. Single owner: no two operations
 * may run at once on the same list.
 */

/**
 * struct fw_list - hook embedded in anything that a list links, and its head
 * @next: NULL while on no list
 * @prev: the same
 */
struct FW_MAY_ALIAS fw_list {
	struct fw_list *next;
	struct fw_list *prev;
};

#define fw_list_entry(ptr, type, member) container_of(ptr, type, member)

#define fw_list_for_each_safe(pos, tmp, head)                            \
	for ((pos) = (head)->next, (tmp) = (pos)->next; (pos) != (head); \
	     (pos) = (tmp), (tmp) = (pos)->next)

static inline void fw_list_init(struct fw_list *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool fw_list_empty(const struct fw_list *head)
{
	return head->next == head;
}

static inline bool fw_list_linked(const struct fw_list *node)
{
	return node->next != NULL;
}

static inline void fw_list_add_tail(struct fw_list *head, struct fw_list *node)
{
	node->next = head;
	node->prev = head->prev;
	head->prev->next = node;
	head->prev = node;
}

static inline void fw_list_del(struct fw_list *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	node->next = NULL;
	node->prev = NULL;
}

#endif
