/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/list.h"
#include "lib/queue/score_kinetic.h"
#include "policy_ops.h"

/*
 * Highest response ratio next (SGLang's pull request 32911): the longest wait
 * for each token left to compute, by the wall clock or, as it stands there,
 * in tokens that the node computed meanwhile.
 *
 * That is a line in time with slope 1 / c, as fairway's score is with a ratio
 * of 0, so it stands in the same kinetic heap: nothing is sorted.
 */
struct hrrn {
	struct fw_kinetic order;
	struct fw_list later; /* entries with another hit since the merge */
	size_t waiting;
	bool token_clock;
	uint64_t tokens; /* computed in the steps that ended */
	const struct fw_allocator *allocator;
};

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	struct hrrn *p = fw_alloc_array(env->allocator, 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->token_clock = spec->token_clock;
	p->allocator = env->allocator;
	fw_kinetic_init(&p->order, 0.0, env->allocator);
	fw_list_init(&p->later);
	*policy = p;
	return 0;
}

static void destroy(void *policy)
{
	struct hrrn *p = policy;

	fw_kinetic_destroy(&p->order);
	fw_free_array(p->allocator, p, 1, sizeof(*p));
}

static int add(void *policy, struct fw_request *req, uint32_t hit)
{
	struct hrrn *p = policy;
	struct fw_entry *entry = fw_entry(req);
	int ret = fw_kinetic_reserve(&p->order, p->waiting + 1);

	if (ret)
		return ret;
	if (p->token_clock)
		entry->arrival = (double)p->tokens;
	entry->new_hit = hit;
	fw_list_add_tail(&p->later, &entry->later);
	p->waiting++;
	return 0;
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	struct hrrn *p = policy;
	struct fw_entry *entry = fw_entry(req);

	entry->new_hit = hit;
	if (!fw_list_linked(&entry->later))
		fw_list_add_tail(&p->later, &entry->later);
}

static void stepped(void *policy, uint32_t tokens)
{
	((struct hrrn *)policy)->tokens += tokens;
}

static size_t waiting(void *policy)
{
	return ((struct hrrn *)policy)->waiting;
}

/* hit / cost is 0, the unit of the wait is c: the score is wait / c. */
static void settle(struct hrrn *p, struct fw_entry *entry)
{
	entry->hit = 0;
	entry->cost = 1;
	entry->slo = (double)(fw_entry_request(entry)->len - entry->new_hit);
	if (entry->by_score)
		fw_kinetic_rescore(&p->order, entry);
	else
		fw_kinetic_insert(&p->order, entry);
}

static void begin(void *policy, double now, uint32_t budget)
{
	struct hrrn *p = policy;
	struct fw_list *pos, *tmp;

	(void)budget;
	fw_kinetic_advance(&p->order, p->token_clock ? (double)p->tokens : now);
	fw_list_for_each_safe (pos, tmp, &p->later) {
		fw_list_del(pos);
		settle(p, fw_list_entry(pos, struct fw_entry, later));
	}
}

static struct fw_request *peek(void *policy)
{
	struct hrrn *p = policy;
	struct fw_entry *entry = fw_kinetic_first(&p->order);

	return entry ? fw_entry_request(entry) : NULL;
}

static void admit(void *policy, uint32_t tokens)
{
	struct hrrn *p = policy;
	struct fw_entry *entry = fw_kinetic_first(&p->order);

	(void)tokens;
	fw_kinetic_remove(&p->order, entry);
	if (fw_list_linked(&entry->later))
		fw_list_del(&entry->later);
	p->waiting--;
}

static void end(void *policy)
{
	(void)policy;
}

const struct policy_ops policy_hrrn = {
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
	.stepped = stepped,
};
