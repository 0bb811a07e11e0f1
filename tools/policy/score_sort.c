/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>

#include "score_sort.h"
#include "lib/base/alloc.h"
#include "lib/cost/score.h"

void score_sort_init(struct score_sort *order, double wait_constant,
		     const struct fw_allocator *allocator)
{
	*order = (struct score_sort){
		.wait_constant = wait_constant,
		.allocator = allocator,
	};
}

void score_sort_destroy(struct score_sort *order)
{
	fw_free_array(order->allocator, order->items, order->cap,
		      sizeof(*order->items));
	fw_free_array(order->allocator, order->scratch, order->cap_scratch,
		      sizeof(*order->scratch));
	score_sort_init(order, order->wait_constant, order->allocator);
}

int score_sort_reserve(struct score_sort *order, size_t num)
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
static void compact(struct score_sort *order)
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

void score_sort_insert(struct score_sort *order, struct fw_rank *rank)
{
	assert(!rank->by_score);
	if (order->num == order->cap)
		compact(order);
	assert(order->num < order->cap);
	order->items[order->num] = (struct score_item){.rank = rank};
	rank->by_score = (uint32_t)++order->num;
	order->live++;
}

void score_sort_remove(struct score_sort *order, struct fw_rank *rank)
{
	size_t slot = rank->by_score - 1u;

	assert(slot < order->num && order->items[slot].rank == rank);
	order->items[slot].rank = NULL;
	rank->by_score = 0;
	order->live--;
}

void score_sort_rescore(struct score_sort *order, struct fw_rank *rank)
{
	/* Every advance reads it anyway. */
	assert(rank->by_score && rank->by_score <= order->num);
	(void)order;
	(void)rank;
}

static bool before(const struct score_item *a, const struct score_item *b)
{
	if (a->score != b->score)
		return a->score > b->score;
	if (a->arrival != b->arrival)
		return a->arrival < b->arrival;
	return a->seq < b->seq;
}

/* Merge the sorted runs [from, mid) and [mid, to) of @in into @out. */
static void merge(struct score_item *out, const struct score_item *in,
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
static void sort(struct score_sort *order)
{
	size_t num = order->num;

	for (size_t run = 1; run < num; run *= 2) {
		struct score_item *done = order->scratch;
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

void score_sort_advance(struct score_sort *order, double now)
{
	compact(order);
	for (size_t i = 0; i < order->num; i++) {
		struct score_item *item = &order->items[i];
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

struct fw_rank *score_sort_first(struct score_sort *order)
{
	while (order->cursor < order->num) {
		if (order->items[order->cursor].rank)
			return order->items[order->cursor].rank;
		order->cursor++;
	}
	return NULL;
}

bool score_sort_valid(const struct score_sort *order)
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

static int ops_reserve(void *ctx, size_t num)
{
	return score_sort_reserve(ctx, num);
}

static void ops_insert(void *ctx, struct fw_rank *rank)
{
	score_sort_insert(ctx, rank);
}

static void ops_remove(void *ctx, struct fw_rank *rank)
{
	score_sort_remove(ctx, rank);
}

static void ops_rescore(void *ctx, struct fw_rank *rank)
{
	score_sort_rescore(ctx, rank);
}

static void ops_advance(void *ctx, double now)
{
	score_sort_advance(ctx, now);
}

static struct fw_rank *ops_first(void *ctx)
{
	return score_sort_first(ctx);
}

static size_t ops_num(const void *ctx)
{
	return ((const struct score_sort *)ctx)->live;
}

static bool ops_valid(const void *ctx)
{
	return score_sort_valid(ctx);
}

const struct fw_score_ops score_sort_ops = {
	.reserve = ops_reserve,
	.insert = ops_insert,
	.remove = ops_remove,
	.rescore = ops_rescore,
	.advance = ops_advance,
	.first = ops_first,
	.num = ops_num,
	.valid = ops_valid,
};
