/* SPDX-License-Identifier: Apache-2.0 */
#include "fairway.h"

#include "lib/queue/lanes.h"

/*
 * Shortest remaining prefill first, guarded, pausing: the lanes of the library
 * with other settings than the paper's.
 */

static int set_nopause(struct policy_spec *spec, const char *what,
		       const char *value, struct diag *diag)
{
	struct fairway_args *args = policy_args(spec);

	(void)what;
	(void)value;
	(void)diag;
	args->pausing = false;
	return 0;
}

static const struct policy_flag flags[] = {
	{"weight", VALUE_NEEDED, fairway_set_weight, "weight=W",
	 "charge of the fast lane, 0.001 to 1000 (default 4)"},
	{"guard", VALUE_NEEDED, fairway_set_guard, "guard=G",
	 "as fairway's; 0.5 by default"},
	{"nopause", VALUE_NONE, set_nopause, "nopause",
	 "a prompt that has begun runs to its end"},
	{"tenants", VALUE_NONE, fairway_set_tenants, "tenants", "as fairway's"},
	POLICY_FLAGS_END,
};

static const struct fairway_args defaults = {
	.weight = 4000,
	.multiplier = 3.0,
	.floor = 1.0,
	.by_rest = true,
	.guard = 500,
	.pausing = true,
};

const struct policy policy_srpf = {
	.name = "srpf",
	.help = "shortest remaining prefill first; long prompts pause;\n"
		"no wait is much longer than by arrival",
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
