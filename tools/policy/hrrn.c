/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/queue/score_kinetic.h"
#include "flags.h"
#include "waiters.h"

/*
 * Highest response ratio next (SGLang's pull request 32911): the longest wait
 * for each token left to compute, by the wall clock or, as it stands there,
 * in tokens that the node computed meanwhile.
 *
 * That is a line in time with slope 1 / c, as fairway's score is with a ratio
 * of 0, so it stands in the same kinetic heap: nothing is sorted.
 */

/**
 * struct hrrn_item - what it keeps of a request
 * @waiter: as all orders do
 * @rank: its line: no hit, c as the unit of the wait
 */
struct FW_MAY_ALIAS hrrn_item {
	struct waiter waiter;
	struct fw_rank rank;
};

_Static_assert(sizeof(struct hrrn_item) <= FW_ENTRY_QUEUED, "its part");

struct hrrn_args {
	bool token_clock; /* clock=tokens: waits count in computed tokens */
};

struct hrrn {
	struct fw_kinetic heap;
	struct waiters waiters;
	bool token_clock;
	uint64_t tokens; /* computed in the steps that ended */
	const struct fw_allocator *allocator;
};

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	const struct hrrn_args *args = policy_args_const(spec);
	struct hrrn *p = fw_alloc_array(env->allocator, 1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->token_clock = args->token_clock;
	p->allocator = env->allocator;
	fw_kinetic_init(&p->heap, 0.0, env->allocator);
	waiters_init(&p->waiters);
	*policy = p;
	return 0;
}

static void destroy(void *policy)
{
	struct hrrn *p = policy;

	fw_kinetic_destroy(&p->heap);
	fw_free_array(p->allocator, p, 1, sizeof(*p));
}

static struct hrrn_item *item_of(struct fw_request *req)
{
	return (struct hrrn_item *)fw_entry(req)->queued;
}

static int add(void *policy, struct fw_request *req, double arrival, double slo,
	       uint32_t hit)
{
	struct hrrn *p = policy;
	int ret = fw_kinetic_reserve(&p->heap, p->waiters.num + 1);

	(void)slo;
	if (ret)
		return ret;
	waiters_add(&p->waiters, req,
		    p->token_clock ? (double)p->tokens : arrival, hit);
	return 0;
}

static void take_out(void *policy, struct fw_request *req)
{
	struct hrrn *p = policy;
	struct fw_rank *rank = &item_of(req)->rank;

	if (rank->by_score)
		fw_kinetic_remove(&p->heap, rank);
	waiters_leave(&p->waiters, req);
}

static void set_hit(void *policy, struct fw_request *req, uint32_t hit)
{
	waiters_set_hit(&((struct hrrn *)policy)->waiters, req, hit);
}

static void stepped(void *policy, uint32_t tokens)
{
	((struct hrrn *)policy)->tokens += tokens;
}

static size_t waiting(const void *policy)
{
	return ((const struct hrrn *)policy)->waiters.num;
}

/* hit / cost is 0, the unit of the wait is c: the score is wait / c. */
static void settle(struct hrrn *p, struct waiter *waiter)
{
	struct fw_rank *rank =
		&container_of(waiter, struct hrrn_item, waiter)->rank;

	rank->arrival = waiter->arrival;
	rank->seq = waiter->seq;
	rank->hit = 0;
	rank->cost = 1;
	rank->unit = (double)waiter_cost(waiter);
	if (rank->by_score)
		fw_kinetic_rescore(&p->heap, rank);
	else
		fw_kinetic_insert(&p->heap, rank);
}

static void begin(void *policy, double now, uint32_t budget)
{
	struct hrrn *p = policy;
	struct waiter *waiter;

	(void)budget;
	fw_kinetic_advance(&p->heap, p->token_clock ? (double)p->tokens : now);
	while ((waiter = waiters_settle(&p->waiters)))
		settle(p, waiter);
}

static struct fw_request *peek(void *policy)
{
	struct hrrn *p = policy;
	struct fw_rank *rank = fw_kinetic_first(&p->heap);

	if (!rank)
		return NULL;
	return waiter_request(
		&container_of(rank, struct hrrn_item, rank)->waiter);
}

static void admit(void *policy, uint32_t tokens)
{
	(void)tokens;
	take_out(policy, peek(policy));
}

static void end(void *policy)
{
	(void)policy;
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

static int set_clock(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"wall", "tokens", NULL};
	struct hrrn_args *args = policy_args(spec);
	int i = flag_word(what, value, words, diag);

	if (i < 0)
		return i;
	args->token_clock = i == 1;
	return 0;
}

static const struct policy_flag flags[] = {
	{"clock", VALUE_NEEDED, set_clock, "clock=tokens",
	 "the wait in tokens computed meanwhile"},
	POLICY_FLAGS_END,
};

static const struct hrrn_args defaults;

const struct policy policy_hrrn = {
	.name = "hrrn",
	.help = "longest wait for each token to compute",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.order = &order,
	.create = create,
	.destroy = destroy,
	.stepped = stepped,
};
