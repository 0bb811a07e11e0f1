/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_TENANT_H
#define LIB_QUEUE_TENANT_H

#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/list.h"
#include "lanes.h"
#include "turns.h"

struct fw_tenant;

/**
 * struct fw_tenant_lanes - lanes of one tenant, or spare ones
 * @lanes: the lanes
 * @tenant: whose they are
 * @spare: hook of the list of lanes that nobody has
 */
struct fw_tenant_lanes {
	struct fw_lanes lanes;
	struct fw_tenant *tenant;
	struct fw_list spare;
};

/**
 * struct fw_tenant - what is kept of a tenant
 * @turn: its served work and its number
 * @next: in its bucket of the map
 * @own: its lanes; NULL while it is idle
 * @weight: its share, thousandths
 * @until: it counts as unfinished until this half of a pass, see tenants.h
 * @next_in: the last pass in which it was next, as @turn of struct fw_tenants
 * @listed: hook of those that a pass touched or that have begun requests
 * @fresh: hook of those whose guard is to look at requests
 */
struct fw_tenant {
	struct fw_turn turn;
	struct fw_tenant *next;
	struct fw_tenant_lanes *own;
	uint32_t weight;
	uint64_t until;
	uint64_t next_in;
	struct fw_list listed;
	struct fw_list fresh;
};

/**
 * struct fw_tenant_map - tenants by number
 * @buckets: heads of chains
 * @num_buckets: a power of two, or 0
 * @num: tenants
 * @seed: secret, so that chosen numbers cannot aim at one bucket
 * @allocator: of @buckets
 *
 * Single owner, takes no lock. Only fw_tenant_map_reserve() allocates. Nothing
 * depends on the order of a chain.
 */
struct fw_tenant_map {
	struct fw_tenant **buckets;
	size_t num_buckets;
	size_t num;
	uint64_t seed[2];
	const struct fw_allocator *allocator;
};

void fw_tenant_map_init(struct fw_tenant_map *map,
			const struct fw_allocator *allocator);
/* The tenants are the caller's. */
void fw_tenant_map_destroy(struct fw_tenant_map *map);

/* Make room for @num tenants in all. Return: 0, -ENOMEM. */
int fw_tenant_map_reserve(struct fw_tenant_map *map, size_t num);

/* NULL when nobody has the number. */
struct fw_tenant *fw_tenant_map_find(const struct fw_tenant_map *map,
				     uint64_t number);

/* Enter a tenant whose number nobody has, and for whom there is room. */
void fw_tenant_map_insert(struct fw_tenant_map *map, struct fw_tenant *tenant);
void fw_tenant_map_remove(struct fw_tenant_map *map, struct fw_tenant *tenant);

/* Whose lanes a waiting request stands in: lanes of a tenant. */
static inline struct fw_tenant *fw_tenant_of(struct fw_lanes *lanes)
{
	return container_of(lanes, struct fw_tenant_lanes, lanes)->tenant;
}

#endif
