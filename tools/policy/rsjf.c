/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "flags.h"
#include "keyed.h"

/*
 * xLLM's reference to shortest job first (its pull request 2164): those that
 * waited for so long go first, oldest first, then by tokens left to compute.
 */

struct rsjf_args {
	double max_wait;
};

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
	const struct rsjf_args *args = policy_args_const(spec);
	struct rsjf *p = keyed_create(sizeof(*p), &rule, env);

	if (!p)
		return -ENOMEM;
	p->max_wait = args->max_wait;
	*policy = p;
	return 0;
}

static int set_max(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag)
{
	struct rsjf_args *args = policy_args(spec);

	return flag_real(what, value, &args->max_wait, diag);
}

static const struct policy_flag flags[] = {
	{"max", VALUE_NEEDED, set_max, "max=M",
	 "but first who waited M seconds (default 10)"},
	POLICY_FLAGS_END,
};

static const struct rsjf_args defaults = {.max_wait = 10.0};

const struct policy policy_rsjf = {
	.name = "rsjf",
	.help = "the same",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.order = &keyed_order,
	.create = create,
	.destroy = keyed_destroy,
};
