/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_SYNC_INBOX_H
#define LIB_SYNC_INBOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <fairway/config.h>

#include "lib/base/compiler.h"

/*
 * Inbox: any number of producers, one consumer.
 *
 *			push	drain	empty	init, destroy
 *	push		yes	yes	yes	no
 *	drain		yes	no	no	no
 *	empty		yes	no	yes	no
 *
 * Progress: push is lock-free, one compare-and-swap on the thread's own shard;
 * drain and empty are wait-free. There is no half-linked state: a producer
 * that is stopped at any instruction has either pushed its node or has not,
 * and stops neither another producer nor the consumer.
 *
 * Order: what one thread pushes comes out in the order of its pushes. There is
 * no order between threads; whoever needs one puts a time stamp in the nodes.
 *
 * Memory: nodes are the callers'. A node must stay from its push until the
 * drain that returns it; from then on it is the consumer's.
 */

/**
 * struct fw_inbox_node - hook embedded in anything that is pushed
 * @next: the inbox's own from push to drain; then the next node in push order
 */
struct FW_MAY_ALIAS fw_inbox_node {
	struct fw_inbox_node *next;
};

/**
 * struct fw_inbox_shard - what some of the threads push to
 * @top: last node pushed, linked to the ones before it; written by producers
 *	and by the consumer
 */
struct fw_inbox_shard {
	_Atomic(struct fw_inbox_node *) top;
} FW_LINE_ALIGNED;

/**
 * struct fw_inbox - the inbox; only the shards' tops ever change
 * @shards: each on cache lines of its own
 * @num_shards: a power of two
 * @allocator: of @shards
 */
struct fw_inbox {
	struct fw_inbox_shard *shards;
	uint32_t num_shards;
	const struct fw_allocator *allocator;
};

/**
 * fw_inbox_init() - make an empty inbox
 * @inbox: left alone on failure
 * @shards: rounded up to a power of two; about as many as cores that push
 * @allocator: must outlive the inbox
 *
 * Return: 0, -EINVAL for no shards or more than 4096, -ENOMEM.
 */
int fw_inbox_init(struct fw_inbox *inbox, uint32_t shards,
		  const struct fw_allocator *allocator);

/* Nobody may push any more. Nodes that were not drained are the callers'. */
void fw_inbox_destroy(struct fw_inbox *inbox);

/**
 * fw_inbox_push() - hand a node to the consumer
 * @inbox: the inbox
 * @node: on no inbox
 *
 * A sequentially consistent operation, so that fw_gate_wake() after it needs
 * no fence. Call that whatever this returns: another producer that found the
 * shard empty may have been stopped before it woke the consumer.
 *
 * Context: Any thread. Lock-free, never allocates.
 * Return: Whether the shard was empty.
 */
bool fw_inbox_push(struct fw_inbox *inbox, struct fw_inbox_node *node);

/**
 * fw_inbox_drain() - take all that was pushed to one shard
 * @inbox: the inbox
 * @shard: from 0 to num_shards - 1
 *
 * Read a node's next before handing the node on: it may be pushed again.
 *
 * Context: The consumer. One exchange, then time linear in what was pushed.
 * Return: The first node in push order, NULL when there is none.
 */
struct fw_inbox_node *fw_inbox_drain(struct fw_inbox *inbox, uint32_t shard);

/**
 * fw_inbox_empty() - is there nothing to drain?
 * @inbox: the inbox
 *
 * Sequentially consistent loads: when it is true after fw_gate_prepare(), every
 * later push sees that the consumer sleeps.
 *
 * Context: The consumer. Other threads get a guess.
 */
bool fw_inbox_empty(const struct fw_inbox *inbox);

#endif
