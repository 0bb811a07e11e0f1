/* SPDX-License-Identifier: Apache-2.0 */
#include "hand.h"

#include <assert.h>
#include <string.h>

static int submit(void *ctx, const struct fw_plan *plan,
		  struct fw_flight *flight)
{
	struct hand *hand = ctx;
	int refuse = hand->refuse;

	hand->refuse = 0;
	hand->submitted++;
	if (refuse)
		return refuse;
	assert(hand->num < FW_DEPTH_MAX);
	hand->plans[hand->num] = plan;
	hand->flights[hand->num++] = flight;
	return 0;
}

static void destroy(void *ctx)
{
	struct hand *hand = ctx;

	assert(!hand->num);
	hand->destroyed++;
}

static const struct fw_executor_ops hand_ops = {
	.size = sizeof(hand_ops),
	.submit = submit,
	.destroy = destroy,
};

struct fw_executor hand_executor(struct hand *hand, uint32_t depth)
{
	*hand = (struct hand){.num = 0};
	return (struct fw_executor){
		.ops = &hand_ops,
		.ctx = hand,
		.depth = depth,
	};
}

void hand_end(struct hand *hand, uint32_t i, int status)
{
	struct fw_flight *flight = hand->flights[i];
	uint32_t behind = hand->num - i - 1;

	assert(i < hand->num);
	memmove(&hand->flights[i], &hand->flights[i + 1],
		behind * sizeof(*hand->flights));
	memmove(&hand->plans[i], &hand->plans[i + 1],
		behind * sizeof(*hand->plans));
	hand->num--;
	fw_plan_done(flight, status);
}

bool hand_computes(const struct hand *hand, uint64_t id)
{
	for (uint32_t i = 0; i < hand->num; i++)
		for (uint32_t j = 0; j < hand->plans[i]->num_entries; j++)
			if (hand->plans[i]->entries[j].request == id)
				return true;
	return false;
}
