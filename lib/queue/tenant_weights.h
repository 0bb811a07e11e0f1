/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_TENANT_WEIGHTS_H
#define LIB_QUEUE_TENANT_WEIGHTS_H

#include <stddef.h>

#include <fairway/config.h>
#include <fairway/order.h>

/**
 * struct fw_tenant_weights - shares of tenants
 * @rows: by rising tenant
 * @num: how many
 * @allocator: of @rows
 */
struct fw_tenant_weights {
	struct fw_tenant_weight *rows;
	size_t num;
	const struct fw_allocator *allocator;
};

/**
 * fw_tenant_weights_init() - copy and sort a caller's table
 * @weights: written only on success
 * @rows: in any order
 * @num: how many; @rows may be NULL when it is 0
 * @allocator: kept
 *
 * Return: 0, -ENOMEM, -EINVAL when a weight is out of range, a reserved field
 * is not 0 or a tenant is there twice.
 */
int fw_tenant_weights_init(struct fw_tenant_weights *weights,
			   const struct fw_tenant_weight *rows, size_t num,
			   const struct fw_allocator *allocator);
void fw_tenant_weights_destroy(struct fw_tenant_weights *weights);

/* What a tenant has whom nobody gave a weight. */
#define FW_TENANT_WEIGHT 1000u

/* The weight of @tenant, thousandths. */
uint32_t fw_tenant_weights_of(const struct fw_tenant_weights *weights,
			      uint64_t tenant);

#endif
