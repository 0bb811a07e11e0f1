/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_AGES_H
#define TOOLS_POLICY_AGES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/compiler.h"

struct fw_allocator;

/**
 * struct ages_node - hook embedded in anything that has an age
 * @at: index in its ages plus their @moved
 */
struct FW_MAY_ALIAS ages_node {
	uint32_t at;
};

/**
 * struct ages - who waits, oldest first
 * @items: those that left are NULL; neither the first nor the last one is
 * @first: index of the oldest
 * @num: index behind the youngest
 * @cap: room for
 * @moved: how far items were moved down since the beginning
 * @allocator: of @items
 *
 * Nodes are added by rising age and leave from anywhere, both in constant time.
 * Single owner.
 */
struct ages {
	struct ages_node **items;
	size_t first;
	size_t num;
	size_t cap;
	uint32_t moved;
	const struct fw_allocator *allocator;
};

void ages_init(struct ages *ages, const struct fw_allocator *allocator);
void ages_destroy(struct ages *ages);

/* Return: 0, -ENOMEM. */
int ages_add(struct ages *ages, struct ages_node *node);
void ages_remove(struct ages *ages, const struct ages_node *node);

/* NULL when nobody waits. */
static inline struct ages_node *ages_oldest(const struct ages *ages)
{
	return ages->first < ages->num ? ages->items[ages->first] : NULL;
}

#endif
