/* SPDX-License-Identifier: Apache-2.0 */
#include "order_config.h"

#include <errno.h>
#include <math.h>

#include "lib/base/alloc.h"
#include "lib/base/settings.h"
#include "lib/cost/device.h"

/* Defaults and limits of struct fw_order_config. */
#define DEFAULT_WEIGHT 4000u
#define MAX_WEIGHT 1000000u
#define MAX_GUARD 1000000u
#define DEFAULT_GUARD 500u
#define DEFAULT_BUDGET 2048u
/* No clock tells less apart; far smaller ones have no inverse. */
#define MIN_UNIT_S 1e-9

static void fill_defaults(struct fw_order_config *config)
{
	if (!config->weight)
		config->weight = DEFAULT_WEIGHT;
	if (!config->guard)
		config->guard = DEFAULT_GUARD;
	if (!config->budget)
		config->budget = DEFAULT_BUDGET;
	if (config->slo_multiplier == 0.0)
		config->slo_multiplier = 3.0;
	if (config->slo_floor == 0.0)
		config->slo_floor = 1.0;
	if (!config->device)
		config->device = fw_device_name(0);
	if (!config->allocator)
		config->allocator = &fw_allocator_default;
}

static int check(const struct fw_order_config *config)
{
	if (config->weight > MAX_WEIGHT || (int)config->carry < 0 ||
	    config->carry > FW_CARRY_LONG || config->no_fair_lane > 1 ||
	    (int)config->fast < 0 || config->fast > FW_FAST_REST ||
	    (config->guard > MAX_GUARD && config->guard != FW_GUARD_OFF))
		return -EINVAL;
	if (config->by_tenant > 1 || config->reserved32 ||
	    (config->num_tenant_weights && !config->by_tenant))
		return -EINVAL;
	if (!isfinite(config->slo_multiplier) || config->slo_multiplier < 0.0)
		return -EINVAL;
	if (!isfinite(config->slo_floor) || config->slo_floor < MIN_UNIT_S)
		return -EINVAL;
	if (!isfinite(config->wait_constant) || config->wait_constant < 0.0)
		return -EINVAL;
	if (config->wait_constant > 0.0 && config->wait_constant < MIN_UNIT_S)
		return -EINVAL;
	if (!config->allocator->alloc || !config->allocator->free)
		return -EINVAL;
	return 0;
}

int fw_order_config_read(struct fw_order_config *to,
			 const struct fw_order_config *from)
{
	int ret = fw_settings_read(to, sizeof(*to), from,
				   offsetof(struct fw_order_config, weight));

	if (ret)
		return ret;
	fill_defaults(to);
	return check(to);
}

struct fw_lanes_config
fw_order_config_lanes(const struct fw_order_config *config,
		      const struct fw_cost *cost)
{
	struct fw_lanes_config lanes = {
		.weight = config->weight,
		.budget = config->budget,
		.carry = config->carry,
		.fair_lane = !config->no_fair_lane,
		.wait_constant = config->wait_constant,
		.by_rest = config->fast == FW_FAST_REST,
		.guard = config->guard == FW_GUARD_OFF ? 0 : config->guard,
	};

	fw_remaining_init(&lanes.work, cost, config->budget);
	return lanes;
}

struct fw_tenants_config
fw_order_config_tenants(const struct fw_order_config *config,
			const struct fw_cost *cost,
			const struct fw_tenant_weights *weights)
{
	return (struct fw_tenants_config){
		.lanes = fw_order_config_lanes(config, cost),
		.weights = weights,
		.max_idle = FW_TENANTS_MAX_IDLE,
	};
}
