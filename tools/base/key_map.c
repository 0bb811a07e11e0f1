/* SPDX-License-Identifier: Apache-2.0 */
#include "key_map.h"

#include <assert.h>
#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/key.h"

#define MIN_CAP 64u

void fw_key_map_init(struct fw_key_map *map,
		     const struct fw_allocator *allocator)
{
	*map = (struct fw_key_map){.allocator = allocator};
	fw_key_seed(map->seed);
}

void fw_key_map_destroy(struct fw_key_map *map)
{
	fw_free_array(map->allocator, map->slots, map->cap,
		      sizeof(*map->slots));
	map->slots = NULL;
	map->num = map->cap = 0;
}

static size_t home(const struct fw_key_map *map, const struct fw_key *key)
{
	return fw_key_hash(key, map->seed) & (map->cap - 1);
}

/* Where @key stands, or the empty slot where it would. */
static size_t probe(const struct fw_key_map *map, const struct fw_key *key)
{
	size_t i = home(map, key);

	while (map->slots[i].value != FW_KEY_MAP_NONE &&
	       !fw_key_equal(&map->slots[i].key, key))
		i = (i + 1) & (map->cap - 1);
	return i;
}

static struct fw_key_slot *empty_slots(const struct fw_key_map *map, size_t cap)
{
	struct fw_key_slot *slots;

	slots = fw_alloc_array(map->allocator, cap, sizeof(*slots));
	for (size_t i = 0; slots && i < cap; i++)
		slots[i].value = FW_KEY_MAP_NONE;
	return slots;
}

int fw_key_map_reserve(struct fw_key_map *map, size_t num)
{
	struct fw_key_slot *old = map->slots;
	size_t old_cap = map->cap, cap = old_cap ? old_cap : MIN_CAP;
	struct fw_key_slot *slots;

	while (cap / 2 < num)
		if (__builtin_mul_overflow(cap, 2, &cap))
			return -ENOMEM;
	if (cap == old_cap)
		return 0;
	slots = empty_slots(map, cap);
	if (!slots)
		return -ENOMEM;
	map->slots = slots;
	map->cap = cap;
	for (size_t i = 0; i < old_cap; i++)
		if (old[i].value != FW_KEY_MAP_NONE)
			map->slots[probe(map, &old[i].key)] = old[i];
	fw_free_array(map->allocator, old, old_cap, sizeof(*old));
	return 0;
}

uint32_t fw_key_map_get(const struct fw_key_map *map, const struct fw_key *key)
{
	return map->cap ? map->slots[probe(map, key)].value : FW_KEY_MAP_NONE;
}

void fw_key_map_add(struct fw_key_map *map, const struct fw_key *key,
		    uint32_t value)
{
	size_t i;

	assert(map->num < map->cap / 2);
	i = probe(map, key);
	assert(map->slots[i].value == FW_KEY_MAP_NONE);
	map->slots[i] = (struct fw_key_slot){.key = *key, .value = value};
	map->num++;
}

void fw_key_map_remove(struct fw_key_map *map, const struct fw_key *key)
{
	size_t mask = map->cap - 1, hole = probe(map, key);

	assert(map->slots[hole].value != FW_KEY_MAP_NONE);
	for (size_t i = (hole + 1) & mask;
	     map->slots[i].value != FW_KEY_MAP_NONE; i = (i + 1) & mask) {
		size_t from = home(map, &map->slots[i].key);

		/* A slot fills the hole only if that is not before its home. */
		if (((i - from) & mask) < ((i - hole) & mask))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole].value = FW_KEY_MAP_NONE;
	map->num--;
}

bool fw_key_map_valid(const struct fw_key_map *map)
{
	size_t num = 0;

	for (size_t i = 0; i < map->cap; i++) {
		if (map->slots[i].value == FW_KEY_MAP_NONE)
			continue;
		if (probe(map, &map->slots[i].key) != i)
			return false;
		num++;
	}
	return num == map->num && num <= map->cap / 2;
}
