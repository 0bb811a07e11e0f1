/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tools/base/options.h"
#include "keyed.h"

/*
 * k-LPM (arXiv 2502.04677): longest prefix match, but one admission in k takes
 * the oldest. Admissions are counted over the whole run, the first one takes
 * the oldest.
 */

struct klpm_args {
	uint32_t k;
};

struct klpm {
	struct keyed keyed;
	uint32_t k;
	uint32_t turn; /* admissions so far, modulo k */
};

static bool oldest(struct keyed *keyed, const struct waiter *waiter)
{
	(void)waiter;
	return container_of(keyed, struct klpm, keyed)->turn == 0;
}

static int create(void **policy, const struct policy_spec *spec,
		  const struct policy_env *env)
{
	static const struct keyed_rule rule = {keyed_most_cached, oldest};
	const struct klpm_args *args = policy_args_const(spec);
	struct klpm *p = keyed_create(sizeof(*p), &rule, env);

	if (!p)
		return -ENOMEM;
	p->k = args->k;
	*policy = p;
	return 0;
}

static void admit(void *policy, uint32_t tokens)
{
	struct klpm *p = policy;

	keyed_admit(policy, tokens);
	p->turn = (p->turn + 1) % p->k;
}

static const struct fw_order_ops order = {
	.waiting = keyed_waiting,
	.add = keyed_add,
	.remove = keyed_remove,
	.set_hit = keyed_set_hit,
	.begin = keyed_begin,
	.peek = keyed_peek,
	.admit = admit,
	.end = keyed_end,
};

static int set_k(struct policy_spec *spec, const char *what, const char *value,
		 struct diag *diag)
{
	struct klpm_args *args = policy_args(spec);

	return opt_u32(what, value, 1, INT32_MAX, &args->k, diag);
}

static const struct policy_flag flags[] = {
	{"k", VALUE_NEEDED, set_k, "k=K", "of so many (default 4)"},
	POLICY_FLAGS_END,
};

static const struct klpm_args defaults = {.k = 4};

const struct policy policy_klpm = {
	.name = "klpm",
	.help = "the same, but the oldest first every so often",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.order = &order,
	.create = create,
	.destroy = keyed_destroy,
};
