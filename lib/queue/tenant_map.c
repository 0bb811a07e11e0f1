/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>

#include "tenant.h"
#include "lib/base/alloc.h"
#include "lib/base/key.h"

#define FEWEST_BUCKETS 16u

void fw_tenant_map_init(struct fw_tenant_map *map,
			const struct fw_allocator *allocator)
{
	*map = (struct fw_tenant_map){.allocator = allocator};
	fw_key_seed(map->seed);
}

void fw_tenant_map_destroy(struct fw_tenant_map *map)
{
	fw_free_array(map->allocator, map->buckets, map->num_buckets,
		      sizeof(struct fw_tenant *));
	map->buckets = NULL;
	map->num_buckets = map->num = 0;
}

static struct fw_tenant **bucket(const struct fw_tenant_map *map,
				 uint64_t number)
{
	const struct fw_key key = {number, number};

	return &map->buckets[fw_key_hash(&key, map->seed) &
			     (map->num_buckets - 1)];
}

static void link_in(struct fw_tenant_map *map, struct fw_tenant *tenant)
{
	struct fw_tenant **head = bucket(map, tenant->turn.number);

	tenant->next = *head;
	*head = tenant;
}

/* One bucket a tenant, at least. */
int fw_tenant_map_reserve(struct fw_tenant_map *map, size_t num)
{
	struct fw_tenant **old = map->buckets;
	size_t num_old = map->num_buckets, cap = num_old;

	if (num <= cap)
		return 0;
	cap = cap ? cap : FEWEST_BUCKETS;
	while (cap < num)
		cap *= 2;
	map->buckets =
		fw_alloc_array(map->allocator, cap, sizeof(struct fw_tenant *));
	if (!map->buckets) {
		map->buckets = old;
		return -ENOMEM;
	}
	map->num_buckets = cap;
	for (size_t i = 0; i < num_old; i++) {
		for (struct fw_tenant *t = old[i], *next; t; t = next) {
			next = t->next;
			link_in(map, t);
		}
	}
	fw_free_array(map->allocator, old, num_old, sizeof(struct fw_tenant *));
	return 0;
}

struct fw_tenant *fw_tenant_map_find(const struct fw_tenant_map *map,
				     uint64_t number)
{
	struct fw_tenant *tenant;

	if (!map->num_buckets)
		return NULL;
	tenant = *bucket(map, number);
	while (tenant && tenant->turn.number != number)
		tenant = tenant->next;
	return tenant;
}

void fw_tenant_map_insert(struct fw_tenant_map *map, struct fw_tenant *tenant)
{
	assert(map->num < map->num_buckets);
	link_in(map, tenant);
	map->num++;
}

void fw_tenant_map_remove(struct fw_tenant_map *map, struct fw_tenant *tenant)
{
	struct fw_tenant **at = bucket(map, tenant->turn.number);

	while (*at != tenant)
		at = &(*at)->next;
	*at = tenant->next;
	map->num--;
}
