/* SPDX-License-Identifier: Apache-2.0 */
#include "keyed.h"

/*
 * First come, first served: vLLM's default, and what most engines do that
 * have one queue.
 */

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return waiter->arrival;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = key};

	(void)spec;
	return keyed_create_plain(policy, &rule, env);
}

const struct policy policy_fcfs = {
	.name = "fcfs",
	.help = "first come, first served",
	.order = &keyed_order,
	.create = create,
	.destroy = keyed_destroy,
};
