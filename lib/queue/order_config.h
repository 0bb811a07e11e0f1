/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_ORDER_CONFIG_H
#define LIB_QUEUE_ORDER_CONFIG_H

#include <fairway/order.h>

#include "lanes.h"
#include "tenants.h"

/**
 * fw_order_config_read() - the settings of an order, complete and checked
 * @to: written in any case
 * @from: the caller's, NULL for defaults
 *
 * Return: 0, -EINVAL, -E2BIG.
 */
int fw_order_config_read(struct fw_order_config *to,
			 const struct fw_order_config *from);

/* The lanes that it asks for. */
struct fw_lanes_config
fw_order_config_lanes(const struct fw_order_config *config,
		      const struct fw_cost *cost);

/* The same with @by_tenant; @weights are not copied. */
struct fw_tenants_config
fw_order_config_tenants(const struct fw_order_config *config,
			const struct fw_cost *cost,
			const struct fw_tenant_weights *weights);

#endif
