/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/alloc.h"
#include "lib/heap.h"
#include "policy_ops.h"

/*
 * Orders by one key that changes only with the request itself: fcfs by
 * arrival, lpm by cached tokens, most first. Ties go by arrival.
 */
struct by_key {
	struct fw_heap heap;
	struct fw_list later; /* entries with another hit since the merge */
	size_t waiting;
	double (*key)(const struct fw_entry *entry);
	const struct fw_allocator *allocator;
};

static double key_arrival(const struct fw_entry *entry)
{
	return entry->arrival;
}

static double key_hit(const struct fw_entry *entry)
{
	return -(double)entry->new_hit;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	struct by_key *p = fw_alloc_array(env->allocator, 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->allocator = env->allocator;
	p->key = spec->kind == POLICY_LPM ? key_hit : key_arrival;
	fw_heap_init(&p->heap, env->allocator);
	fw_list_init(&p->later);
	*policy = p;
	return 0;
}

static void destroy(void *policy)
{
	struct by_key *p = policy;

	fw_heap_destroy(&p->heap);
	fw_free_array(p->allocator, p, 1, sizeof(*p));
}

static int add(void *policy, struct fw_request *req, uint32_t hit)
{
	struct by_key *p = policy;
	struct fw_entry *entry = fw_entry(req);
	int ret = fw_heap_reserve(&p->heap, p->waiting + 1);

	if (ret)
		return ret;
	entry->new_hit = hit;
	fw_list_add_tail(&p->later, &entry->later);
	p->waiting++;
	return 0;
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	struct by_key *p = policy;
	struct fw_entry *entry = fw_entry(req);

	entry->new_hit = hit;
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&p->later, &entry->later);
}

static size_t waiting(void *ctx)
{
	return ((struct by_key *)ctx)->waiting;
}

static void begin(void *ctx, double now, uint32_t budget)
{
	struct by_key *p = ctx;
	struct fw_list *pos, *tmp;

	(void)now;
	(void)budget;
	fw_list_for_each_safe (pos, tmp, &p->later) {
		struct fw_entry *e = fw_list_entry(pos, struct fw_entry, later);

		fw_list_del(pos);
		if (fw_heap_queued(&e->by_arrival))
			fw_heap_update(&p->heap, &e->by_arrival, p->key(e));
		else
			fw_heap_insert(&p->heap, &e->by_arrival, p->key(e),
				       e->seq);
	}
}

static struct fw_request *peek(void *ctx)
{
	struct by_key *p = ctx;
	struct fw_heap_node *node = fw_heap_first(&p->heap);

	if (!node)
		return NULL;
	return fw_entry_request(
		container_of(node, struct fw_entry, by_arrival));
}

static void admit(void *ctx, uint32_t tokens)
{
	struct by_key *p = ctx;
	struct fw_entry *entry = fw_entry(peek(ctx));

	(void)tokens;
	fw_heap_remove(&p->heap, &entry->by_arrival);
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	p->waiting--;
}

static void end(void *ctx)
{
	(void)ctx;
}

const struct policy_ops policy_heap = {
	.source = {waiting, begin, peek, admit, end},
	.create = create,
	.destroy = destroy,
	.add = add,
	.set_hit = set_hit,
};
