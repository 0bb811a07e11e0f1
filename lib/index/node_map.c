/* SPDX-License-Identifier: Apache-2.0 */
#include "node_map.h"

#include <assert.h>

#include "map_cell.h"

/**
 * struct cursor - a walk over the slots where a hash may be
 * @buckets: of an array
 * @mask: their number minus one
 * @at: bucket
 * @slot: next one in it
 */
struct cursor {
	const struct fw_table_bucket *buckets;
	uint64_t mask;
	uint64_t at;
	unsigned int slot;
};

static struct cursor cursor_at(const struct fw_table_bucket *buckets,
			       uint64_t mask, uint64_t hash)
{
	return (struct cursor){buckets, mask, hash & mask, 0};
}

/* The next slot that is @want in the bits @care, or 0, which @want is not. */
static uint64_t next_slot(struct cursor *c, uint64_t want, uint64_t care)
{
	for (;;) {
		const struct fw_table_bucket *bucket = &c->buckets[c->at];

		while (c->slot < FW_BUCKET_SLOTS) {
			/* [X1] Acquire: the key, and what was opened before. */
			uint64_t slot =
				atomic_load_explicit(&bucket->slots[c->slot++],
						     memory_order_acquire);

			if ((slot & care) == want)
				return slot;
		}
		/*
		 * Relaxed: it counts before the entry appears, so who sees 0
		 * looks at a time when there was none.
		 */
		if (!atomic_load_explicit(&bucket->past, memory_order_relaxed))
			return 0;
		c->at = (c->at + 1) & c->mask;
		c->slot = 0;
	}
}

static uint32_t find_in(const struct fw_table_bucket *buckets, uint64_t mask,
			const struct fw_node_pool *pool,
			const struct fw_key *key, uint64_t hash, uint64_t flag)
{
	struct cursor c = cursor_at(buckets, mask, hash);
	uint64_t slot;

	while ((slot = next_slot(&c, fw_slot_tag(hash) | flag,
				 TAG_MASK | flag))) {
		uint32_t id = (uint32_t)(slot & ID_MASK);

		if (fw_key_equal(fw_pool_key(pool, id), key))
			return id;
	}
	return FW_NODE_NONE;
}

static uint32_t find_any(const struct fw_table_view *view,
			 const struct fw_node_pool *pool,
			 const struct fw_key *key, uint64_t hash, uint64_t flag)
{
	uint32_t id = find_in(view->cur, view->mask, pool, key, hash, flag);

	/* Entries move from the old one to the other: look there last. */
	if (id == FW_NODE_NONE && view->old)
		id = find_in(view->old, view->old_mask, pool, key, hash, flag);
	return id;
}

uint32_t fw_view_find(const struct fw_table_view *view,
		      const struct fw_node_pool *pool, const struct fw_key *key,
		      uint64_t hash)
{
	return find_any(view, pool, key, hash, OPEN);
}

static const struct fw_table_view *owner_view(const struct fw_node_table *table)
{
	return table->old ? &table->cur->beside : &table->cur->alone;
}

uint32_t fw_table_find(const struct fw_node_table *table,
		       const struct fw_node_pool *pool,
		       const struct fw_key *key, uint64_t hash)
{
	return find_any(owner_view(table), pool, key, hash, USED);
}

static uint64_t first_slot(const struct fw_table_view *view, uint64_t hash,
			   uint64_t flag)
{
	struct cursor c = cursor_at(view->cur, view->mask, hash);
	uint64_t want = fw_slot_tag(hash) | flag;
	uint64_t slot = next_slot(&c, want, TAG_MASK | flag);

	if (slot || !view->old)
		return slot;
	c = cursor_at(view->old, view->old_mask, hash);
	return next_slot(&c, want, TAG_MASK | flag);
}

bool fw_view_maybe(const struct fw_table_view *view, uint64_t hash)
{
	return first_slot(view, hash, OPEN) != 0;
}

uint32_t fw_view_guess(const struct fw_table_view *view, uint64_t hash)
{
	uint64_t slot = first_slot(view, hash, USED);

	return slot ? (uint32_t)(slot & ID_MASK) : FW_NODE_NONE;
}

/* Where node @id stands in an array; NULL when it does not. */
static _Atomic uint64_t *locate(const struct fw_table_array *array, uint32_t id,
				uint64_t hash)
{
	struct cursor c = cursor_at(array->alone.cur, array->alone.mask, hash);

	if (!next_slot(&c, USED | id, USED | ID_MASK))
		return NULL;
	return &array->alone.cur[c.at].slots[c.slot - 1];
}

/*
 * The same in the array in use. What was just added is opened next, and what
 * was just closed removed: then there is nothing to look for.
 */
static _Atomic uint64_t *locate_cur(struct fw_node_table *table, uint32_t id,
				    uint64_t hash)
{
	_Atomic uint64_t *last = table->last;

	if (last && (fw_slot_own(last) & (USED | ID_MASK)) == (USED | id))
		return last;
	return table->last = locate(table->cur, id, hash);
}

static _Atomic uint64_t *empty_slot(struct fw_table_bucket *bucket)
{
	for (unsigned int i = 0; i < FW_BUCKET_SLOTS; i++)
		if (!fw_slot_own(&bucket->slots[i]))
			return &bucket->slots[i];
	return NULL;
}

/* Add @slot, how far it lies from home aside, to an array with room. */
_Atomic uint64_t *fw_table_insert(const struct fw_table_array *array,
				  uint64_t home, uint64_t slot)
{
	struct fw_table_bucket *bucket = &array->alone.cur[home];
	_Atomic uint64_t *to;
	uint64_t past = 0;

	while (!(to = empty_slot(bucket))) {
		/* Relaxed: before the entry's release, see next_slot(). */
		atomic_store_explicit(&bucket->past,
				      fw_slot_own(&bucket->past) + 1,
				      memory_order_relaxed);
		past++;
		bucket = &array->alone.cur[(home + past) & array->alone.mask];
	}
	past = past < PAST_MAX ? past : PAST_MAX;
	/* [X1] Release: the key before its entry. */
	atomic_store_explicit(to, slot | past << PAST_SHIFT,
			      memory_order_release);
	return to;
}

void fw_table_add(struct fw_node_table *table, uint32_t id, uint64_t hash)
{
	assert(fw_table_holds(table->cur, table->num + 1));
	table->last = fw_table_insert(table->cur, hash & table->cur->alone.mask,
				      fw_slot_tag(hash) | USED | id);
	table->num++;
}

static void open_slot(_Atomic uint64_t *slot, bool open)
{
	/*
	 * [X1] Release: a chain opens first block first and closes last block
	 * first, for every reader.
	 */
	if (slot)
		atomic_store_explicit(slot,
				      open ? fw_slot_own(slot) | OPEN
					   : fw_slot_own(slot) & ~OPEN,
				      memory_order_release);
}

void fw_table_open(struct fw_node_table *table, uint32_t id, uint64_t hash,
		   bool open)
{
	open_slot(locate_cur(table, id, hash), open);
	if (table->old)
		open_slot(locate(table->old, id, hash), open);
}

/* Return: Was it there, at @slot? */
static bool remove_from(const struct fw_table_array *array,
			_Atomic uint64_t *slot, uint64_t hash)
{
	uint64_t at = hash & array->alone.mask;
	struct fw_table_bucket *bucket = &array->alone.cur[at];

	if (!slot)
		return false;
	atomic_store_explicit(slot, 0, memory_order_release);
	while (slot < bucket->slots ||
	       slot >= bucket->slots + FW_BUCKET_SLOTS) {
		/* Relaxed: who sees too many only looks further. */
		atomic_store_explicit(&bucket->past,
				      fw_slot_own(&bucket->past) - 1,
				      memory_order_relaxed);
		at = (at + 1) & array->alone.mask;
		bucket = &array->alone.cur[at];
	}
	return true;
}

void fw_table_remove(struct fw_node_table *table, uint32_t id, uint64_t hash)
{
	bool was = remove_from(table->cur, locate_cur(table, id, hash), hash);

	if (table->old)
		was |= remove_from(table->old, locate(table->old, id, hash),
				   hash);
	assert(was);
	(void)was;
	table->num--;
}

uint64_t fw_table_reach(const struct fw_node_table *table, uint64_t hash)
{
	const struct fw_table_view *view = owner_view(table);
	struct cursor c = cursor_at(view->cur, view->mask, hash);

	/* No slot is both empty and used: it goes as far as a miss does. */
	while (next_slot(&c, USED, ~0ull))
		;
	return ((c.at - hash) & view->mask) + 1;
}

/**
 * struct tally - what fw_table_valid() counts
 * @entries: slots in use
 * @past: buckets that they went past, all together
 */
struct tally {
	size_t entries;
	uint64_t past;
};

static bool slot_valid(const struct fw_node_table *table,
		       const struct fw_node_pool *pool, uint64_t at,
		       const _Atomic uint64_t *slot, struct tally *tally)
{
	uint32_t id = (uint32_t)(fw_slot_own(slot) & ID_MASK);
	uint64_t hash;

	if (!fw_slot_own(slot))
		return true;
	hash = fw_pool_node(pool, id)->hash;
	tally->entries++;
	tally->past += (at - hash) & table->cur->alone.mask;
	return (fw_slot_own(slot) & TAG_MASK) == fw_slot_tag(hash) &&
	       locate(table->cur, id, hash) == slot &&
	       fw_table_find(table, pool, fw_pool_key(pool, id), hash) == id;
}

bool fw_table_valid(const struct fw_node_table *table,
		    const struct fw_node_pool *pool)
{
	struct tally tally = {0, 0};
	uint64_t past = 0;

	for (uint64_t at = 0; at < fw_table_buckets(table->cur); at++) {
		struct fw_table_bucket *bucket = &table->cur->alone.cur[at];

		for (unsigned int i = 0; i < FW_BUCKET_SLOTS; i++)
			if (!slot_valid(table, pool, at, &bucket->slots[i],
					&tally))
				return false;
		past += fw_slot_own(&bucket->past);
	}
	/* Others are in the old array alone while it is copied. */
	return tally.past == past && (table->old ? tally.entries <= table->num
						 : tally.entries == table->num);
}
