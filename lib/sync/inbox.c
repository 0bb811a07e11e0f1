/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox.h"

#include <errno.h>

#include "lib/base/alloc.h"
#include "lib/base/thread_number.h"

#define MAX_SHARDS 4096

static uint32_t power_of_two(uint32_t least)
{
	uint32_t num = 1;

	while (num < least)
		num *= 2;
	return num;
}

int fw_inbox_init(struct fw_inbox *inbox, uint32_t shards,
		  const struct fw_allocator *allocator)
{
	struct fw_inbox made = {.allocator = allocator};
	uint32_t i;

	if (!shards || shards > MAX_SHARDS)
		return -EINVAL;
	made.num_shards = power_of_two(shards);
	made.shards = fw_alloc_lines(allocator, made.num_shards,
				     sizeof(*made.shards));
	if (!made.shards)
		return -ENOMEM;
	for (i = 0; i < made.num_shards; i++)
		atomic_init(&made.shards[i].top, NULL);
	*inbox = made;
	return 0;
}

void fw_inbox_destroy(struct fw_inbox *inbox)
{
	fw_free_lines(inbox->allocator, inbox->shards, inbox->num_shards,
		      sizeof(*inbox->shards));
	inbox->shards = NULL;
}

bool fw_inbox_push(struct fw_inbox *inbox, struct fw_inbox_node *node)
{
	uint32_t shard = fw_thread_number() & (inbox->num_shards - 1);
	_Atomic(struct fw_inbox_node *) *link = &inbox->shards[shard].top;
	struct fw_inbox_node *top;

	/* Relaxed: the top is linked, never dereferenced. */
	top = atomic_load_explicit(link, memory_order_relaxed);
	do {
		node->next = top;
		/*
		 * [I1] Release: publishes @node and what it is embedded in.
		 * Pairs with the acquire exchange in fw_inbox_drain(). A top
		 * that was drained and pushed again meanwhile does no harm:
		 * being the top is all that the link needs of it.
		 *
		 * [G1] Sequentially consistent, not only release: stands
		 * before the load of the gate's state in fw_gate_wake(). The
		 * instruction is the same one on x86 and on aarch64.
		 */
	} while (!atomic_compare_exchange_weak_explicit(link, &top, node,
							memory_order_seq_cst,
							memory_order_relaxed));
	return !top;
}

/* From last pushed first to push order. */
static struct fw_inbox_node *reverse(struct fw_inbox_node *node)
{
	struct fw_inbox_node *done = NULL;
	struct fw_inbox_node *next;

	for (; node; node = next) {
		next = node->next;
		node->next = done;
		done = node;
	}
	return done;
}

struct fw_inbox_node *fw_inbox_drain(struct fw_inbox *inbox, uint32_t shard)
{
	_Atomic(struct fw_inbox_node *) *link = &inbox->shards[shard].top;

	/*
	 * Relaxed: leaves the line shared while nobody pushes. A push that is
	 * missed here is found by the next drain, or by fw_inbox_empty().
	 */
	if (!atomic_load_explicit(link, memory_order_relaxed))
		return NULL;
	/*
	 * [I1] Acquire: pairs with the push of every node in the chain, since
	 * each push continues the release sequence of the ones below it.
	 */
	return reverse(
		atomic_exchange_explicit(link, NULL, memory_order_acquire));
}

bool fw_inbox_empty(const struct fw_inbox *inbox)
{
	uint32_t i;

	/* [G1] Sequentially consistent: stands after fw_gate_prepare(). */
	for (i = 0; i < inbox->num_shards; i++)
		if (atomic_load_explicit(&inbox->shards[i].top,
					 memory_order_seq_cst))
			return false;
	return true;
}
