/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/base/options.h"
#include "keyed.h"
#include "lpm.h"

/*
 * Longest prefix match, SGLang's cache-aware order: most cached tokens first,
 * ties by age. With a limit it is lpm_limit.c, with dedupe lpm_dedupe.c.
 */

int lpm_create(void **policy, const struct policy_spec *spec,
	       const struct policy_env *env)
{
	static const struct keyed_rule rule = {.key = keyed_most_cached};

	(void)spec;
	return keyed_create_plain(policy, &rule, env);
}

static const struct policy *variant(const struct policy_spec *spec)
{
	const struct lpm_args *args = policy_args_const(spec);

	if (args->limit)
		return &policy_lpm_limit;
	return args->dedupe ? &policy_lpm_dedupe : NULL;
}

static int set_limit(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	struct lpm_args *args = policy_args(spec);

	return opt_u32(what, value, 1, INT32_MAX, &args->limit, diag);
}

static int set_dedupe(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	struct lpm_args *args = policy_args(spec);

	(void)what;
	(void)value;
	(void)diag;
	args->dedupe = true;
	return 0;
}

static const struct policy_flag flags[] = {
	{"limit", VALUE_NEEDED, set_limit, "limit=N",
	 "leave a queue of more than N unsorted"},
	{"dedupe", VALUE_NONE, set_dedupe, "dedupe",
	 "hold back all but the first of a cold prefix"},
	POLICY_FLAGS_END,
};

static const struct lpm_args defaults;

const struct policy policy_lpm = {
	.name = "lpm",
	.help = "longest cached prefix first",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.variant = variant,
	.order = &keyed_order,
	.create = lpm_create,
	.destroy = keyed_destroy,
};
