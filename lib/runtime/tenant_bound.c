/* SPDX-License-Identifier: Apache-2.0 */
#include "tenant_bound.h"

#include "lib/base/key.h"

void fw_tenant_bound_init(struct fw_tenant_bound *bound, uint32_t max)
{
	bound->max = max;
	fw_key_seed(bound->seed);
}

/* Four columns out of one hash: 12 bits each, all of them good. */
static uint64_t hash(const struct fw_tenant_bound *bound, uint32_t class,
		     uint64_t tenant)
{
	const struct fw_key key = {tenant, class};

	return fw_key_hash(&key, bound->seed);
}

static uint32_t column(uint64_t hash, uint32_t row)
{
	_Static_assert(FW_TENANT_BOUND_COLUMNS == 1u << 12, "12 bits a row");
	return hash >> 12 * row & (FW_TENANT_BOUND_COLUMNS - 1);
}

static void add(struct fw_tenant_bound *bound, uint64_t name, uint32_t amount)
{
	for (uint32_t i = 0; i < FW_TENANT_BOUND_ROWS; i++)
		atomic_fetch_add_explicit(&bound->held[i][column(name, i)],
					  amount, memory_order_relaxed);
}

bool fw_tenant_bound_reserve(struct fw_tenant_bound *bound, uint32_t class,
			     uint64_t tenant)
{
	uint64_t name = hash(bound, class, tenant);

	for (uint32_t i = 0; i < FW_TENANT_BOUND_ROWS; i++) {
		if (atomic_load_explicit(&bound->held[i][column(name, i)],
					 memory_order_relaxed) < bound->max) {
			add(bound, name, 1);
			return true;
		}
	}
	atomic_fetch_add_explicit(&bound->refused, 1, memory_order_relaxed);
	return false;
}

void fw_tenant_bound_release(struct fw_tenant_bound *bound, uint32_t class,
			     uint64_t tenant)
{
	add(bound, hash(bound, class, tenant), (uint32_t)-1);
}
