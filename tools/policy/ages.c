/* SPDX-License-Identifier: Apache-2.0 */
#include "ages.h"

#include <assert.h>
#include <string.h>

#include "lib/base/alloc.h"

void ages_init(struct ages *ages, const struct fw_allocator *allocator)
{
	*ages = (struct ages){.allocator = allocator};
}

void ages_destroy(struct ages *ages)
{
	fw_free_array(ages->allocator, ages->items, ages->cap,
		      sizeof(struct ages_node *));
	ages->items = NULL;
}

/* Half of the array is unused at least, so this costs each item little. */
static void move_down(struct ages *ages)
{
	size_t num = ages->num - ages->first;

	memmove(ages->items, ages->items + ages->first,
		num * sizeof(struct ages_node *));
	/* The numbers wrap, their differences do not. */
	ages->moved += (uint32_t)ages->first;
	ages->num = num;
	ages->first = 0;
}

int ages_add(struct ages *ages, struct ages_node *node)
{
	int ret;

	if (ages->num == ages->cap && ages->first > ages->num / 2)
		move_down(ages);
	ret = fw_grow_array(ages->allocator, (void **)&ages->items, &ages->cap,
			    ages->num + 1, sizeof(struct ages_node *));
	if (ret)
		return ret;
	node->at = (uint32_t)ages->num + ages->moved;
	ages->items[ages->num++] = node;
	return 0;
}

void ages_remove(struct ages *ages, const struct ages_node *node)
{
	uint32_t i = node->at - ages->moved;

	assert(i < ages->num && ages->items[i] == node);
	ages->items[i] = NULL;
	while (ages->first < ages->num && !ages->items[ages->first])
		ages->first++;
	while (ages->num > ages->first && !ages->items[ages->num - 1])
		ages->num--;
}
