/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "score_sort.h"
#include "lib/base/alloc.h"
#include "lib/cost/score.h"

void fw_score_sort_init(struct fw_score_sort *order, double wait_constant,
			const struct fw_allocator *allocator)
{
	*order = (struct fw_score_sort){
		.wait_constant = wait_constant,
		.allocator = allocator,
	};
}

void fw_score_sort_destroy(struct fw_score_sort *order)
{
	fw_free_array(order->allocator, order->items, order->cap,
		      sizeof(*order->items));
	fw_free_array(order->allocator, order->scratch, order->cap_scratch,
		      sizeof(*order->scratch));
	fw_score_sort_init(order, order->wait_constant, order->allocator);
}

int fw_score_sort_reserve(struct fw_score_sort *order, size_t num)
{
	int ret;

	ret = fw_grow_array(order->allocator, (void **)&order->scratch,
			    &order->cap_scratch, num, sizeof(*order->scratch));
	if (ret)
		return ret;
	return fw_grow_array(order->allocator, (void **)&order->items,
			     &order->cap, num, sizeof(*order->items));
}

/* Close the gaps of entries that left. */
static void compact(struct fw_score_sort *order)
{
	size_t to = 0;

	for (size_t i = 0; i < order->num; i++) {
		if (!order->items[i].rank)
			continue;
		order->items[to] = order->items[i];
		order->items[to].rank->by_score = (uint32_t)to + 1;
		to++;
	}
	assert(to == order->live);
	order->num = to;
	order->cursor = 0;
}

void fw_score_sort_insert(struct fw_score_sort *order, struct fw_rank *rank)
{
	assert(!rank->by_score);
	if (order->num == order->cap)
		compact(order);
	assert(order->num < order->cap);
	order->items[order->num] = (struct fw_score_item){.rank = rank};
	rank->by_score = (uint32_t)++order->num;
	order->live++;
}

void fw_score_sort_remove(struct fw_score_sort *order, struct fw_rank *rank)
{
	size_t slot = rank->by_score - 1u;

	assert(slot < order->num && order->items[slot].rank == rank);
	order->items[slot].rank = NULL;
	rank->by_score = 0;
	order->live--;
}

void fw_score_sort_rescore(struct fw_score_sort *order, struct fw_rank *rank)
{
	/* Every advance reads it anyway. */
	assert(rank->by_score && rank->by_score <= order->num);
	(void)order;
	(void)rank;
}

static bool before(const struct fw_score_item *a, const struct fw_score_item *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	if (a->arrival != b->arrival)
		return a->arrival < b->arrival;
	return a->seq < b->seq;
}

/* Merge the sorted runs [from, mid) and [mid, to) of @in into @out. */
static void merge(struct fw_score_item *out, const struct fw_score_item *in,
		  size_t from, size_t mid, size_t to)
{
	size_t a = from, b = mid;

	for (size_t i = from; i < to; i++) {
		if (b == to || (a < mid && !before(&in[b], &in[a])))
			out[i] = in[a++];
		else
			out[i] = in[b++];
	}
}

/* Merge sort from the bottom up, by turns into the scratch and back. */
static void sort(struct fw_score_sort *order)
{
	size_t num = order->num;

	for (size_t run = 1; run < num; run *= 2) {
		struct fw_score_item *done = order->scratch;
		size_t cap = order->cap_scratch;

		for (size_t i = 0; i < num; i += 2 * run) {
			size_t mid = i + run < num ? i + run : num;
			size_t to = mid + run < num ? mid + run : num;

			merge(done, order->items, i, mid, to);
		}
		order->scratch = order->items;
		order->cap_scratch = order->cap;
		order->items = done;
		order->cap = cap;
	}
}

void fw_score_sort_advance(struct fw_score_sort *order, double now)
{
	compact(order);
	for (size_t i = 0; i < order->num; i++) {
		struct fw_score_item *item = &order->items[i];
		const struct fw_rank *e = item->rank;
		double unit = order->wait_constant;

		if (unit <= 0.0)
			unit = e->unit;
		item->score = fw_score(e->hit, e->cost, e->arrival, unit, now);
		item->arrival = e->arrival;
		item->seq = e->seq;
	}
	sort(order);
	for (size_t i = 0; i < order->num; i++)
		order->items[i].rank->by_score = (uint32_t)i + 1;
}

struct fw_rank *fw_score_sort_first(struct fw_score_sort *order)
{
	while (order->cursor < order->num) {
		if (order->items[order->cursor].rank)
			return order->items[order->cursor].rank;
		order->cursor++;
	}
	return NULL;
}

bool fw_score_sort_valid(const struct fw_score_sort *order)
{
	size_t live = 0;

	for (size_t i = 0; i < order->num; i++) {
		if (!order->items[i].rank)
			continue;
		if (order->items[i].rank->by_score != i + 1)
			return false;
		live++;
	}
	/* An advance closes the gaps before it needs the scratch. */
	return live == order->live && order->num <= order->cap &&
	       order->live <= order->cap_scratch;
}
