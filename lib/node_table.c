/* SPDX-License-Identifier: Apache-2.0 */
#include "node_table.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "alloc.h"

/*
 * A slot: number of the node, open, used, how many buckets past its home the
 * entry lies (3 is: three or more, ask the node), and bits 8 to 39 of the hash.
 * The home bucket gives the low 8 bits, so that entries are copied into a
 * larger array without a look at their nodes.
 */
#define ID_MASK ((1ull << FW_NODE_BITS) - 1)
#define OPEN (1ull << 28)
#define USED (1ull << 29)
#define PAST_SHIFT 30u
#define PAST_MAX 3ull
#define TAG_SHIFT 32u
#define TAG_MASK (~0ull << TAG_SHIFT)
#define HOME_BITS 8u

#define MIN_BUCKETS (1ull << HOME_BITS)
#define MAX_BUCKETS (1ull << FW_NODE_BITS)
#define LINE 64u

/* Buckets that a call zeroes or copies while the table grows. */
#define ZERO_PIECE 8u
#define COPY_PIECE 4u

_Static_assert(FW_NODE_BITS == 28, "numbers end where the flags begin");

static uint64_t tag_bits(uint64_t hash)
{
	return (hash >> HOME_BITS) << TAG_SHIFT;
}

static uint64_t num_buckets(const struct fw_table_array *array)
{
	return array->alone.mask + 1;
}

/* Half full: here a larger one is begun. */
static bool fits(const struct fw_table_array *array, size_t num)
{
	return num <= num_buckets(array) / 2 * FW_BUCKET_SLOTS;
}

/* Two thirds: no more than that, whatever it takes. */
static bool holds(const struct fw_table_array *array, size_t num)
{
	return num <= num_buckets(array) / 3 * 2 * FW_BUCKET_SLOTS;
}

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

	while ((slot = next_slot(&c, tag_bits(hash) | flag, TAG_MASK | flag))) {
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
	uint64_t want = tag_bits(hash) | flag;
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

/* Relaxed throughout: the owner reads what it wrote itself. */
static uint64_t own(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static _Atomic uint64_t *empty_slot(struct fw_table_bucket *bucket)
{
	for (unsigned int i = 0; i < FW_BUCKET_SLOTS; i++)
		if (!own(&bucket->slots[i]))
			return &bucket->slots[i];
	return NULL;
}

/* Add @slot, how far it lies from home aside, to an array with room. */
static void insert(const struct fw_table_array *array, uint64_t home,
		   uint64_t slot)
{
	struct fw_table_bucket *bucket = &array->alone.cur[home];
	_Atomic uint64_t *to;
	uint64_t past = 0;

	while (!(to = empty_slot(bucket))) {
		/* Relaxed: before the entry's release, see next_slot(). */
		atomic_store_explicit(&bucket->past, own(&bucket->past) + 1,
				      memory_order_relaxed);
		past++;
		bucket = &array->alone.cur[(home + past) & array->alone.mask];
	}
	past = past < PAST_MAX ? past : PAST_MAX;
	/* [X1] Release: the key before its entry. */
	atomic_store_explicit(to, slot | past << PAST_SHIFT,
			      memory_order_release);
}

void fw_table_add(struct fw_node_table *table, uint32_t id, uint64_t hash)
{
	assert(holds(table->cur, table->num + 1));
	insert(table->cur, hash & table->cur->alone.mask,
	       tag_bits(hash) | USED | id);
	table->num++;
}

static void open_in(const struct fw_table_array *array, uint32_t id,
		    uint64_t hash, bool open)
{
	_Atomic uint64_t *slot = locate(array, id, hash);

	/*
	 * [X1] Release: a chain opens first block first and closes last block
	 * first, for every reader.
	 */
	if (slot)
		atomic_store_explicit(slot,
				      open ? own(slot) | OPEN
					   : own(slot) & ~OPEN,
				      memory_order_release);
}

void fw_table_open(struct fw_node_table *table, uint32_t id, uint64_t hash,
		   bool open)
{
	open_in(table->cur, id, hash, open);
	if (table->old)
		open_in(table->old, id, hash, open);
}

/* Return: Was it there? */
static bool remove_from(const struct fw_table_array *array, uint32_t id,
			uint64_t hash)
{
	_Atomic uint64_t *slot = locate(array, id, hash);
	uint64_t at = hash & array->alone.mask;
	struct fw_table_bucket *bucket = &array->alone.cur[at];

	if (!slot)
		return false;
	atomic_store_explicit(slot, 0, memory_order_release);
	while (slot < bucket->slots ||
	       slot >= bucket->slots + FW_BUCKET_SLOTS) {
		/* Relaxed: who sees too many only looks further. */
		atomic_store_explicit(&bucket->past, own(&bucket->past) - 1,
				      memory_order_relaxed);
		at = (at + 1) & array->alone.mask;
		bucket = &array->alone.cur[at];
	}
	return true;
}

void fw_table_remove(struct fw_node_table *table, uint32_t id, uint64_t hash)
{
	bool was = remove_from(table->cur, id, hash);

	if (table->old)
		was |= remove_from(table->old, id, hash);
	assert(was);
	(void)was;
	table->num--;
}

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
	a->free(a->ctx, array->memory, array_bytes(num_buckets(array)));
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
	uint64_t buckets = num_buckets(table->cur) * 2;

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
	if (table->done == num_buckets(table->next))
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
		uint64_t slot = own(&from->slots[i]);

		if (slot)
			insert(table->cur,
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
	if (table->done == num_buckets(table->old))
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
		else if (!fits(table->cur, num))
			ret = begin_growth(table);
		if (ret)
			return ret;
	} while (!holds(table->cur, num));
	return 0;
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
	uint32_t id = (uint32_t)(own(slot) & ID_MASK);
	uint64_t hash;

	if (!own(slot))
		return true;
	hash = fw_pool_node(pool, id)->hash;
	tally->entries++;
	tally->past += (at - hash) & table->cur->alone.mask;
	return (own(slot) & TAG_MASK) == tag_bits(hash) &&
	       locate(table->cur, id, hash) == slot &&
	       fw_table_find(table, pool, fw_pool_key(pool, id), hash) == id;
}

bool fw_table_valid(const struct fw_node_table *table,
		    const struct fw_node_pool *pool)
{
	struct tally tally = {0, 0};
	uint64_t past = 0;

	for (uint64_t at = 0; at < num_buckets(table->cur); at++) {
		struct fw_table_bucket *bucket = &table->cur->alone.cur[at];

		for (unsigned int i = 0; i < FW_BUCKET_SLOTS; i++)
			if (!slot_valid(table, pool, at, &bucket->slots[i],
					&tally))
				return false;
		past += own(&bucket->past);
	}
	/* Others are in the old array alone while it is copied. */
	return tally.past == past && (table->old ? tally.entries <= table->num
						 : tally.entries == table->num);
}
