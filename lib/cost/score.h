/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIB_COST_SCORE_H
#define LIB_COST_SCORE_H

#include <stdint.h>

/*
 * What a request is worth to the fast lane. Pure functions.
 *
 * The order of the fast lane is that of fw_score(), rounded as it is here. Two
 * more copies of the formula run, both in lib/queue/kinetic_group.h:
 * fw_line_score() for one request and fw_group_scores() for two at a time. The
 * kinetic heap goes by these alone. All three must round alike, operation by
 * operation; tests/unit/queue/test_score_kinetic.c compares them.
 *
 * Parts of it stand in more places. item_from() of lib/queue/score_kinetic.c
 * divides h by c. due_above() of lib/queue/kinetic_sift.c has the slope, 1 /
 * SLO, and fw_group_due() reckons when two lines cross: both need a score that
 * is a line in time once the request has arrived. A score that is none needs
 * another heap. tests/naive (naive_order.c, naive_lanes.c) has the formula once
 * more, written apart from this one, and tests compare whole runs by it.
 */

/* c: tokens left to compute, 1 at least. */
static inline uint32_t fw_cost_tokens(uint32_t len, uint32_t hit)
{
	return hit < len ? len - hit : 1;
}

/* SLO of a prompt: a multiple of its prefill time, the floor at least. */
static inline double fw_slo(double prefill_s, double multiplier, double floor_s)
{
	double slo = multiplier * prefill_s;

	return slo < floor_s ? floor_s : slo;
}

/* h / c + wait / SLO; a wait below 0 counts as 0. */
static inline double fw_score(uint32_t hit, uint32_t cost, double arrival,
			      double slo, double now)
{
	double wait = now - arrival;

	if (wait < 0.0)
		wait = 0.0;
	return (double)hit / (double)cost + wait / slo;
}

#endif
