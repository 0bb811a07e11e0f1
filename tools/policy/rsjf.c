/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "keyed.h"

/*
 * xLLM's reference to shortest job first (its pull request 2164): those that
 * waited for so long go first, oldest first, then by tokens left to compute.
 */
struct rsjf {
	struct keyed keyed;
	double max_wait;
};

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return keyed_cost(waiter);
}

/* Waits fall with age in the order of arrival, rounding kept. */
static bool oldest(struct keyed *keyed, const struct waiter *waiter)
{
	double max = container_of(keyed, struct rsjf, keyed)->max_wait;

	return keyed->now - waiter->arrival >= max;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {key, oldest};
	struct rsjf *p = keyed_create(sizeof(*p), &rule, env);

	if (!p)
		return -ENOMEM;
	p->max_wait = spec->max_wait;
	*policy = p;
	return 0;
}

const struct policy_ops policy_rsjf = {
	.source = KEYED_SOURCE,
	.create = create,
	.destroy = keyed_destroy,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
};
