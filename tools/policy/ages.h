/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_AGES_H
#define TOOLS_POLICY_AGES_H

#include "lib/queue/queued.h"

/**
 * struct ages - who waits, oldest first
 * @items: those that left are NULL; neither the first nor the last one is
 * @first: index of the oldest
 * @num: index behind the youngest
 * @cap: room for
 * @moved: how far items were moved down since the beginning
 * @allocator: of @items
 *
 * An entry's by_score is its index plus @moved. Requests are added by rising
 * age and leave from anywhere, both in constant time. Single owner.
 */
struct ages {
	struct fw_entry **items;
	size_t first;
	size_t num;
	size_t cap;
	uint32_t moved;
	const struct fw_allocator *allocator;
};

void ages_init(struct ages *ages, const struct fw_allocator *allocator);
void ages_destroy(struct ages *ages);

/* Return: 0, -ENOMEM. */
int ages_add(struct ages *ages, struct fw_entry *entry);
void ages_remove(struct ages *ages, const struct fw_entry *entry);

/* NULL when nobody waits. */
static inline struct fw_entry *ages_oldest(const struct ages *ages)
{
	return ages->first < ages->num ? ages->items[ages->first] : NULL;
}

#endif
