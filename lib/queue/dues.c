/* SPDX-License-Identifier: Apache-2.0 */
#include "dues.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "lib/base/alloc.h"
#include "lib/base/saturate.h"

void fw_dues_init(struct fw_dues *dues, const struct fw_allocator *allocator)
{
	*dues = (struct fw_dues){
		.leaf_room.free = FW_DUES_NONE,
		.node_room.free = FW_DUES_NONE,
		.root = FW_DUES_NONE,
		.last = FW_DUES_NONE,
		.asked = FW_DUES_NONE,
		.allocator = allocator,
	};
}

void fw_dues_destroy(struct fw_dues *dues)
{
	const struct fw_allocator *allocator = dues->allocator;

	fw_free_array(allocator, dues->leaves, dues->leaf_room.cap,
		      sizeof(*dues->leaves));
	fw_free_array(allocator, dues->nodes, dues->node_room.cap,
		      sizeof(*dues->nodes));
	fw_free_array(allocator, dues->leaf_of, dues->cap_handles,
		      sizeof(*dues->leaf_of));
	fw_dues_init(dues, allocator);
}

static int reserve(struct fw_dues *dues, void **array,
		   struct fw_dues_room *room, size_t need, size_t size)
{
	if (need <= room->cap)
		return 0;
	return fw_grow_dirty(dues->allocator, array, &room->cap, room->used,
			     need, size);
}

/*
 * Two leaves beside each other under one node hold more than half a leaf, and
 * two nodes more than half a node, so that n requests take at most n/6 leaves
 * and a third of that of nodes, but for a few at the edges. What is reserved
 * and not used takes no page.
 */
int fw_dues_reserve(struct fw_dues *dues, size_t num)
{
	size_t leaves = num / 4 + 8, nodes = leaves / 2 + 8;
	int ret;

	if (num > dues->cap_handles) {
		ret = fw_grow_dirty(dues->allocator, (void **)&dues->leaf_of,
				    &dues->cap_handles, dues->cap_handles, num,
				    sizeof(*dues->leaf_of));
		if (ret)
			return ret;
	}
	ret = reserve(dues, (void **)&dues->leaves, &dues->leaf_room, leaves,
		      sizeof(*dues->leaves));
	if (!ret)
		ret = reserve(dues, (void **)&dues->nodes, &dues->node_room,
			      nodes, sizeof(*dues->nodes));
	return ret;
}

static uint32_t leaf_of(const struct fw_dues *dues, const struct fw_rank *rank)
{
	assert(rank->by_score && rank->by_score <= dues->cap_handles);
	return dues->leaf_of[rank->by_score - 1u];
}

/* From the end: those that came last are asked for most. */
static uint32_t position(const struct fw_dues_leaf *leaf,
			 const struct fw_rank *rank)
{
	uint32_t pos = leaf->num - 1;

	while (leaf->who[pos] != rank)
		pos--;
	return pos;
}

/* Where @rank belongs in @leaf: behind all that come before it. */
static uint32_t place(const struct fw_dues_leaf *leaf,
		      const struct fw_rank *rank)
{
	uint32_t pos = leaf->num;

	while (pos && fw_rank_older(rank, leaf->who[pos - 1]))
		pos--;
	return pos;
}

/* Move what stands from @from on to @to. */
static void shift(struct fw_dues_leaf *leaf, uint32_t to, uint32_t from)
{
	size_t num = leaf->num - from;

	memmove(&leaf->work[to], &leaf->work[from], num * sizeof(*leaf->work));
	memmove(&leaf->due[to], &leaf->due[from], num * sizeof(*leaf->due));
	memmove(&leaf->who[to], &leaf->who[from], num * sizeof(*leaf->who));
}

void fw_dues_insert(struct fw_dues *dues, struct fw_rank *rank, int64_t work)
{
	uint32_t number = fw_dues_find_leaf(dues, rank), pos;
	struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);

	assert(work >= 0);
	pos = place(leaf, rank);
	if (leaf->num == FW_DUES_LEAF) {
		number = fw_dues_split(dues, number, rank, pos);
		leaf = fw_dues_leaf(dues, number);
		pos = place(leaf, rank);
	}
	shift(leaf, pos + 1, pos);
	leaf->work[pos] = work;
	leaf->due[pos] = FW_DUES_NEVER;
	leaf->who[pos] = rank;
	leaf->num++;
	dues->leaf_of[rank->by_score - 1u] = number;
	dues->num++;
	fw_dues_mark_leaf(dues, number);
}

void fw_dues_expect(const struct fw_dues *dues, const struct fw_rank *rank)
{
	const char *leaf =
		(const char *)fw_dues_leaf(dues, leaf_of(dues, rank));

	for (size_t i = 0; i < sizeof(struct fw_dues_leaf); i += 64)
		__builtin_prefetch(leaf + i, 1);
}

int64_t fw_dues_remove(struct fw_dues *dues, const struct fw_rank *rank)
{
	uint32_t number = leaf_of(dues, rank), pos;
	struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);
	int64_t due;

	pos = position(leaf, rank);
	due = leaf->due[pos];
	shift(leaf, pos, pos + 1);
	leaf->num--;
	dues->num--;
	fw_dues_mark_leaf(dues, number);
	fw_dues_shrink(dues, number);
	return due;
}

void fw_dues_set_work(struct fw_dues *dues, const struct fw_rank *rank,
		      int64_t work)
{
	uint32_t number = leaf_of(dues, rank);
	struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);

	assert(work >= 0);
	leaf->work[position(leaf, rank)] = work;
	fw_dues_mark_leaf(dues, number);
}

void fw_dues_set_due(struct fw_dues *dues, const struct fw_rank *rank,
		     int64_t due)
{
	uint32_t number = leaf_of(dues, rank);
	struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);

	leaf->due[position(leaf, rank)] = due;
	fw_dues_mark_leaf(dues, number);
}

/* The slack of one that comes after @work. */
static int64_t after(int64_t work, int64_t slack)
{
	int64_t left;

	if (slack == FW_DUES_NEVER)
		return slack;
	return __builtin_sub_overflow(slack, work, &left) ? INT64_MIN : left;
}

/**
 * struct sums - of some requests that follow each other
 * @work: of all
 * @slack: least, from the first of them on
 */
struct sums {
	int64_t work;
	int64_t slack;
};

static void append(struct sums *sums, int64_t work, int64_t slack)
{
	slack = after(sums->work, slack);
	if (slack < sums->slack)
		sums->slack = slack;
	sums->work = fw_add_saturating(sums->work, work);
}

static struct sums sum_leaf(const struct fw_dues_leaf *leaf)
{
	struct sums sums = {0, FW_DUES_NEVER};

	for (uint32_t i = 0; i < leaf->num; i++)
		append(&sums, leaf->work[i],
		       after(leaf->work[i], leaf->due[i]));
	return sums;
}

/* Make the marked sums below @node again. Return: Its own. */
static struct sums sum_node(struct fw_dues *dues, struct fw_dues_node *node)
{
	struct sums sums = {0, FW_DUES_NEVER};

	for (; node->dirty; node->dirty &= node->dirty - 1) {
		int i = __builtin_ctz(node->dirty);
		uint32_t child = node->child[i];

		sums = node->height > 1
			       ? sum_node(dues, fw_dues_node(dues, child))
			       : sum_leaf(fw_dues_leaf(dues, child));
		node->work[i] = sums.work;
		node->slack[i] = sums.slack;
	}
	sums = (struct sums){0, FW_DUES_NEVER};
	for (uint32_t i = 0; i < node->num; i++)
		append(&sums, node->work[i], node->slack[i]);
	return sums;
}

int64_t fw_dues_slack(struct fw_dues *dues)
{
	struct fw_dues_node *root;

	if (dues->root == FW_DUES_NONE)
		return FW_DUES_NEVER;
	root = fw_dues_node(dues, dues->root);
	if (root->dirty)
		dues->asked = FW_DUES_NONE;
	return sum_node(dues, root).slack;
}

/* The work before leaf @number. */
static int64_t work_before(const struct fw_dues *dues, uint32_t number)
{
	uint32_t above = fw_dues_leaf(dues, number)->parent;
	int64_t work = 0;

	while (above != FW_DUES_NONE) {
		const struct fw_dues_node *node = fw_dues_node(dues, above);

		for (uint32_t i = 0; node->child[i] != number; i++)
			work = fw_add_saturating(work, node->work[i]);
		number = above;
		above = node->parent;
	}
	return work;
}

int64_t fw_dues_until(struct fw_dues *dues, const struct fw_rank *rank)
{
	uint32_t number = leaf_of(dues, rank);
	const struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);
	uint32_t pos = position(leaf, rank), from = 0;
	int64_t work;

	if (fw_dues_node(dues, dues->root)->dirty)
		fw_dues_slack(dues);
	if (dues->asked == number && dues->asked_pos < pos) {
		work = dues->asked_work;
		from = dues->asked_pos + 1;
	} else {
		work = work_before(dues, number);
	}
	for (uint32_t i = from; i <= pos; i++)
		work = fw_add_saturating(work, leaf->work[i]);
	dues->asked = number;
	dues->asked_pos = pos;
	dues->asked_work = work;
	return work;
}

struct fw_rank *fw_dues_first(const struct fw_dues *dues)
{
	const struct fw_dues_node *node;

	if (dues->root == FW_DUES_NONE)
		return NULL;
	node = fw_dues_node(dues, dues->root);
	while (node->height > 1)
		node = fw_dues_node(dues, node->child[0]);
	return fw_dues_leaf(dues, node->child[0])->who[0];
}

static bool leaf_valid(const struct fw_dues *dues, uint32_t number,
		       const struct fw_rank **before)
{
	const struct fw_dues_leaf *leaf = fw_dues_leaf(dues, number);

	for (uint32_t i = 0; i < leaf->num; i++) {
		if (*before && !fw_rank_older(*before, leaf->who[i]))
			return false;
		if (leaf_of(dues, leaf->who[i]) != number)
			return false;
		*before = leaf->who[i];
	}
	return leaf->num;
}

static uint32_t num_below(const struct fw_dues *dues,
			  const struct fw_dues_node *node, uint32_t i)
{
	return node->height > 1 ? fw_dues_node(dues, node->child[i])->num
				: fw_dues_leaf(dues, node->child[i])->num;
}

static bool node_valid(struct fw_dues *dues, uint32_t number,
		       const struct fw_rank **before)
{
	struct fw_dues_node *node = fw_dues_node(dues, number);
	uint32_t half = (node->height > 1 ? FW_DUES_FAN : FW_DUES_LEAF) / 2;

	for (uint32_t i = 0; i < node->num; i++) {
		uint32_t child = node->child[i];
		bool leaf = node->height == 1;
		uint32_t parent = leaf ? fw_dues_leaf(dues, child)->parent
				       : fw_dues_node(dues, child)->parent;

		if (parent != number)
			return false;
		if (i &&
		    num_below(dues, node, i - 1) + num_below(dues, node, i) <=
			    half)
			return false;
		if (!(leaf ? leaf_valid(dues, child, before)
			   : node_valid(dues, child, before)))
			return false;
	}
	return node->num && !node->dirty;
}

bool fw_dues_valid(struct fw_dues *dues)
{
	const struct fw_rank *before = NULL;

	if (dues->root == FW_DUES_NONE)
		return !dues->num && dues->last == FW_DUES_NONE;
	fw_dues_slack(dues);
	return node_valid(dues, dues->root, &before) &&
	       fw_dues_leaf(dues, dues->last)
			       ->who[fw_dues_leaf(dues, dues->last)->num - 1] ==
		       before;
}
