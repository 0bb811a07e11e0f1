/* SPDX-License-Identifier: Apache-2.0 */
#include "stages.h"

#include <errno.h>

#include "lib/base/compiler.h"
#include "call.h"
#include "runtime.h"

/* Events that the index gets at once, so that its cache misses overlap. */
#define BATCH 64u

static int push(struct fw *fw, const struct fw_index_event *event)
{
	struct fw_event *room;
	uint32_t slot;

	if (fw->config.num_blocks)
		return -EINVAL;
	if (fw_state(fw) == FW_STATE_CLOSING)
		return -ESHUTDOWN;
	slot = fw_slot_take(&fw->event_slots);
	if (slot == FW_SLOT_NONE) {
		/* Relaxed: a figure, nothing more. */
		atomic_fetch_add_explicit(&fw->events_refused, 1,
					  memory_order_relaxed);
		return -EAGAIN;
	}
	room = &fw->event_room[slot];
	room->event = *event;
	/* [I1] publishes the event. */
	fw_inbox_push(&fw->events, &room->pushed);
	fw_gate_wake(&fw->gate);
	return 0;
}

static int report(struct fw *fw, const struct fw_index_event *event)
{
	int ret = fw_call_enter(fw);

	return ret ? ret : fw_call_exit(fw, push(fw, event));
}

/* Report @copies copies of a block, or one more where that is 0. */
static int report_block(struct fw *fw, const struct fw_key *key,
			const struct fw_key *parent, uint32_t copies)
{
	struct fw_index_event event = {.kind = FW_INDEX_FIRST,
				       .copies = copies,
				       .key = *key};

	if (parent == FW_PARENT_UNKNOWN) {
		event.kind = FW_INDEX_SOMEWHERE;
	} else if (parent) {
		event.kind = FW_INDEX_NEXT;
		event.parent = *parent;
	}
	return report(fw, &event);
}

int fw_block_stored(struct fw *fw, const struct fw_key *key,
		    const struct fw_key *parent)
{
	return report_block(fw, key, parent, 0);
}

int fw_block_present(struct fw *fw, const struct fw_key *key,
		     const struct fw_key *parent, uint32_t copies)
{
	const struct fw_index_event absent = {.kind = FW_INDEX_ABSENT,
					      .key = *key};

	return copies ? report_block(fw, key, parent, copies)
		      : report(fw, &absent);
}

int fw_block_removed(struct fw *fw, const struct fw_key *key)
{
	const struct fw_index_event event = {.kind = FW_INDEX_GONE,
					     .key = *key};

	return report(fw, &event);
}

int fw_block_cleared(struct fw *fw)
{
	const struct fw_index_event event = {.kind = FW_INDEX_CLEARED};

	return report(fw, &event);
}

int fw_snapshot_begin(struct fw *fw)
{
	const struct fw_index_event event = {.kind = FW_INDEX_SNAPSHOT};

	return report(fw, &event);
}

int fw_snapshot_end(struct fw *fw)
{
	const struct fw_index_event event = {.kind = FW_INDEX_SNAPSHOT_END};

	return report(fw, &event);
}

static uint32_t take_shard(struct fw *fw, uint32_t shard)
{
	struct fw_inbox_node *node = fw_inbox_drain(&fw->events, shard);
	struct fw_index_event batch[BATCH];
	uint32_t num = 0, all = 0;

	while (node) {
		struct fw_event *room =
			container_of(node, struct fw_event, pushed);

		node = node->next;
		batch[num++] = room->event;
		fw_slot_put(&fw->event_slots,
			    (uint32_t)(room - fw->event_room));
		if (num == BATCH || !node) {
			fw_index_apply(fw->index, batch, num);
			all += num;
			num = 0;
		}
	}
	return all;
}

uint32_t fw_take_events(struct fw *fw)
{
	uint32_t num = 0;

	if (fw->config.num_blocks)
		return 0;
	for (uint32_t i = 0; i < fw->events.num_shards; i++)
		num += take_shard(fw, i);
	fw_counter_add(&fw->counters, FW_COUNTER(events), num);
	return num;
}
