/* SPDX-License-Identifier: Apache-2.0 */
#include "merge_check.h"

#include "lib/queue/queued.h"

#define WEIGHT 4000

static double score(const struct fw_request *req, double now)
{
	const struct fw_rank *e = &fw_queued_const(req)->rank;
	double wait = now - e->arrival;

	return (double)e->hit / (double)(req->len - e->hit) +
	       (wait > 0.0 ? wait : 0.0) / e->unit;
}

static bool older(const struct fw_request *a, const struct fw_request *b)
{
	const struct fw_rank *x = &fw_queued_const(a)->rank,
			     *y = &fw_queued_const(b)->rank;

	return x->arrival < y->arrival ||
	       (x->arrival == y->arrival && x->seq < y->seq);
}

static bool better(const struct fw_request *a, const struct fw_request *b,
		   double now)
{
	double x = score(a, now), y = score(b, now);

	return x > y || (x == y && older(a, b));
}

/* Heads of both lanes of a class. */
static void find_heads(const struct fw_request *const *waiting, size_t num,
		       uint32_t priority, double now,
		       const struct fw_request **fast,
		       const struct fw_request **fair)
{
	*fast = *fair = NULL;
	for (size_t i = 0; i < num; i++) {
		if (waiting[i]->priority != priority)
			continue;
		if (!*fast || better(waiting[i], *fast, now))
			*fast = waiting[i];
		if (!*fair || older(waiting[i], *fair))
			*fair = waiting[i];
	}
}

static int64_t cost(const struct fw_request *req)
{
	return (int64_t)req->len - fw_queued_const(req)->rank.hit;
}

static uint32_t highest(const struct fw_request *const *waiting, size_t num)
{
	uint32_t priority = 0;

	for (size_t i = 0; i < num; i++)
		if (waiting[i]->priority > priority)
			priority = waiting[i]->priority;
	return priority;
}

bool merge_check(struct merge_check *merge, const struct fw_decision *decision,
		 const struct fw_request *const *waiting, size_t num,
		 double now)
{
	const struct fw_request *fast, *fair, *next;
	uint32_t priority = highest(waiting, num);
	bool by_score;

	find_heads(waiting, num, priority, now, &fast, &fair);
	if (merge->step != decision->step || merge->priority != priority) {
		merge->step = decision->step;
		merge->priority = priority;
		merge->fast = WEIGHT * cost(fast);
		merge->fair = 1000 * cost(fair);
	}
	by_score = merge->fast <= merge->fair;
	next = by_score ? fast : fair;
	if (by_score)
		merge->fast += WEIGHT * cost(next);
	else
		merge->fair += 1000 * cost(next);
	return decision->request == next &&
	       decision->lane ==
		       (by_score ? FW_LANE_NAME_FAST : FW_LANE_NAME_FAIR) &&
	       decision->score == score(next, now) &&
	       decision->cost == cost(next);
}
