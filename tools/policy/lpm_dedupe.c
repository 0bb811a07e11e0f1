/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "tools/base/key_map.h"
#include "keyed.h"
#include "lpm.h"

/*
 * Longest prefix match with SGLang's in-batch dedupe, without a limit: a
 * request without a hit to speak of whose first tokens equal those of an older
 * one that waits goes last, by age, since it will hit what that one computes.
 *
 * So who is held back changes with a request's own hit, or when the oldest of
 * those that begin alike leaves: nothing is sorted.
 */

/* After all who are not held back, whose keys are 0 at most. */
#define KEY_HELD_BACK 1.0

/**
 * struct dedupe - the order
 * @groups: those who wait and begin alike; unused ones have no items
 * @num_groups: how many were ever used
 * @cap_groups: room for
 * @unused: groups that nobody is in, a stack with the room of @groups
 * @num_unused: how many
 * @map: key of the last block of a start to its group
 * @blocks: of a start
 */
struct dedupe {
	struct keyed keyed;
	struct ages *groups;
	size_t num_groups;
	size_t cap_groups;
	uint32_t *unused;
	size_t cap_unused;
	size_t num_unused;
	struct fw_key_map map;
	uint32_t blocks;
};

/* An equal key is an equal prefix. NULL: too short to begin like others. */
static const struct fw_key *start_of(const struct dedupe *p,
				     const struct fw_request *req)
{
	return req->num_keys >= p->blocks ? &req->keys[p->blocks - 1] : NULL;
}

static struct ages *group_of(const struct dedupe *p,
			     const struct waiter *waiter)
{
	const struct fw_key *start = start_of(p, waiter_request(waiter));

	return start ? &p->groups[fw_key_map_get(&p->map, start)] : NULL;
}

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	const struct ages *group =
		group_of(container_of(keyed, struct dedupe, keyed), waiter);
	const struct keyed_item *item =
		container_of(waiter, const struct keyed_item, waiter);

	if (waiter->hit <= LPM_DEDUPE_TOKENS && group &&
	    ages_oldest(group) != &item->age)
		return KEY_HELD_BACK;
	return -(double)waiter->hit;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = key};
	struct dedupe *p = keyed_create(sizeof(*p), &rule, env);

	(void)spec;
	if (!p)
		return -ENOMEM;
	fw_key_map_init(&p->map, env->allocator);
	p->blocks =
		(LPM_DEDUPE_TOKENS + env->block_tokens - 1) / env->block_tokens;
	*policy = p;
	return 0;
}

static void destroy(void *policy)
{
	struct dedupe *p = policy;
	const struct fw_allocator *a = p->keyed.env.allocator;

	for (size_t i = 0; i < p->num_groups; i++)
		ages_destroy(&p->groups[i]);
	fw_key_map_destroy(&p->map);
	fw_free_array(a, p->unused, p->cap_unused, sizeof(*p->unused));
	fw_free_array(a, p->groups, p->cap_groups, sizeof(*p->groups));
	keyed_destroy(policy);
}

/* Room for one more group, so that nothing fails once one is named. */
static int reserve(struct dedupe *p)
{
	const struct fw_allocator *a = p->keyed.env.allocator;
	size_t num = p->num_groups + 1;
	int ret = fw_grow_array(a, (void **)&p->groups, &p->cap_groups, num,
				sizeof(*p->groups));

	if (!ret)
		ret = fw_grow_array(a, (void **)&p->unused, &p->cap_unused, num,
				    sizeof(*p->unused));
	return ret ? ret : fw_key_map_reserve(&p->map, num);
}

static uint32_t new_group(struct dedupe *p, const struct fw_key *start)
{
	uint32_t i;

	if (p->num_unused) {
		i = p->unused[--p->num_unused];
	} else {
		i = (uint32_t)p->num_groups++;
		ages_init(&p->groups[i], p->keyed.env.allocator);
	}
	fw_key_map_add(&p->map, start, i);
	return i;
}

static void drop_group(struct dedupe *p, const struct fw_key *start)
{
	p->unused[p->num_unused++] = fw_key_map_get(&p->map, start);
	fw_key_map_remove(&p->map, start);
}

static int join(struct dedupe *p, struct fw_request *req)
{
	const struct fw_key *start = start_of(p, req);
	uint32_t i;
	int ret;

	if (!start)
		return 0;
	ret = reserve(p);
	if (ret)
		return ret;
	i = fw_key_map_get(&p->map, start);
	if (i == FW_KEY_MAP_NONE)
		i = new_group(p, start);
	ret = ages_add(&p->groups[i], &keyed_item(req)->age);
	if (ret && !ages_oldest(&p->groups[i]))
		drop_group(p, start);
	return ret;
}

/* Whoever is the oldest of those that begin alike now is not held back. */
static void leave(struct dedupe *p, struct fw_request *req)
{
	struct ages *group = group_of(p, waiter_of(req));
	struct ages_node *next;

	if (!group)
		return;
	ages_remove(group, &keyed_item(req)->age);
	next = ages_oldest(group);
	if (next)
		waiters_touch(
			&p->keyed.waiters,
			&container_of(next, struct keyed_item, age)->waiter);
	else
		drop_group(p, start_of(p, req));
}

static int add(void *policy, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct dedupe *p = policy;
	int ret = join(p, req);

	if (ret)
		return ret;
	ret = keyed_add(policy, req, arrival, slo, hit);
	if (ret)
		leave(p, req);
	return ret;
}

static void take_out(void *policy, struct fw_request *req)
{
	keyed_remove(policy, req);
	leave(policy, req);
}

static void admit(void *policy, uint32_t tokens)
{
	(void)tokens;
	take_out(policy, keyed_peek(policy));
}

static const struct fw_order_ops order = {
	.waiting = keyed_waiting,
	.add = add,
	.remove = take_out,
	.set_hit = keyed_set_hit,
	.begin = keyed_begin,
	.peek = keyed_peek,
	.admit = admit,
	.end = keyed_end,
};

const struct policy policy_lpm_dedupe = {
	.order = &order,
	.create = create,
	.destroy = destroy,
};
