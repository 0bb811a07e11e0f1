/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOLS_BASE_KEY_MAP_H
#define TOOLS_BASE_KEY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>
#include <fairway/request.h>

/*
 * Keys to numbers: open addressing with linear probes and a secret seed, at
 * most half full. Removal shifts the run behind it back, so that there are no
 * tombstones and a look-up that fails stays as short as it was.
 *
 * Single owner, takes no lock. fw_key_map_reserve() allocates, nothing else.
 */

#define FW_KEY_MAP_NONE UINT32_MAX

/**
 * struct fw_key_slot - one slot of a map
 * @key: garbage while empty
 * @value: FW_KEY_MAP_NONE while empty
 */
struct fw_key_slot {
	struct fw_key key;
	uint32_t value;
};

/**
 * struct fw_key_map - the map
 * @slots: @cap of them
 * @num: slots that are not empty
 * @cap: 0 or a power of two
 * @seed: secret of this map
 * @allocator: of @slots
 */
struct fw_key_map {
	struct fw_key_slot *slots;
	size_t num;
	size_t cap;
	uint64_t seed[2];
	const struct fw_allocator *allocator;
};

void fw_key_map_init(struct fw_key_map *map,
		     const struct fw_allocator *allocator);
void fw_key_map_destroy(struct fw_key_map *map);

/* Make room for @num keys in all. Return: 0, -ENOMEM. */
int fw_key_map_reserve(struct fw_key_map *map, size_t num);

/* The value of @key, FW_KEY_MAP_NONE where it has none. */
uint32_t fw_key_map_get(const struct fw_key_map *map, const struct fw_key *key);

/* Add @key, which has no value yet and for which there is room. */
void fw_key_map_add(struct fw_key_map *map, const struct fw_key *key,
		    uint32_t value);

/* Take @key, which has a value, out. */
void fw_key_map_remove(struct fw_key_map *map, const struct fw_key *key);

/* Is each key found where it stands, and is half of the map empty? */
bool fw_key_map_valid(const struct fw_key_map *map);

#endif
