/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/heap.h"
#include "lib/base/list.h"
#include "policy_ops.h"

/*
 * Preble's local order (WukLab/preble): ten groups by the cached share of the
 * prompt, by age inside. A merge begins at the pointer's group and takes up to
 * (g + 1) * 10 of group g, then of the next one down, round and round; the
 * pointer moves one down after each merge.
 */

#define GROUPS 10u

/**
 * struct preble - the order
 * @groups: by age
 * @later: entries that are new or have another hit since the last merge began
 * @waiting: how many wait
 * @pointer: group that the next merge begins with
 * @group: that the merge takes from now
 * @quota: of @group that it may still take
 */
struct preble {
	struct fw_heap groups[GROUPS];
	struct fw_list later;
	size_t waiting;
	uint32_t pointer;
	uint32_t group;
	uint32_t quota;
	const struct fw_allocator *allocator;
};

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	struct preble *p = fw_alloc_array(env->allocator, 1, sizeof(*p));

	(void)spec;
	if (!p)
		return -ENOMEM;
	for (uint32_t i = 0; i < GROUPS; i++)
		fw_heap_init(&p->groups[i], env->allocator);
	fw_list_init(&p->later);
	p->pointer = GROUPS - 1;
	p->allocator = env->allocator;
	*policy = p;
	return 0;
}

static void destroy(void *policy)
{
	struct preble *p = policy;

	for (uint32_t i = 0; i < GROUPS; i++)
		fw_heap_destroy(&p->groups[i]);
	fw_free_array(p->allocator, p, 1, sizeof(*p));
}

/* Room in every group: which one it will be changes with its hit. */
static int add(void *policy, struct fw_request *req, uint32_t hit)
{
	struct preble *p = policy;
	struct fw_entry *entry = fw_entry(req);
	int ret = 0;

	for (uint32_t i = 0; i < GROUPS && !ret; i++)
		ret = fw_heap_reserve(&p->groups[i], p->waiting + 1);
	if (ret)
		return ret;
	entry->new_hit = hit;
	fw_list_add_tail(&p->later, &entry->later);
	p->waiting++;
	return 0;
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	struct preble *p = policy;
	struct fw_entry *entry = fw_entry(req);

	entry->new_hit = hit;
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&p->later, &entry->later);
}

static size_t waiting(void *policy)
{
	return ((struct preble *)policy)->waiting;
}

/* Tenths of the prompt that are cached, rounded up, less one. */
static uint32_t group_of(const struct fw_entry *entry, uint32_t len)
{
	uint64_t tenths = GROUPS * (uint64_t)entry->hit;

	return tenths ? (uint32_t)((tenths + len - 1) / len) - 1 : 0;
}

static void settle(struct preble *p, struct fw_entry *entry)
{
	uint32_t len = fw_entry_request(entry)->len;

	if (fw_heap_queued(&entry->by_arrival))
		fw_heap_remove(&p->groups[group_of(entry, len)],
			       &entry->by_arrival);
	entry->hit = entry->new_hit;
	fw_heap_insert(&p->groups[group_of(entry, len)], &entry->by_arrival,
		       0.0, entry->seq);
}

static void turn_to(struct preble *p, uint32_t group)
{
	p->group = group;
	p->quota = (group + 1) * GROUPS;
}

static void begin(void *policy, double now, uint32_t budget)
{
	struct preble *p = policy;
	struct fw_list *pos, *tmp;

	(void)now;
	(void)budget;
	fw_list_for_each_safe (pos, tmp, &p->later) {
		fw_list_del(pos);
		settle(p, fw_list_entry(pos, struct fw_entry, later));
	}
	turn_to(p, p->pointer);
}

static uint32_t below(uint32_t group)
{
	return (group + GROUPS - 1) % GROUPS;
}

/* Groups without anybody are passed over, which ends where somebody waits. */
static struct fw_entry *first(struct preble *p)
{
	if (!p->waiting)
		return NULL;
	while (!p->quota || !p->groups[p->group].num)
		turn_to(p, below(p->group));
	return container_of(fw_heap_first(&p->groups[p->group]),
			    struct fw_entry, by_arrival);
}

static struct fw_request *peek(void *policy)
{
	struct fw_entry *entry = first(policy);

	return entry ? fw_entry_request(entry) : NULL;
}

static void admit(void *policy, uint32_t tokens)
{
	struct preble *p = policy;
	struct fw_entry *entry = first(p);

	(void)tokens;
	fw_heap_remove(&p->groups[p->group], &entry->by_arrival);
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	p->quota--;
	p->waiting--;
}

static void end(void *policy)
{
	struct preble *p = policy;

	p->pointer = below(p->pointer);
}

const struct policy_ops policy_preble = {
	.source =
		{
			.waiting = waiting,
			.begin = begin,
			.peek = peek,
			.admit = admit,
			.end = end,
		},
	.create = create,
	.destroy = destroy,
	.add = add,
	.set_hit = set_hit,
};
