/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "keyed.h"

/*
 * k-LPM (arXiv 2502.04677): longest prefix match, but one admission in k takes
 * the oldest. Admissions are counted over the whole run, the first one takes
 * the oldest.
 */
struct klpm {
	struct keyed keyed;
	uint32_t k;
	uint32_t turn; /* admissions so far, modulo k */
};

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return -(double)waiter->hit;
}

static bool oldest(struct keyed *keyed, const struct waiter *waiter)
{
	(void)waiter;
	return container_of(keyed, struct klpm, keyed)->turn == 0;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {key, oldest};
	struct klpm *p = keyed_create(sizeof(*p), &rule, env);

	if (!p)
		return -ENOMEM;
	p->k = spec->k;
	*policy = p;
	return 0;
}

static void admit(void *policy, uint32_t tokens)
{
	struct klpm *p = policy;

	keyed_admit(policy, tokens);
	p->turn = (p->turn + 1) % p->k;
}

const struct policy_ops policy_klpm = {
	.source =
		{
			.waiting = keyed_waiting,
			.begin = keyed_begin,
			.peek = keyed_peek,
			.admit = admit,
			.end = keyed_end,
		},
	.create = create,
	.destroy = keyed_destroy,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
};
