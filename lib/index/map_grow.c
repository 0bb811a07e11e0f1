/* SPDX-License-Identifier: Apache-2.0 */
#include "map_cell.h"

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"

/* Buckets that a call zeroes or copies while the table grows. */
#define ZERO_PIECE 8u
#define COPY_PIECE 4u

static size_t array_bytes(uint64_t buckets)
{
	return buckets * sizeof(struct fw_table_bucket) + LINE;
}

/* Buckets full of garbage. */
static struct fw_table_array *new_array(const struct fw_allocator *a,
					uint64_t buckets)
{
	struct fw_table_array *array = fw_alloc_array(a, 1, sizeof(*array));

	if (!array)
		return NULL;
	array->memory = a->alloc(a->ctx, array_bytes(buckets));
	if (!array->memory) {
		fw_free_array(a, array, 1, sizeof(*array));
		return NULL;
	}
	array->alone.cur = fw_align(array->memory, LINE);
	array->alone.mask = buckets - 1;
	return array;
}

static void free_array(const struct fw_allocator *a,
		       struct fw_table_array *array)
{
	if (!array)
		return;
	a->free(a->ctx, array->memory, array_bytes(fw_table_buckets(array)));
	fw_free_array(a, array, 1, sizeof(*array));
}

static void free_arrays(const struct fw_allocator *a,
			struct fw_table_array *array)
{
	while (array) {
		struct fw_table_array *next = array->next;

		free_array(a, array);
		array = next;
	}
}

int fw_table_init(struct fw_node_table *table, size_t num,
		  const struct fw_allocator *allocator)
{
	struct fw_node_table new = {.allocator = allocator};
	uint64_t buckets = MIN_BUCKETS;

	while (buckets < MAX_BUCKETS && buckets / 2 * FW_BUCKET_SLOTS < num)
		buckets *= 2;
	new.cur = new_array(allocator, buckets);
	if (!new.cur)
		return -ENOMEM;
	memset(new.cur->alone.cur, 0, buckets * sizeof(*new.cur->alone.cur));
	fw_key_seed(new.seed);
	*table = new;
	/* [X2] */
	fw_rcu_publish(&table->view, &table->cur->alone);
	return 0;
}

void fw_table_destroy(struct fw_node_table *table)
{
	free_arrays(table->allocator, table->leaving);
	free_arrays(table->allocator, table->limbo);
	free_array(table->allocator, table->next);
	free_array(table->allocator, table->old);
	free_array(table->allocator, table->cur);
	table->leaving = table->limbo = NULL;
	table->next = table->old = table->cur = NULL;
}

bool fw_table_advance(struct fw_node_table *table)
{
	free_arrays(table->allocator, table->leaving);
	table->leaving = table->limbo;
	table->limbo = NULL;
	return table->leaving != NULL;
}

static int begin_growth(struct fw_node_table *table)
{
	uint64_t buckets = fw_table_buckets(table->cur) * 2;

	if (buckets > MAX_BUCKETS)
		return -ENOMEM;
	table->next = new_array(table->allocator, buckets);
	table->done = 0;
	return table->next ? 0 : -ENOMEM;
}

/* The new array is zeroed: entries go there from now on. */
static void publish_next(struct fw_node_table *table)
{
	struct fw_table_view *beside = &table->next->beside;

	*beside = table->next->alone;
	beside->old = table->cur->alone.cur;
	beside->old_mask = table->cur->alone.mask;
	table->old = table->cur;
	table->cur = table->next;
	table->next = NULL;
	table->done = 0;
	table->last = NULL;
	/* [X2] Release: the zeros and the view before it is found. */
	fw_rcu_publish(&table->view, beside);
}

static void give_up_old(struct fw_node_table *table)
{
	/* [X2] Release: the copies before the view that needs them. */
	fw_rcu_publish(&table->view, &table->cur->alone);
	table->old->next = table->limbo;
	table->limbo = table->old;
	table->old = NULL;
}

static void zero_piece(struct fw_node_table *table)
{
	struct fw_table_bucket *buckets = table->next->alone.cur;

	/* Nobody else knows of them yet. */
	memset(&buckets[table->done], 0, ZERO_PIECE * sizeof(*buckets));
	table->done += ZERO_PIECE;
	if (table->done == fw_table_buckets(table->next))
		publish_next(table);
}

/* Bits of the hash that choose the home of @slot, which lies in bucket @at. */
static uint64_t slot_home(const struct fw_node_pool *pool, uint64_t slot,
			  uint64_t at)
{
	uint64_t past = slot >> PAST_SHIFT & PAST_MAX;

	if (past == PAST_MAX)
		return fw_pool_node(pool, (uint32_t)(slot & ID_MASK))->hash;
	return (slot >> TAG_SHIFT) << HOME_BITS |
	       ((at - past) & (MIN_BUCKETS - 1));
}

static void copy_bucket(struct fw_node_table *table,
			const struct fw_node_pool *pool, uint64_t at)
{
	const struct fw_table_bucket *from = &table->old->alone.cur[at];

	for (unsigned int i = 0; i < FW_BUCKET_SLOTS; i++) {
		uint64_t slot = fw_slot_own(&from->slots[i]);

		if (slot)
			fw_table_insert(table->cur,
					slot_home(pool, slot, at) &
						table->cur->alone.mask,
					slot & ~(PAST_MAX << PAST_SHIFT));
	}
}

static void copy_piece(struct fw_node_table *table,
		       const struct fw_node_pool *pool)
{
	for (unsigned int i = 0; i < COPY_PIECE; i++)
		copy_bucket(table, pool, table->done++);
	if (table->done == fw_table_buckets(table->old))
		give_up_old(table);
}

int fw_table_reserve(struct fw_node_table *table,
		     const struct fw_node_pool *pool, size_t num)
{
	do {
		int ret = 0;

		if (table->old)
			copy_piece(table, pool);
		else if (table->next)
			zero_piece(table);
		else if (!fw_table_fits(table->cur, num))
			ret = begin_growth(table);
		if (ret)
			return ret;
	} while (!fw_table_holds(table->cur, num));
	return 0;
}
