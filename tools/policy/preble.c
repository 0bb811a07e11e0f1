/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/heap.h"
#include "ops.h"
#include "waiters.h"

/*
 * Preble's local order (WukLab/preble): ten groups by the cached share of the
 * prompt, by age inside. A merge begins at the pointer's group and takes up to
 * (g + 1) * 10 of group g, then of the next one down, round and round; the
 * pointer moves one down after each merge.
 */

#define GROUPS 10u

/**
 * struct preble_item - what it keeps of a request
 * @waiter: as all orders do
 * @by_age: place in the heap of its group
 * @group: which that is
 */
struct FW_MAY_ALIAS preble_item {
	struct waiter waiter;
	struct fw_heap_node by_age;
	uint32_t group;
};

_Static_assert(sizeof(struct preble_item) <= FW_ENTRY_QUEUED, "its part");

/**
 * struct preble - the order
 * @groups: by age
 * @waiters: who waits
 * @pointer: group that the next merge begins with
 * @group: that the merge takes from now
 * @quota: of @group that it may still take
 */
struct preble {
	struct fw_heap groups[GROUPS];
	struct waiters waiters;
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
	waiters_init(&p->waiters);
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

static struct preble_item *item_of(struct fw_request *req)
{
	return (struct preble_item *)fw_entry(req)->queued;
}

/* Room in every group: which one it will be changes with its hit. */
static int add(void *policy, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct preble *p = policy;
	int ret = 0;

	(void)slo;
	for (uint32_t i = 0; i < GROUPS && !ret; i++)
		ret = fw_heap_reserve(&p->groups[i], p->waiters.num + 1);
	if (!ret)
		waiters_add(&p->waiters, req, arrival, hit);
	return ret;
}

static void take_out(void *policy, struct fw_request *req)
{
	struct preble *p = policy;
	struct preble_item *item = item_of(req);

	if (fw_heap_queued(&item->by_age))
		fw_heap_remove(&p->groups[item->group], &item->by_age);
	waiters_leave(&p->waiters, req);
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	waiters_set_hit(&((struct preble *)policy)->waiters, req, hit);
}

static size_t waiting(const void *policy)
{
	return ((const struct preble *)policy)->waiters.num;
}

/* Tenths of the prompt that are cached, rounded up, less one. */
static uint32_t group_of(const struct waiter *waiter)
{
	uint64_t tenths = GROUPS * (uint64_t)waiter->hit;
	uint32_t len = waiter_request(waiter)->len;

	return tenths ? (uint32_t)((tenths + len - 1) / len) - 1 : 0;
}

static void settle(struct preble *p, struct waiter *waiter)
{
	struct preble_item *item =
		container_of(waiter, struct preble_item, waiter);

	if (fw_heap_queued(&item->by_age))
		fw_heap_remove(&p->groups[item->group], &item->by_age);
	item->group = group_of(waiter);
	fw_heap_insert(&p->groups[item->group], &item->by_age, 0.0,
		       waiter->seq);
}

static void turn_to(struct preble *p, uint32_t group)
{
	p->group = group;
	p->quota = (group + 1) * GROUPS;
}

static void begin(void *policy, double now, uint32_t budget)
{
	struct preble *p = policy;
	struct waiter *waiter;

	(void)now;
	(void)budget;
	while ((waiter = waiters_settle(&p->waiters)))
		settle(p, waiter);
	turn_to(p, p->pointer);
}

static uint32_t below(uint32_t group)
{
	return (group + GROUPS - 1) % GROUPS;
}

/* Groups without anybody are passed over, which ends where somebody waits. */
static struct fw_request *peek(void *policy)
{
	struct preble *p = policy;
	struct fw_heap_node *node;

	if (!p->waiters.num)
		return NULL;
	while (!p->quota || !p->groups[p->group].num)
		turn_to(p, below(p->group));
	node = fw_heap_first(&p->groups[p->group]);
	return waiter_request(
		&container_of(node, struct preble_item, by_age)->waiter);
}

static void admit(void *policy, uint32_t tokens)
{
	struct preble *p = policy;

	(void)tokens;
	take_out(policy, peek(policy));
	p->quota--;
}

static void end(void *policy)
{
	struct preble *p = policy;

	p->pointer = below(p->pointer);
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

const struct policy policy_preble = {
	.name = "preble",
	.help = "ten groups by cached share, served in turn",
	.order = &order,
	.create = create,
	.destroy = destroy,
};
