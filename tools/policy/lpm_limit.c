/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/key.h"
#include "lpm.h"
#include "waiters.h"

/*
 * SGLang's longest prefix match as it is deployed: one queue, sorted when a
 * merge begins, unless more requests wait than the limit; then it stays as its
 * last sort left it, with arrivals at the end. So no sort is a long one. With
 * dedupe, a request without a hit to speak of whose first tokens equal those
 * of an earlier one goes last, since it will hit what that one computes.
 */

struct queued {
	struct fw_request *req;
	uint32_t hit;
	bool duplicate;
};

struct queue {
	struct waiters waiters;
	struct queued *items;
	size_t num; /* those that left and were not compacted counted */
	size_t cap;
	size_t first;
	uint32_t limit;
	bool dedupe;
	uint32_t dedupe_blocks;
	const struct fw_allocator *allocator;
};

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	const struct lpm_args *args = policy_args_const(spec);
	struct queue *q = fw_alloc_array(env->allocator, 1, sizeof(*q));

	if (!q)
		return -ENOMEM;
	waiters_init(&q->waiters);
	q->allocator = env->allocator;
	q->limit = args->limit;
	q->dedupe = args->dedupe;
	q->dedupe_blocks =
		(LPM_DEDUPE_TOKENS + env->block_tokens - 1) / env->block_tokens;
	*policy = q;
	return 0;
}

static void destroy(void *policy)
{
	struct queue *q = policy;

	fw_free_array(q->allocator, q->items, q->cap, sizeof(*q->items));
	fw_free_array(q->allocator, q, 1, sizeof(*q));
}

static void compact(struct queue *q)
{
	if (!q->first)
		return;
	memmove(q->items, q->items + q->first,
		(q->num - q->first) * sizeof(*q->items));
	q->num -= q->first;
	q->first = 0;
}

static int add(void *policy, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct queue *q = policy;
	int ret;

	(void)slo;
	if (q->num == q->cap)
		compact(q);
	ret = fw_grow_array(q->allocator, (void **)&q->items, &q->cap,
			    q->num + 1, sizeof(*q->items));
	if (ret)
		return ret;
	q->items[q->num++] = (struct queued){.req = req};
	waiters_add(&q->waiters, req, arrival, hit);
	return 0;
}

/* From the middle: from one end to the other, which is seldom asked for. */
static void take_out(void *policy, struct fw_request *req)
{
	struct queue *q = policy;
	size_t i = q->first;

	while (i < q->num && q->items[i].req != req)
		i++;
	assert(i < q->num);
	memmove(&q->items[q->first + 1], &q->items[q->first],
		(i - q->first) * sizeof(*q->items));
	q->first++;
	waiters_leave(&q->waiters, req);
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	waiters_set_hit(&((struct queue *)policy)->waiters, req, hit);
}

static int by_arrival(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;
	uint64_t s = waiter_of(x->req)->seq, t = waiter_of(y->req)->seq;

	return (s > t) - (s < t);
}

static int by_hit(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	if (x->duplicate != y->duplicate)
		return x->duplicate - y->duplicate;
	if (!x->duplicate && x->hit != y->hit)
		return x->hit > y->hit ? -1 : 1;
	return by_arrival(a, b);
}

static int compare_start(const struct queue *q, const struct queued *x,
			 const struct queued *y)
{
	return memcmp(x->req->keys, y->req->keys,
		      q->dedupe_blocks * sizeof(*x->req->keys));
}

/* By the first blocks, requests too short to have them first, then by age. */
static int by_start(const void *a, const void *b, void *ctx)
{
	const struct queued *x = a, *y = b;
	const struct queue *q = ctx;
	bool has_x = x->req->num_keys >= q->dedupe_blocks;
	bool has_y = y->req->num_keys >= q->dedupe_blocks;
	int order;

	if (has_x != has_y)
		return has_x - has_y;
	order = has_x ? compare_start(q, x, y) : 0;
	return order ? order : by_arrival(a, b);
}

/* Sorted by start, everything behind the first of its kind is a duplicate. */
static void mark_duplicates(struct queue *q)
{
	struct queued *items = q->items + q->first;
	size_t num = q->num - q->first;

	qsort_r(items, num, sizeof(*items), by_start, q);
	for (size_t i = 1; i < num; i++) {
		if (items[i].req->num_keys < q->dedupe_blocks ||
		    items[i - 1].req->num_keys < q->dedupe_blocks)
			continue;
		items[i].duplicate =
			items[i].hit <= LPM_DEDUPE_TOKENS &&
			!compare_start(q, &items[i], &items[i - 1]);
	}
}

static void begin(void *ctx, double now, uint32_t budget)
{
	struct queue *q = ctx;

	(void)now;
	(void)budget;
	while (waiters_settle(&q->waiters))
		;
	if (q->first == q->num)
		return;
	if (q->num - q->first > q->limit)
		return;
	for (size_t i = q->first; i < q->num; i++) {
		q->items[i].hit = waiter_of(q->items[i].req)->hit;
		q->items[i].duplicate = false;
	}
	if (q->dedupe)
		mark_duplicates(q);
	qsort(q->items + q->first, q->num - q->first, sizeof(*q->items),
	      by_hit);
}

static size_t waiting(const void *ctx)
{
	const struct queue *q = ctx;

	return q->num - q->first;
}

static struct fw_request *peek(void *ctx)
{
	const struct queue *q = ctx;

	return q->first < q->num ? q->items[q->first].req : NULL;
}

static void admit(void *ctx, uint32_t tokens)
{
	struct queue *q = ctx;

	(void)tokens;
	assert(q->first < q->num);
	take_out(q, q->items[q->first].req);
}

static void end(void *ctx)
{
	(void)ctx;
}

static const struct fw_order_ops order = {
	.waiting = waiting,
	.add = add,
	.remove = take_out,
	.set_hit = set_hit,
	.begin = begin,
	.peek = peek,
	.admit = admit,
	.end = end,
};

const struct policy policy_lpm_limit = {
	.order = &order,
	.create = create,
	.destroy = destroy,
};
