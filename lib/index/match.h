/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_MATCH_H
#define LIB_INDEX_MATCH_H

#include "prefix_index.h"

/**
 * fw_index_search() - the longest open prefix of a prompt
 * @index: the index
 * @view: of its map
 * @keys: of the prompt
 * @from: blocks of it that the caller knows to be open
 * @num: blocks at most
 * @far: probe the end first, not what follows @from
 *
 * Context: Any thread inside a read lock, or the owner.
 * Return: Blocks. The key of the last one was compared, unless that is @from.
 */
uint32_t fw_index_search(const struct fw_prefix_index *index,
			 const struct fw_map_view *view,
			 const struct fw_key *keys, uint32_t from, uint32_t num,
			 bool far);

#endif
