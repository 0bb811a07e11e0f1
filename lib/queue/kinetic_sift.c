/* SPDX-License-Identifier: Apache-2.0 */
#include "kinetic_sift.h"

#include <math.h>

/* Deepest path: 4^16 slots are more than 2^32 - 1 requests. */
#define MAX_DEPTH 17

/**
 * struct family - a slot's four children at this moment
 * @slot: their parent
 * @best: lane of the one that comes first
 * @scores: of all four
 * @halves: the same, as vectors
 */
struct family {
	size_t slot;
	unsigned int best;
	union {
		double scores[FW_KINETIC_ARY];
		fw_vec halves[FW_KINETIC_ARY / 2];
	};
};

static double item_score(const struct fw_kinetic *heap,
			 const struct fw_kinetic_item *item)
{
	return fw_line_score(item->ratio, item->arrival, item->unit, heap->now);
}

/* Of two requests with equal scores: does the first one come first? */
static bool tie_before(const struct fw_kinetic *heap, double arrival_a,
		       uint32_t handle_a, double arrival_b, uint32_t handle_b)
{
	const struct fw_kinetic_tie *ties = heap->at.ties;

	if (arrival_a != arrival_b)
		return arrival_a < arrival_b;
	return ties[handle_a].seq < ties[handle_b].seq;
}

static void score_children(const struct fw_kinetic *heap, size_t slot,
			   struct family *family)
{
	const struct fw_kinetic_group *group =
		fw_kinetic_children(&heap->at, slot);

	family->slot = slot;
	family->halves[0] = fw_group_scores(group, 0, heap->now);
	family->halves[1] = fw_group_scores(group, 2, heap->now);
}

/* The first of those with the top score @top. */
static unsigned int best_tied(const struct fw_kinetic *heap,
			      const struct family *family, double top)
{
	const struct fw_kinetic_group *group =
		fw_kinetic_children(&heap->at, family->slot);
	const uint32_t *handles =
		&heap->at.handles[fw_kinetic_first_child(family->slot)];
	unsigned int best = FW_KINETIC_ARY;

	for (unsigned int i = 0; i < FW_KINETIC_ARY; i++)
		if (family->scores[i] == top &&
		    (best == FW_KINETIC_ARY ||
		     tie_before(heap, group->arrival[i], handles[i],
				group->arrival[best], handles[best])))
			best = i;
	return best;
}

/*
 * Which child comes first? Counted, not branched on: no processor guesses
 * which of four comes first.
 */
static void find_best(const struct fw_kinetic *heap, struct family *family)
{
	const double *s = family->scores;
	unsigned int a = s[1] > s[0], b = 2 + (s[3] > s[2]);
	unsigned int best = a + (b - a) * (s[b] > s[a]);
	double top = s[best];

	if ((s[0] == top) + (s[1] == top) + (s[2] == top) + (s[3] == top) > 1)
		best = best_tied(heap, family, top);
	family->best = best;
}

/* Earliest time at which an edge in the subtree of @family's parent breaks. */
static double due_above(const struct fw_kinetic *heap,
			const struct family *family)
{
	const struct fw_kinetic_group *of =
		fw_kinetic_group(&heap->at, family->slot);
	const struct fw_kinetic_group *to =
		fw_kinetic_children(&heap->at, family->slot);
	unsigned int lane = fw_kinetic_lane(family->slot);
	double now = heap->now;
	struct fw_kinetic_edge from = {
		.ratio = of->ratio[lane],
		.arrival = of->arrival[lane],
		.unit = of->unit[lane],
	};
	fw_vec due;

	from.score = fw_line_score(from.ratio, from.arrival, from.unit, now);
	from.slope = from.arrival <= now ? 1.0 / from.unit : 0.0;
	due = fw_vec_min(fw_group_due(to, 0, family->halves[0], &from, now),
			 fw_group_due(to, 2, family->halves[1], &from, now));
	return due[0] < due[1] ? due[0] : due[1];
}

static void update_due(struct fw_kinetic *heap, size_t slot)
{
	double *due = fw_kinetic_due(&heap->at, slot);
	struct family family;

	heap->touched++;
	if (!fw_kinetic_has_children(heap, slot)) {
		*due = INFINITY;
		return;
	}
	score_children(heap, slot, &family);
	*due = due_above(heap, &family);
}

/*
 * The due time of @slot was @old, and now is another: so are those above it,
 * as far up as it matters. An edge does not come into it, only the child whose
 * time it was.
 */
static void pass_up(struct fw_kinetic *heap, size_t slot, double old)
{
	while (slot) {
		double due = *fw_kinetic_due(&heap->at, slot);
		double *above, before;

		slot = fw_kinetic_parent(slot);
		above = fw_kinetic_due(&heap->at, slot);
		before = *above;
		if (due < before) {
			heap->touched++;
			*above = due;
		} else if (due <= old || old > before) {
			return;
		} else {
			update_due(heap, slot);
		}
		old = before;
	}
}

/* The line in @slot is another one: mend what stands above it. */
static void mend_above(struct fw_kinetic *heap, size_t slot)
{
	size_t parent;
	double old;

	if (!slot)
		return;
	parent = fw_kinetic_parent(slot);
	old = *fw_kinetic_due(&heap->at, parent);
	update_due(heap, parent);
	pass_up(heap, parent, old);
}

/* One of the children of @slot comes next: fetch the children of all four. */
static inline void prefetch(const struct fw_kinetic *heap, size_t slot)
{
	size_t child = fw_kinetic_first_child(slot);
	const struct fw_kinetic_group *groups =
		fw_kinetic_children(&heap->at, child);

	if (!fw_kinetic_has_children(heap, child))
		return;
	__builtin_prefetch(&heap->at.handles[fw_kinetic_first_child(child)]);
	for (unsigned int i = 0; i < FW_KINETIC_ARY; i++)
		fw_kinetic_prefetch_group(&groups[i]);
}

/*
 * The due times along a path on which lines moved up by one each. In each
 * family the score of the one that left is now that of the one that came.
 */
static void mend_path(struct fw_kinetic *heap, struct family *path,
		      size_t depth, double came)
{
	while (depth-- > 0) {
		struct family *family = &path[depth];
		double left = family->scores[family->best];

		family->scores[family->best] = came;
		*fw_kinetic_due(&heap->at, family->slot) =
			due_above(heap, family);
		came = left;
	}
}

void fw_kinetic_sift_down(struct fw_kinetic *heap, size_t slot,
			  const struct fw_kinetic_item *item)
{
	double score = item_score(heap, item), due = INFINITY;
	struct family path[MAX_DEPTH], *family = path;

	for (; fw_kinetic_has_children(heap, slot); family++) {
		size_t child = fw_kinetic_first_child(slot);
		struct fw_kinetic_item up;
		double top;

		prefetch(heap, slot);
		score_children(heap, slot, family);
		find_best(heap, family);
		top = family->scores[family->best];
		child += family->best;
		fw_kinetic_load(&heap->at, child, &up);
		if (top < score ||
		    (top == score && !tie_before(heap, up.arrival, up.handle,
						 item->arrival, item->handle)))
			break;
		if (!slot)
			fw_rank_prefetch(heap->at.ties[up.handle].rank);
		fw_kinetic_store(&heap->at, slot, &up);
		slot = child;
	}
	fw_kinetic_store(&heap->at, slot, item);
	if (fw_kinetic_has_children(heap, slot))
		due = due_above(heap, family);
	*fw_kinetic_due(&heap->at, slot) = due;
	heap->touched += (uint64_t)(family - path) + 1;
	mend_path(heap, path, (size_t)(family - path), score);
}

static bool item_before(const struct fw_kinetic *heap,
			const struct fw_kinetic_item *item, double score,
			size_t slot)
{
	struct fw_kinetic_item other;
	double other_score;

	fw_kinetic_load(&heap->at, slot, &other);
	other_score = item_score(heap, &other);
	if (score != other_score)
		return score > other_score;
	return tie_before(heap, item->arrival, item->handle, other.arrival,
			  other.handle);
}

void fw_kinetic_place(struct fw_kinetic *heap, size_t slot,
		      const struct fw_kinetic_item *item)
{
	double score = item_score(heap, item);
	size_t from = slot;

	while (slot &&
	       item_before(heap, item, score, fw_kinetic_parent(slot))) {
		struct fw_kinetic_item down;

		fw_kinetic_load(&heap->at, fw_kinetic_parent(slot), &down);
		fw_kinetic_store(&heap->at, slot, &down);
		slot = fw_kinetic_parent(slot);
	}
	if (slot == from) {
		fw_kinetic_sift_down(heap, slot, item);
	} else {
		fw_kinetic_store(&heap->at, slot, item);
		for (; from != slot; from = fw_kinetic_parent(from))
			update_due(heap, from);
		update_due(heap, slot);
	}
	mend_above(heap, slot);
}

bool fw_kinetic_in_order(const struct fw_kinetic *heap, size_t slot)
{
	size_t parent = fw_kinetic_parent(slot);
	struct fw_kinetic_item item;

	fw_kinetic_load(&heap->at, slot, &item);
	return !item_before(heap, &item, item_score(heap, &item), parent) &&
	       *fw_kinetic_due(&heap->at, parent) <=
		       *fw_kinetic_due(&heap->at, slot);
}
