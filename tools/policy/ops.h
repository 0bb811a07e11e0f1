/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_POLICY_OPS_H
#define TOOLS_POLICY_OPS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/compiler.h"
#include "lib/cost/cost.h"
#include "lib/queue/order_ops.h"
#include "policy.h"

struct fw_kv_pool;

/**
 * struct policy_env - what an order may know about its node
 * @cost: predicted prefill times
 * @device: step times
 * @budget: tokens of a step
 * @block_tokens: tokens of a block
 * @allocator: for everything that it allocates
 */
struct policy_env {
	const struct fw_cost *cost;
	const struct fw_device *device;
	uint32_t budget;
	uint32_t block_tokens;
	const struct fw_allocator *allocator;
};

/* Does a "=" follow the flag? */
enum policy_value {
	VALUE_NONE,
	VALUE_OPTIONAL,
	VALUE_NEEDED,
};

/**
 * struct policy_flag - what may follow a policy's name
 * @name: before the "="
 * @value: whether a "=" may or must follow
 * @set: stores it; @what names policy and flag for the diagnosis, @value is
 *	NULL when none was given
 * @form: how the help writes it; NULL leaves it out
 * @help: what it says of it
 */
struct policy_flag {
	const char *name;
	enum policy_value value;
	int (*set)(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag);
	const char *form;
	const char *help;
};

/* Ends a table of flags. */
#define POLICY_FLAGS_END                           \
	{                                          \
		NULL, VALUE_NONE, NULL, NULL, NULL \
	}

/**
 * struct policy - one order of the command: all that there is to it
 * @name: before the first ":" of --policy
 * @help: what it does, one or more lines, split by newlines
 * @flags: its own, set in the order of this table, whatever the order that
 *	they were given in: what depends on another one stands after it. NULL
 *	for none
 * @defaults: of its own flags; NULL for zeros
 * @size: of @defaults, at most POLICY_ARGS
 * @protect: is --protect always set?
 * @variant: another policy that stands for this one with these flags, or NULL
 *	for none; may be NULL
 * @order: what the planner asks; its ctx is what @create makes. Requests are
 *	added by rising (arrival, id)
 * @create: *@order is written only on success. 0, -ENOMEM, or -ECANCELED where
 *	a policy of the user's own refuses
 * @destroy: nothing waits any more, or the run failed
 * @slo: unit of the wait of a prompt of @len tokens, seconds, for @order.add;
 *	NULL where it is of no use
 * @pausing: do prompts that have begun compete on under @spec? Then @order
 *	serves pausing, and there is no @evict. NULL: they never do
 * @evict: give the pool an order of eviction; called once, before requests
 *	come; @destroy undoes it. 0 or -ENOMEM; may be NULL
 * @stepped: a step that computed @tokens tokens is over; or NULL
 * @wrong: what broke in a policy of the user's own, in a line, or NULL for
 *	nothing; NULL itself where nothing can
 * @ended: after that, a request of it ended @ttft seconds after its arrival;
 *	or NULL
 */
struct policy {
	const char *name;
	const char *help;
	const struct policy_flag *flags;
	const void *defaults;
	size_t size;
	bool protect;
	const struct policy *(*variant)(const struct policy_spec *spec);
	const struct fw_order_ops *order;
	int (*create)(void **order, const struct policy_spec *spec,
		      const struct policy_env *env);
	void (*destroy)(void *order);
	double (*slo)(const void *order, uint32_t len);
	bool (*pausing)(const struct policy_spec *spec);
	int (*evict)(void *order, struct fw_kv_pool *pool);
	void (*stepped)(void *order, uint32_t tokens);
	const char *(*wrong)(const void *order);
	void (*ended)(void *order, double ttft);
};

/* The policy's own flags; the type is that of its defaults. */
static inline void *policy_args(struct policy_spec *spec)
{
	return spec->args;
}

static inline const void *policy_args_const(const struct policy_spec *spec)
{
	return spec->args;
}

static inline bool policy_pausing(const struct policy_spec *spec)
{
	return spec->policy->pausing && spec->policy->pausing(spec);
}

/* What broke, without the policy's name; NULL for nothing. */
static inline const char *policy_wrong(const struct policy *policy,
				       const void *order)
{
	return policy->wrong ? policy->wrong(order) : NULL;
}

/* Return: 0, or -EINVAL and in @diag the policy and what broke. */
static inline int policy_broke(const struct policy *policy, const void *order,
			       struct diag *diag)
{
	const char *wrong = policy_wrong(policy, order);

	return wrong ? diag_set(diag, -EINVAL, "policy \"%s\": %s",
				policy->name, wrong)
		     : 0;
}

/* The policy that serves a spec: its own or a variant of it. */
static inline const struct policy *policy_of(const struct policy_spec *spec)
{
	const struct policy *policy = spec->policy;
	const struct policy *variant =
		policy->variant ? policy->variant(spec) : NULL;

	return variant ? variant : policy;
}

#endif
