/* SPDX-License-Identifier: Apache-2.0 */
#include "forms.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/compiler.h"
#include "lib/cost/score.h"
#include "tools/base/mem.h"
#include "world.h"

/* Scores are 0 or more, and the bits of such doubles rise as they do. */
static uint64_t key_of_score(double score)
{
	uint64_t bits;

	memcpy(&bits, &score, sizeof(bits));
	return ~bits;
}

static uint64_t entry_key(const struct fw_rank *e, double now)
{
	return key_of_score(
		fw_score(e->hit, e->cost, e->arrival, e->unit, now));
}

static bool tie_before(const struct fw_rank *a, const struct fw_rank *b)
{
	if (a->arrival != b->arrival)
		return a->arrival < b->arrival;
	return a->seq < b->seq;
}

static bool item_before(const struct bench_item *a, const struct bench_item *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return tie_before(a->entry, b->entry);
}

/* The kinetic heap and the library's full sort. */

static int kinetic_init(struct bench_order *order, size_t cap)
{
	fw_kinetic_init(&order->kinetic, 0.0, mem_allocator());
	return fw_kinetic_reserve(&order->kinetic, cap);
}

static void kinetic_destroy(struct bench_order *order)
{
	fw_kinetic_destroy(&order->kinetic);
}

static void kinetic_insert(struct bench_order *order, struct fw_rank *entry)
{
	fw_kinetic_insert(&order->kinetic, entry);
}

static void kinetic_advance(struct bench_order *order, double now)
{
	fw_kinetic_advance(&order->kinetic, now);
}

static struct fw_rank *kinetic_first(struct bench_order *order)
{
	return fw_kinetic_first(&order->kinetic);
}

static void kinetic_remove(struct bench_order *order, struct fw_rank *entry)
{
	fw_kinetic_remove(&order->kinetic, entry);
}

const struct bench_order_ops bench_kinetic = {
	.name = "fairway-heap",
	.init = kinetic_init,
	.destroy = kinetic_destroy,
	.insert = kinetic_insert,
	.advance = kinetic_advance,
	.first = kinetic_first,
	.remove = kinetic_remove,
};

static int merge_init(struct bench_order *order, size_t cap)
{
	score_sort_init(&order->merge, 0.0, mem_allocator());
	return score_sort_reserve(&order->merge, cap);
}

static void merge_destroy(struct bench_order *order)
{
	score_sort_destroy(&order->merge);
}

static void merge_insert(struct bench_order *order, struct fw_rank *entry)
{
	score_sort_insert(&order->merge, entry);
}

static void merge_advance(struct bench_order *order, double now)
{
	score_sort_advance(&order->merge, now);
}

static struct fw_rank *merge_first(struct bench_order *order)
{
	return score_sort_first(&order->merge);
}

static void merge_remove(struct bench_order *order, struct fw_rank *entry)
{
	score_sort_remove(&order->merge, entry);
}

const struct bench_order_ops bench_merge = {
	.name = "merge",
	.init = merge_init,
	.destroy = merge_destroy,
	.insert = merge_insert,
	.advance = merge_advance,
	.first = merge_first,
	.remove = merge_remove,
};

/* An array that is ordered anew at every advance. */

static int list_init(struct bench_order *order, size_t cap)
{
	const struct fw_allocator *mem = mem_allocator();
	struct bench_list *list = &order->list;

	/* Those that left stay until the next advance. */
	cap += BENCH_BATCH;
	list->cap = cap;
	list->queue = fw_alloc_array(mem, cap, sizeof(*list->queue));
	list->sorted = fw_alloc_array(mem, cap, sizeof(*list->sorted));
	list->items = fw_alloc_array(mem, cap, sizeof(*list->items));
	list->scratch = fw_alloc_array(mem, cap, sizeof(*list->scratch));
	if (list->queue && list->sorted && list->items && list->scratch)
		return 0;
	return -ENOMEM;
}

static void list_destroy(struct bench_order *order)
{
	const struct fw_allocator *mem = mem_allocator();
	struct bench_list *list = &order->list;

	fw_free_array(mem, list->queue, list->cap, sizeof(*list->queue));
	fw_free_array(mem, list->sorted, list->cap, sizeof(*list->sorted));
	fw_free_array(mem, list->items, list->cap, sizeof(*list->items));
	fw_free_array(mem, list->scratch, list->cap, sizeof(*list->scratch));
}

static void list_insert(struct bench_order *order, struct fw_rank *entry)
{
	struct bench_list *list = &order->list;

	assert(list->num < list->cap);
	list->queue[list->num++] = entry;
}

/* The entry's state says it; the next advance closes the gap. */
static void list_remove(struct bench_order *order, struct fw_rank *entry)
{
	(void)order;
	assert(bench_left(entry));
	(void)entry;
}

static void compact(struct bench_list *list)
{
	size_t to = 0;

	for (size_t i = 0; i < list->num; i++)
		if (!bench_left(list->queue[i]))
			list->queue[to++] = list->queue[i];
	list->num = to;
	list->live = to;
	list->cursor = 0;
}

/* qsort sees pointers alone, so the key stands in the request itself. */
static void set_key(struct fw_rank *entry, double now)
{
	fw_queued_request(fw_queued_of(entry))->reserved[0] =
		entry_key(entry, now);
}

static int compare(const void *pa, const void *pb)
{
	const struct fw_rank *a = *(struct fw_rank *const *)pa,
			     *b = *(struct fw_rank *const *)pb;
	uint64_t key_a = container_of(a, const struct fw_request, priv)
				 ->reserved[0],
		 key_b = container_of(b, const struct fw_request, priv)
				 ->reserved[0];

	if (key_a != key_b)
		return key_a < key_b ? -1 : 1;
	return tie_before(a, b) ? -1 : 1;
}

static void sort_advance(struct bench_order *order, double now)
{
	struct bench_list *list = &order->list;

	compact(list);
	for (size_t i = 0; i < list->num; i++)
		set_key(list->queue[i], now);
	memcpy(list->sorted, list->queue, list->num * sizeof(*list->queue));
	qsort(list->sorted, list->num, sizeof(*list->sorted), compare);
}

static struct fw_rank *sort_first(struct bench_order *order)
{
	struct bench_list *list = &order->list;

	while (list->cursor < list->live &&
	       bench_left(list->sorted[list->cursor]))
		list->cursor++;
	return list->cursor < list->live ? list->sorted[list->cursor] : NULL;
}

const struct bench_order_ops bench_sort = {
	.name = "sort",
	.init = list_init,
	.destroy = list_destroy,
	.insert = list_insert,
	.advance = sort_advance,
	.first = sort_first,
	.remove = list_remove,
};

/* The queue itself is sorted: all but the newest stand nearly in order. */
static void resort_advance(struct bench_order *order, double now)
{
	struct bench_list *list = &order->list;

	compact(list);
	for (size_t i = 0; i < list->num; i++)
		set_key(list->queue[i], now);
	qsort(list->queue, list->num, sizeof(*list->queue), compare);
}

static struct fw_rank *resort_first(struct bench_order *order)
{
	struct bench_list *list = &order->list;

	while (list->cursor < list->live &&
	       bench_left(list->queue[list->cursor]))
		list->cursor++;
	return list->cursor < list->live ? list->queue[list->cursor] : NULL;
}

const struct bench_order_ops bench_resort = {
	.name = "resort",
	.init = list_init,
	.destroy = list_destroy,
	.insert = list_insert,
	.advance = resort_advance,
	.first = resort_first,
	.remove = list_remove,
};

#define RADIX_BITS 11u
#define RADIX_SIZE (1u << RADIX_BITS)
#define RADIX_PASSES 6u

static void make_items(struct bench_list *list, double now)
{
	compact(list);
	for (size_t i = 0; i < list->num; i++) {
		list->items[i].entry = list->queue[i];
		list->items[i].key = entry_key(list->queue[i], now);
	}
}

/* Starts of the digits from their counts; false when all share one digit. */
static bool prefix_sums(size_t *count, size_t num)
{
	size_t sum = 0;

	for (unsigned int digit = 0; digit < RADIX_SIZE; digit++) {
		size_t here = count[digit];

		if (here == num)
			return false;
		count[digit] = sum;
		sum += here;
	}
	return true;
}

/*
 * From the lowest digit up, all digits counted in one pass. Stable, so that
 * equal scores keep the queue's order, which is that of arrival.
 */
static void radix_sort(struct bench_list *list)
{
	static size_t counts[RADIX_PASSES][RADIX_SIZE];

	memset(counts, 0, sizeof(counts));
	for (size_t i = 0; i < list->num; i++)
		for (unsigned int pass = 0; pass < RADIX_PASSES; pass++)
			counts[pass][list->items[i].key >> pass * RADIX_BITS &
				     (RADIX_SIZE - 1)]++;
	for (unsigned int pass = 0; pass < RADIX_PASSES; pass++) {
		struct bench_item *from = list->items;

		if (!prefix_sums(counts[pass], list->num))
			continue;
		for (size_t i = 0; i < list->num; i++)
			list->scratch[counts[pass]
					    [from[i].key >> pass * RADIX_BITS &
					     (RADIX_SIZE - 1)]++] = from[i];
		list->items = list->scratch;
		list->scratch = from;
	}
}

static void radix_advance(struct bench_order *order, double now)
{
	make_items(&order->list, now);
	radix_sort(&order->list);
}

static struct fw_rank *radix_first(struct bench_order *order)
{
	struct bench_list *list = &order->list;

	while (list->cursor < list->live &&
	       bench_left(list->items[list->cursor].entry))
		list->cursor++;
	return list->cursor < list->live ? list->items[list->cursor].entry
					 : NULL;
}

const struct bench_order_ops bench_radix = {
	.name = "radix",
	.init = list_init,
	.destroy = list_destroy,
	.insert = list_insert,
	.advance = radix_advance,
	.first = radix_first,
	.remove = list_remove,
};

/* Binary heap of items, the best at 0. */
static void sift_down(struct bench_item *items, size_t num, size_t slot)
{
	struct bench_item item = items[slot];

	for (size_t child; (child = 2 * slot + 1) < num; slot = child) {
		if (child + 1 < num &&
		    item_before(&items[child + 1], &items[child]))
			child++;
		if (item_before(&item, &items[child]))
			break;
		items[slot] = items[child];
	}
	items[slot] = item;
}

static void rekey_advance(struct bench_order *order, double now)
{
	struct bench_list *list = &order->list;

	make_items(list, now);
	for (size_t slot = list->live / 2; slot-- > 0;)
		sift_down(list->items, list->live, slot);
}

static struct fw_rank *rekey_first(struct bench_order *order)
{
	struct bench_list *list = &order->list;

	while (list->live && bench_left(list->items[0].entry)) {
		list->items[0] = list->items[--list->live];
		if (list->live)
			sift_down(list->items, list->live, 0);
	}
	return list->live ? list->items[0].entry : NULL;
}

const struct bench_order_ops bench_rekey = {
	.name = "rekey",
	.init = list_init,
	.destroy = list_destroy,
	.insert = list_insert,
	.advance = rekey_advance,
	.first = rekey_first,
	.remove = list_remove,
};

/* One pass over arrays, for as many as one step can release. */

#define NUM_BEST ARRAY_SIZE(((struct bench_scan *)0)->best)
/* Requests scored at a time, in a loop that compilers make vectors of. */
#define SCAN_BLOCK 256u

_Static_assert(NUM_BEST >= BENCH_BATCH, "the best of a whole step");

static size_t scan_room(size_t cap)
{
	return (cap / SCAN_BLOCK + 1) * SCAN_BLOCK;
}

static int scan_init(struct bench_order *order, size_t cap)
{
	const struct fw_allocator *mem = mem_allocator();
	struct bench_scan *scan = &order->scan;
	size_t room = scan_room(cap);

	scan->cap = cap;
	scan->ratio = fw_alloc_array(mem, room, sizeof(*scan->ratio));
	scan->arrival = fw_alloc_array(mem, room, sizeof(*scan->arrival));
	scan->unit = fw_alloc_array(mem, room, sizeof(*scan->unit));
	scan->entries = fw_alloc_array(mem, room, sizeof(*scan->entries));
	if (!scan->ratio || !scan->arrival || !scan->unit || !scan->entries)
		return -ENOMEM;
	for (size_t i = 0; i < room; i++)
		scan->unit[i] = 1.0;
	return 0;
}

static void scan_destroy(struct bench_order *order)
{
	const struct fw_allocator *mem = mem_allocator();
	struct bench_scan *scan = &order->scan;
	size_t room = scan_room(scan->cap);

	fw_free_array(mem, scan->ratio, room, sizeof(*scan->ratio));
	fw_free_array(mem, scan->arrival, room, sizeof(*scan->arrival));
	fw_free_array(mem, scan->unit, room, sizeof(*scan->unit));
	fw_free_array(mem, scan->entries, room, sizeof(*scan->entries));
}

static void scan_insert(struct bench_order *order, struct fw_rank *entry)
{
	struct bench_scan *scan = &order->scan;
	size_t at = scan->num++;

	assert(at < scan->cap);
	scan->ratio[at] = (double)entry->hit / (double)entry->cost;
	scan->arrival[at] = entry->arrival;
	scan->unit[at] = entry->unit;
	scan->entries[at] = entry;
	entry->by_score = (uint32_t)at;
}

static void scan_remove(struct bench_order *order, struct fw_rank *entry)
{
	struct bench_scan *scan = &order->scan;
	size_t at = entry->by_score, last = --scan->num;

	scan->ratio[at] = scan->ratio[last];
	scan->arrival[at] = scan->arrival[last];
	scan->unit[at] = scan->unit[last];
	scan->entries[at] = scan->entries[last];
	scan->entries[at]->by_score = (uint32_t)at;
}

static void score_block(const struct bench_scan *scan, size_t from, double now,
			double *restrict scores)
{
	const double *restrict ratio = scan->ratio + from;
	const double *restrict arrival = scan->arrival + from;
	const double *restrict unit = scan->unit + from;

	for (unsigned int i = 0; i < SCAN_BLOCK; i++) {
		double wait = now - arrival[i];

		wait = wait < 0.0 ? 0.0 : wait;
		scores[i] = ratio[i] + wait / unit[i];
	}
}

/* Keep @item among the best if it is; the worst of a full set leaves. */
static void offer(struct bench_scan *scan, struct bench_item item)
{
	size_t at = scan->num_best;

	if (at == NUM_BEST) {
		if (!item_before(&item, &scan->best[at - 1]))
			return;
		at--;
	} else {
		scan->num_best++;
	}
	for (; at && item_before(&item, &scan->best[at - 1]); at--)
		scan->best[at] = scan->best[at - 1];
	scan->best[at] = item;
}

/* What a score must reach to be looked at. */
static double threshold(const struct bench_scan *scan)
{
	double score;
	uint64_t bits;

	if (scan->num_best < NUM_BEST)
		return 0.0;
	bits = ~scan->best[NUM_BEST - 1].key;
	memcpy(&score, &bits, sizeof(score));
	return score;
}

static void scan_advance(struct bench_order *order, double now)
{
	struct bench_scan *scan = &order->scan;
	double scores[SCAN_BLOCK], least = 0.0;

	scan->num_best = 0;
	for (size_t from = 0; from < scan->num; from += SCAN_BLOCK) {
		size_t num = scan->num - from;

		score_block(scan, from, now, scores);
		if (num > SCAN_BLOCK)
			num = SCAN_BLOCK;
		for (size_t i = 0; i < num; i++) {
			if (scores[i] < least)
				continue;
			offer(scan, (struct bench_item){
					    .key = key_of_score(scores[i]),
					    .entry = scan->entries[from + i],
				    });
			least = threshold(scan);
		}
	}
}

static struct fw_rank *scan_first(struct bench_order *order)
{
	struct bench_scan *scan = &order->scan;

	for (size_t i = 0; i < scan->num_best; i++)
		if (!bench_left(scan->best[i].entry))
			return scan->best[i].entry;
	return NULL;
}

const struct bench_order_ops bench_best = {
	.name = "scan",
	.init = scan_init,
	.destroy = scan_destroy,
	.insert = scan_insert,
	.advance = scan_advance,
	.first = scan_first,
	.remove = scan_remove,
};
