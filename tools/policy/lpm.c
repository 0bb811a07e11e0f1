/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "keyed.h"

/*
 * Longest prefix match, SGLang's cache-aware order: most cached tokens first,
 * ties by age. With a limit it is policy_queue.c, with dedupe policy_dedupe.c.
 * With protection it is what PEEK's public description says of its order and
 * its cache, hence "peek-like"; how PEEK is fair is not public.
 */

static double key(struct keyed *keyed, const struct waiter *waiter)
{
	(void)keyed;
	return -(double)waiter->hit;
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

const struct policy_ops policy_lpm = {
	.source = KEYED_SOURCE,
	.create = create,
	.destroy = keyed_destroy,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
};
