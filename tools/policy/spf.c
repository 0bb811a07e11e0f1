/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "keyed.h"

/*
 * Shortest prefill first, as several engines offer it: fewest tokens left to
 * compute first, ties by age. Nothing keeps a long one from starving.
 */

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return keyed_cost(waiter);
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = key};
	void *p = keyed_create(sizeof(struct keyed), &rule, env);

	(void)spec;
	if (!p)
		return -ENOMEM;
	*policy = p;
	return 0;
}

const struct policy_ops policy_spf = {
	.source = KEYED_SOURCE,
	.create = create,
	.destroy = keyed_destroy,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
};
