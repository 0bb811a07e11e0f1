/* SPDX-License-Identifier: Apache-2.0 */
#include "fairway.h"

#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/cost/score.h"
#include "lib/queue/tenants.h"
#include "tools/base/number.h"
#include "flags.h"
#include "registry.h"
#include "score_sort.h"

/*
 * The library's own order: its lanes, or its tenants, with the settings of the
 * flags. They come first, so that the library's operations take the policy for
 * them.
 */
struct fairway {
	union {
		struct fw_lanes lanes;
		struct fw_tenants tenants;
	};
	struct fw_tenant_weights weights;
	struct score_sort sort; /* with order=sort */
	struct policy_env env;
	double multiplier;
	double floor;
};

const struct fairway_args *fairway_args(const struct policy_spec *spec)
{
	bool lanes = spec->policy->create == fairway_create;

	return lanes ? policy_args_const(spec) : NULL;
}

static struct fw_lanes_config lanes_of(struct fairway *f,
				       const struct fairway_args *args,
				       const struct policy_env *env)
{
	struct fw_lanes_config config = {
		.weight = (uint32_t)args->weight,
		.budget = env->budget,
		.carry = args->carry,
		.fair_lane = !args->no_fair_lane,
		.wait_constant = args->wait_constant,
		.by_rest = args->by_rest,
		.guard = (uint32_t)args->guard,
		.score = args->sort ? &score_sort_ops : NULL,
		.score_ctx = &f->sort,
	};

	fw_remaining_init(&config.work, env->cost, env->budget);
	return config;
}

static struct fairway *make(const struct policy_spec *spec,
			    const struct policy_env *env)
{
	const struct fairway_args *args = policy_args_const(spec);
	struct fairway *f = fw_alloc_array(env->allocator, 1, sizeof(*f));

	if (!f)
		return NULL;
	f->env = *env;
	f->multiplier = args->multiplier;
	f->floor = args->floor;
	score_sort_init(&f->sort, args->wait_constant, env->allocator);
	return f;
}

int fairway_create(void **policy, const struct policy_spec *spec,
		   const struct policy_env *env)
{
	struct fairway *f = make(spec, env);
	struct fw_lanes_config config;

	if (!f)
		return -ENOMEM;
	config = lanes_of(f, policy_args_const(spec), env);
	fw_lanes_init(&f->lanes, &config, env->allocator);
	*policy = f;
	return 0;
}

/* A trace gives no weights: all tenants have the same share. */
static int create_tenants(void **policy, const struct policy_spec *spec,
			  const struct policy_env *env)
{
	struct fairway *f = make(spec, env);
	struct fw_tenants_config config = {.max_idle = FW_TENANTS_MAX_IDLE};

	if (!f)
		return -ENOMEM;
	config.lanes = lanes_of(f, policy_args_const(spec), env);
	config.weights = &f->weights;
	fw_tenants_init(&f->tenants, &config, env->allocator);
	*policy = f;
	return 0;
}

static void free_rest(struct fairway *f)
{
	score_sort_destroy(&f->sort);
	fw_free_array(f->env.allocator, f, 1, sizeof(*f));
}

void fairway_destroy(void *policy)
{
	fw_lanes_destroy(&((struct fairway *)policy)->lanes);
	free_rest(policy);
}

static void destroy_tenants(void *policy)
{
	fw_tenants_destroy(&((struct fairway *)policy)->tenants);
	free_rest(policy);
}

double fairway_slo(const void *policy, uint32_t len)
{
	const struct fairway *f = policy;

	return fw_slo(fw_cost_prefill(f->env.cost, len), f->multiplier,
		      f->floor);
}

int fairway_set_weight(struct policy_spec *spec, const char *what,
		       const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	if (!parse_thousandths(value, 1, 1000000, &args->weight))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected a number from 0.001 to 1000 with at "
			"most three decimals (was \"%s\")",
			what, value);
}

static int set_multiplier(struct policy_spec *spec, const char *what,
			  const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	return flag_real(what, value, &args->multiplier, diag);
}

static int set_floor(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	return flag_real(what, value, &args->floor, diag);
}

static int set_wait(struct policy_spec *spec, const char *what,
		    const char *value, struct diag *diag)
{
	static const char *const words[] = {"relative", "absolute", NULL};
	struct fairway_args *args = policy_args(spec);
	int i = flag_word(what, value, words, diag);

	if (i < 0)
		return i;
	args->wait_constant = i ? 1.0 : 0.0;
	return 0;
}

static int set_constant(struct policy_spec *spec, const char *what,
			const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	if (args->wait_constant <= 0.0)
		return diag_set(diag, -EINVAL,
				"%s: goes with wait=absolute only", what);
	return flag_real(what, value, &args->wait_constant, diag);
}

static int set_lane(struct policy_spec *spec, const char *what,
		    const char *value, struct diag *diag)
{
	static const char *const words[] = {"on", "off", NULL};
	struct fairway_args *args = policy_args(spec);
	int i = flag_word(what, value, words, diag);

	if (i < 0)
		return i;
	args->no_fair_lane = i == 1;
	return 0;
}

static int set_carry(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"long", NULL};
	struct fairway_args *args = policy_args(spec);
	int i = value ? flag_word(what, value, words, diag) : 1;

	if (i < 0)
		return i;
	args->carry = i ? FW_CARRY_ON : FW_CARRY_LONG;
	return 0;
}

static int set_key(struct policy_spec *spec, const char *what,
		   const char *value, struct diag *diag)
{
	static const char *const words[] = {"score", "rest", NULL};
	struct fairway_args *args = policy_args(spec);
	int i = flag_word(what, value, words, diag);

	if (i < 0)
		return i;
	args->by_rest = i == 1;
	return 0;
}

int fairway_set_guard(struct policy_spec *spec, const char *what,
		      const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	if (!strcmp(value, "off")) {
		args->guard = 0;
		return 0;
	}
	if (!parse_thousandths(value, 1, 1000000, &args->guard))
		return 0;
	return diag_set(diag, -EINVAL,
			"%s: expected \"off\", or a number from 0.001 to 1000 "
			"with at most three decimals (was \"%s\")",
			what, value);
}

static int set_order(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	static const char *const words[] = {"heap", "sort", NULL};
	struct fairway_args *args = policy_args(spec);
	int i = flag_word(what, value, words, diag);

	if (i < 0)
		return i;
	/* A sort gives no request a handle that stays. */
	if (i == 1 && (args->by_rest || args->guard))
		return diag_set(diag, -EINVAL,
				"%s: does not go with key=rest or guard", what);
	args->sort = i == 1;
	return 0;
}

bool fairway_pausing(const struct policy_spec *spec)
{
	const struct fairway_args *args = policy_args_const(spec);

	return args->pausing;
}

static int set_pause(struct policy_spec *spec, const char *what,
		     const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	(void)value;
	/* Ledgers that outlive a step count what waited, not what has begun. */
	if (args->carry != FW_CARRY_OFF)
		return diag_set(diag, -EINVAL, "%s: does not go with carry",
				what);
	args->pausing = true;
	return 0;
}

int fairway_set_tenants(struct policy_spec *spec, const char *what,
			const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	(void)value;
	/* There is one sort, and each tenant would need its own. */
	if (args->sort)
		return diag_set(diag, -EINVAL,
				"%s: does not go with order=sort", what);
	args->by_tenant = true;
	return 0;
}

static const struct policy_flag flags[] = {
	{"weight", VALUE_NEEDED, fairway_set_weight, "weight=W",
	 "charge of the fast lane, 0.001 to 1000 (default 4)"},
	{"multiplier", VALUE_NEEDED, set_multiplier, "multiplier=M",
	 "prefill times in a unit of wait (default 3)"},
	{"floor", VALUE_NEEDED, set_floor, "floor=F",
	 "its least length in seconds (default 1)"},
	{"wait", VALUE_NEEDED, set_wait, "wait=absolute",
	 "unit of wait: constant=X seconds (default 1)"},
	{"constant", VALUE_NEEDED, set_constant, NULL, NULL},
	{"lane", VALUE_NEEDED, set_lane, "lane=off",
	 "by score alone, no bound on overtaking"},
	{"carry", VALUE_OPTIONAL, set_carry, "carry[=long]",
	 "ledgers outlive a step [for long prompts only]"},
	{"key", VALUE_NEEDED, set_key, "key=rest",
	 "the fast lane by the time that the rest takes"},
	{"guard", VALUE_NEEDED, fairway_set_guard, "guard=G",
	 "wait beyond that by arrival, as its share, or off"},
	{"order", VALUE_NEEDED, set_order, "order=sort",
	 "the naive form, same results"},
	{"pause", VALUE_NONE, set_pause, "pause",
	 "a prompt that has begun pauses for another one"},
	{"tenants", VALUE_NONE, fairway_set_tenants, "tenants",
	 "fair between tenants, each with lanes of its own"},
	POLICY_FLAGS_END,
};

static const struct fairway_args defaults = {
	.weight = 4000,
	.multiplier = 3.0,
	.floor = 1.0,
};

static const struct policy by_tenant = {
	.name = "fairway",
	.order = &fw_tenants_order,
	.create = create_tenants,
	.destroy = destroy_tenants,
	.slo = fairway_slo,
};

const struct policy *fairway_variant(const struct policy_spec *spec)
{
	const struct fairway_args *args = policy_args_const(spec);

	return args->by_tenant ? &by_tenant : NULL;
}

const struct policy policy_fairway = {
	.name = "fairway",
	.help = "cheap hits first, waits relative to the own work,\n"
		"bounded overtaking",
	.flags = flags,
	.defaults = &defaults,
	.size = sizeof(defaults),
	.variant = fairway_variant,
	.order = &fw_lanes_order,
	.create = fairway_create,
	.destroy = fairway_destroy,
	.slo = fairway_slo,
	.pausing = fairway_pausing,
};
