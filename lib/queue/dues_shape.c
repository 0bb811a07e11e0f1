/* SPDX-License-Identifier: Apache-2.0 */
#include "dues.h"

#include <assert.h>
#include <string.h>

/*
 * The shape of the tree. What comes at the end, as arrivals do, fills each leaf
 * and each node before it starts another; what comes between splits a full one
 * in halves. Two neighbours that together would fill at most half of one become
 * one.
 */

static uint32_t take(struct fw_dues_room *room, uint32_t next)
{
	uint32_t number = room->free;

	if (number == FW_DUES_NONE) {
		number = room->used++;
		assert(number < room->cap);
	} else {
		room->free = next;
	}
	return number;
}

static uint32_t new_leaf(struct fw_dues *dues)
{
	struct fw_dues_room *room = &dues->leaf_room;
	uint32_t next = room->free == FW_DUES_NONE
				? FW_DUES_NONE
				: dues->leaves[room->free].parent;
	uint32_t number = take(room, next);

	fw_dues_leaf(dues, number)->num = 0;
	return number;
}

static uint32_t new_node(struct fw_dues *dues, uint32_t height)
{
	struct fw_dues_room *room = &dues->node_room;
	uint32_t next = room->free == FW_DUES_NONE
				? FW_DUES_NONE
				: dues->nodes[room->free].parent;
	uint32_t number = take(room, next);
	struct fw_dues_node *node = fw_dues_node(dues, number);

	node->num = 0;
	node->dirty = 0;
	node->height = height;
	node->parent = FW_DUES_NONE;
	return number;
}

static void free_leaf(struct fw_dues *dues, uint32_t leaf)
{
	fw_dues_leaf(dues, leaf)->parent = dues->leaf_room.free;
	dues->leaf_room.free = leaf;
}

static void free_node(struct fw_dues *dues, uint32_t node)
{
	fw_dues_node(dues, node)->parent = dues->node_room.free;
	dues->node_room.free = node;
}

static void set_parent(struct fw_dues *dues, const struct fw_dues_node *node,
		       uint32_t child, uint32_t parent)
{
	if (node->height > 1)
		fw_dues_node(dues, child)->parent = parent;
	else
		fw_dues_leaf(dues, child)->parent = parent;
}

/* All sums of a node whose children changed places, and of all above it. */
static void mark_all(struct fw_dues *dues, uint32_t number)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);

	fw_dues_mark(dues, number, 0);
	node->dirty = (1u << node->num) - 1u;
}

/* Move the children of @from from @first on to the end of @to. */
static void move_children(struct fw_dues *dues, uint32_t from, uint32_t first,
			  uint32_t to)
{
	struct fw_dues_node *a = fw_dues_node(dues, from);
	struct fw_dues_node *b = fw_dues_node(dues, to);
	uint32_t num = a->num - first;

	memcpy(&b->child[b->num], &a->child[first], num * sizeof(*a->child));
	memcpy(&b->arrival[b->num], &a->arrival[first],
	       num * sizeof(*a->arrival));
	memcpy(&b->seq[b->num], &a->seq[first], num * sizeof(*a->seq));
	for (uint32_t i = 0; i < num; i++)
		set_parent(dues, a, a->child[first + i], to);
	a->num -= num;
	b->num += num;
}

/* Open a place for a child at @pos, or close the one that is there. */
static void shift_children(struct fw_dues_node *node, uint32_t to,
			   uint32_t from)
{
	size_t num = node->num - from;

	memmove(&node->child[to], &node->child[from],
		num * sizeof(*node->child));
	memmove(&node->arrival[to], &node->arrival[from],
		num * sizeof(*node->arrival));
	memmove(&node->seq[to], &node->seq[from], num * sizeof(*node->seq));
	node->num += to - from;
}

/**
 * struct border - what parts two children
 * @arrival: the second one and all behind it come at or after that
 * @seq: the same
 */
struct border {
	double arrival;
	uint64_t seq;
};

static void put_child(struct fw_dues *dues, uint32_t number, uint32_t pos,
		      uint32_t child, struct border border)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);

	shift_children(node, pos + 1, pos);
	node->child[pos] = child;
	node->arrival[pos] = border.arrival;
	node->seq[pos] = border.seq;
	set_parent(dues, node, child, number);
}

/* A root above the one that is. */
static void grow(struct fw_dues *dues)
{
	uint32_t old = dues->root;
	uint32_t root = new_node(dues, fw_dues_node(dues, old)->height + 1);

	put_child(dues, root, 0, old, (struct border){0});
	dues->root = root;
}

/*
 * Let @child enter @number behind its child @pos - 1. Only at the end of the
 * tree a full node stays full: elsewhere the one that follows may have few.
 */
static void add_child(struct fw_dues *dues, uint32_t number, uint32_t pos,
		      uint32_t child, struct border border, bool at_end)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);
	struct border upper = border;
	uint32_t other, half;

	if (node->num < FW_DUES_FAN) {
		put_child(dues, number, pos, child, border);
		mark_all(dues, number);
		return;
	}
	if (number == dues->root)
		grow(dues);
	other = new_node(dues, node->height);
	half = at_end ? FW_DUES_FAN : FW_DUES_FAN / 2;
	if (!at_end)
		upper = (struct border){node->arrival[half], node->seq[half]};
	move_children(dues, number, half, other);
	if (pos <= half && !at_end)
		put_child(dues, number, pos, child, border);
	else
		put_child(dues, other, pos - half, child, border);
	fw_dues_node(dues, other)->dirty =
		(1u << fw_dues_node(dues, other)->num) - 1u;
	add_child(dues, node->parent,
		  fw_dues_index(fw_dues_node(dues, node->parent), number) + 1,
		  other, upper, at_end);
	mark_all(dues, number);
}

uint32_t fw_dues_split(struct fw_dues *dues, uint32_t leaf,
		       const struct fw_rank *rank, uint32_t pos)
{
	struct fw_dues_leaf *left = fw_dues_leaf(dues, leaf), *right;
	uint32_t other = new_leaf(dues), half, num;
	struct border border = {rank->arrival, rank->seq};
	bool at_end = pos == FW_DUES_LEAF && leaf == dues->last;

	right = fw_dues_leaf(dues, other);
	half = at_end ? FW_DUES_LEAF : FW_DUES_LEAF / 2;
	num = FW_DUES_LEAF - half;
	memcpy(right->work, &left->work[half], num * sizeof(*left->work));
	memcpy(right->due, &left->due[half], num * sizeof(*left->due));
	memcpy(right->who, &left->who[half], num * sizeof(*left->who));
	for (uint32_t i = 0; i < num; i++)
		dues->leaf_of[right->who[i]->by_score - 1u] = other;
	if (num)
		border = (struct border){right->who[0]->arrival,
					 right->who[0]->seq};
	left->num = half;
	right->num = num;
	if (leaf == dues->last)
		dues->last = other;
	add_child(dues, left->parent,
		  fw_dues_index(fw_dues_node(dues, left->parent), leaf) + 1,
		  other, border, at_end);
	return pos > half || at_end ? other : leaf;
}

static bool at_or_after(const struct fw_rank *rank,
			const struct fw_dues_node *node, uint32_t i)
{
	return rank->arrival > node->arrival[i] ||
	       (rank->arrival >= node->arrival[i] && rank->seq >= node->seq[i]);
}

uint32_t fw_dues_find_leaf(struct fw_dues *dues, const struct fw_rank *rank)
{
	const struct fw_dues_node *node;

	if (dues->root == FW_DUES_NONE) {
		dues->root = new_node(dues, 1);
		dues->last = new_leaf(dues);
		put_child(dues, dues->root, 0, dues->last, (struct border){0});
		return dues->last;
	}
	node = fw_dues_node(dues, dues->root);
	for (;;) {
		uint32_t i = node->num - 1;

		while (i && !at_or_after(rank, node, i))
			i--;
		if (node->height == 1)
			return node->child[i];
		node = fw_dues_node(dues, node->child[i]);
	}
}

static void find_last(struct fw_dues *dues)
{
	const struct fw_dues_node *node = fw_dues_node(dues, dues->root);

	while (node->height > 1)
		node = fw_dues_node(dues, node->child[node->num - 1]);
	dues->last = node->child[node->num - 1];
}

/* A root with one child is no use above nodes. */
static void lower_root(struct fw_dues *dues)
{
	struct fw_dues_node *root = fw_dues_node(dues, dues->root);

	while (root->num == 1 && root->height > 1) {
		uint32_t old = dues->root;

		dues->root = root->child[0];
		free_node(dues, old);
		root = fw_dues_node(dues, dues->root);
		root->parent = FW_DUES_NONE;
	}
}

static void move_leaf(struct fw_dues *dues, uint32_t from, uint32_t to)
{
	const struct fw_dues_leaf *a = fw_dues_leaf(dues, from);
	struct fw_dues_leaf *b = fw_dues_leaf(dues, to);

	memcpy(&b->work[b->num], a->work, a->num * sizeof(*a->work));
	memcpy(&b->due[b->num], a->due, a->num * sizeof(*a->due));
	memcpy(&b->who[b->num], a->who, a->num * sizeof(*a->who));
	for (uint32_t i = 0; i < a->num; i++)
		dues->leaf_of[a->who[i]->by_score - 1u] = to;
	b->num += a->num;
	if (dues->last == from)
		dues->last = to;
	free_leaf(dues, from);
}

static uint32_t num_in(const struct fw_dues *dues,
		       const struct fw_dues_node *node, uint32_t i)
{
	uint32_t child = node->child[i];

	return node->height > 1 ? fw_dues_node(dues, child)->num
				: fw_dues_leaf(dues, child)->num;
}

/*
 * All that is in node @right goes to the end of @left, which stands before it.
 * Where their children meet there may be two that are too empty beside each
 * other, and so on down.
 */
static void join_nodes(struct fw_dues *dues, uint32_t left, uint32_t right,
		       struct border border)
{
	struct fw_dues_node *a = fw_dues_node(dues, left);
	struct fw_dues_node *b = fw_dues_node(dues, right);
	uint32_t end = a->child[a->num - 1], begin = b->child[0], first = 0;
	uint32_t both = num_in(dues, a, a->num - 1) + num_in(dues, b, 0);

	/* A first child has no border of its own. */
	b->arrival[0] = border.arrival;
	b->seq[0] = border.seq;
	if (a->height > 1 && both <= FW_DUES_FAN / 2) {
		join_nodes(dues, end, begin, border);
		first = 1;
	} else if (a->height == 1 && both <= FW_DUES_LEAF / 2) {
		move_leaf(dues, begin, end);
		first = 1;
	}
	move_children(dues, right, first, left);
	free_node(dues, right);
	mark_all(dues, left);
}

static void shrink_node(struct fw_dues *dues, uint32_t number);

/* Child @i of @number is free: close its place. */
static void drop_child(struct fw_dues *dues, uint32_t number, uint32_t i)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);

	shift_children(node, i, i + 1);
	mark_all(dues, number);
	shrink_node(dues, number);
}

/* Do children @i and @i + 1 of @node fill at most half of one? */
static bool join(const struct fw_dues *dues, const struct fw_dues_node *node,
		 uint32_t i)
{
	uint32_t full = node->height > 1 ? FW_DUES_FAN : FW_DUES_LEAF;

	return i + 1 < node->num &&
	       num_in(dues, node, i) + num_in(dues, node, i + 1) <= full / 2;
}

static void shrink_root(struct fw_dues *dues)
{
	if (fw_dues_node(dues, dues->root)->num) {
		lower_root(dues);
		return;
	}
	free_node(dues, dues->root);
	dues->root = FW_DUES_NONE;
	dues->last = FW_DUES_NONE;
}

/* A child left @number: give what is too empty to its neighbour. */
static void shrink_node(struct fw_dues *dues, uint32_t number)
{
	struct fw_dues_node *node = fw_dues_node(dues, number), *above;
	uint32_t parent = node->parent, i;

	if (parent == FW_DUES_NONE) {
		shrink_root(dues);
		return;
	}
	above = fw_dues_node(dues, parent);
	i = fw_dues_index(above, number);
	if (!node->num) {
		free_node(dues, number);
		drop_child(dues, parent, i);
		return;
	}
	if (i && join(dues, above, i - 1))
		i--;
	if (!join(dues, above, i))
		return;
	join_nodes(dues, above->child[i], above->child[i + 1],
		   (struct border){above->arrival[i + 1], above->seq[i + 1]});
	drop_child(dues, parent, i + 1);
}

/* @leaf is empty and no neighbour takes its place. */
static void drop_leaf(struct fw_dues *dues, uint32_t leaf, uint32_t parent,
		      uint32_t i)
{
	bool last = leaf == dues->last;

	free_leaf(dues, leaf);
	drop_child(dues, parent, i);
	if (last && dues->root != FW_DUES_NONE)
		find_last(dues);
}

void fw_dues_shrink(struct fw_dues *dues, uint32_t leaf)
{
	uint32_t parent = fw_dues_leaf(dues, leaf)->parent;
	const struct fw_dues_node *above = fw_dues_node(dues, parent);
	uint32_t i = fw_dues_index(above, leaf);

	if (i && join(dues, above, i - 1))
		i--;
	if (join(dues, above, i)) {
		move_leaf(dues, above->child[i + 1], above->child[i]);
		fw_dues_mark(dues, parent, i);
		drop_child(dues, parent, i + 1);
	} else if (!fw_dues_leaf(dues, leaf)->num) {
		drop_leaf(dues, leaf, parent, i);
	}
}
