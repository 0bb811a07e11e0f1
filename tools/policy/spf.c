/* SPDX-License-Identifier: Apache-2.0 */
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

	(void)spec;
	return keyed_create_plain(policy, &rule, env);
}

const struct policy policy_spf = {
	.name = "spf",
	.help = "fewest tokens to compute first",
	.order = &keyed_order,
	.create = create,
	.destroy = keyed_destroy,
};
