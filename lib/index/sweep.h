/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_INDEX_SWEEP_H
#define LIB_INDEX_SWEEP_H

#include "prefix_index.h"

/* Passes over all nodes, for events that concern the whole cache. */

/* No block is cached any more. */
void fw_index_clear(struct fw_prefix_index *index);

/* From now on blocks that are stored are named, until the snapshot ends. */
void fw_index_begin_snapshot(struct fw_prefix_index *index);

/* Blocks that were not named since the snapshot began are not cached. */
void fw_index_end_snapshot(struct fw_prefix_index *index);

#endif
