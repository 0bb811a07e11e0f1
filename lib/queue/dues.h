/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_DUES_H
#define LIB_QUEUE_DUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fairway/config.h>

#include "queued.h"

/*
 * Requests by (arrival, seq), each with its work and, once it was looked at,
 * the time when it is due. Served in that order from @now on, request r ends at
 *
 *	t(r) = now + the work of all up to and with r
 *
 * and the question is whether any r would end later than it is due. The answer
 * is one number: the slack of all, the least of due(r) minus the work up to and
 * with r. Somebody is late when it is below now.
 *
 * A B-tree with wide nodes. Each inner node keeps for each child the sum of its
 * work and its least slack, counted from its own first request, so that both
 * combine:
 *
 *	work = work_left + work_right
 *	slack = min(slack_left, slack_right - work_left)
 *
 * A change marks the path above it; the sums of marked paths are made again
 * when somebody asks, each node once for all changes since. O(log n) a change,
 * O(1) to ask again. Work is not negative and sums saturate, so that they do
 * not depend on the shape of the tree.
 *
 * Single owner, takes no lock. fw_dues_reserve() allocates, nothing else.
 */

#define FW_DUES_LEAF 32u
#define FW_DUES_FAN 16u
#define FW_DUES_NONE UINT32_MAX
/* Due time of a request that has none yet. */
#define FW_DUES_NEVER INT64_MAX

/**
 * struct fw_dues_leaf - some requests that follow each other
 * @work: of each, nanoseconds
 * @due: of each, nanoseconds, or FW_DUES_NEVER
 * @who: each
 * @num: how many
 * @parent: node above; of a free leaf the next free one
 */
struct fw_dues_leaf {
	int64_t work[FW_DUES_LEAF];
	int64_t due[FW_DUES_LEAF];
	struct fw_rank *who[FW_DUES_LEAF];
	uint32_t num;
	uint32_t parent;
};

/**
 * struct fw_dues_node - an inner node
 * @work: sum of each child
 * @slack: least slack of each child, from its own first request on
 * @child: nodes, or leaves where @height is 1
 * @num: children
 * @parent: node above, FW_DUES_NONE at the root; of a free node the next free
 * @dirty: children whose sums are not made yet, one bit each. Where it is not
 *	0, the bit of this node is set in its parent
 * @height: 1 above leaves
 * @arrival: with @seq, for each child but the first: all below it comes at or
 *	after that, and all below the child before it comes before
 * @seq: see @arrival
 */
struct fw_dues_node {
	int64_t work[FW_DUES_FAN];
	int64_t slack[FW_DUES_FAN];
	uint32_t child[FW_DUES_FAN];
	uint32_t num;
	uint32_t parent;
	uint32_t dirty;
	uint32_t height;
	double arrival[FW_DUES_FAN];
	uint64_t seq[FW_DUES_FAN];
};

/**
 * struct fw_dues_room - nodes of one kind
 * @cap: how many there are
 * @used: how many were ever used
 * @free: first one that is free again, or FW_DUES_NONE
 */
struct fw_dues_room {
	size_t cap;
	uint32_t used;
	uint32_t free;
};

/**
 * struct fw_dues - the tree
 * @leaves: all leaves, by number
 * @nodes: all inner nodes, by number
 * @leaf_of: leaf of each request, by its handle in the score order
 * @leaf_room: of @leaves
 * @node_room: of @nodes
 * @cap_handles: of @leaf_of
 * @root: inner node, FW_DUES_NONE when nobody is here
 * @last: leaf with the youngest request
 * @num: requests
 * @asked: leaf of whom fw_dues_until() was asked last, FW_DUES_NONE when a sum
 *	changed since
 * @asked_pos: its place in that leaf
 * @asked_work: what was answered
 * @allocator: of all arrays
 */
struct fw_dues {
	struct fw_dues_leaf *leaves;
	struct fw_dues_node *nodes;
	uint32_t *leaf_of;
	struct fw_dues_room leaf_room;
	struct fw_dues_room node_room;
	size_t cap_handles;
	uint32_t root;
	uint32_t last;
	size_t num;
	uint32_t asked;
	uint32_t asked_pos;
	int64_t asked_work;
	const struct fw_allocator *allocator;
};

void fw_dues_init(struct fw_dues *dues, const struct fw_allocator *allocator);
void fw_dues_destroy(struct fw_dues *dues);

/* Make room for @num requests in all. Return: 0, -ENOMEM. */
int fw_dues_reserve(struct fw_dues *dues, size_t num);

/**
 * fw_dues_insert() - a request enters, not due yet
 * @dues: has room for it
 * @rank: its arrival, seq and handle in the score order are set, and stay as
 *	they are while it is here
 * @work: nanoseconds, not negative
 */
void fw_dues_insert(struct fw_dues *dues, struct fw_rank *rank, int64_t work);
/* It is about to be removed: fetch what that reads. */
void fw_dues_expect(const struct fw_dues *dues, const struct fw_rank *rank);

/* Return: When it was due. */
int64_t fw_dues_remove(struct fw_dues *dues, const struct fw_rank *rank);

/* The work of a request changed. */
void fw_dues_set_work(struct fw_dues *dues, const struct fw_rank *rank,
		      int64_t work);
void fw_dues_set_due(struct fw_dues *dues, const struct fw_rank *rank,
		     int64_t due);

/**
 * fw_dues_until() - work of all up to and with @rank
 * @dues: the tree
 * @rank: stands in it
 *
 * O(1) for the one behind the one that was asked for last, where nothing
 * changed since, as for most of those that arrived in a step.
 *
 * Return: Nanoseconds, at most INT64_MAX.
 */
int64_t fw_dues_until(struct fw_dues *dues, const struct fw_rank *rank);

/**
 * fw_dues_slack() - least of due(r) minus the work up to and with r
 * @dues: the tree
 *
 * Return: Nanoseconds; FW_DUES_NEVER when nobody is due.
 */
int64_t fw_dues_slack(struct fw_dues *dues);

/* The oldest request, NULL when nobody is here. */
struct fw_rank *fw_dues_first(const struct fw_dues *dues);

/* Is everything in order, every sum right and no node too empty? For tests. */
bool fw_dues_valid(struct fw_dues *dues);

/*
 * Between dues.c, which sums, and dues_shape.c, which makes and drops nodes,
 * alone.
 */

static inline struct fw_dues_leaf *fw_dues_leaf(const struct fw_dues *dues,
						uint32_t leaf)
{
	return &dues->leaves[leaf];
}

static inline struct fw_dues_node *fw_dues_node(const struct fw_dues *dues,
						uint32_t node)
{
	return &dues->nodes[node];
}

/* Which child of @node is @child? */
static inline uint32_t fw_dues_index(const struct fw_dues_node *node,
				     uint32_t child)
{
	uint32_t i = 0;

	while (node->child[i] != child)
		i++;
	return i;
}

/* The sums of child @i of @node and of all above it are to be made again. */
static inline void fw_dues_mark(const struct fw_dues *dues, uint32_t number,
				uint32_t i)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);
	uint32_t was = node->dirty;

	node->dirty |= 1u << i;
	while (!was && node->parent != FW_DUES_NONE) {
		struct fw_dues_node *above = fw_dues_node(dues, node->parent);

		was = above->dirty;
		above->dirty |= 1u << fw_dues_index(above, number);
		number = node->parent;
		node = above;
	}
}

static inline void fw_dues_mark_leaf(const struct fw_dues *dues, uint32_t leaf)
{
	uint32_t parent = fw_dues_leaf(dues, leaf)->parent;

	fw_dues_mark(dues, parent,
		     fw_dues_index(fw_dues_node(dues, parent), leaf));
}

/* The leaf that @rank belongs to; makes one where there is none. */
uint32_t fw_dues_find_leaf(struct fw_dues *dues, const struct fw_rank *rank);

/**
 * fw_dues_split() - make room in a leaf that is full
 * @dues: has room for the nodes
 * @leaf: the leaf
 * @rank: what is to enter it
 * @pos: where
 *
 * Return: The leaf that @rank belongs to now.
 */
uint32_t fw_dues_split(struct fw_dues *dues, uint32_t leaf,
		       const struct fw_rank *rank, uint32_t pos);

/* A request left @leaf: give what is too empty to its neighbour. */
void fw_dues_shrink(struct fw_dues *dues, uint32_t leaf);

#endif
