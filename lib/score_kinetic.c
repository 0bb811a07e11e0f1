/* SPDX-License-Identifier: Apache-2.0 */
#include "score_kinetic.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "score.h"

/* One request as the heap holds it, on its way from slot to slot. */
struct item {
	double ratio;
	double arrival;
	double unit;
	struct fw_kinetic_tie tie;
};

static size_t position(size_t slot)
{
	return slot + FW_KINETIC_ARY - 1;
}

static size_t parent_of(size_t slot)
{
	return (slot - 1) / FW_KINETIC_ARY;
}

static struct fw_kinetic_group *group_of(const struct fw_kinetic *heap,
					 size_t slot)
{
	return &heap->groups[position(slot) / FW_KINETIC_ARY];
}

static unsigned int lane_of(size_t slot)
{
	return position(slot) % FW_KINETIC_ARY;
}

static double *due_of(const struct fw_kinetic *heap, size_t slot)
{
	return &group_of(heap, slot)->due[lane_of(slot)];
}

static void load(const struct fw_kinetic *heap, size_t slot, struct item *item)
{
	const struct fw_kinetic_group *group = group_of(heap, slot);
	unsigned int lane = lane_of(slot);

	item->ratio = group->ratio[lane];
	item->arrival = group->arrival[lane];
	item->unit = group->unit[lane];
	item->tie = heap->ties[slot];
}

static void store(struct fw_kinetic *heap, size_t slot, const struct item *item)
{
	struct fw_kinetic_group *group = group_of(heap, slot);
	unsigned int lane = lane_of(slot);

	group->ratio[lane] = item->ratio;
	group->arrival[lane] = item->arrival;
	group->unit[lane] = item->unit;
	heap->ties[slot] = item->tie;
	item->tie.entry->by_score = (uint32_t)slot + 1;
}

static bool tie_before(double arrival_a, uint64_t seq_a, double arrival_b,
		       uint64_t seq_b)
{
	return arrival_a < arrival_b ||
	       (arrival_a == arrival_b && seq_a < seq_b);
}

static bool has_children(const struct fw_kinetic *heap, size_t slot)
{
	return slot * FW_KINETIC_ARY + 1 < heap->num;
}

/* A lane without a request never wins and is never due. */
static void clear_lane(struct fw_kinetic_group *group, unsigned int lane)
{
	group->ratio[lane] = -INFINITY;
	group->arrival[lane] = 0.0;
	group->unit[lane] = 1.0;
	group->due[lane] = INFINITY;
}

static double compute_due(const struct fw_kinetic *heap, size_t slot)
{
	const struct fw_kinetic_group *of = group_of(heap, slot), *to;
	unsigned int lane = lane_of(slot);
	double now = heap->now;
	struct fw_kinetic_edge from = {
		.ratio = of->ratio[lane],
		.arrival = of->arrival[lane],
		.unit = of->unit[lane],
	};
	vec due;

	if (!has_children(heap, slot))
		return INFINITY;
	to = &heap->groups[slot + 1];
	from.score = fw_line_score(from.ratio, from.arrival, from.unit, now);
	from.slope = from.arrival <= now ? 1.0 / from.unit : 0.0;
	due = vec_min(fw_group_due(to, 0, &from, now),
		      fw_group_due(to, 2, &from, now));
	return due[0] < due[1] ? due[0] : due[1];
}

/* The due times from @slot up to the root, as far as they change. */
static void fix_due(struct fw_kinetic *heap, size_t slot, size_t top)
{
	for (;;) {
		double due = compute_due(heap, slot);
		double *at = due_of(heap, slot);
		bool same = *at == due;

		*at = due;
		heap->touched++;
		if (!slot || (same && slot < top))
			break;
		slot = parent_of(slot);
	}
}

/* First of the four children of @slot, and its score. */
static size_t best_child(const struct fw_kinetic *heap, size_t slot,
			 double *score)
{
	const struct fw_kinetic_group *group = &heap->groups[slot + 1];
	vec lo = fw_group_scores(group, 0, heap->now),
	    hi = fw_group_scores(group, 2, heap->now);
	double s[FW_KINETIC_ARY] = {lo[0], lo[1], hi[0], hi[1]};
	size_t first = slot * FW_KINETIC_ARY + 1;
	unsigned int best = 0;

	for (unsigned int i = 1; i < FW_KINETIC_ARY; i++) {
		if (s[i] < s[best])
			continue;
		if (s[i] == s[best] &&
		    (first + i >= heap->num ||
		     !tie_before(group->arrival[i], heap->ties[first + i].seq,
				 group->arrival[best],
				 heap->ties[first + best].seq)))
			continue;
		best = i;
	}
	*score = s[best];
	return first + best;
}

/* One of the children of @slot comes next: fetch the children of all four. */
static inline void prefetch(const struct fw_kinetic *heap, size_t slot)
{
	size_t child = slot * FW_KINETIC_ARY + 1;
	const struct fw_kinetic_group *groups = &heap->groups[child + 1];

	if (!has_children(heap, child))
		return;
	for (unsigned int i = 0; i < FW_KINETIC_ARY; i++) {
		__builtin_prefetch(&groups[i]);
		__builtin_prefetch(groups[i].unit);
	}
}

/* Deepest path: 4^16 slots are more than 2^32 - 1 requests. */
#define MAX_DEPTH 17

/* Move a hole down from @slot to where @item belongs. */
static void sift_down(struct fw_kinetic *heap, size_t slot,
		      const struct item *item)
{
	double score = fw_line_score(item->ratio, item->arrival, item->unit,
				     heap->now);
	size_t path[MAX_DEPTH], depth = 0;

	while (has_children(heap, slot)) {
		double child_score;
		struct item up;
		size_t child;

		prefetch(heap, slot);
		child = best_child(heap, slot, &child_score);
		if (child_score < score)
			break;
		load(heap, child, &up);
		if (child_score == score &&
		    !tie_before(up.arrival, up.tie.seq, item->arrival,
				item->tie.seq))
			break;
		path[depth++] = slot;
		store(heap, slot, &up);
		slot = child;
	}
	store(heap, slot, item);
	heap->touched += depth + 1;
	*due_of(heap, slot) = compute_due(heap, slot);
	while (depth-- > 0)
		*due_of(heap, path[depth]) = compute_due(heap, path[depth]);
}

static bool item_before(const struct fw_kinetic *heap, const struct item *item,
			double score, size_t slot)
{
	const struct fw_kinetic_group *group = group_of(heap, slot);
	unsigned int lane = lane_of(slot);
	double other = fw_line_score(group->ratio[lane], group->arrival[lane],
				     group->unit[lane], heap->now);

	if (score != other)
		return score > other;
	return tie_before(item->arrival, item->tie.seq, group->arrival[lane],
			  heap->ties[slot].seq);
}

/* Put @item into the hole at @slot, wherever from there it belongs. */
static void place(struct fw_kinetic *heap, size_t slot, const struct item *item)
{
	double score = fw_line_score(item->ratio, item->arrival, item->unit,
				     heap->now);
	size_t from = slot;

	while (slot && item_before(heap, item, score, parent_of(slot))) {
		struct item down;

		load(heap, parent_of(slot), &down);
		store(heap, slot, &down);
		slot = parent_of(slot);
	}
	if (slot != from) {
		store(heap, slot, item);
		fix_due(heap, from, slot);
		return;
	}
	sift_down(heap, slot, item);
	if (slot)
		fix_due(heap, parent_of(slot), slot);
}

static void item_from(const struct fw_kinetic *heap, struct fw_entry *entry,
		      struct item *item)
{
	item->ratio = (double)entry->hit / (double)entry->cost;
	item->arrival = entry->arrival;
	item->unit =
		heap->wait_constant > 0.0 ? heap->wait_constant : entry->slo;
	item->tie.seq = entry->seq;
	item->tie.entry = entry;
}

void fw_kinetic_init(struct fw_kinetic *heap, double wait_constant,
		     const struct fw_allocator *allocator)
{
	*heap = (struct fw_kinetic){
		.wait_constant = wait_constant,
		.allocator = allocator,
	};
}

static size_t num_groups(size_t cap)
{
	return position(cap) / FW_KINETIC_ARY + 1;
}

static void free_arrays(struct fw_kinetic *heap)
{
	fw_free_array(heap->allocator, heap->raw, num_groups(heap->cap) + 1,
		      sizeof(*heap->groups));
	fw_free_array(heap->allocator, heap->ties, heap->cap,
		      sizeof(*heap->ties));
}

void fw_kinetic_destroy(struct fw_kinetic *heap)
{
	free_arrays(heap);
	fw_kinetic_init(heap, heap->wait_constant, heap->allocator);
}

/* Groups on cache lines of their own, all lanes cleared. */
static struct fw_kinetic_group *alloc_groups(const struct fw_kinetic *heap,
					     size_t num, void **raw)
{
	struct fw_kinetic_group *groups;

	*raw = fw_alloc_array(heap->allocator, num + 1, sizeof(*groups));
	if (!*raw)
		return NULL;
	groups = (struct fw_kinetic_group *)(((uintptr_t)*raw + 63) &
					     ~(uintptr_t)63);
	for (size_t i = 0; i < num; i++)
		for (unsigned int lane = 0; lane < FW_KINETIC_ARY; lane++)
			clear_lane(&groups[i], lane);
	return groups;
}

int fw_kinetic_reserve(struct fw_kinetic *heap, size_t num)
{
	size_t cap = heap->cap < 16 ? 32 : heap->cap * 2;
	struct fw_kinetic_group *groups;
	struct fw_kinetic_tie *ties;
	void *raw;

	if (num <= heap->cap)
		return 0;
	if (num >= UINT32_MAX)
		return -ENOMEM;
	if (cap < num)
		cap = num;
	groups = alloc_groups(heap, num_groups(cap), &raw);
	if (!groups)
		return -ENOMEM;
	ties = fw_alloc_array(heap->allocator, cap, sizeof(*ties));
	if (!ties) {
		fw_free_array(heap->allocator, raw, num_groups(cap) + 1,
			      sizeof(*groups));
		return -ENOMEM;
	}
	if (heap->num) {
		memcpy(groups, heap->groups,
		       num_groups(heap->num) * sizeof(*groups));
		memcpy(ties, heap->ties, heap->num * sizeof(*ties));
	}
	free_arrays(heap);
	heap->groups = groups;
	heap->raw = raw;
	heap->ties = ties;
	heap->cap = cap;
	return 0;
}

void fw_kinetic_insert(struct fw_kinetic *heap, struct fw_entry *entry)
{
	struct item item;

	assert(!entry->by_score);
	assert(heap->num < heap->cap);
	item_from(heap, entry, &item);
	place(heap, heap->num++, &item);
}

void fw_kinetic_remove(struct fw_kinetic *heap, struct fw_entry *entry)
{
	size_t slot = entry->by_score - 1u, last = heap->num - 1;
	struct item item;

	assert(slot < heap->num && heap->ties[slot].entry == entry);
	entry->by_score = 0;
	load(heap, last, &item);
	clear_lane(group_of(heap, last), lane_of(last));
	heap->num--;
	/* Above the last slot the due times are early now: that is harmless. */
	if (slot != last)
		place(heap, slot, &item);
}

void fw_kinetic_rescore(struct fw_kinetic *heap, struct fw_entry *entry)
{
	struct item item;

	assert(entry->by_score && entry->by_score <= heap->num);
	item_from(heap, entry, &item);
	place(heap, entry->by_score - 1u, &item);
}

/* Mend what is due below @slot first, then @slot itself. */
static void mend(struct fw_kinetic *heap, size_t slot)
{
	struct item item;

	if (has_children(heap, slot)) {
		const struct fw_kinetic_group *group = &heap->groups[slot + 1];

		for (unsigned int i = 0; i < FW_KINETIC_ARY; i++)
			if (group->due[i] <= heap->now)
				mend(heap, slot * FW_KINETIC_ARY + 1 + i);
	}
	load(heap, slot, &item);
	sift_down(heap, slot, &item);
}

static void rebuild(struct fw_kinetic *heap)
{
	for (size_t slot = heap->num; slot-- > 0;) {
		struct item item;

		load(heap, slot, &item);
		sift_down(heap, slot, &item);
	}
}

void fw_kinetic_advance(struct fw_kinetic *heap, double now)
{
	bool back = now < heap->now;

	heap->now = now;
	if (back)
		rebuild(heap);
	else if (heap->num && *due_of(heap, 0) <= now)
		mend(heap, 0);
}

struct fw_entry *fw_kinetic_first(const struct fw_kinetic *heap)
{
	return heap->num ? heap->ties[0].entry : NULL;
}

bool fw_kinetic_valid(const struct fw_kinetic *heap)
{
	for (size_t slot = 0; slot < heap->num; slot++) {
		struct item item;

		load(heap, slot, &item);
		if (item.tie.entry->by_score != slot + 1)
			return false;
		if (slot && item_before(heap, &item,
					fw_line_score(item.ratio, item.arrival,
						      item.unit, heap->now),
					parent_of(slot)))
			return false;
		if (slot &&
		    *due_of(heap, parent_of(slot)) > *due_of(heap, slot))
			return false;
	}
	return heap->num <= heap->cap;
}
