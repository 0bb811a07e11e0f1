/* SPDX-License-Identifier: Apache-2.0 */
#include "keyed.h"

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
	fw_list_init(&k->later);
	return k;
}

void keyed_destroy(void *policy)
{
	struct keyed *k = policy;

	ages_destroy(&k->ages);
	fw_heap_destroy(&k->heap);
	fw_free_array(k->env.allocator, k, 1, k->size);
}

int keyed_add(void *policy, struct fw_request *req, uint32_t hit)
{
	struct keyed *k = policy;
	struct fw_entry *entry = fw_entry(req);
	int ret = fw_heap_reserve(&k->heap, k->waiting + 1);

	if (!ret && k->rule->oldest)
		ret = ages_add(&k->ages, entry);
	if (ret)
		return ret;
	entry->new_hit = hit;
	fw_list_add_tail(&k->later, &entry->later);
	k->waiting++;
	return 0;
}

void keyed_set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	struct keyed *k = policy;
	struct fw_entry *entry = fw_entry(req);

	entry->new_hit = hit;
	keyed_touch(k, entry);
}

size_t keyed_waiting(void *policy)
{
	return ((struct keyed *)policy)->waiting;
}

/* What changed since the last merge counts from now on. */
static void settle(struct keyed *k, struct fw_entry *entry)
{
	double key;

	entry->hit = entry->new_hit;
	entry->cost = fw_entry_request(entry)->len - entry->hit;
	key = k->rule->key(k, entry);
	if (fw_heap_queued(&entry->by_arrival))
		fw_heap_update(&k->heap, &entry->by_arrival, key);
	else
		fw_heap_insert(&k->heap, &entry->by_arrival, key, entry->seq);
}

void keyed_begin(void *policy, double now, uint32_t budget)
{
	struct keyed *k = policy;
	struct fw_list *pos, *tmp;

	(void)budget;
	k->now = now;
	fw_list_for_each_safe (pos, tmp, &k->later) {
		fw_list_del(pos);
		settle(k, fw_list_entry(pos, struct fw_entry, later));
	}
}

static struct fw_entry *first(struct keyed *k)
{
	struct fw_heap_node *node = fw_heap_first(&k->heap);
	struct fw_entry *oldest =
		k->rule->oldest ? ages_oldest(&k->ages) : NULL;

	if (oldest && k->rule->oldest(k, oldest))
		return oldest;
	return node ? container_of(node, struct fw_entry, by_arrival) : NULL;
}

struct fw_request *keyed_peek(void *policy)
{
	struct fw_entry *entry = first(policy);

	return entry ? fw_entry_request(entry) : NULL;
}

void keyed_admit(void *policy, uint32_t tokens)
{
	struct keyed *k = policy;
	struct fw_entry *entry = first(k);

	(void)tokens;
	fw_heap_remove(&k->heap, &entry->by_arrival);
	if (k->rule->oldest)
		ages_remove(&k->ages, entry);
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	k->waiting--;
}

void keyed_end(void *policy)
{
	(void)policy;
}

void keyed_touch(struct keyed *k, struct fw_entry *entry)
{
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&k->later, &entry->later);
}

void keyed_touch_all(struct keyed *k)
{
	for (size_t i = 0; i < k->heap.num; i++)
		keyed_touch(k, container_of(k->heap.items[i].node,
					    struct fw_entry, by_arrival));
}
