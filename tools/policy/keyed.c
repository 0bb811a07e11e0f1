/* SPDX-License-Identifier: Apache-2.0 */
#include "keyed.h"

#include <errno.h>

#include "lib/base/alloc.h"

void *keyed_create(size_t size, const struct keyed_rule *rule,
		   const struct policy_env *env)
{
	struct keyed *k = fw_alloc_array(env->allocator, 1, size);

	if (!k)
		return NULL;
	k->rule = rule;
	k->env = *env;
	k->size = size;
	fw_heap_init(&k->heap, env->allocator);
	ages_init(&k->ages, env->allocator);
	waiters_init(&k->waiters);
	return k;
}

int keyed_create_plain(void **policy, const struct keyed_rule *rule,
		       const struct policy_env *env)
{
	void *p = keyed_create(sizeof(struct keyed), rule, env);

	if (!p)
		return -ENOMEM;
	*policy = p;
	return 0;
}

void keyed_destroy(void *policy)
{
	struct keyed *k = policy;

	ages_destroy(&k->ages);
	fw_heap_destroy(&k->heap);
	fw_free_array(k->env.allocator, k, 1, k->size);
}

int keyed_add(void *policy, struct fw_request *req, double arrival, double slo,
	      uint32_t hit)
{
	struct keyed *k = policy;
	int ret = fw_heap_reserve(&k->heap, k->waiters.num + 1);

	(void)slo;
	if (!ret && k->rule->oldest)
		ret = ages_add(&k->ages, &keyed_item(req)->age);
	if (!ret)
		waiters_add(&k->waiters, req, arrival, hit);
	return ret;
}

void keyed_remove(void *policy, struct fw_request *req)
{
	struct keyed *k = policy;
	struct keyed_item *item = keyed_item(req);

	if (fw_heap_queued(&item->by_key))
		fw_heap_remove(&k->heap, &item->by_key);
	if (k->rule->oldest)
		ages_remove(&k->ages, &item->age);
	waiters_leave(&k->waiters, req);
}

void keyed_set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	waiters_set_hit(&((struct keyed *)policy)->waiters, req, hit);
}

size_t keyed_waiting(const void *policy)
{
	return ((const struct keyed *)policy)->waiters.num;
}

void keyed_begin(void *policy, double now, uint32_t budget)
{
	struct keyed *k = policy;
	struct waiter *waiter;

	(void)budget;
	k->now = now;
	while ((waiter = waiters_settle(&k->waiters))) {
		struct keyed_item *item =
			container_of(waiter, struct keyed_item, waiter);
		double key = k->rule->key(k, waiter);

		if (fw_heap_queued(&item->by_key))
			fw_heap_update(&k->heap, &item->by_key, key);
		else
			fw_heap_insert(&k->heap, &item->by_key, key,
				       waiter->seq);
	}
}

static struct waiter *first(const struct keyed *k)
{
	struct fw_heap_node *node = fw_heap_first(&k->heap);

	return node ? &container_of(node, struct keyed_item, by_key)->waiter
		    : NULL;
}

/* The oldest, where the rule lets it go first. */
static struct waiter *overdue(struct keyed *k)
{
	struct ages_node *node = k->rule->oldest ? ages_oldest(&k->ages) : NULL;
	struct waiter *oldest;

	if (!node)
		return NULL;
	oldest = &container_of(node, struct keyed_item, age)->waiter;
	return k->rule->oldest(k, oldest) ? oldest : NULL;
}

struct fw_request *keyed_peek(void *policy)
{
	struct waiter *waiter = overdue(policy);

	if (!waiter)
		waiter = first(policy);
	return waiter ? waiter_request(waiter) : NULL;
}

void keyed_admit(void *policy, uint32_t tokens)
{
	(void)tokens;
	keyed_remove(policy, keyed_peek(policy));
}

void keyed_end(void *policy)
{
	(void)policy;
}

void keyed_touch_all(struct keyed *k)
{
	for (size_t i = 0; i < k->heap.num; i++)
		waiters_touch(&k->waiters,
			      &container_of(k->heap.items[i].node,
					    struct keyed_item, by_key)
				       ->waiter);
}

double keyed_most_cached(struct keyed *k, const struct waiter *waiter)
{
	(void)k;
	return -(double)waiter->hit;
}

const struct fw_order_ops keyed_order = {
	.waiting = keyed_waiting,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
	.begin = keyed_begin,
	.peek = keyed_peek,
	.admit = keyed_admit,
	.end = keyed_end,
};
