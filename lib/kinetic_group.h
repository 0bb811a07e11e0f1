/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_KINETIC_GROUP_H
#define LIB_KINETIC_GROUP_H

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
#define ROUNDING (16 * DBL_EPSILON)

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
typedef double vec __attribute__((vector_size(16), may_alias));
typedef int64_t mask __attribute__((vector_size(16)));

static inline vec vec_load(const double *from)
{
	return *(const vec *)__builtin_assume_aligned(from, 16);
}

static inline vec vec_select(mask m, vec yes, vec no)
{
	return (vec)((m & (mask)yes) | (~m & (mask)no));
}

static inline vec vec_min(vec a, vec b)
{
	return vec_select(a < b, a, b);
}

/* fw_line_score() for two lanes of a group. */
static inline vec fw_group_scores(const struct fw_kinetic_group *group,
				  unsigned int i, double now)
{
	vec wait = now - vec_load(group->arrival + i);

	wait = (vec)((mask)wait & (wait >= 0.0));
	return vec_load(group->ratio + i) + wait / vec_load(group->unit + i);
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

/*
 * When may an edge from @slot to a child, or one further down, break? An edge
 * holds for good where the parent is ahead in all three of ratio, arrival and
 * slope, or where both lines are the same. Otherwise the gap that is left, by
 * the speed at which it closes; a request that has not arrived yet stands
 * still.
 */
static inline vec fw_group_due(const struct fw_kinetic_group *to,
			       unsigned int i,
			       const struct fw_kinetic_edge *from, double now)
{
	vec ratio = vec_load(to->ratio + i), unit = vec_load(to->unit + i);
	vec arrival = vec_load(to->arrival + i),
	    child = fw_group_scores(to, i, now);
	vec speed = 1.0 / unit, gap, closing, when,
	    never = {INFINITY, INFINITY};
	mask ahead, same;

	gap = from->score - child - ROUNDING * (from->score + child);
	closing = speed - from->slope + ROUNDING * (speed + from->slope);
	when = now + gap / closing;
	when -= ROUNDING * (vec)((mask)when & INT64_MAX);
	when = vec_select(closing > 0.0, when, never);
	when = vec_select(gap > 0.0, when, now + (vec){0.0, 0.0});
	ahead = (from->unit <= unit) & (from->ratio >= ratio) &
		(from->arrival < arrival);
	same = (from->unit == unit) & (from->ratio == ratio) &
	       (from->arrival == arrival);
	when = vec_select(ahead | same | (ratio == -INFINITY), never, when);
	return vec_min(when, vec_load(to->due + i));
}

#endif
