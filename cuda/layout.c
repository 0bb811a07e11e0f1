/* SPDX-License-Identifier: Apache-2.0 */
#include "layout.h"

#include <errno.h>
#include <string.h>

void fw_cuda_layout_init(struct fw_cuda_layout *layout, uint32_t max_sequences,
			 uint32_t max_blocks)
{
	layout->max_sequences = max_sequences;
	layout->max_blocks = max_blocks;
	layout->pieces_at =
		(uint64_t)max_sequences * sizeof(struct fw_plan_entry);
	layout->host_size =
		layout->pieces_at +
		(uint64_t)max_sequences * sizeof(struct fw_cuda_piece) +
		(uint64_t)max_sequences * max_blocks * sizeof(uint32_t);
	/* Each slot begins where a copy is fast. */
	layout->host_size = (layout->host_size + 255) / 256 * 256;
}

static int check(const struct fw_cuda_layout *layout,
		 const struct fw_plan_entry *entry)
{
	const struct fw_cuda_held *held;

	if (entry->sequence >= layout->max_sequences ||
	    entry->num_blocks > layout->max_blocks)
		return -E2BIG;
	if (entry->known > entry->num_blocks)
		return -EINVAL;
	held = &layout->held[entry->sequence];
	if (entry->known &&
	    (held->request != entry->request || held->blocks != entry->known))
		return -EIO;
	return 0;
}

/* Return: pieces of tables in @plan, or -errno. */
static int count(const struct fw_cuda_layout *layout,
		 const struct fw_plan *plan)
{
	int num = 0;

	if (plan->num_entries > layout->max_sequences)
		return -E2BIG;
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];
		int ret = check(layout, entry);

		if (ret)
			return ret;
		num += entry->num_blocks > entry->known;
	}
	return num;
}

static void pack_pieces(struct fw_cuda_layout *layout,
			const struct fw_plan *plan, unsigned char *to,
			struct fw_cuda_packed *packed)
{
	struct fw_cuda_piece *piece =
		(struct fw_cuda_piece *)(to + packed->pieces_at);
	uint32_t *blocks = (uint32_t *)(to + packed->blocks_at);

	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];
		uint32_t num = entry->num_blocks - entry->known;

		if (!num)
			continue;
		*piece++ = (struct fw_cuda_piece){
			.from = packed->num_blocks,
			.sequence = entry->sequence,
			.first = entry->known,
			.count = num,
		};
		memcpy(blocks + packed->num_blocks,
		       plan->tables[entry->sequence] + entry->known,
		       num * sizeof(*blocks));
		packed->num_blocks += num;
		layout->held[entry->sequence] = (struct fw_cuda_held){
			.request = entry->request,
			.blocks = FW_CUDA_NOTHING,
		};
	}
}

int fw_cuda_pack(struct fw_cuda_layout *layout, const struct fw_plan *plan,
		 unsigned char *to, struct fw_cuda_packed *packed)
{
	uint64_t entries = plan->num_entries * sizeof(*plan->entries);
	int num = count(layout, plan);

	if (num < 0)
		return num;
	*packed = (struct fw_cuda_packed){
		.num_pieces = (uint32_t)num,
		.pieces_at = entries,
		.blocks_at =
			entries + (uint32_t)num * sizeof(struct fw_cuda_piece),
	};
	if (entries)
		memcpy(to, plan->entries, entries);
	pack_pieces(layout, plan, to, packed);
	packed->size =
		packed->blocks_at + packed->num_blocks * sizeof(uint32_t);
	return 0;
}

void fw_cuda_arrived(struct fw_cuda_layout *layout, const struct fw_plan *plan)
{
	for (uint32_t i = 0; i < plan->num_entries; i++) {
		const struct fw_plan_entry *entry = &plan->entries[i];

		layout->held[entry->sequence] = (struct fw_cuda_held){
			.request = entry->request,
			.blocks = entry->num_blocks,
		};
	}
}
