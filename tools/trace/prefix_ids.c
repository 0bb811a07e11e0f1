/* SPDX-License-Identifier: Apache-2.0 */
#include "prefix_ids.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "lib/base/alloc.h"
#include "tools/base/mem.h"

void prefix_ids_init(struct prefix_ids *prefix, uint32_t block_size)
{
	/* The empty prefix is 0, and the end of no block. */
	*prefix = (struct prefix_ids){.num = 1, .block_size = block_size};
	fw_key_map_init(&prefix->nodes, &fw_allocator_default);
}

void prefix_ids_destroy(struct prefix_ids *prefix)
{
	fw_key_map_destroy(&prefix->nodes);
	free(prefix->first_id);
	id_runs_destroy(&prefix->ids);
	prefix->first_id = NULL;
}

void prefix_ids_begin(struct prefix_ids *prefix)
{
	prefix->node = 0;
	prefix->len = 0;
	id_runs_clear(&prefix->ids);
}

static int reserve(uint64_t **array, size_t *cap, size_t need)
{
	uint64_t *grown;

	if (!need)
		return 0;
	grown = mem_grow(*array, cap, need, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

/* Blocks that end within the next @tokens of the prompt. */
static uint32_t blocks_in(const struct prefix_ids *prefix, uint32_t tokens)
{
	return (prefix->len + tokens) / prefix->block_size -
	       prefix->len / prefix->block_size;
}

static int append(struct prefix_ids *prefix, uint64_t id, uint32_t tokens)
{
	int ret = id_runs_add(&prefix->ids, id, blocks_in(prefix, tokens));

	if (!ret)
		prefix->len += tokens;
	return ret;
}

static int add_node(struct prefix_ids *prefix, const struct fw_key *key,
		    uint32_t tokens)
{
	int ret = reserve(&prefix->first_id, &prefix->cap, prefix->num + 1);

	if (!ret && prefix->num >= FW_KEY_MAP_NONE)
		ret = -ENOMEM;
	if (!ret)
		ret = fw_key_map_reserve(&prefix->nodes, prefix->num);
	if (ret)
		return ret;
	fw_key_map_add(&prefix->nodes, key, (uint32_t)prefix->num);
	prefix->first_id[prefix->num++] = prefix->next_id;
	prefix->next_id += blocks_in(prefix, tokens);
	return 0;
}

int prefix_ids_document(struct prefix_ids *prefix, uint32_t doc,
			uint32_t tokens)
{
	const struct fw_key key = {.hi = prefix->node, .lo = doc};
	uint32_t node = fw_key_map_get(&prefix->nodes, &key);

	assert(tokens <= INT32_MAX - prefix->len);
	if (node == FW_KEY_MAP_NONE) {
		int ret = add_node(prefix, &key, tokens);

		if (ret)
			return ret;
		node = (uint32_t)prefix->num - 1;
	}
	prefix->node = node;
	return append(prefix, prefix->first_id[node], tokens);
}

int prefix_ids_own(struct prefix_ids *prefix, uint32_t tokens)
{
	uint64_t id = prefix->next_id;

	assert(tokens <= INT32_MAX - prefix->len);
	prefix->next_id += blocks_in(prefix, tokens);
	return append(prefix, id, tokens);
}
