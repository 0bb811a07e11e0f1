/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_QUEUE_KINETIC_GROUP_H
#define LIB_QUEUE_KINETIC_GROUP_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/*
 * The four children of a slot of the kinetic heap, side by side: their scores
 * at a time, and when the edge from their parent to one of them can break.
 * Pure functions.
 */

#define FW_KINETIC_ARY 4u

/**
 * struct fw_kinetic_group - the children of one slot, as vectors
 * @ratio: h / c
 * @arrival: seconds since open
 * @unit: of the wait, seconds
 * @due: earliest time at which an edge of the child's own subtree can break
 */
struct fw_kinetic_group {
	double ratio[FW_KINETIC_ARY];
	double arrival[FW_KINETIC_ARY];
	double unit[FW_KINETIC_ARY];
	double due[FW_KINETIC_ARY];
} __attribute__((aligned(64)));

/*
 * What rounding can do to the difference of two scores, as a share of their
 * sum. A score takes four roundings, each at most half an ulp of a term that
 * is no larger than the score; both scores at both ends of the interval, and
 * the arithmetic here, make less than a dozen ulps.
 */
#define FW_KINETIC_ROUNDING (16 * DBL_EPSILON)

/* The very arithmetic of fw_score(), which divides h by c beforehand. */
static inline double fw_line_score(double ratio, double arrival, double unit,
				   double now)
{
	double wait = now - arrival;

	if (wait < 0.0)
		wait = 0.0;
	return ratio + wait / unit;
}

/*
 * Two lanes at a time: the vectors that every 64-bit machine has, so that no
 * form of the code needs another compiler flag.
 */
typedef double fw_vec __attribute__((vector_size(16), may_alias));
typedef int64_t fw_mask __attribute__((vector_size(16)));

static inline fw_vec fw_vec_load(const double *from)
{
	return *(const fw_vec *)__builtin_assume_aligned(from, 16);
}

static inline fw_vec fw_vec_select(fw_mask m, fw_vec yes, fw_vec no)
{
	return (fw_vec)((m & (fw_mask)yes) | (~m & (fw_mask)no));
}

static inline fw_vec fw_vec_min(fw_vec a, fw_vec b)
{
	return fw_vec_select(a < b, a, b);
}

/* fw_line_score() for two lanes of a group. */
static inline fw_vec fw_group_scores(const struct fw_kinetic_group *group,
				     unsigned int i, double now)
{
	fw_vec wait = now - fw_vec_load(group->arrival + i);

	wait = (fw_vec)((fw_mask)wait & (wait >= 0.0));
	return fw_vec_load(group->ratio + i) +
	       wait / fw_vec_load(group->unit + i);
}

/**
 * struct fw_kinetic_edge - the parent's side of the edges to its children
 * @ratio: as in struct fw_kinetic_group
 * @arrival: the same
 * @unit: the same
 * @score: now
 * @slope: at which the score rises at least
 */
struct fw_kinetic_edge {
	double ratio;
	double arrival;
	double unit;
	double score;
	double slope;
};

/**
 * fw_group_due() - when may an edge to two of the children break?
 * @to: the children
 * @i: first of the two
 * @child: their scores now
 * @from: their parent
 * @now: seconds
 *
 * An edge holds for good where the parent is ahead in all three of ratio,
 * arrival and slope, or where both lines are the same. Otherwise the gap that
 * is left, by the speed at which it closes; a request that has not arrived yet
 * stands still. Both are multiplied by the child's unit, which saves a
 * division.
 *
 * Return: For each the time at which its edge, or one below it, can break.
 */
static inline fw_vec fw_group_due(const struct fw_kinetic_group *to,
				  unsigned int i, fw_vec child,
				  const struct fw_kinetic_edge *from,
				  double now)
{
	fw_vec ratio = fw_vec_load(to->ratio + i);
	fw_vec arrival = fw_vec_load(to->arrival + i);
	fw_vec unit = fw_vec_load(to->unit + i), slope = from->slope * unit;
	fw_vec gap, closing, when, never = {INFINITY, INFINITY};
	fw_mask ahead, same;

	gap = from->score - child - FW_KINETIC_ROUNDING * (from->score + child);
	closing = 1.0 - slope + FW_KINETIC_ROUNDING * (1.0 + slope);
	when = now + gap * unit / closing;
	when -= FW_KINETIC_ROUNDING * (fw_vec)((fw_mask)when & INT64_MAX);
	when = fw_vec_select(closing > 0.0, when, never);
	when = fw_vec_select(gap > 0.0, when, now + (fw_vec){0.0, 0.0});
	ahead = (from->unit <= unit) & (from->ratio >= ratio) &
		(from->arrival < arrival);
	same = (from->unit == unit) & (from->ratio == ratio) &
	       (from->arrival == arrival);
	when = fw_vec_select(ahead | same | (ratio == -INFINITY), never, when);
	return fw_vec_min(when, fw_vec_load(to->due + i));
}

#endif
